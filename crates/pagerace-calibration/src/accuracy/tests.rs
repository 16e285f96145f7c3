use super::{Accuracy, Input, accuracy};
use crate::blame::Stage;
use crate::lighthouse::LighthousePrediction;
use crate::samples::{metric, observations, predictions, resource};

fn compared(held_out: &[&str]) -> Accuracy {
    let held_out: Vec<String> = held_out.iter().map(|name| (*name).to_owned()).collect();
    accuracy(&Input {
        observations: &observations(),
        predictions: &predictions(),
        elsewhere: &[],
        pages: &[],
        networks: &[],
        lighthouse: &[],
        metrics: &[metric("lcp")],
        held_out: &held_out,
        threshold_ms: 20.0,
    })
}

#[test]
fn errors_by_hand() {
    let all = compared(&[]);
    let errors: Vec<f64> = all
        .cells
        .iter()
        .map(|cell| (cell.signed_error().unwrap() * 1000.0).round() / 1000.0)
        .collect();
    assert_eq!(errors, [-0.1, -0.1, -0.1, 0.3, 0.04, 0.625]);
    let [overall] = all.overall.as_slice() else {
        panic!("nothing is held out: one group")
    };
    assert_eq!(overall.name, "all pages");
    assert!((overall.errors.p50.unwrap() - 0.1).abs() < 1e-9);
    assert_eq!(overall.errors.count, 6);
    let protocols: Vec<&str> = all.by_protocol.iter().map(|g| g.name.as_str()).collect();
    assert_eq!(protocols, ["h1", "h2", "h3"]);
    let h3 = all.by_protocol[2].errors;
    assert!((h3.p50.unwrap() - 0.3625).abs() < 1e-9);
}

#[test]
fn held_out_pages_stand_apart() {
    let all = compared(&["shop", "not measured"]);
    assert_eq!(all.held_out, ["shop"]);
    let groups: Vec<(&str, usize)> = all
        .overall
        .iter()
        .map(|g| (g.name.as_str(), g.errors.count))
        .collect();
    assert_eq!(
        groups,
        [("all pages", 6), ("tuned pages", 3), ("held-out pages", 3)]
    );
    assert!((all.overall[1].errors.p95.unwrap() - 0.1).abs() < 1e-9);
    // On shop the single runs name three winners. h1 is last both live and predicted, but h3
    // beats h2 only live.
    let [held_out] = all.classes_held_out.as_slice() else {
        panic!("one kind and metric: {:?}", all.classes_held_out)
    };
    assert_eq!(
        (held_out.pairs, held_out.named, held_out.right),
        (3, [3, 3], [2, 2])
    );
}

#[test]
fn the_measurement_itself_is_judged() {
    let quality = compared(&[]).quality;
    assert_eq!((quality.runs, quality.failed, quality.rejected), (60, 0, 6));
    assert_eq!(quality.lateness_p99_ms, Some(0.2));
    assert_eq!(quality.cpu_contention, Some(0.03));
    assert_eq!(quality.main_thread_waited, Some(0.1));
    assert_eq!(quality.unpredicted, 0);
}

#[test]
fn what_is_not_predicted_is_no_error() {
    let few: Vec<_> = predictions().into_iter().skip(1).collect();
    let all = accuracy(&Input {
        observations: &observations(),
        predictions: &few,
        elsewhere: &[],
        pages: &[],
        networks: &[],
        lighthouse: &[],
        metrics: &[metric("lcp")],
        held_out: &[],
        threshold_ms: 20.0,
    });
    assert_eq!(all.quality.unpredicted, 1);
    let errors = all.overall[0].errors;
    assert_eq!((errors.count, errors.without), (5, 1));
    assert_eq!(all.model_errors[0].pairs, 4);
}

#[test]
fn lighthouse_stands_beside_the_same_cells() {
    let lighthouse = LighthousePrediction {
        page: "news".to_owned(),
        network: "cable".to_owned(),
        version: "12".to_owned(),
        values: [(metric("lcp"), 1600.0)].into(),
        savings: [].into(),
    };
    let all = accuracy(&Input {
        observations: &observations(),
        predictions: &predictions(),
        elsewhere: &[],
        pages: &[],
        networks: &[],
        lighthouse: &[lighthouse],
        metrics: &[metric("lcp"), metric("tbt")],
        held_out: &[],
        threshold_ms: 20.0,
    });
    let [rival] = all.lighthouse.as_slice() else {
        panic!("one metric has predictions on both sides")
    };
    assert_eq!((rival.ours.count, rival.lighthouse.count), (3, 3));
    assert!((rival.ours.p50.unwrap() - 0.1).abs() < 1e-9);
    // Lighthouse predicts 1600 instead of 1001, 1000 and 800.
    assert!((rival.lighthouse.p50.unwrap() - 0.6).abs() < 1e-9);
}

#[test]
fn the_worst_come_first_with_their_reasons() {
    let (mut live, mut said) = (observations(), predictions());
    live.observations[5].resources = vec![resource("https://shop/", [0.0, 10.0, 20.0, 100.0])];
    said[5].resources = vec![resource("https://shop/", [0.0, 10.0, 20.0, 700.0])];
    let all = accuracy(&Input {
        observations: &live,
        predictions: &said,
        elsewhere: &[],
        pages: &[],
        networks: &[],
        lighthouse: &[],
        metrics: &[metric("lcp")],
        held_out: &[],
        threshold_ms: 20.0,
    });
    assert_eq!(all.worst.len(), 5, "4 % is not worth a line");
    let first = &all.worst[0];
    assert_eq!(
        (first.cell.page.as_str(), first.cell.contender.as_str()),
        ("shop", "h3")
    );
    assert_eq!(first.blame.as_ref().unwrap().stage, Stage::Transfer);
    assert_eq!(all.worst[1].blame, None, "resources were not kept");
    let [cause] = all.causes.as_slice() else {
        panic!("{:?}", all.causes)
    };
    assert_eq!((cause.stage, cause.cells), (Stage::Transfer, 1));
    assert_eq!(cause.gap_ms, Some(-600.0));
}
