//! Decision trees over features, and how they are learnt.

use super::population::{Population, Situation};

/// The largest depth of a rule.
pub const DEPTH_MAX: u8 = 3;
/// The share of the metric, over all pairs of page and network, that another leaf must save. It keeps rules short, as
/// the complexity parameter of Breiman et al. 1984, "Classification and Regression Trees".
const LEAF_SAVES: f64 = 0.005;
/// The smallest share of the weights in a leaf.
const WEIGHT_MIN: f64 = 0.05;
/// The smallest number of pages in a leaf.
const PAGES_MIN: usize = 2;
/// The largest number of thresholds that are tried of a feature. Beyond it, each of them lies
/// between as many situations.
const THRESHOLDS_MAX: usize = 16;
/// Sums that differ by less are equal: they differ by the order of their parts.
const SAME: f64 = 1e-12;

/// A decision tree.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// The same choice in all situations.
    Choose(usize),
    /// A choice by a feature.
    Split {
        /// Index into the population's features.
        feature: usize,
        /// The threshold.
        above: f64,
        /// The rule where the feature is above the threshold.
        yes: Box<Rule>,
        /// The rule elsewhere.
        no: Box<Rule>,
    },
}

/// A situation from which a rule is learnt.
struct Sample<'a> {
    situation: &'a Situation,
    /// By choice: the weighted loss.
    losses: Vec<f64>,
    /// By feature: the number of thresholds below the value.
    bins: Vec<usize>,
}

/// The data that all splits of a tree share.
struct Learner {
    /// By feature: the thresholds, ascending.
    thresholds: Vec<Vec<f64>>,
    choices: usize,
    pages: usize,
    /// The smallest weight of a leaf.
    weight_min: f64,
    /// The cost of a leaf.
    leaf: f64,
}

/// The cheapest way to decide on some situations.
struct Best {
    cost: f64,
    /// The split, as feature and threshold; `None` if the best choice of all is cheaper.
    split: Option<(usize, usize)>,
    choice: usize,
}

type Samples<'a, 'b> = Vec<&'b Sample<'a>>;

impl Rule {
    /// Learns a rule of at most `depth` questions on the way to a choice. It has a low weighted
    /// mean of [`Situation::loss`]. Each question is the best one if another may follow on either
    /// side. Equally good rules are decided by the order of features, thresholds and choices.
    ///
    /// # Panics
    /// Panics without situations.
    pub fn learn(population: &Population, from: &[&Situation], depth: u8) -> Self {
        let thresholds: Vec<Vec<f64>> = (0..population.features.len())
            .map(|feature| thresholds(from, feature))
            .collect();
        let sample = |situation: &&'_ Situation| {
            let bin = |(feature, all): (usize, &Vec<f64>)| {
                all.partition_point(|threshold| *threshold < situation.features[feature])
            };
            let loss = |choice| situation.weight * situation.loss(choice);
            (
                (0..population.choices.len())
                    .map(loss)
                    .collect::<Vec<f64>>(),
                thresholds
                    .iter()
                    .enumerate()
                    .map(bin)
                    .collect::<Vec<usize>>(),
            )
        };
        let samples: Vec<Sample<'_>> = from
            .iter()
            .map(|situation| {
                let (losses, bins) = sample(situation);
                Sample {
                    situation,
                    losses,
                    bins,
                }
            })
            .collect();
        let weight: f64 = from.iter().map(|situation| situation.weight).sum();
        let learner = Learner {
            thresholds,
            choices: population.choices.len(),
            pages: population.pages.len(),
            weight_min: WEIGHT_MIN * weight - SAME,
            leaf: LEAF_SAVES * weight,
        };
        learner.grow(&samples.iter().collect(), depth)
    }

    /// Returns the choice in a situation.
    pub fn choose(&self, situation: &Situation) -> usize {
        match self {
            Self::Choose(choice) => *choice,
            Self::Split {
                feature,
                above,
                yes,
                no,
            } if situation.features[*feature] > *above => yes.choose(situation),
            Self::Split { no, .. } => no.choose(situation),
        }
    }
}

/// Returns the thresholds that are tried: about halfway between neighbouring values, ascending.
fn thresholds(from: &[&Situation], feature: usize) -> Vec<f64> {
    let mut values: Vec<f64> = from.iter().map(|one| one.features[feature]).collect();
    values.sort_by(f64::total_cmp);
    let differs = |place: &usize| values[place - 1] < values[*place];
    let places: Vec<usize> = (1..values.len()).filter(differs).collect();
    let step = places.len().div_ceil(THRESHOLDS_MAX).max(1);
    let places = places.iter().skip(step / 2).step_by(step);
    places
        .map(|place| between(values[place - 1], values[*place]))
        .collect()
}

/// Returns the number halfway between two, rounded to two digits or as many as keep it between
/// them: people read thresholds.
fn between(low: f64, high: f64) -> f64 {
    let middle = f64::midpoint(low, high);
    let rounded = |digits: usize| format!("{middle:.digits$e}").parse().expect("a number");
    let mut all = (1..17).map(rounded);
    let fits = |number: &f64| low < *number && *number < high;
    all.find(fits).unwrap_or(middle)
}

impl Learner {
    fn grow(&self, samples: &Samples<'_, '_>, depth: u8) -> Rule {
        let best = self.best(samples, depth);
        let Some((feature, place)) = best.split else {
            return Rule::Choose(best.choice);
        };
        let [yes, no] = sides(samples, feature, place).map(|side| self.grow(&side, depth - 1));
        if yes == no {
            return yes;
        }
        Rule::Split {
            feature,
            above: self.thresholds[feature][place],
            yes: Box::new(yes),
            no: Box::new(no),
        }
    }

    /// Returns the cheapest way to decide, looking at most two questions ahead.
    fn best(&self, samples: &Samples<'_, '_>, depth: u8) -> Best {
        let mut best = self.stump(samples, depth > 0);
        if depth > 1 {
            for (feature, thresholds) in self.thresholds.iter().enumerate() {
                for place in self.splits(samples, feature, thresholds.len()) {
                    let sides = sides(samples, feature, place);
                    let cost: f64 = sides.iter().map(|side| self.stump(side, true).cost).sum();
                    if cost < best.cost - SAME {
                        best.cost = cost;
                        best.split = Some((feature, place));
                    }
                }
            }
        }
        best
    }

    /// Returns the cheapest way to decide by one question, or by none.
    fn stump(&self, samples: &Samples<'_, '_>, may_split: bool) -> Best {
        let add = |sums: &mut [f64], losses: &[f64]| {
            sums.iter_mut()
                .zip(losses)
                .for_each(|(sum, own)| *sum += own);
        };
        let mut all = vec![0.0; self.choices];
        for sample in samples {
            add(&mut all, &sample.losses);
        }
        let (choice, loss) = least(&all);
        let mut best = Best {
            cost: loss + self.leaf,
            split: None,
            choice,
        };
        if !may_split {
            return best;
        }
        for (feature, thresholds) in self.thresholds.iter().enumerate() {
            let places = self.splits(samples, feature, thresholds.len());
            if places.is_empty() {
                continue;
            }
            // By bin and choice.
            let mut sums = vec![0.0; self.choices * (thresholds.len() + 1)];
            let of_bin = |bin: usize| self.choices * bin..self.choices * (bin + 1);
            for sample in samples {
                add(&mut sums[of_bin(sample.bins[feature])], &sample.losses);
            }
            let mut no = vec![0.0; self.choices];
            let mut next = 0;
            for place in places {
                for bin in next..=place {
                    add(&mut no, &sums[of_bin(bin)]);
                }
                next = place + 1;
                let yes: Vec<f64> = all.iter().zip(&no).map(|(all, no)| all - no).collect();
                let cost = least(&no).1 + least(&yes).1 + 2.0 * self.leaf;
                if cost < best.cost - SAME {
                    best.cost = cost;
                    best.split = Some((feature, place));
                }
            }
        }
        best
    }

    /// Returns the thresholds of a feature, of which there are `count`, that leave enough weight
    /// and pages on both sides.
    fn splits(&self, samples: &Samples<'_, '_>, feature: usize, count: usize) -> Vec<usize> {
        if count == 0 {
            return Vec::new();
        }
        let mut weights = vec![0.0; count + 1];
        // The lowest and the highest bin of each page.
        let mut ranges: Vec<Option<(usize, usize)>> = vec![None; self.pages];
        for sample in samples {
            let bin = sample.bins[feature];
            weights[bin] += sample.situation.weight;
            let range = &mut ranges[sample.situation.page];
            let (low, high) = range.unwrap_or((bin, bin));
            *range = Some((low.min(bin), high.max(bin)));
        }
        // By bin: the pages that begin and that end there.
        let mut ends = vec![(0, 0); count + 1];
        for (low, high) in ranges.into_iter().flatten() {
            ends[low].0 += 1;
            ends[high].1 += 1;
        }
        let enough = |place: &usize| {
            let (no, yes) = weights.split_at(place + 1);
            let below: usize = ends[..=*place].iter().map(|(begin, _)| begin).sum();
            let above: usize = ends[place + 1..].iter().map(|(_, end)| end).sum();
            no.iter().sum::<f64>().min(yes.iter().sum()) >= self.weight_min
                && below.min(above) >= PAGES_MIN
        };
        (0..count).filter(enough).collect()
    }
}

/// Returns the samples above the threshold, and the others.
fn sides<'a, 'b>(samples: &Samples<'a, 'b>, feature: usize, place: usize) -> [Samples<'a, 'b>; 2] {
    let (yes, no) = samples
        .iter()
        .partition(|sample| sample.bins[feature] > place);
    [yes, no]
}

/// Returns the place of the smallest number, and the number; the first of equals.
pub(super) fn least(numbers: &[f64]) -> (usize, f64) {
    let mut least = (0, numbers[0]);
    for (place, number) in numbers.iter().enumerate() {
        if *number < least.1 - SAME {
            least = (place, *number);
        }
    }
    least
}
