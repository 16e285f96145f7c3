//! The properties that the loads of a cell share, one column each.

use pagerace_lab::Contender;
use pagerace_lab::contender::{COUNT, DIMENSIONS};

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
    /// The properties of the contender, in the order of [`DIMENSIONS`].
    pub properties: [String; COUNT],
    /// The digest of everything that decides the cell's loads, settings included.
    pub cell: String,
    /// The properties of the contender that vary among loads, in words. This is no column of
    /// files; [`Frame::name_contenders`](crate::frame::Frame::name_contenders) fills it.
    pub contender: String,
}

/// A property of a [`Key`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// The name of the column.
    pub name: &'static str,
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Race,
    Group,
    Page,
    Network,
    Property(usize),
    Cell,
    Contender,
}

impl Dimension {
    /// The contender as a whole.
    pub(crate) const CONTENDER: Self = Self::new("contender", Place::Contender);

    const fn new(name: &'static str, place: Place) -> Self {
        Self { name, place }
    }

    /// Returns all properties, in the order of the columns.
    pub fn all() -> impl Iterator<Item = Self> {
        let before = [
            Self::new("race", Place::Race),
            Self::new("group", Place::Group),
            Self::new("page", Place::Page),
            Self::new("network", Place::Network),
        ];
        let after = [Self::new("cell", Place::Cell)];
        before.into_iter().chain(Self::of_contenders()).chain(after)
    }

    /// Returns the properties that make a contender.
    pub fn of_contenders() -> impl Iterator<Item = Self> {
        let all = DIMENSIONS.iter().enumerate();
        all.map(|(i, one)| Self::new(one.name, Place::Property(i)))
    }

    /// Returns true if it is a property of contenders.
    pub(crate) const fn is_of_contenders(self) -> bool {
        matches!(self.place, Place::Property(_))
    }

    /// Returns the property called `name`.
    ///
    /// # Errors
    /// The names that exist.
    pub fn named(name: &str) -> Result<Self, String> {
        Self::all().find(|one| one.name == name).ok_or_else(|| {
            let known: Vec<&str> = Self::all().map(|one| one.name).collect();
            format!("`{name}` is no column of names; use {}", known.join(", "))
        })
    }

    /// Returns the property of `key`.
    pub fn of(self, key: &Key) -> &String {
        match self.place {
            Place::Race => &key.race,
            Place::Group => &key.group,
            Place::Page => &key.page,
            Place::Network => &key.network,
            Place::Property(i) => &key.properties[i],
            Place::Cell => &key.cell,
            Place::Contender => &key.contender,
        }
    }

    /// Sets the property of `key`.
    pub fn set(self, key: &mut Key, value: &str) {
        let place = match self.place {
            Place::Race => &mut key.race,
            Place::Group => &mut key.group,
            Place::Page => &mut key.page,
            Place::Network => &mut key.network,
            Place::Property(i) => &mut key.properties[i],
            Place::Cell => &mut key.cell,
            Place::Contender => &mut key.contender,
        };
        value.clone_into(place);
    }
}

impl Key {
    /// Returns the columns of a contender; all others are empty.
    pub fn of_contender(contender: &Contender) -> Self {
        Self {
            properties: contender.texts(),
            ..Self::default()
        }
    }

    /// Returns the property of the contender called `name`, such as `protocol`.
    ///
    /// # Panics
    /// Panics if contenders have no such property.
    pub fn property(&self, name: &str) -> &str {
        let place = DIMENSIONS.iter().position(|one| one.name == name);
        &self.properties[place.unwrap_or_else(|| panic!("contenders have no {name}"))]
    }

    /// Returns true if `text` is made of properties of the contender, one after the other. A
    /// property may have several words.
    pub fn is_called(&self, text: &str) -> bool {
        let words: Vec<&str> = text.split_whitespace().collect();
        self.has_all(&words)
    }

    fn has_all(&self, words: &[&str]) -> bool {
        let begins = |count: &usize| {
            let first = words[..*count].join(" ");
            self.properties.contains(&first) && self.has_all(&words[*count..])
        };
        words.is_empty() || (1..=words.len()).any(|count| begins(&count))
    }

    /// Returns all properties of the contender.
    pub fn words(&self) -> String {
        self.properties.join(" ")
    }
}
