//! Loads damaged and forged model files: each gives an error or a model that can judge a page, never a panic.
//!
//! A checksum precedes the weights, and random bytes would never match it. The target therefore changes the weights of valid files and
//! recomputes the checksum.
use maintext_core::blocks::{Blocks, token_hash};
use maintext_core::features::TokenScores;
use maintext_core::features::bags::Vocabulary;
use maintext_core::features::text::{TextStats, WordSet};
use maintext_core::features::tokens::{KINDS, Table};
use maintext_core::list::{LinkModel, LinkRole, LinkTable, Paginator};
use maintext_core::metadata::training::{COMPUTED, Known, Model as Ranker, Tree as Comparison};
use maintext_core::metadata::{Rankers, Settings, feature_hash};
use maintext_core::methods::Parameters;
use maintext_core::model::forest::{Forest, LEAVES, TREE_DEPTH, Tree};
use maintext_core::model::network::{Input, Network, Shape, WIDTH};
use maintext_core::model::{Curve, Model, Pack, Weights};
use maintext_core::page_type::PageTyper;
use maintext_core::{Budget, Options, View, dom, metadata};
use std::sync::LazyLock;

const PAGE: &str = "<title>A walk</title><nav class=menu><a href=/>Home</a> <a href=/b>Hills</a></nav><h1>A walk in the hills</h1>\
    <p class=byline>By <a rel=author href=/jane>Jane Doe</a>, <time datetime=2024-05-17>17 May 2024</time></p>\
    <article class=text><p>We left early, and the road was empty. Nobody spoke until the hills, where the fog lifted.</p>\
    <p>There we sat down, ate, and looked at the valley.</p></article><ul><li><a href=/1>The first of the walks</a>\
    <li><a href=/2>The second of the walks</a><li><a href=/3>The third of the walks</a></ul><a href=?page=2>Next</a>";

/// Returns the length of the part of a file before its weights.
fn head(file: &[u8]) -> usize {
    if file.starts_with(b"mtfields") {
        8 + 4 + 8
    } else {
        8 + 4 + u32::from_le_bytes([file[8], file[9], file[10], file[11]]) as usize + 4 + 8
    }
}

/// Returns the file with the checksum of its weights, a 64-bit FNV-1a hash.
fn sealed(mut file: Vec<u8>, head: usize) -> Vec<u8> {
    let sum = maintext_core::hash::of64(&file[head..]);
    file[head - 8..head].copy_from_slice(&u64::to_le_bytes(sum));
    file
}

fn forest(features: [u16; TREE_DEPTH]) -> Forest {
    Forest { bias: 0.1, trees: vec![Tree { features, thresholds: [0.5; TREE_DEPTH], leaves: [0.25; LEAVES] }; 2] }
}

/// Returns a ranker with features that candidates on the page have.
fn ranker() -> Ranker {
    let known = |(i, n): (usize, &str)| (feature_hash(n), Known { weight: 0.5, input: (COMPUTED + i) as u16 });
    let tree = Comparison { splits: [(0, 0.5); 15], leaves: [0.25; 16] };
    Ranker::new(["prior", "root", "is.upper"].into_iter().enumerate().map(known), vec![tree; 2])
}

/// Returns a word and a name that the page has.
fn vocabulary() -> Vocabulary {
    let (mut words, none) = (Vec::new(), WordSet::default());
    TextStats::new("hills", &none, &none, &mut words);
    Vocabulary { words, names: vec![token_hash("menu")] }
}

/// A small model file of each type.
static FILES: LazyLock<[Vec<u8>; 5]> = LazyLock::new(|| {
    let model = Model {
        tokens: TokenScores {
            near: Table(vec![(1, 0.5)]),
            words: Table(vec![(2, -0.5), (9, 1.0)]),
            kinds: Table(vec![(7, [0.5; KINDS.len()])]),
            ..TokenScores::default()
        },
        forest: forest([3, 5, 0, 0, 0, 0]),
        network: Network {
            inputs: vec![Input { column: 5, knots: vec![0.5, 2.0] }],
            weights: vec![[0.25; WIDTH]; Shape { inputs: 1 }.rows()],
            bags: vec![[0.5; WIDTH]; vocabulary().rows()],
            vocabulary: vocabulary(),
        },
        calibration: Curve { knots: vec![[0.0, 0.1], [1.0, 0.9]] },
        confidence: forest([0; TREE_DEPTH]),
    };
    let pack = |kind: &str, names: &[&str], forests: usize, tables: usize| {
        let names = names.iter().map(|n| n.to_string()).collect();
        let forests = vec![forest([0; TREE_DEPTH]); forests];
        Pack { kind: kind.into(), names, forests, tables: vec![Table(vec![(1, 2.0)]); tables], numbers: vec![0.25] }
            .to_bytes()
    };
    let kinds = KINDS.len();
    [
        model.to_bytes(),
        pack("entries", &["text_chars"], 2, 2),
        pack("pagination", &["text_chars"], LinkRole::ALL.len(), 0),
        pack("page-type", &["title_words"], kinds + 1, kinds),
        Rankers::new(ranker(), ranker(), ranker()).to_bytes(),
    ]
});

/// Passes the page to `judge`.
fn on_page<T>(judge: impl FnOnce(&View) -> T) {
    let dom = dom::parse(PAGE, &Budget::default());
    judge(&View { source: PAGE, dom: &dom, blocks: &Blocks::new(&dom), url: None });
}

/// Reads a file as the given type of model and applies the model to the page.
fn read(which: usize, file: &[u8]) {
    match which {
        0 => {
            let Ok(weights) = Weights::from_bytes(file) else { return };
            let parameters = Parameters { weights: Some(weights), ..Parameters::default() };
            let options = Options { parameters, ..Options::default() };
            maintext_core::extract(PAGE, &options).expect("a page in memory");
        }
        1 => {
            let Ok(model) = Pack::from_bytes(file, "entries").and_then(LinkModel::new) else { return };
            on_page(|p| model.judge(&LinkTable::new(p.dom, p.blocks, None), None));
        }
        2 => {
            let Ok(model) = Pack::from_bytes(file, "pagination").and_then(Paginator::new) else { return };
            on_page(|p| model.find(&LinkTable::new(p.dom, p.blocks, None), None, None));
        }
        3 => {
            let Ok(model) = Pack::from_bytes(file, "page-type").and_then(PageTyper::new) else { return };
            on_page(|p| model.classify(p));
        }
        _ => {
            let Ok(rankers) = Rankers::from_bytes(file) else { return };
            let settings = Settings { rankers: Some(&rankers), ..Settings::default() };
            on_page(|p| metadata::extract(p, &Default::default(), &settings));
        }
    }
}

/// Tries one input.
pub fn run(data: &[u8]) {
    let [which, rest @ ..] = data else { return };
    let (which, whole) = (usize::from(which % 5), which & 128 != 0);
    let base = &FILES[which];
    let head = head(base);
    if whole {
        // Replaces all weights.
        return read(which, &sealed([&base[..head], rest].concat(), head));
    }
    // Each edit replaces four bytes of the weights; the last bytes are the number of bytes to cut from the end.
    let (edits, cut) = rest.as_chunks::<6>();
    let mut file = base.clone();
    for edit in edits {
        let at = head + usize::from(u16::from_le_bytes([edit[0], edit[1]])) % (base.len() - head);
        file[at..].iter_mut().zip(&edit[2..]).for_each(|(b, e)| *b = *e);
    }
    file.truncate(file.len() - cut.first().map_or(0, |c| usize::from(*c).min(base.len() - head)));
    read(which, &sealed(file, head));
}
