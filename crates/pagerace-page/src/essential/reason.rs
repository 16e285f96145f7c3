//! Why something is essential or not, in sentences.

use std::fmt;

use pagerace_core::RequestPriority;
use serde::{Deserialize, Serialize};

use super::PaintEffect;
use crate::ResourceId;
use crate::ads::{AdKind, AdMatch};

/// Which way a reason counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counts {
    /// For essential.
    For,
    /// For not essential.
    Against,
    /// Neither way; it is good to know.
    Neither,
}

/// A reason. Its `Display` is half a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "reason")]
pub enum Reason {
    /// It is the page's document.
    Document,
    /// It redirects to the document.
    RedirectsToDocument,
    /// The user says so.
    Chosen {
        /// As the user wrote it.
        selector: String,
        /// What the user says.
        essential: bool,
    },
    /// A list knows it.
    Listed {
        /// Advertisement, tracker or widget.
        kind: AdKind,
        /// Which list.
        source: String,
        /// By which rule.
        rule: String,
    },
    /// A list says that it is no advertisement.
    Excepted {
        /// Which list.
        source: String,
        /// By which rule.
        rule: String,
    },
    /// What paints make of it.
    Paint {
        /// What.
        #[serde(flatten)]
        effect: PaintEffect,
    },
    /// The first paint waits for it, as the recording has it.
    RenderBlocking,
    /// It is on another host, the first paint waits for it, and so do others.
    SinglePoint {
        /// Its host.
        host: String,
        /// Resources of the page that are asked for behind it.
        behind: usize,
    },
    /// Something essential is asked for by it.
    LeadsTo {
        /// What.
        to: ResourceId,
    },
    /// It redirects, and what it redirects to is not essential.
    RedirectsToNonEssential,
    /// It asks whether another request may be made.
    Preflight {
        /// Which.
        of: ResourceId,
    },
    /// It is on the document's own domain.
    FirstParty,
    /// It is on another domain.
    ThirdParty,
    /// It sends something and brings nothing.
    Beacon,
    /// It is shown in the browser's own frame.
    Icon,
    /// Nothing that is shown now uses it.
    Prefetch,
    /// Advertisement asked for it.
    AskedByAd {
        /// Which.
        by: ResourceId,
    },
    /// It is in a frame that is not essential.
    InFrame {
        /// Which.
        frame: ResourceId,
    },
    /// A style sheet that the page's look depends on.
    Style,
    /// A style sheet for another medium, or of the lowest priority.
    OtherMedium,
    /// A style sheet of others that no paint waits for.
    StyleOfOthers,
    /// A script of the page's own site.
    OwnScript,
    /// A script of others that the page's author put between its own, so that
    /// they may rely on it.
    ScriptInOrder,
    /// It is on another domain of the site's name.
    OwnName {
        /// Its host.
        host: String,
    },
    /// The first paint waits for something else from its host.
    BuiltOn {
        /// The host.
        host: String,
    },
    /// A script of others that runs whenever it comes.
    ScriptAnyTime,
    /// A script that an essential script of its own host loads.
    PartOf {
        /// Which.
        script: ResourceId,
    },
    /// Text has other fonts.
    FontFallsBack,
    /// Text is invisible without it, by `font-display: block`.
    FontBlocks,
    /// An image in the first viewport.
    InViewport,
    /// An image outside the first viewport.
    BelowTheFold,
    /// An image that is in the first viewport by its priority, but of which
    /// nothing is seen.
    NothingSeen,
    /// A frame that the page's author put there.
    FrameInMarkup,
    /// A frame of others that a script put there.
    FrameByScript,
    /// A frame of the page's own site.
    OwnFrame,
    /// Data for something essential.
    DataFor {
        /// For what.
        by: ResourceId,
    },
    /// Data from the page's own site.
    OwnData,
    /// Data of others that nothing essential asks for.
    OthersData,
    /// Sound or film plays on with gaps, and no text waits for it.
    Media,
    /// A file of no known use to what is shown.
    OtherFile,
    /// The priority that the browser gave it.
    Priority {
        /// Which.
        priority: RequestPriority,
    },
    /// It is of use in part, and why.
    InPart {
        /// In what way.
        how: String,
    },
}

impl Reason {
    /// What a list says.
    pub(super) fn of_match(found: &AdMatch) -> Self {
        let (source, rule) = (found.source.clone(), found.rule.clone());
        match found.kind {
            Some(kind) => Self::Listed { kind, source, rule },
            None => Self::Excepted { source, rule },
        }
    }

    /// Which way it counts.
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
                write!(f, "no advertisement, says {source}: {rule}")
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
            Self::LeadsTo { to } => write!(f, "{} is essential and asked for by it", number(to)),
            Self::RedirectsToNonEssential => f.write_str("what it redirects to is not essential"),
            Self::Preflight { of } => write!(f, "it asks whether {} may be made", number(of)),
            Self::FirstParty => f.write_str("first party"),
            Self::ThirdParty => f.write_str("third party"),
            Self::Beacon => f.write_str("a beacon: it sends something and brings nothing"),
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
                f.write_str("a style sheet of lowest priority: for another medium")
            }
            Self::StyleOfOthers => f.write_str("a style sheet of others that nothing waits for"),
            Self::OwnScript => f.write_str("a script of the site itself"),
            Self::ScriptInOrder => {
                f.write_str("a script of others that runs in order with the page's own")
            }
            Self::OwnName { host } => write!(f, "{host} has the site's name"),
            Self::BuiltOn { host } => {
                write!(
                    f,
                    "from {host}, which also serves what the first paint waits for"
                )
            }
            Self::ScriptAnyTime => f.write_str("a script of others that nothing waits for"),
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
            Self::FrameByScript => f.write_str("a frame of others that a script added"),
            Self::OwnFrame => f.write_str("a frame of the site itself"),
            Self::DataFor { by } => write!(f, "data for {}, which is essential", number(by)),
            Self::OwnData => f.write_str("data of the site itself"),
            Self::OthersData => f.write_str("data of others that nothing essential asked for"),
            Self::Media => {
                f.write_str("sound or film plays on with gaps, and nothing waits for it")
            }
            Self::OtherFile => f.write_str("a file that nothing on the screen is known to use"),
            Self::Priority { priority } => write!(f, "priority {priority}"),
            Self::InPart { how } => write!(f, "of use in part: {how}"),
        }
    }
}
