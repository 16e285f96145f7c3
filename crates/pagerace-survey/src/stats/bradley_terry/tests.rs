use super::{Davidson, Duel, davidson};

fn duel(a: usize, b: usize, prefer_a: f64, prefer_b: f64, neither: f64) -> Duel {
    Duel {
        a,
        b,
        prefer_a,
        prefer_b,
        neither,
    }
}

fn close(found: &[f64], expected: &[f64], within: f64) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() < within, "{found:?} is not {expected:?}");
    }
}

/// The games of the American League in 1987, in Agresti 2002, "Categorical Data Analysis", table
/// 10.10, and the abilities that R's `BradleyTerry2` prints for them.
#[test]
fn baseball_as_published() {
    // Baltimore, Milwaukee, Detroit, Toronto, New York, Boston, Cleveland: wins of the row over
    // the column.
    let wins = [
        [0, 2, 4, 1, 3, 1, 7],
        [11, 0, 7, 9, 7, 7, 9],
        [9, 6, 0, 7, 5, 11, 9],
        [12, 4, 6, 0, 7, 7, 8],
        [10, 6, 8, 6, 0, 6, 7],
        [12, 6, 2, 6, 7, 0, 7],
        [6, 4, 4, 5, 6, 6, 0],
    ];
    let mut duels = Vec::new();
    for (a, row) in wins.iter().enumerate() {
        for (b, won) in row.iter().enumerate().skip(a + 1) {
            duels.push(duel(a, b, f64::from(*won), f64::from(wins[b][a]), 0.0));
        }
    }
    let Davidson {
        log_worth,
        errors,
        indifference,
    } = davidson(7, &duels).unwrap();
    let abilities = [0.0, 1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839];
    close(&log_worth, &abilities, 5e-5);
    let published = [0.0, 0.3433, 0.3396, 0.3367, 0.3359, 0.3339, 0.3319];
    close(&errors, &published, 5e-5);
    close(&[indifference], &[0.0], 1e-12);
}

/// Davidson's likelihood, maximised by `scipy.optimize.minimize`, with errors from its second
/// differences.
#[test]
fn with_indifference_as_scipy_says() {
    let duels = [
        duel(0, 1, 12.0, 20.0, 8.0),
        duel(0, 2, 15.0, 14.0, 11.0),
        duel(0, 3, 5.0, 25.0, 10.0),
        duel(1, 2, 18.0, 12.0, 10.0),
        duel(1, 3, 9.0, 16.0, 15.0),
        duel(2, 3, 10.0, 21.0, 9.0),
    ];
    let fitted = davidson(4, &duels).unwrap();
    let expected = [0.0, 0.609_154, 0.163_360, 1.174_646];
    close(&fitted.log_worth, &expected, 1e-5);
    close(&[fitted.indifference], &[0.760_253], 1e-5);
    let errors = [0.0, 0.271_946, 0.269_772, 0.284_024];
    close(&fitted.errors, &errors, 1e-5);
}

#[test]
fn what_is_not_determined() {
    assert_eq!(davidson(2, &[duel(0, 1, 5.0, 0.0, 0.0)]), None);
    let apart = [duel(0, 1, 5.0, 4.0, 1.0), duel(2, 3, 5.0, 4.0, 1.0)];
    assert_eq!(davidson(4, &apart), None);
    // Indifference alone does not bound the worth of a version that always wins.
    assert_eq!(davidson(2, &[duel(0, 1, 5.0, 0.0, 1.0)]), None);
    let fitted = davidson(2, &[duel(0, 1, 5.5, 0.5, 1.5)]).unwrap();
    assert!(
        (fitted.log_worth[1] + libm::log(11.0)).abs() < 1e-9,
        "{fitted:?}"
    );
}
