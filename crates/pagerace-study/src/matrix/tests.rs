use super::Matrix;
use crate::fixture::frame;
use crate::frame::Filter;

const VALUE: &str = "median over pages of ('h2 @ {row}' - '{column} @ {row}')/'h2 @ {row}' of lcp";

fn names(all: &[&str]) -> Vec<String> {
    all.iter().map(|name| (*name).to_owned()).collect()
}

fn matrix(value: &str, published: Option<Vec<Vec<f64>>>) -> Result<Matrix, String> {
    let sides = (names(&["slow", "fast"]), names(&["h3"]));
    Matrix::new(String::new(), value, sides, published, Filter::new())
}

#[test]
fn each_cell_has_the_number_of_its_row_and_column() {
    let published = vec![vec![0.2], vec![f64::NAN]];
    let matrix = matrix(VALUE, Some(published)).unwrap();
    let numbers = matrix.fill(&frame()).unwrap();
    let near = |row: usize, wanted: f64| (numbers[row][0].unwrap() - wanted).abs() < 1e-12;
    assert!(near(0, 0.1) && near(1, 0.5), "{numbers:?}");
    assert_eq!(matrix.published(0, 0), Some(0.2));
    assert_eq!(matrix.published(1, 0), None);
}

#[test]
fn mistakes_are_named() {
    let error = matrix("median over pages of {column} of lcp", None).unwrap_err();
    assert_eq!(error, "value: has no {row}");
    let error = matrix(VALUE, Some(vec![vec![0.2]])).unwrap_err();
    assert!(
        error.starts_with("published: has another shape than 2 rows of 1"),
        "{error}"
    );
    let error = matrix("median over pages of {column} of {row}", None).unwrap_err();
    assert!(error.starts_with("value: `slow` is no metric"), "{error}");
    let sides = (names(&["lcp"]), names(&["h3"]));
    let value = "median over pages of {column} of {row}";
    let several = Matrix::new(String::new(), value, sides, None, Filter::new()).unwrap();
    let error = several.fill(&frame()).unwrap_err();
    assert!(
        error.starts_with("value: has a number in each of 2"),
        "{error}"
    );
}
