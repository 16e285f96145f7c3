use super::*;

#[test]
fn every_profile_is_stored_by_its_name() {
    for profile in Profile::all() {
        let stored = serde_json::to_string(profile).expect("a name");
        assert_eq!(stored, format!("\"{}\"", profile.name));
        let read: &Profile = serde_json::from_str(&stored).expect("a profile");
        assert_eq!(read, profile);
        assert!(!profile.summary.is_empty() && !profile.source.is_empty());
    }
    let unknown = serde_json::from_str::<&Profile>("\"opera\"").expect_err("no such browser");
    let expected = "unknown variant `opera`, expected one of `chrome`, `firefox`, ";
    assert!(unknown.to_string().starts_with(expected), "{unknown}");
}
