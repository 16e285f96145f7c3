//! Macros for serialised forms.

/// Returns a value that serialises as an object with these members, in this order. Members may have
/// serde's attributes.
#[macro_export]
macro_rules! object {
    ($($(#[$attribute:meta])* $name:ident: $value:expr),+ $(,)?) => {{
        // The types of members have their names.
        #[allow(non_camel_case_types)]
        mod object {
            #[derive(::serde::Serialize)]
            pub(super) struct Object<$($name),+> {
                $($(#[$attribute])* pub(super) $name: $name),+
            }
        }
        object::Object { $($name: $value),+ }
    }};
}

/// Serialises a type as the text that `Display` writes and `FromStr` reads.
#[macro_export]
macro_rules! serde_as_text {
    ($type:ty) => {
        impl ::serde::Serialize for $type {
            fn serialize<S: ::serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $type {
            fn deserialize<D: ::serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = <String as ::serde::Deserialize>::deserialize(from)?;
                text.parse().map_err(::serde::de::Error::custom)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn members_keep_their_order() {
        let inner = object! { d: 4, c: f64::INFINITY };
        let object = object! { b: 1, a: [None, Some("two")], #[serde(flatten)] inner: inner };
        let text = serde_json::to_string(&object).expect("plain data");
        assert_eq!(text, r#"{"b":1,"a":[null,"two"],"d":4,"c":null}"#);
    }
}
