//! Further sources of web fonts, which browsers request when the sources before them have failed
//! (CSS Fonts 4, <https://www.w3.org/TR/css-fonts-4/#font-face-loading>).

use pagerace_core::Destination;
use pagerace_page::Evidence;

use super::{How, Link};
use crate::fonts;
use crate::har::recording::Recording;

/// Links fonts to the failed source before them in their `@font-face` rule.
pub(super) fn relink(recording: &Recording, links: &mut [Option<Link>]) {
    let fonts = 1..links.len();
    let fonts = fonts.filter(|&i| recording.destinations[i] == Destination::Font);
    for i in fonts {
        let Some(sheet) = links[i].as_ref().filter(|link| link.how == How::Style) else {
            continue;
        };
        let sheet = &recording.entries[sheet.parent];
        let (Some(css), Some(base), Some(url)) =
            (sheet.body.as_deref(), &sheet.url, recording.url(i))
        else {
            continue;
        };
        let faces = fonts::scan(css, base);
        let before = faces.iter().find_map(|face| {
            let place = face.urls.iter().position(|source| *source == url)?;
            let before = face.urls[..place].iter().rev();
            before
                .filter_map(|source| recording.resolve(source, i))
                .next()
        });
        if let Some(failed) = before.filter(|&j| recording.has_failed(j)) {
            links[i] = Some(Link::new(failed, How::After, Evidence::Recorded));
        }
    }
}

#[cfg(test)]
mod tests;
