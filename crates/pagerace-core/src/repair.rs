//! The repair of content of which a part was lost.

use crate::names;

names! {
    /// The time at which missing parts are fetched again.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Repair as "repair" {
        /// Immediately.
        Now = "now",
        /// Once no essential object is outstanding.
        Later = "later",
        /// Same as [`Self::Later`] if the received part is of no use. Otherwise the object stays
        /// incomplete.
        IfUseless = "if-useless",
    }
}
