use super::{PUBLISHED, published};
use crate::samples::metric;

#[test]
fn each_published_metric_is_one_of_ours() {
    for (name, quantiles) in PUBLISHED {
        assert_eq!(published(metric(name)), Some(quantiles));
        assert!(quantiles.is_sorted());
    }
    assert_eq!(published(metric("onload")), None);
}

#[test]
fn the_numbers_are_those_that_lighthouse_publishes() {
    let exact = [
        (
            "fcp",
            [
                0.274_269_557_021_677_66,
                0.487_955_346_650_998_8,
                0.519_128_899_352_560_3,
            ],
        ),
        (
            "lcp",
            [
                0.200_679_056_468_906_35,
                0.618_989_426_704_213_4,
                0.862_696_698_549_830_3,
            ],
        ),
        (
            "speed-index",
            [
                0.248_985_959_438_377_54,
                0.574_017_415_862_556,
                0.652_408_759_124_087_6,
            ],
        ),
        (
            "tti",
            [
                0.274_334_351_811_436_06,
                0.583_952_617_757_166,
                0.725_956_155_874_173_8,
            ],
        ),
    ];
    for (name, exact) in exact {
        for (rounded, exact) in published(metric(name)).unwrap().into_iter().zip(exact) {
            assert!((rounded - exact).abs() <= 0.0005, "{name}: {exact}");
        }
    }
}
