//! Reasons for a verdict, in sentences.

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
        match self {
            Self::Document
            | Self::RedirectsToDocument
            | Self::RenderBlocking
            | Self::SinglePoint { .. }
            | Self::LeadsTo { .. }
            | Self::Style
            | Self::OwnScript
            | Self::ScriptInOrder
            | Self::OwnName { .. }
            | Self::BuiltOn { .. }
            | Self::PartOf { .. }
            | Self::FontBlocks
            | Self::InViewport
            | Self::FrameInMarkup
            | Self::OwnFrame
            | Self::DataFor { .. }
            | Self::OwnData
            | Self::Chosen {
                essential: true, ..
            } => Counts::For,
            Self::Paint { effect } if effect.needs() => Counts::For,
            Self::Priority { priority } if *priority <= RequestPriority::High => Counts::For,
            Self::Priority {
                priority: RequestPriority::Medium | RequestPriority::Low,
            }
            | Self::Paint { .. }
            | Self::Excepted { .. }
            | Self::FirstParty
            | Self::ThirdParty
            | Self::Preflight { .. }
            | Self::InPart { .. } => Counts::Neither,
            Self::Chosen { .. }
            | Self::Listed { .. }
            | Self::RedirectsToNonEssential
            | Self::Beacon
            | Self::Icon
            | Self::Prefetch
            | Self::AskedByAd { .. }
            | Self::InFrame { .. }
            | Self::OtherMedium
            | Self::StyleOfOthers
            | Self::ScriptAnyTime
            | Self::FontFallsBack
            | Self::BelowTheFold
            | Self::NothingSeen
            | Self::FrameByScript
            | Self::OthersData
            | Self::Media
            | Self::OtherFile
            | Self::Priority { .. } => Counts::Against,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |id: &ResourceId| format!("no. {}", id.0);
        match self {
            Self::Document => f.write_str("the document"),
            Self::RedirectsToDocument => f.write_str("redirects to the document"),
            Self::Chosen {
                selector,
                essential: true,
            } => write!(f, "you say that {selector} is essential"),
            Self::Chosen { selector, .. } => write!(f, "you say that {selector} is not essential"),
            Self::Listed { kind, source, rule } => write!(f, "{kind}, says {source}: {rule}"),
            Self::Excepted { source, rule } => {
                write!(f, "not advertisement, says {source}: {rule}")
            }
            Self::Paint { effect } => effect.fmt(f),
            Self::RenderBlocking => f.write_str("render-blocking"),
            Self::SinglePoint { host, behind } => {
                f.write_str("single point of failure: nothing is painted while ")?;
                write!(f, "{host} is silent")?;
                match behind {
                    0 => Ok(()),
                    1 => f.write_str(", and one more waits"),
                    more => write!(f, ", and {more} others wait"),
                }
            }
            Self::LeadsTo { to } => write!(f, "{} is essential and requested by it", number(to)),
            Self::RedirectsToNonEssential => {
                f.write_str("it redirects to a resource that is not essential")
            }
            Self::Preflight { of } => write!(f, "the preflight request of {}", number(of)),
            Self::FirstParty => f.write_str("first party"),
            Self::ThirdParty => f.write_str("third party"),
            Self::Beacon => f.write_str("a beacon: it sends data and fetches none"),
            Self::Icon => f.write_str("an icon, shown outside the page"),
            Self::Prefetch => f.write_str("fetched for later, or for installing the page"),
            Self::AskedByAd { by } => {
                write!(f, "advertisement or tracker {} asked for it", number(by))
            }
            Self::InFrame { frame } => {
                write!(
                    f,
                    "it is in frame {}, which is not essential",
                    number(frame)
                )
            }
            Self::Style => f.write_str("the page's look depends on it"),
            Self::OtherMedium => {
                f.write_str("a style sheet for another medium, by its lowest priority")
            }
            Self::StyleOfOthers => f.write_str("a third-party style sheet that nothing waits for"),
            Self::OwnScript => f.write_str("a script of the site itself"),
            Self::ScriptInOrder => {
                f.write_str("a third-party script that runs in order with the page's own")
            }
            Self::OwnName { host } => write!(f, "{host} has the site's name"),
            Self::BuiltOn { host } => {
                write!(
                    f,
                    "from {host}, which also serves what the first paint waits for"
                )
            }
            Self::ScriptAnyTime => f.write_str("a third-party script that nothing waits for"),
            Self::PartOf { script } => {
                write!(
                    f,
                    "essential script {} loads it from its own host",
                    number(script)
                )
            }
            Self::FontFallsBack => f.write_str("text can be read in another font"),
            Self::FontBlocks => f.write_str("font-display: block hides text without it"),
            Self::InViewport => f.write_str("in the first viewport"),
            Self::BelowTheFold => f.write_str("not in the first viewport"),
            Self::NothingSeen => f.write_str("nothing of it is seen in the first viewport"),
            Self::FrameInMarkup => f.write_str("a frame in the page's markup"),
            Self::FrameByScript => f.write_str("a third-party frame that a script added"),
            Self::OwnFrame => f.write_str("a frame of the site itself"),
            Self::DataFor { by } => write!(f, "data for {}, which is essential", number(by)),
            Self::OwnData => f.write_str("data of the site itself"),
            Self::OthersData => f.write_str("third-party data that nothing essential asked for"),
            Self::Media => {
                f.write_str("audio or video plays on with gaps, and nothing waits for it")
            }
            Self::OtherFile => f.write_str("a file that nothing on the screen is known to use"),
            Self::Priority { priority } => write!(f, "priority {priority}"),
            Self::InPart { how } => write!(f, "useful in part: {how}"),
        }
    }
}
