//! Reasons for a verdict, in sentences.

use std::borrow::Cow;
use std::fmt;

use pagerace_core::RequestPriority;
use serde::{Deserialize, Serialize};

use crate::ads::{AdKind, AdMatch};
use pagerace_page::PaintEffect;
use pagerace_page::ResourceId;

/// Direction in which a reason counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counts {
    /// The reason counts for essential.
    For,
    /// The reason counts for not essential.
    Against,
    /// The reason is information only.
    Neither,
}

/// A reason. Its `Display` output is a part of a sentence, without a full stop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "reason")]
pub enum Reason {
    /// The resource is the page's document.
    Document,
    /// The resource redirects to the document.
    RedirectsToDocument,
    /// The user's override decides.
    Chosen {
        /// Selector, as the user wrote it.
        selector: String,
        /// True if the user marks the selection as essential.
        essential: bool,
    },
    /// A list matches the resource.
    Listed {
        /// Advertisement, tracker or widget.
        kind: AdKind,
        /// Name of the list.
        source: String,
        /// Rule that matched.
        rule: String,
    },
    /// A list exempts the resource from being advertisement.
    Excepted {
        /// Name of the list.
        source: String,
        /// Rule that matched.
        rule: String,
    },
    /// The effect of the resource on paints.
    Paint {
        /// The effect.
        #[serde(flatten)]
        effect: PaintEffect,
    },
    /// The resource is render-blocking according to the recording.
    RenderBlocking,
    /// The resource is render-blocking and on a third-party host, so the page depends on
    /// that host.
    SinglePoint {
        /// Host of the resource.
        host: String,
        /// Number of resources that wait for it.
        behind: usize,
    },
    /// The resource requests an essential one.
    LeadsTo {
        /// The essential resource.
        to: ResourceId,
    },
    /// The resource redirects to one that is not essential.
    RedirectsToNonEssential,
    /// The resource is a CORS preflight.
    Preflight {
        /// The request that the preflight precedes.
        of: ResourceId,
    },
    /// The resource is on the document's registrable domain.
    FirstParty,
    /// The resource is on another registrable domain.
    ThirdParty,
    /// The request sends data and returns no content.
    Beacon,
    /// The browser shows the icon outside the page.
    Icon,
    /// The current page does not use the prefetched resource.
    Prefetch,
    /// Advertisement requested the resource.
    AskedByAd {
        /// The advertisement.
        by: ResourceId,
    },
    /// The resource is in a frame that is not essential.
    InFrame {
        /// The frame.
        frame: ResourceId,
    },
    /// The page's appearance depends on the style sheet.
    Style,
    /// The style sheet has the lowest priority, so it is for another medium.
    OtherMedium,
    /// No paint waits for the third-party style sheet.
    StyleOfOthers,
    /// The script belongs to the page's own site.
    OwnScript,
    /// The page's author placed the third-party script among the page's own scripts,
    /// which may rely on it.
    ScriptInOrder,
    /// The host's domain carries the site's name.
    OwnName {
        /// Host of the resource.
        host: String,
    },
    /// The first paint waits for another resource from the same origin.
    BuiltOn {
        /// The host.
        host: String,
    },
    /// The third-party script may run at any time.
    ScriptAnyTime,
    /// An essential script from the same origin loads the script.
    PartOf {
        /// The loading script.
        script: ResourceId,
    },
    /// Text falls back to another font.
    FontFallsBack,
    /// Text is invisible without the font because of `font-display: block`.
    FontBlocks,
    /// The image lies in the first viewport.
    InViewport,
    /// The image lies outside the first viewport.
    BelowTheFold,
    /// The image lies in the first viewport according to its priority, but no part of it
    /// is visible.
    NothingSeen,
    /// The page's author placed the frame in the markup.
    FrameInMarkup,
    /// A script added the third-party frame.
    FrameByScript,
    /// The frame belongs to the page's own site.
    OwnFrame,
    /// An essential resource requested the data.
    DataFor {
        /// The requesting resource.
        by: ResourceId,
    },
    /// The data comes from the page's own site.
    OwnData,
    /// No essential resource requested the third-party data.
    OthersData,
    /// Audio or video plays on with gaps, and no text waits for it.
    Media,
    /// The file has no known use for the visible page.
    OtherFile,
    /// The priority that the browser assigned.
    Priority {
        /// The priority.
        priority: RequestPriority,
    },
    /// A part of the resource is useful.
    InPart {
        /// Explanation of the partial use.
        how: String,
    },
}

impl Reason {
    /// Creates the reason for a match of a list.
    pub(super) fn of_match(found: &AdMatch) -> Self {
        let (source, rule) = (found.source.clone(), found.rule.clone());
        match found.kind {
            Some(kind) => Self::Listed { kind, source, rule },
            None => Self::Excepted { source, rule },
        }
    }

    /// Returns the direction in which the reason counts.
    pub fn counts(&self) -> Counts {
        self.told().0
    }

    /// Returns the direction in which the reason counts, and the reason in words.
    #[rustfmt::skip]
    fn told(&self) -> (Counts, Cow<'static, str>) {
        use Counts::{Against, For, Neither};
        let number = |id: &ResourceId| format!("no. {}", id.0);
        match self {
            Self::Document => (For, "the document".into()),
            Self::RedirectsToDocument => (For, "redirects to the document".into()),
            Self::Chosen { selector, essential: true } =>
                (For, format!("you say that {selector} is essential").into()),
            Self::Chosen { selector, .. } =>
                (Against, format!("you say that {selector} is not essential").into()),
            Self::Listed { kind, source, rule } =>
                (Against, format!("{kind}, says {source}: {rule}").into()),
            Self::Excepted { source, rule } =>
                (Neither, format!("not advertisement, says {source}: {rule}").into()),
            Self::Paint { effect } =>
                (if effect.needs() { For } else { Neither }, effect.to_string().into()),
            Self::RenderBlocking => (For, "render-blocking".into()),
            Self::SinglePoint { host, behind } => {
                let waiting = match behind {
                    0 => String::new(),
                    1 => ", and one more waits".to_owned(),
                    more => format!(", and {more} others wait"),
                };
                (For, format!("single point of failure: nothing is painted while {host} is \
                               silent{waiting}").into())
            }
            Self::LeadsTo { to } =>
                (For, format!("{} is essential and requested by it", number(to)).into()),
            Self::RedirectsToNonEssential =>
                (Against, "it redirects to a resource that is not essential".into()),
            Self::Preflight { of } =>
                (Neither, format!("the preflight request of {}", number(of)).into()),
            Self::FirstParty => (Neither, "first party".into()),
            Self::ThirdParty => (Neither, "third party".into()),
            Self::Beacon => (Against, "a beacon: it sends data and fetches none".into()),
            Self::Icon => (Against, "an icon, shown outside the page".into()),
            Self::Prefetch => (Against, "fetched for later, or for installing the page".into()),
            Self::AskedByAd { by } =>
                (Against, format!("advertisement or tracker {} asked for it", number(by)).into()),
            Self::InFrame { frame } =>
                (Against, format!("it is in frame {}, which is not essential", number(frame)).into()),
            Self::Style => (For, "the page's look depends on it".into()),
            Self::OtherMedium =>
                (Against, "a style sheet for another medium, by its lowest priority".into()),
            Self::StyleOfOthers =>
                (Against, "a third-party style sheet that nothing waits for".into()),
            Self::OwnScript => (For, "a script of the site itself".into()),
            Self::ScriptInOrder =>
                (For, "a third-party script that runs in order with the page's own".into()),
            Self::OwnName { host } => (For, format!("{host} has the site's name").into()),
            Self::BuiltOn { host } =>
                (For, format!("from {host}, which also serves what the first paint waits for").into()),
            Self::ScriptAnyTime => (Against, "a third-party script that nothing waits for".into()),
            Self::PartOf { script } =>
                (For, format!("essential script {} loads it from its own host", number(script)).into()),
            Self::FontFallsBack => (Against, "text can be read in another font".into()),
            Self::FontBlocks => (For, "font-display: block hides text without it".into()),
            Self::InViewport => (For, "in the first viewport".into()),
            Self::BelowTheFold => (Against, "not in the first viewport".into()),
            Self::NothingSeen => (Against, "nothing of it is seen in the first viewport".into()),
            Self::FrameInMarkup => (For, "a frame in the page's markup".into()),
            Self::FrameByScript => (Against, "a third-party frame that a script added".into()),
            Self::OwnFrame => (For, "a frame of the site itself".into()),
            Self::DataFor { by } =>
                (For, format!("data for {}, which is essential", number(by)).into()),
            Self::OwnData => (For, "data of the site itself".into()),
            Self::OthersData =>
                (Against, "third-party data that nothing essential asked for".into()),
            Self::Media =>
                (Against, "audio or video plays on with gaps, and nothing waits for it".into()),
            Self::OtherFile =>
                (Against, "a file that nothing on the screen is known to use".into()),
            Self::Priority { priority } => {
                let counts = match priority {
                    RequestPriority::VeryHigh | RequestPriority::High => For,
                    RequestPriority::Medium | RequestPriority::Low => Neither,
                    RequestPriority::VeryLow => Against,
                };
                (counts, format!("priority {priority}").into())
            }
            Self::InPart { how } => (Neither, format!("useful in part: {how}").into()),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told().1)
    }
}
