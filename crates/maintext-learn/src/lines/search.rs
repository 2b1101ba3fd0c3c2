//! Searches for a configuration by growing and pruning.
//!
//! The published network was found by simplifying or complicating it step by step and keeping the configuration with the least error. Here
//! each round trains all neighbours of the best configuration (two units more or fewer in a layer, one layer more or fewer) and moves to
//! the best of them, until none is better or the rounds are used up. The search starts near the published 7-7-3.
use super::Observer;
use super::network::Fit;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Number of rounds after the first.
const ROUNDS: usize = 3;

/// Largest number of hidden layers, and of units in one.
const MAX: (usize, usize) = (4, 15);

/// Number of units in a new layer.
const NEW_LAYER: usize = 3;

/// A configuration that the search has tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Visit {
    /// Units of the hidden layers.
    pub hidden: Vec<usize>,
    /// Loss on the validation rows.
    pub validation: f64,
    /// Number of epochs it was trained for.
    pub epochs: usize,
}

impl Visit {
    /// Returns `7-7-3`, or `none`.
    pub fn name(&self) -> String {
        if self.hidden.is_empty() {
            return "none".into();
        }
        self.hidden.iter().map(usize::to_string).collect::<Vec<_>>().join("-")
    }
}

/// Runs the search; `fit` trains a configuration. Returns the best network and all configurations in the order tried.
pub fn search(fit: &(dyn Fn(&[usize]) -> Fit + Sync), observer: &dyn Observer) -> (Fit, Vec<Visit>) {
    let start: [&[usize]; 6] = [&[7, 7, 3], &[], &[7], &[7, 3], &[7, 7], &[7, 7, 7]];
    let mut round: Vec<Vec<usize>> = start.iter().map(|h| h.to_vec()).collect();
    let mut known: BTreeSet<Vec<usize>> = round.iter().cloned().collect();
    let mut visits: Vec<Visit> = Vec::new();
    let mut best: Option<(Fit, Vec<usize>)> = None;
    for n in 0..=ROUNDS {
        let fits: Vec<Fit> = round.par_iter().map(|h| fit(h)).collect();
        let mut improved = false;
        for (i, (hidden, fit)) in round.iter().zip(fits).enumerate() {
            let visit = Visit { hidden: hidden.clone(), validation: fit.validation, epochs: fit.epochs };
            observer.visited(&visit, round.len() - i - 1);
            visits.push(visit);
            if best.as_ref().is_none_or(|(b, _)| fit.validation < b.validation) {
                best = Some((fit, hidden.clone()));
                improved = true;
            }
        }
        if !improved || n >= ROUNDS {
            break;
        }
        let Some((_, hidden)) = best.as_ref() else { break };
        round = neighbours(hidden).into_iter().filter(|h| known.insert(h.clone())).collect();
    }
    match best {
        Some((fit, _)) => (fit, visits),
        None => (fit(&[7, 7, 3]), visits),
    }
}

fn neighbours(hidden: &[usize]) -> Vec<Vec<usize>> {
    let mut out = Vec::new();
    for i in 0..hidden.len() {
        let with = |units: usize| {
            let mut h = hidden.to_vec();
            h[i] = units;
            h
        };
        out.extend((hidden[i] + 2 <= MAX.1).then(|| with(hidden[i] + 2)));
        out.extend((hidden[i] > 2).then(|| with(hidden[i] - 2)));
        let mut shorter = hidden.to_vec();
        shorter.remove(i);
        out.push(shorter);
    }
    if hidden.len() < MAX.0 {
        out.push(hidden.iter().copied().chain([NEW_LAYER]).collect());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use maintext_core::classic::model::Network;

    #[test]
    fn the_search_grows_and_shrinks_to_the_least_error_and_tries_the_published_one() {
        // The error grows with the distance from 9-3 in units and layers.
        let fit = |h: &[usize]| {
            let at = |i: usize| h.get(i).copied().unwrap_or(0) as f64;
            let validation = (at(0) - 9.0).abs() + (at(1) - 3.0).abs() + 5.0 * at(2);
            Fit { network: Network { layers: Vec::new() }, validation, epochs: 1 }
        };
        let (best, visits) = search(&fit, &());
        assert_eq!(best.validation, 0.0);
        assert_eq!(visits[0].name(), "7-7-3");
        assert!(visits.iter().any(|v| v.name() == "9-3"));
        let names: BTreeSet<_> = visits.iter().map(Visit::name).collect();
        assert_eq!(names.len(), visits.len());
    }
}
