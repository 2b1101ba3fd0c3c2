//! The role of each block: what a careful reader would call it.
//!
//! A second stage after the content model. It reads the same features, and the content model's probabilities of the block and of its
//! neighbours. One forest per role gives a score; their softmax is the probability of the role. As for content, half of a block's scores
//! is the mean of its [`kin`](super::kin). `docs/experiments/labels.md` has the training and the figures.
use super::file::ModelError;
use super::forest::{Forest, softmax};
use super::kin::Kin;
use super::{Learned, Pack, Rowwise, widely};
use crate::features::{Features, names};
use crate::method::{Favor, View};
use maintext_page::blocks::Blocks;
use maintext_page::dom::Dom;
use serde::Serialize;

/// The role of a block on its page, after the convention of `docs/experiments/labels.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Main content without another role.
    Main,
    /// Content that a careful editor may keep or drop.
    Optional,
    /// The page's own title.
    Title,
    /// The author or date of the page.
    Byline,
    /// The caption or credit of a picture or table.
    Caption,
    /// The lines of a post or comment with name, date and votes.
    Header,
    /// The title of an entry of a list.
    Entry,
    /// A reader's comment.
    Comment,
    /// Everything else.
    Boilerplate,
}

/// Number of roles.
pub const ROLES: usize = 9;

/// The probability of each role, in the order of [`Role::ALL`]. They sum to 1.
pub type Shares = [f32; ROLES];

impl Role {
    /// All roles.
    pub const ALL: [Role; ROLES] = [
        Role::Main,
        Role::Optional,
        Role::Title,
        Role::Byline,
        Role::Caption,
        Role::Header,
        Role::Entry,
        Role::Comment,
        Role::Boilerplate,
    ];

    /// Returns the name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Role::Main => "main",
            Role::Optional => "optional",
            Role::Title => "title",
            Role::Byline => "byline",
            Role::Caption => "caption",
            Role::Header => "header",
            Role::Entry => "entry",
            Role::Comment => "comment",
            Role::Boilerplate => "boilerplate",
        }
    }

    /// Returns the role with a name.
    pub fn named(name: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.name() == name)
    }

    /// Returns the most probable role, and its probability.
    pub fn best(shares: &Shares) -> (Role, f32) {
        let best = Role::ALL.into_iter().zip(*shares);
        best.reduce(|a, b| if b.1 > a.1 { b } else { a }).unwrap_or((Role::Boilerplate, 0.0))
    }

    /// Whether a preference keeps a block whose roles have these probabilities. For precision, the block must be part of the subject, or
    /// the title, with a probability of at least a half. The title of a product is part of its subject; the title of an article does no
    /// harm.
    pub fn keeps(favor: Favor, shares: &Shares) -> bool {
        let subjects =
            Role::ALL.iter().zip(shares).filter(|(role, _)| matches!(role, Role::Main | Role::Entry | Role::Title));
        favor != Favor::Precision || subjects.map(|(_, p)| p).sum::<f32>() >= 0.5
    }
}

/// Columns in addition to [`names`]: the content model's probabilities of the block and of its neighbours, and the neighbours' numbers of
/// words.
const AROUND: [&str; 7] = [
    "probability",
    "probability_before",
    "probability_after",
    "probability_second_before",
    "probability_second_after",
    "words_before",
    "words_after",
];

/// Returns the names of all columns in their order.
pub fn columns() -> Vec<String> {
    let mut all = names();
    all.extend(AROUND.map(String::from));
    all
}

/// Returns the columns that follow [`names`]: the content model's probabilities of each block and of its neighbours, and the neighbours'
/// numbers of words. -1 replaces blocks before the first and after the last one.
pub fn around(blocks: &Blocks, probabilities: &[f32]) -> [Vec<f32>; AROUND.len()] {
    let words: Vec<f32> = blocks.blocks.iter().map(|b| b.words as f32).collect();
    let p = &probabilities[..blocks.len()];
    [p.to_vec(), at(p, -1), at(p, 1), at(p, -2), at(p, 2), at(&words, -1), at(&words, 1)]
}

/// Returns for each value the one at a distance after it.
fn at(values: &[f32], distance: isize) -> Vec<f32> {
    const NOWHERE: f32 = -1.0;
    let shifted = (0..values.len()).map(|i| i.checked_add_signed(distance).and_then(|j| values.get(j)));
    shifted.map(|value| value.copied().unwrap_or(NOWHERE)).collect()
}

/// Weight of the mean of a block's kin in the scores of its roles.
const KIN_SHARE: f32 = 0.5;

/// Returns the probabilities of the roles of each block from the scores of all roles, one list per role; half of the scores of a block are the
/// means of its kin.
pub fn shares(kin: &Kin, mut scores: [Vec<f32>; ROLES]) -> Vec<Shares> {
    scores.iter_mut().for_each(|scores| kin.smooth(KIN_SHARE, scores));
    (0..scores[0].len()).map(|i| softmax(std::array::from_fn(|k| scores[k][i]))).collect()
}

/// The purpose of the model in its file.
pub const PURPOSE: &str = "roles";

/// The forests of the roles.
#[derive(Clone, Debug)]
pub struct RoleModel {
    forests: Vec<Forest>,
    /// For each column of the forests, its position in [`columns`].
    places: Vec<usize>,
    /// Number of the columns of [`names`].
    structural: usize,
}

impl RoleModel {
    /// Prepares a model.
    ///
    /// # Errors
    /// The model uses a column that is unknown here, or does not have one forest per role.
    pub fn new(pack: Pack) -> Result<RoleModel, ModelError> {
        let places = pack.places(&columns())?;
        if pack.forests.len() != ROLES {
            return Err(ModelError::Damaged);
        }
        Ok(RoleModel { forests: pack.forests, places, structural: names().len() })
    }

    crate::shipped!(RoleModel, roles, PURPOSE);

    /// Marks the columns of [`names`] that the forests use.
    pub(super) fn want(&self, wanted: &mut Vec<bool>) {
        wanted.resize(self.structural, false);
        self.places.iter().filter(|p| **p < self.structural).for_each(|p| wanted[*p] = true);
    }

    /// Returns the probabilities of the roles of each block. `probabilities` come from the content model.
    pub fn read(&self, content: &Learned, dom: &Dom, blocks: &Blocks, probabilities: &[f32]) -> Vec<Shares> {
        if blocks.is_empty() || probabilities.len() != blocks.len() {
            return Vec::new();
        }
        let (tokens, mut wanted) = (blocks.names(dom), Vec::new());
        self.want(&mut wanted);
        let (table, _) = content.table(dom, blocks, tokens, &wanted);
        self.of_columns(&table, blocks, &Kin::new(blocks, tokens), probabilities)
    }

    /// Returns the probabilities of the roles from a table with the columns that are [wanted](RoleModel::want). A stage of `cargo xtask budget`.
    #[inline(never)]
    pub(super) fn of_columns(
        &self,
        table: &Features,
        blocks: &Blocks,
        kin: &Kin,
        probabilities: &[f32],
    ) -> Vec<Shares> {
        let around = around(blocks, probabilities);
        shares(
            kin,
            widely(RoleScores {
                forests: &self.forests,
                rows: blocks.len(),
                column: |c: usize| column(table, &around, self.structural, self.places[c]),
            }),
        )
    }
}

struct RoleScores<'a, C> {
    forests: &'a [Forest],
    rows: usize,
    column: C,
}

impl<'a, C: Fn(usize) -> &'a [f32]> Rowwise for RoleScores<'a, C> {
    type Output = [Vec<f32>; ROLES];

    #[inline(always)]
    fn compute(self) -> [Vec<f32>; ROLES] {
        let mut scores = [const { Vec::new() }; ROLES];
        for (scores, forest) in scores.iter_mut().zip(self.forests) {
            *scores = forest.scores(self.rows, &self.column);
        }
        scores
    }
}

fn column<'a>(table: &'a Features, around: &'a [Vec<f32>], structural: usize, place: usize) -> &'a [f32] {
    match place.checked_sub(structural) {
        Some(own) => &around[own],
        None => table.column(place),
    }
}

/// Returns the probabilities of the roles of each block of a page, by the shipped models. `probabilities` come from a content model; without
/// them, the shipped one judges the page. Empty if the library was built without the models.
pub fn read(page: &View<'_>, probabilities: Option<&[f32]>) -> Vec<Shares> {
    // Tests load the shipped models, so this cannot fail in a release.
    let (Ok(content), Ok(model)) = (Learned::shipped(), RoleModel::shipped()) else { return Vec::new() };
    let View { dom, blocks, .. } = *page;
    match probabilities {
        Some(probabilities) => model.read(&content, dom, blocks, probabilities),
        None => model.read(&content, dom, blocks, content.decide(dom, blocks).probabilities().unwrap_or(&[])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_has_its_own_name() {
        for role in Role::ALL {
            assert_eq!(Role::named(role.name()), Some(role));
            assert_eq!(serde_json::to_value(role).unwrap(), role.name());
        }
        assert_eq!(Role::named("menu"), None);
    }

    #[test]
    fn the_parts_of_a_page_have_their_roles() {
        let story =
            "<p>We left early, and the road was empty; nobody spoke until the hills, where the fog lifted at last.</p>";
        let html = format!(
            "<meta name=viewport content='width=device-width'><title>A walk to the hills - The Gazette</title>\
             <nav><ul><li><a href=/>Home</a><li><a href=/news>News</a><li><a href=/sport>Sport</a></ul></nav>\
             <article><h1>A walk to the hills</h1><p class=byline>By <a href=/ann>Ann Marsh</a>, 4 May 2024</p>{}</article>\
             <footer><p>© 2024 The Gazette. All rights reserved.</p></footer>",
            story.repeat(6)
        );
        let dom = maintext_page::dom::parse(&html, &Default::default());
        let blocks = Blocks::new(&dom);
        let content = Learned::shipped().unwrap();
        let choice = content.decide(&dom, &blocks);
        let shares = RoleModel::shipped().unwrap().read(&content, &dom, &blocks, choice.probabilities().unwrap());
        let role = |text: &str| {
            let block = (0..blocks.len()).find(|b| blocks.text(*b).starts_with(text)).unwrap();
            assert!((shares[block].iter().sum::<f32>() - 1.0).abs() < 1e-4);
            Role::best(&shares[block]).0
        };
        assert_eq!(["A walk", "By Ann", "We left"].map(role), [Role::Title, Role::Byline, Role::Main]);
        assert_eq!(["Home", "News", "© 2024"].map(role), [Role::Boilerplate; 3]);
        let view = View { source: &html, dom: &dom, blocks: &blocks, url: None };
        let together = content.judge_with_roles(&view, Favor::Balance, None);
        assert!(together.0 == choice && together.1 == shares, "reading both from one table changes neither");
    }
}
