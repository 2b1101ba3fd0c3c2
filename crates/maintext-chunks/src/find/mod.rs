//! The passages of pages that answer a question, ranked by BM25.
mod fragment;
mod numbers;
mod terms;

use crate::sentences::{bounds, markup, sentences};
use crate::{Chunk, Settings, Tokenizer, chunks};
use fragment::FoldedPage;
use maintext_core::Page;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::HashMap;
pub(crate) use terms::is_dense;
use terms::{AskedTerms, primary};

/// The JSON Schema of an [`Answer`] as it serialises.
pub const ANSWER_SCHEMA: &str = include_str!("answer.schema.json");

/// Saturation of counts, and weight of lengths: the defaults of Anserini for passages, from Trotman, Puurula and Burgess, "Improvements to BM25 and
/// Language Models Examined" (2014).
const K1: f64 = 0.9;
const B: f64 = 0.4;
/// Weight of a word in a heading, relative to a word in the text.
const HEADING_WEIGHT: f64 = 0.5;
/// Weight of a word in the title of a page, relative to a word in its text.
const TITLE_WEIGHT: f64 = 3.0;
/// Weight of a page's own score in the scores of its passages.
const PAGE_WEIGHT: f64 = 0.5;

/// Ranks the passages of pages by a question.
///
/// The score of a passage is BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009) with its fields:
/// words in the headings above a passage count as well as words in its text. Words match in all forms that a stemmer of the page's language
/// reduces to the same stem, and without diacritics; Chinese, Japanese, Thai, Lao, Khmer and Burmese match by pairs of characters, Korean
/// by words and pairs. Words such as "what" weigh little; words that only begin alike, and numbers if the question asks for one, weigh less
/// than words. With several pages, the score of the whole page, with its title, is added to the scores of its passages.
///
/// The work is linear in the texts.
///
/// ```
/// use maintext_chunks::{Finder, PieceForm, Settings, Tokenizer};
/// let options = maintext_core::Options { pieces: Some(PieceForm::Markdown), ..Default::default() };
/// let html = "<article><h1>Ferries</h1><p>The ferry leaves at nine, and returns at six in the evening.</p>
///     <h2>Prices</h2><p>A ticket costs four pounds, or six for both ways. Dogs travel free of charge.</p></article>";
/// let page = maintext_core::extract(html, &options).unwrap();
/// let mut finder = Finder::new("What do tickets cost?").unwrap();
/// finder.add("ferries.html", Some("https://example.org/ferries"), &page, &Settings::new(Tokenizer::named("words").unwrap(), 20));
/// let answer = finder.answer(&finder.ranking(), 3, None);
/// assert_eq!(answer.passages[0].headings, ["Ferries", "Prices"]);
/// assert!(answer.passages[0].link.as_deref().unwrap().starts_with("https://example.org/ferries#:~:text=A%20ticket%20costs%20four"));
/// ```
#[derive(Debug)]
pub struct Finder {
    question: String,
    /// The question for pages in each language.
    asked: Vec<AskedTerms>,
    languages: HashMap<String, usize>,
    pages: Vec<AddedPage>,
    passages: Vec<CountedPassage>,
}

/// A page that was added.
#[derive(Debug)]
struct AddedPage {
    id: String,
    url: Option<String>,
    title: Option<String>,
    text: String,
    /// Its number in [`Finder::asked`].
    asked: usize,
    /// How often its title holds each term.
    title_counts: Vec<f64>,
}

/// A passage with its counts of the terms.
#[derive(Debug)]
struct CountedPassage {
    page: usize,
    chunk: Chunk,
    body: Vec<f64>,
    headings: Vec<f64>,
    length: f64,
}

/// A passage in a ranking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// Its number, in the order of adding.
    pub passage: usize,
    /// Its score, above 0. Scores of different questions are not comparable.
    pub score: f64,
}

/// The passages that answer a question, best first.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Answer {
    /// The question.
    pub question: String,
    /// The number of pages searched.
    pub pages: usize,
    /// The number of passages searched.
    pub searched: usize,
    /// The tokens of all passages of the answer.
    pub tokens: usize,
    /// The passages.
    pub passages: Vec<Passage>,
}

/// A passage of an [`Answer`].
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Passage {
    /// Its rank, from 1.
    pub rank: usize,
    /// Its score.
    pub score: f64,
    /// The input that holds its page.
    pub id: String,
    /// The address of its page.
    pub url: Option<String>,
    /// The title of its page.
    pub title: Option<String>,
    /// The headings above it, from the outermost.
    pub headings: Vec<String>,
    /// Its text.
    pub text: String,
    /// The tokens of its text.
    pub tokens: usize,
    /// Whether its end was cut for the budget of tokens.
    pub cut: bool,
    /// The address of its page with a text fragment, so that browsers open the page at the passage.
    pub link: Option<String>,
    /// Its number among the chunks of its page, from 0.
    pub index: usize,
    /// Where it begins in the page's text or Markdown, in characters.
    pub start: usize,
    /// Where it ends there.
    pub end: usize,
}

impl Finder {
    /// Reads a question.
    ///
    /// # Errors
    /// It holds no word.
    pub fn new(question: &str) -> Result<Finder, String> {
        if !question.contains(char::is_alphanumeric) {
            return Err("the question holds no word".into());
        }
        let question = question.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(Finder { question, asked: Vec::new(), languages: HashMap::new(), pages: Vec::new(), passages: Vec::new() })
    }

    /// Adds the passages of a page: its [`chunks`]. `id` names the input; `url` is the address that was read; without it, the page's
    /// declared address is used.
    pub fn add(&mut self, id: &str, url: Option<&str>, page: &Page, settings: &Settings) {
        let metadata = &page.metadata;
        let of = ChunkOrigin {
            id,
            url: url.or(metadata.url.as_deref()),
            title: metadata.title.as_deref(),
            language: metadata.language.as_deref().unwrap_or(""),
        };
        self.add_chunks(&of, settings.text_of(page), chunks(page, settings));
    }

    /// Adds chunks of a page whose text is known.
    fn add_chunks(&mut self, of: &ChunkOrigin<'_>, text: &str, chunks: Vec<Chunk>) {
        let language = primary(of.language);
        let next = self.asked.len();
        let asked = *self.languages.entry(language).or_insert(next);
        if asked == next {
            self.asked.push(AskedTerms::new(&self.question, of.language));
        }
        let asked_of = &self.asked[asked];
        let none = || vec![0.0; asked_of.weights.len()];
        let mut title_counts = none();
        asked_of.count(of.title.unwrap_or(""), &mut title_counts);
        let page = self.pages.len();
        self.pages.push(AddedPage {
            id: of.id.to_owned(),
            url: of.url.map(str::to_owned),
            title: of.title.map(str::to_owned),
            text: text.to_owned(),
            asked,
            title_counts,
        });
        for chunk in chunks {
            let (mut body, mut headings) = (none(), none());
            let length = asked_of.count(&chunk.text, &mut body) as f64;
            for heading in chunk.headings.iter().filter(|h| Some(h.as_str()) != of.title) {
                asked_of.count(heading, &mut headings);
            }
            self.passages.push(CountedPassage { page, chunk, body, headings, length });
        }
    }

    /// Returns the passages that hold a word of the question, best first. Equal ones are in the order of the pages.
    #[must_use]
    pub fn ranking(&self) -> Vec<Ranked> {
        let own = scores(&self.asked, &self.passages.iter().map(|p| self.document(p)).collect::<Vec<_>>());
        let of_pages = match self.pages.len() {
            0 | 1 => vec![0.0; self.pages.len()],
            _ => scores(&self.asked, &self.page_documents()),
        };
        let all = self.passages.iter().zip(&own).enumerate();
        let found = all.filter(|(_, (_, own))| **own > 0.0);
        sorted(
            found.map(|(passage, (p, own))| Ranked { passage, score: own + PAGE_WEIGHT * of_pages[p.page] }).collect(),
        )
    }

    fn document<'a>(&'a self, p: &'a CountedPassage) -> CountedText<'a> {
        let asked = self.pages[p.page].asked;
        CountedText {
            asked,
            body: p.body.as_slice().into(),
            extra: &p.headings,
            weight: HEADING_WEIGHT,
            length: p.length,
        }
    }

    fn page_documents(&self) -> Vec<CountedText<'_>> {
        let mut documents: Vec<CountedText<'_>> = self
            .pages
            .iter()
            .map(|page| {
                let body = vec![0.0; page.title_counts.len()].into();
                CountedText { asked: page.asked, body, extra: &page.title_counts, weight: TITLE_WEIGHT, length: 0.0 }
            })
            .collect();
        for p in &self.passages {
            let document = &mut documents[p.page];
            document.length += p.length;
            document.body.to_mut().iter_mut().zip(&p.body).for_each(|(sum, n)| *sum += n);
        }
        documents
    }

    /// Returns the first passages of a ranking, at most `limit`. With a budget, their tokens together are at most its number: passages that do not
    /// fit are left out, and the first one is cut if it alone does not.
    #[must_use]
    pub fn answer(&self, ranking: &[Ranked], limit: usize, budget: Option<(usize, &Tokenizer)>) -> Answer {
        let mut shown: HashMap<usize, FoldedPage> = HashMap::new();
        let (mut tokens, mut passages) = (0, Vec::new());
        for ranked in ranking {
            if passages.len() == limit {
                break;
            }
            let Some(CountedPassage { page, chunk, .. }) = self.passages.get(ranked.passage) else { continue };
            let read = &self.pages[*page];
            let (mut text, mut own, mut cut) = (chunk.text.clone(), chunk.tokens, false);
            if let Some((most, tokenizer)) = budget {
                own = tokenizer.count(&text);
                if tokens + own > most && passages.is_empty() {
                    text = beginning(&text, most, tokenizer).to_owned();
                    (own, cut) = (tokenizer.count(&text), true);
                }
                if tokens + own > most || !text.contains(char::is_alphanumeric) {
                    continue;
                }
            }
            tokens += own;
            let shown = shown.entry(*page).or_insert_with(|| FoldedPage::new(&read.text));
            passages.push(Passage {
                rank: passages.len() + 1,
                score: (ranked.score * 1e4).round() / 1e4,
                id: read.id.clone(),
                url: read.url.clone(),
                title: read.title.clone(),
                headings: chunk.headings.clone(),
                link: read.url.as_deref().map(|url| fragment::link(url, &text, shown)),
                end: if cut { chunk.start + text.chars().count() } else { chunk.end },
                text,
                tokens: own,
                cut,
                index: chunk.index,
                start: chunk.start,
            });
        }
        let (pages, searched) = (self.pages.len(), self.passages.len());
        Answer { question: self.question.clone(), pages, searched, tokens, passages }
    }
}

/// Where chunks are from.
struct ChunkOrigin<'a> {
    id: &'a str,
    url: Option<&'a str>,
    title: Option<&'a str>,
    language: &'a str,
}

fn sorted(mut ranking: Vec<Ranked>) -> Vec<Ranked> {
    ranking.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.passage.cmp(&b.passage)));
    ranking
}

/// What BM25 counts: a passage, or a page.
struct CountedText<'a> {
    /// The number of the question for its language.
    asked: usize,
    body: Cow<'a, [f64]>,
    /// The counts in its headings or its title.
    extra: &'a [f64],
    /// The weight of these.
    weight: f64,
    length: f64,
}

/// Returns the scores of documents. A term counts among the documents in its language.
fn scores(asked: &[AskedTerms], documents: &[CountedText<'_>]) -> Vec<f64> {
    let number = documents.len() as f64;
    let average = (documents.iter().map(|d| d.length).sum::<f64>() / number.max(1.0)).max(1.0);
    let mut holders: Vec<Vec<[f64; 2]>> = asked.iter().map(|a| vec![[0.0; 2]; a.weights.len()]).collect();
    for d in documents {
        for (term, holders) in holders[d.asked].iter_mut().enumerate() {
            holders[0] += f64::from(d.body[term] > 0.0);
            holders[1] += f64::from(d.extra[term] > 0.0);
        }
    }
    let of = |d: &CountedText<'_>| {
        let norm = 1.0 - B + B * d.length / average;
        let weights = &asked[d.asked].weights;
        (0..weights.len())
            .map(|term| {
                let count = d.body[term] / norm + d.weight * d.extra[term];
                // A word that only headings hold is as rare as the headings are.
                let [in_bodies, in_extra] = holders[d.asked][term];
                let holders = if in_bodies > 0.0 { in_bodies } else { in_extra };
                let idf = (1.0 + (number - holders + 0.5) / (holders + 0.5)).ln();
                weights[term] * idf * count * (K1 + 1.0) / (count + K1)
            })
            .sum()
    };
    documents.iter().map(of).collect()
}

/// Returns the beginning of a text with at most `most` tokens: whole sentences, else whole words.
fn beginning<'a>(text: &'a str, most: usize, tokenizer: &Tokenizer) -> &'a str {
    let whole = markup(text);
    let fits = |end: usize| tokenizer.count(text[..end].trim_end()) <= most;
    let last = |ends: &[usize]| {
        let within = ends.partition_point(|end| fits(*end));
        ends[..within].iter().rev().copied().find(|end| fits(*end))
    };
    let sentence_ends: Vec<usize> = sentences(text, &whole).iter().map(|s| s.end).collect();
    let end = last(&sentence_ends).or_else(|| {
        let first = &text[..sentence_ends.first().copied().unwrap_or(text.len())];
        let mut inside = whole.iter().peekable();
        let ends = bounds(first).map(|w| w.end).filter(|end| {
            while inside.next_if(|w| w.end <= *end).is_some() {}
            inside.peek().is_none_or(|w| *end <= w.start)
        });
        last(&ends.collect::<Vec<_>>())
    });
    text[..end.unwrap_or(0)].trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PieceForm;

    const GUIDE: &str = "<html lang=en><title>Guide</title><article><h1>Guide</h1>
        <p>The ferry leaves at nine, and it returns in the evening. Bring a coat, since the deck is cold in winter.</p>
        <h2>Prices</h2><p>A ticket is sold on board, and all cards are accepted. An adult pays four pounds and a child pays two.</p>
        <h2>Dogs</h2><p>They are welcome on the lower deck, and they travel free of charge. Keep them on a lead at all times.</p></article>";

    fn page(html: &str) -> Page {
        let options = maintext_core::Options { pieces: Some(PieceForm::Markdown), ..Default::default() };
        let whole = maintext_core::Input { whole: true, ..html.into() };
        maintext_core::Extractor::new(options).unwrap().extract(whole).unwrap()
    }

    fn words(limit: usize) -> Settings {
        Settings::new(Tokenizer::named("words").unwrap(), limit)
    }

    fn found(question: &str, pages: &[&str]) -> Vec<String> {
        let mut finder = Finder::new(question).unwrap();
        for (i, html) in pages.iter().enumerate() {
            finder.add(&i.to_string(), None, &page(html), &words(30));
        }
        finder.answer(&finder.ranking(), 9, None).passages.into_iter().map(|p| format!("{} {}", p.id, p.text)).collect()
    }

    #[test]
    fn the_passage_that_answers_comes_first() {
        for (question, expected) in [
            ("What is the price of tickets?", "## Prices"),
            ("Can I bring my dog?", "## Dogs"),
            ("When does the ferry leave?", "# Guide"),
        ] {
            let found = found(question, &[GUIDE]);
            assert!(found[0].starts_with(&format!("0 {expected}")), "{question} {found:?}");
        }
        assert!(found("submarine", &[GUIDE]).is_empty());
        assert!(Finder::new(" ?! ").is_err());
    }

    #[test]
    fn of_several_pages_the_title_counts() {
        let of = |place: &str| {
            format!(
                "<title>{place}</title><article><h1>{place}</h1><p>A visit takes two hours, and the entry costs three pounds for all.</p></article>"
            )
        };
        let found =
            found("entry to the castle of Skye", &[&of("The mill of Orkney"), &of("The castle of Skye"), GUIDE]);
        assert!(found[0].starts_with("1 "), "{found:?}");
    }

    #[test]
    fn a_budget_is_kept_exactly() {
        let mut finder = Finder::new("ferry ticket dog deck").unwrap();
        finder.add("a", Some("https://e.org/"), &page(GUIDE), &words(30));
        let tokenizer = Tokenizer::named("words").unwrap();
        for most in 0..120 {
            let answer = finder.answer(&finder.ranking(), 9, Some((most, &tokenizer)));
            let sum: usize = answer.passages.iter().map(|p| tokenizer.count(&p.text)).sum();
            assert!(sum <= most && sum == answer.tokens, "{most} {answer:?}");
            assert_eq!(most > 1, !answer.passages.is_empty(), "{most}");
            assert!(answer.passages.iter().skip(1).all(|p| !p.cut));
        }
        assert_eq!(beginning("[a b](https://e.org/x) c", 1, &Tokenizer::named("words").unwrap()), "");
        assert_eq!(beginning("渡船九点开。六点回。", 3, &tokenizer), "渡船九");
    }
}
