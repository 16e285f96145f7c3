//! The `Priority` field of responses (RFC 9218, section 8).

use pagerace_core::Priority as Signal;

use super::{Edit, Kept, Kind, Value, each};
use crate::{Page, Resource, ResourceId};

/// Lets responses tell servers their priority.
pub(super) struct Priority;

/// All urgencies, and each with `i` for incremental.
const WORDS: [&str; 16] = [
    "u0", "u1", "u2", "u3", "u4", "u5", "u6", "u7", "u0i", "u1i", "u2i", "u3i", "u4i", "u5i",
    "u6i", "u7i",
];

impl Kind for Priority {
    fn name(&self) -> &'static str {
        "priority"
    }

    fn value(&self) -> Value {
        Value::Word(&WORDS)
    }

    fn summary(&self) -> &'static str {
        "Lets responses set their urgency, and i for incremental, for servers with the strategy eps"
    }

    fn example(&self) -> &'static str {
        "priority=u1 */hero.jpg"
    }

    fn apply(&self, value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        let word = WORDS.iter().position(|word| *word == value);
        let word = word.ok_or("no priority")?;
        let priority = Signal::new((word % 8) as u8, word >= 8);
        each(on, page, |page, id| {
            let resource = &mut page.resources[id.index()];
            if resource.served_priority == Some(priority) {
                return Err("it has that priority already");
            }
            resource.served_priority = Some(priority);
            Ok(())
        })
    }

    fn edit(&self, _value: &str, _: &Resource, _: &Page) -> Edit {
        Edit::Served
    }
}
