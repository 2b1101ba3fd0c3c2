//! The pages: every construct alone, the hostile pages of the tests, and pairs of constructs.
use crate::constructs::{CONSTRUCTS, Construct, PAIRS};
use crate::hostile;

/// An ordinary beginning, so that each page has content to choose and to write.
const ARTICLE: &str = "<!doctype html><title>A walk</title><h1>A walk</h1>\
    <p>The path leads along the river, past the old mill, and up to the ridge, where the fog lifted at noon.</p>\
    <p>People carried what they could to the school on the hill, and by morning the lower road was gone.</p>\
    <p>By then we had seen two herons, a fox, and the first swallows of the year, but nobody spoke of it.</p>";

/// The beginning of a page whose scripts hold the content: they are read only if nothing else does.
const SHELL: &str = "<!doctype html><title>A walk</title><div id=root></div>";

/// A construct's placeholder for the number of the repetition.
const NUMBER: char = '№';

/// A kind of page, which exists at every size.
#[derive(Clone, Copy)]
pub enum Kind {
    Alone(&'static Construct),
    Hostile(&'static hostile::Hostile),
    /// The first construct, then the second.
    Then(&'static Construct, &'static Construct),
    /// The units of both in turns, between their starts and ends.
    With(&'static Construct, &'static Construct),
}

impl Kind {
    pub fn name(self) -> String {
        match self {
            Kind::Alone(construct) => construct.0.to_owned(),
            Kind::Hostile(kind) => format!("hostile: {}", kind.name),
            Kind::Then(a, b) => format!("{}, then {}", a.0, b.0),
            Kind::With(a, b) => format!("{}, with {}", a.0, b.0),
        }
    }

    fn start(self) -> &'static str {
        let (Kind::Alone((_, start, unit, _))
        | Kind::Then((_, start, unit, _), _)
        | Kind::With((_, start, unit, _), _)) = self
        else {
            return "";
        };
        let is_data = |text: &str| text.starts_with("<script") && !text.contains("ld+json");
        if is_data(start) || is_data(unit) { SHELL } else { ARTICLE }
    }

    /// Returns a page of about this many bytes.
    pub fn page(self, size: usize) -> Vec<u8> {
        let mut page = self.start().to_owned();
        match self {
            Kind::Hostile(kind) => return (kind.make)(size),
            Kind::Alone(construct) => add(&mut page, &[construct], size),
            Kind::Then(a, b) => {
                add(&mut page, &[a], size / 2);
                add(&mut page, &[b], size / 2);
            }
            Kind::With(a, b) => add(&mut page, &[a, b], size),
        }
        page.into_bytes()
    }
}

/// Adds the starts of the constructs, their units in turns up to this many bytes, and their ends.
fn add(page: &mut String, constructs: &[&Construct], size: usize) {
    let end = page.len() + size;
    for (_, start, _, _) in constructs {
        page.push_str(start);
    }
    let mut number = 0;
    while page.len() < end {
        for (_, _, unit, _) in constructs {
            let mut parts = unit.split(NUMBER);
            page.push_str(parts.next().unwrap_or_default());
            for part in parts {
                page.push_str(&number.to_string());
                page.push_str(part);
            }
        }
        number += 1;
    }
    for (_, _, _, close) in constructs.iter().rev() {
        page.push_str(close);
    }
}

/// Returns the constructs, the hostile pages of the tests, and the listed pairs.
pub fn listed() -> Vec<Kind> {
    let named = |name: &str| {
        let construct = CONSTRUCTS.iter().find(|construct| construct.0 == name);
        construct.unwrap_or_else(|| panic!("PAIRS names '{name}', which is not a construct"))
    };
    let pairs = PAIRS.iter().map(|(a, b)| Kind::Then(named(a), named(b)));
    CONSTRUCTS.iter().map(Kind::Alone).chain(hostile::ALL.iter().map(Kind::Hostile)).chain(pairs).collect()
}

/// Returns the pairs that have `only` in their names: all if they are no more than `most`, else that many, chosen by the seed.
pub fn pairs(most: usize, seed: u64, only: &str) -> Vec<Kind> {
    let ordered = CONSTRUCTS.iter().flat_map(|a| CONSTRUCTS.iter().map(move |b| (a, b)));
    let mut pairs: Vec<Kind> = ordered.flat_map(|(a, b)| [Kind::Then(a, b), Kind::With(a, b)]).collect();
    if !only.is_empty() {
        pairs.retain(|pair| pair.name().contains(only));
    }
    // The first steps of a Fisher-Yates shuffle, with the generator SplitMix64.
    let mut state = seed;
    for at in 0..most.min(pairs.len()) {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut random = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        random = (random ^ (random >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        random ^= random >> 31;
        let other = at + (random % (pairs.len() - at) as u64) as usize;
        pairs.swap(at, other);
    }
    pairs.truncate(most);
    pairs
}
