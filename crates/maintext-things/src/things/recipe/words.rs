//! Words at which people recognise the parts of a recipe, in many languages.

use crate::things::word_search::WordSearch;
use maintext_facts::metadata::ranking::rank::FastSet;
use maintext_page::hash::{FNV64, HashMap, HashSet, fnv64, of64};
use maintext_page::lexicon::lexicon;
use std::sync::LazyLock;

/// A part of a recipe's page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartLabel {
    Ingredients,
    Instructions,
    /// A part that ends both: notes, nutrition, comments.
    Other,
}

/// Maximum length of a heading of a part, in characters.
const MAX_HEADING: usize = 60;
/// Maximum number of words of the name of a part.
const MAX_NAME_WORDS: usize = 4;
/// Maximum number of words around the name of a part in its heading.
const MAX_WORDS_AROUND: usize = 5;
/// Maximum number of words of a text that names a part without being a heading.
const MAX_PLAIN_WORDS: usize = 6;

const INGREDIENTS: &[&str] = lexicon!("recipe-ingredients.txt");

const INSTRUCTIONS: &[&str] = lexicon!("recipe-instructions.txt");

const OTHER: &[&str] = lexicon!("recipe-other-parts.txt");

/// Headings that name the steps only if they contain no other words.
const WHOLE: &str = "recipe|the recipe|rezept|recette|receta|ricetta|recept";

/// Generic words in class names and ids that mark ingredients, and those that mark steps.
const CLASSES: [(&[&str], PartLabel); 2] = [
    (lexicon!("recipe-ingredient-classes.txt"), PartLabel::Ingredients),
    (lexicon!("recipe-step-classes.txt"), PartLabel::Instructions),
];

/// Beginnings and whole texts of advertisements and buttons among the lines of a recipe.
const NOISE: &[&str] = lexicon!("recipe-noise.txt");

/// The words, ready to look up.
#[derive(Debug)]
pub(super) struct RecipeWords {
    headings: HashMap<&'static str, PartLabel>,
    whole: HashSet<&'static str>,
    /// The hashes of the first and the last words of the names in `headings` and `whole`.
    edges: FastSet<u64>,
    noise: HashSet<&'static str>,
}

impl RecipeWords {
    /// Returns the words, which all pages share.
    pub fn shared() -> &'static RecipeWords {
        static SHARED: LazyLock<RecipeWords> = LazyLock::new(RecipeWords::new);
        &SHARED
    }

    fn new() -> RecipeWords {
        let lists =
            [(OTHER, PartLabel::Other), (INSTRUCTIONS, PartLabel::Instructions), (INGREDIENTS, PartLabel::Ingredients)];
        let headings = lists.iter().flat_map(|(names, label)| names.iter().map(|n| (*n, *label)));
        let headings: HashMap<&'static str, PartLabel> = headings.collect();
        let names = headings.keys().copied().chain(WHOLE.split('|'));
        let words = names.flat_map(|n| [n.split_whitespace().next(), n.split_whitespace().next_back()]);
        let edges = words.flatten().map(|w| of64(w.trim_matches(is_edge).as_bytes())).collect();
        RecipeWords { headings, edges, whole: WHOLE.split('|').collect(), noise: NOISE.iter().copied().collect() }
    }

    /// Returns the part that a heading begins. A text that is not a heading must hold little else.
    pub fn heading(&self, text: &str, is_heading: bool) -> Option<PartLabel> {
        if text.len() > MAX_HEADING * 4 || text.chars().count() > MAX_HEADING {
            return None;
        }
        // Most texts of a page end here, before anything is copied.
        if text.is_ascii() && !self.may_name(text.trim_matches(is_edge)) {
            return None;
        }
        let ends_open = text.trim_end().ends_with([':', '：']);
        let size = text.split_ascii_whitespace().count();
        if size > MAX_NAME_WORDS + MAX_WORDS_AROUND || !is_heading && !ends_open && size > MAX_PLAIN_WORDS {
            return None;
        }
        let mut lower = text.to_lowercase();
        if lower.contains('’') {
            lower = lower.replace('’', "'");
        }
        let text = lower.trim_matches(is_edge);
        if is_heading && self.whole.contains(text) {
            return Some(PartLabel::Instructions);
        }
        if !self.may_name(text) {
            return None;
        }
        // `材料（2人分）`
        let name = text.split(['(', '（', '[']).next().map_or("", |t| t.trim_matches(is_edge));
        if let Some(label) = self.headings.get(text).or_else(|| self.headings.get(name)) {
            return Some(*label);
        }
        // Where words begin, and the end of the text.
        let gaps = text.match_indices(' ').map(|(at, _)| at + 1);
        let starts: Vec<usize> = std::iter::once(0).chain(gaps).chain([text.len()]).collect();
        let count = starts.len() - 1;
        if !is_heading && !ends_open && count > MAX_NAME_WORDS {
            return None;
        }
        (1..=MAX_NAME_WORDS.min(count)).rev().filter(|n| count <= n + MAX_WORDS_AROUND).find_map(|n| {
            let known = |from: usize, to: usize| {
                let name = text[starts[from]..starts[to]].trim_matches(is_edge);
                if name.len() > 4 { self.headings.get(name).copied() } else { None }
            };
            let first = known(0, n).filter(|l| *l != PartLabel::Other || n > 1);
            first.or_else(|| known(count - n, count).filter(|l| *l != PartLabel::Other))
        })
    }

    /// Returns whether the first or the last word of a text is one of a name; letters beyond ASCII must be in lower case.
    fn may_name(&self, text: &str) -> bool {
        let first = text.split(|c: char| c.is_whitespace() || matches!(c, '(' | '（' | '[')).next().unwrap_or("");
        let last = text.split_whitespace().next_back().unwrap_or("");
        [first, last].iter().any(|w| {
            self.edges.contains(&w.trim_matches(is_edge).bytes().fold(FNV64, |h, b| fnv64(h, b.to_ascii_lowercase())))
        })
    }

    /// Returns whether a line is an advertisement or a button.
    pub fn is_noise(&self, text: &str) -> bool {
        let text = text.trim_matches(|c: char| !c.is_alphanumeric());
        text.is_empty() || text.len() <= 60 && self.noise.contains(&text.to_lowercase()[..])
    }
}

/// Returns whether a character may be next to a name. Signs of vowels in Devanagari and Thai are not letters.
fn is_edge(c: char) -> bool {
    !c.is_alphanumeric() && !matches!(c, '\u{900}'..='\u{97f}' | '\u{e00}'..='\u{e7f}')
}

/// Returns the part that a class name or an id marks.
pub(super) fn class(name: &str) -> Option<PartLabel> {
    if name.len() > 400 {
        return None;
    }
    // The words for ingredients come first, as a name may hold words of both.
    let first = CLASS_WORDS.first_in(name)?;
    Some(CLASSES[usize::from(first >= CLASSES[0].0.len())].1)
}

/// Returns whether a page's source may hold a class for ingredients.
pub(super) fn may_name_ingredients(source: &str) -> bool {
    ["ngredien", "ngrédien", "utat", "NGREDIEN"]
        .iter()
        .any(|w| memchr::memmem::find(source.as_bytes(), w.as_bytes()).is_some())
}

/// The words of [`CLASSES`], ingredients first.
static CLASS_WORDS: LazyLock<WordSearch> = LazyLock::new(|| WordSearch::new(CLASSES.iter().flat_map(|c| c.0).copied()));
/// Words for `step` in the names of steps.
pub(super) static STEP_WORDS: LazyLock<Beginnings> = LazyLock::new(|| Beginnings::new(STEPS));
/// Beginnings of the names of groups of ingredients.
pub(super) static PURPOSE_WORDS: LazyLock<Beginnings> = LazyLock::new(|| Beginnings::new(PURPOSES));
/// Words for the people whom a recipe serves.
pub(super) static YIELD_WORDS: LazyLock<WordSearch> = LazyLock::new(|| WordSearch::new(YIELDS.split('|')));
/// Words of tables of nutrition.
pub(super) static NUTRIENT_WORDS: LazyLock<WordSearch> = LazyLock::new(|| WordSearch::new(NUTRIENTS.split('|')));

/// Words at the beginning of lines.
pub(super) struct Beginnings {
    words: Vec<&'static str>,
    /// The first bytes of the words in both cases.
    first: [bool; 256],
}

impl Beginnings {
    fn new(list: &'static str) -> Beginnings {
        let mut out = Beginnings { words: list.split('|').collect(), first: [false; 256] };
        for word in &out.words {
            for first in [word.bytes().next(), word.to_uppercase().bytes().next()].into_iter().flatten() {
                out.first[usize::from(first)] = true;
            }
        }
        out
    }

    /// Returns whether a line may begin with one of the words, in any case.
    pub fn may_begin(&self, line: &str) -> bool {
        line.as_bytes().first().is_some_and(|b| self.first[usize::from(*b)])
    }

    /// Returns the rest of a lower-case line after one of the words.
    pub fn after<'l>(&self, lower: &'l str) -> Option<&'l str> {
        self.words.iter().find_map(|w| lower.strip_prefix(w))
    }

    /// Returns whether a lower-case word is one of the words.
    pub fn contain(&self, word: &str) -> bool {
        self.words.contains(&word)
    }
}

/// Words for `step` in the names of steps: `Step 1`.
const STEPS: &str = "step|schritt|étape|etape|paso|passo|stap|steg|trinn|trin|krok|lépés|korak|vaihe|adım|βήμα|шаг|крок|стъпка|pasul|\
    pasos|langkah|bước|step no|步骤|步驟|手順";

/// Beginnings of the names of groups of ingredients.
const PURPOSES: &str = "for the |for serving|to serve|to garnish|for garnish|für den |für die |für das |pour la |pour le |pour les |\
    pour l'|pour l’|para la |para el |para las |para los |para o |para a |per la |per il |per lo |per i |voor de |\
    voor het |για την |για το |για τη |для ";

/// Words for the people whom a recipe serves.
const YIELDS: &str =
    "portion|serving|serves|people|person|porsjon|portie|porcj|porzion|porç|porci|порци|adag| főre|人分|人份|인분";

/// Nutrients and energy, as tables of nutrition name them; besides `kj`.
const NUTRIENTS: &str = "kcal|calorie|total fat|saturated fat|saturates|trans fat|carbohydrate|carbs|cholesterol|sodium|fiber|fibre|\
    protein |proteins |sugars|energy|eiweiß|brennwert|kohlenhydrate|ballaststoffe|glucides|lipides|protéines|\
    kalorien|proteínas|carboidratos|grassi|eiwitten|koolhydraten|fett |protein:|kolhydrater";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_searched_for_are_long_enough() {
        let mut all = CLASSES.iter().flat_map(|c| c.0).copied().chain(YIELDS.split('|')).chain(NUTRIENTS.split('|'));
        assert_eq!(all.find(|w| w.len() < 4), None);
    }

    #[test]
    fn lines_that_begin_with_a_word_may_begin_with_it() {
        for word in STEPS.split('|').chain(PURPOSES.split('|')) {
            let upper = word.to_uppercase();
            assert!(
                [&STEP_WORDS, &PURPOSE_WORDS].iter().any(|list| list.may_begin(word) && list.may_begin(&upper)),
                "{word}"
            );
        }
        assert!(!STEP_WORDS.may_begin("Whisk") && !PURPOSE_WORDS.may_begin("Whisk"));
    }

    #[test]
    fn classes_of_ingredients_come_first() {
        assert_eq!(class("step-Ingredients"), Some(PartLabel::Ingredients));
        assert_eq!(class("recipe-METHOD"), Some(PartLabel::Instructions));
        assert_eq!(class("text"), None);
    }
}
