//! JSON objects of which any field may be missing or damaged. A damaged field counts as missing,
//! and a damaged element of a list is left out.
//!
//! Objects are read from a [`serde_json::Value`]. A reader of text cannot go on after an error.

use serde::{Deserialize, Deserializer, Serialize};

/// Defines an object of JSON. The fields in braces at its begin are required: an object without
/// them is damaged itself.
macro_rules! lenient {
    (
        $(#[$about:meta])*
        $visibility:vis struct $type:ident {
            $({ $($(#[$of_required:meta])* $required_visibility:vis $required:ident: $required_type:ty,)+ })?
            $($(#[$of_field:meta])* $field_visibility:vis $field:ident: $field_type:ty,)*
        }
    ) => {
        $(#[$about])*
        #[serde(rename_all = "camelCase")]
        $visibility struct $type {
            $($($(#[$of_required])* $required_visibility $required: $required_type,)+)?
            $(
                $(#[$of_field])*
                #[serde(
                    default,
                    deserialize_with = "crate::lenient::field",
                    skip_serializing_if = "crate::lenient::is_default"
                )]
                $field_visibility $field: $field_type,
            )*
        }
    };
}
pub(crate) use lenient;

/// Lets a damaged field of these types be empty.
macro_rules! empty_if_damaged {
    ($($type:ty),+) => {$(
        impl<'de> $crate::lenient::Field<'de> for $type {
            fn read<D: serde::Deserializer<'de>>(from: D) -> Self {
                serde::Deserialize::deserialize(from).unwrap_or_default()
            }
        }
    )+};
}
pub(crate) use empty_if_damaged;

empty_if_damaged!(bool, Share);

/// The type of a field that may be damaged.
pub(crate) trait Field<'de>: Sized {
    /// Returns the value of the field, or the default if it is damaged.
    fn read<D: Deserializer<'de>>(from: D) -> Self;
}

impl<'de, T: Deserialize<'de>> Field<'de> for Option<T> {
    fn read<D: Deserializer<'de>>(from: D) -> Self {
        T::deserialize(from).ok()
    }
}

impl<'de, T: Deserialize<'de>> Field<'de> for Vec<T> {
    fn read<D: Deserializer<'de>>(from: D) -> Self {
        let elements = Vec::<Element<T>>::deserialize(from).unwrap_or_default();
        elements.into_iter().filter_map(|one| one.0).collect()
    }
}

/// A finite number, which may be written as text, as in old WebPageTest files.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Written")]
pub(crate) struct Number(pub(crate) f64);

/// A number or text.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Written {
    Number(f64),
    Text(String),
}

impl TryFrom<Written> for Number {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        let number = match written {
            Written::Number(number) => Some(number),
            Written::Text(text) => text.trim().parse().ok(),
        };
        let finite = number.filter(|number: &f64| number.is_finite());
        finite.map(Self).ok_or("no number")
    }
}

/// Milliseconds: a time since the navigation, or a span. At most an hour; longer ones are damaged,
/// not part of a page load.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "Number")]
pub struct Ms(pub f64);

impl TryFrom<Number> for Ms {
    type Error = &'static str;

    fn try_from(Number(ms): Number) -> Result<Self, Self::Error> {
        let sane = (0.0..=3_600_000.0).contains(&ms);
        sane.then_some(Self(ms)).ok_or("no time of a page load")
    }
}

/// A share from 0 to 1; 0 if it is damaged.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "Number")]
pub struct Share(pub f64);

impl TryFrom<Number> for Share {
    type Error = &'static str;

    fn try_from(Number(share): Number) -> Result<Self, Self::Error> {
        let sane = (0.0..=1.0).contains(&share);
        sane.then_some(Self(share)).ok_or("no share")
    }
}

/// An element of a list; `None` if it is damaged.
struct Element<T>(Option<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Element<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        field(from).map(Self)
    }
}

/// Reads a field for serde.
#[allow(clippy::unnecessary_wraps, reason = "serde asks for a result")]
pub(crate) fn field<'de, D: Deserializer<'de>, F: Field<'de>>(from: D) -> Result<F, D::Error> {
    Ok(F::read(from))
}

/// Returns true for a field that need not be written.
pub(crate) fn is_default<F: Default + PartialEq>(field: &F) -> bool {
    *field == F::default()
}
