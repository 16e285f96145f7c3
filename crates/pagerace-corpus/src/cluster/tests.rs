use super::two_means;

fn vectors(texts: &[&str]) -> Vec<Vec<bool>> {
    let vector = |text: &&str| text.chars().map(|c| c == '1').collect();
    texts.iter().map(vector).collect()
}

/// The inertias are those of scikit-learn 1.8, `KMeans(2)`, the best of 50 and 200 starts.
#[test]
fn the_groups_are_as_close_as_those_of_another_library() {
    let few = vectors(&[
        "110100", "111000", "110000", "001011", "000011", "001111", "110001", "010000",
    ]);
    let found = two_means(&few).unwrap();
    let other: Vec<usize> = found.groups.iter().map(|group| 1 - group).collect();
    let expected = [1, 1, 1, 0, 0, 0, 1, 1];
    assert!(found.groups == expected || other == expected);
    assert!((found.inertia - 4.533_333_333).abs() < 1e-6);

    let many = vectors(&[
        "110010010100",
        "000010011011",
        "000010010010",
        "100100000001",
        "000101010001",
        "100001010000",
        "001011101100",
        "001001000000",
        "010100001010",
        "000011010000",
        "000001011010",
        "010001100011",
        "011111001000",
        "010010100011",
        "001001010000",
        "010000110000",
        "000001000010",
        "000000100011",
        "001001000100",
        "001010100010",
        "010000000000",
        "010011100111",
        "000100000000",
        "100010111000",
        "000011000000",
        "011010011010",
        "001010101000",
        "010010011011",
        "110000111100",
        "110011000001",
        "000010100001",
        "011011101100",
        "010000000110",
        "000101010110",
        "010011001000",
        "101111000011",
        "101010000000",
        "000101000010",
        "010110110001",
        "101111010001",
    ]);
    let found = two_means(&many).unwrap();
    assert!(found.inertia < 89.378_788 * 1.001, "{}", found.inertia);
}

#[test]
fn equal_vectors_are_no_two_groups() {
    assert_eq!(two_means(&vectors(&["101", "101"])), None);
    assert_eq!(two_means(&[]), None);
}
