use super::*;

#[test]
fn every_profile_is_listed_under_the_name_it_is_stored_by() {
    let listed: Vec<&str> = profiles().iter().map(|p| p.name).collect();
    let all = [Profile::Chrome, Profile::Firefox, Profile::Safari];
    assert_eq!(listed, all.map(Profile::name));
    for profile in all {
        let stored = serde_json::to_string(&profile).expect("a name");
        assert_eq!(stored, format!("\"{}\"", profile.name()));
    }
    assert!(
        profiles()
            .iter()
            .all(|p| !p.summary.is_empty() && !p.source.is_empty())
    );
}
