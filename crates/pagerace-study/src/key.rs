//! The properties that the loads of a cell share, one column each.

/// The properties that the loads of a cell share: page, network and contender.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The name of the race in the plan.
    pub race: String,
    /// The group of the page; empty if the plan has none.
    pub group: String,
    /// The name of the page.
    pub page: String,
    /// The network.
    pub network: String,
    /// The versions of HTTP.
    pub protocol: String,
    /// The servers' congestion controller.
    pub controller: String,
    /// The state that an earlier visit left behind.
    pub visit: String,
    /// The strategy with its parameters.
    pub strategy: String,
    /// The reliability policy.
    pub reliability: String,
    /// The interventions; `original` if there are none.
    pub interventions: String,
    /// The digest of everything that decides the cell's loads, settings included.
    pub cell: String,
    /// The properties of the contender that vary among loads, in words. This is no column of
    /// files; [`Frame::name_contenders`](crate::frame::Frame::name_contenders) fills it.
    pub contender: String,
}

/// A property of a [`Key`].
#[derive(Clone, Copy, Debug)]
pub struct Dimension {
    /// The name of the column.
    pub name: &'static str,
    /// Returns the property.
    pub get: fn(&Key) -> &String,
    /// Returns the property to be changed.
    pub get_mut: fn(&mut Key) -> &mut String,
}

macro_rules! dimension {
    ($field:ident) => {
        Dimension {
            name: stringify!($field),
            get: |key| &key.$field,
            get_mut: |key| &mut key.$field,
        }
    };
}

/// All properties, in the order of the columns.
pub const DIMENSIONS: [Dimension; 11] = [
    dimension!(race),
    dimension!(group),
    dimension!(page),
    dimension!(network),
    dimension!(protocol),
    dimension!(controller),
    dimension!(visit),
    dimension!(strategy),
    dimension!(reliability),
    dimension!(interventions),
    dimension!(cell),
];

/// The properties that make a contender.
pub const CONTENDER: [&str; 6] = [
    "protocol",
    "controller",
    "visit",
    "strategy",
    "reliability",
    "interventions",
];

impl Dimension {
    /// The contender as a whole.
    pub const CONTENDER: Self = dimension!(contender);

    /// Returns the property called `name`.
    ///
    /// # Errors
    /// The names that exist.
    pub fn named(name: &str) -> Result<Self, String> {
        let found = DIMENSIONS.into_iter().find(|one| one.name == name);
        found.ok_or_else(|| {
            let known: Vec<&str> = DIMENSIONS.iter().map(|one| one.name).collect();
            format!("`{name}` is no column of names; use {}", known.join(", "))
        })
    }

    /// Returns the properties that make a contender.
    pub fn of_contenders() -> impl Iterator<Item = Self> {
        let of_contender = |one: &Self| CONTENDER.contains(&one.name);
        DIMENSIONS.into_iter().filter(of_contender)
    }
}

impl Key {
    /// Returns true if `text`, or every word of it, is a property of the contender.
    pub fn is_called(&self, text: &str) -> bool {
        let has = |word: &str| Dimension::of_contenders().any(|one| (one.get)(self) == word);
        has(text) || text.split_whitespace().all(has)
    }

    /// Returns all properties of the contender.
    pub fn words(&self) -> String {
        let words: Vec<&str> = Dimension::of_contenders()
            .map(|one| (one.get)(self).as_str())
            .collect();
        words.join(" ")
    }
}
