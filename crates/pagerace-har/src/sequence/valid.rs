//! Descriptions of valid values in a transfer sequence, including the limits.

use super::MAX_SIZE_BYTES;

pub(super) const ID: &str = "a whole number from 0 to 4294967295, one for each object";
pub(super) const CATEGORY: &str = "ads, images, html, javascript, json, css, fonts or others";
pub(super) const EXTENSION: &str = "1 to 16 lower-case ASCII letters and digits, such as js";
pub(super) const SIZE: &str = "the bytes of the body, a whole number up to 4294967296";
pub(super) const START: &str = "milliseconds since the navigation began, from 0 to 86400000";
pub(super) const TIME: &str = "milliseconds from 0 to 86400000, or null if unknown";
pub(super) const FILE_NAME: &str =
    "the name of a file, without folders: up to 128 ASCII letters, digits and . - _, not first a .";
pub(super) const URL: &str = "text of at most 2000 characters, without control characters";

const _: () = assert!(MAX_SIZE_BYTES == 4_294_967_296 && super::MAX_URL_CHARS == 2_000);
const _: () = assert!(super::MAX_TIME.as_nanos() == 86_400_000_000_000);
