//! Decides the kind of a group of records: comments, posts, entries, or another. Forests decide by the [`evidence`](super::evidence).
use super::evidence::{self, Evidence};
use crate::features::tokens::Table;
use crate::hash::HashMap;
use crate::model::forest::{Forest, sigmoid};
use crate::model::{ModelError, Pack};
use std::sync::{Arc, LazyLock};

/// The purpose stated in the model file.
pub const PURPOSE: &str = "records";

/// The kind of a group of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Readers' comments on the page's content, and reviews.
    Comments,
    /// Posts of a thread, which are the page's content.
    Posts,
    /// Entries of a list page.
    Entries,
    /// Links to other pages beside the content.
    Related,
    /// Posts from elsewhere, embedded in an article.
    Embedded,
    /// Parts of the article itself: a live ticker, a transcript, dated sections.
    Parts,
    /// Anything else: bylines, captions, tables.
    Other,
}

impl Kind {
    /// All kinds, in the order of the model's forests.
    pub const ALL: [Kind; 7] =
        [Kind::Comments, Kind::Posts, Kind::Entries, Kind::Related, Kind::Embedded, Kind::Parts, Kind::Other];
}

/// The decision on one group.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Decision {
    /// The probability of each of [`Kind::ALL`]; they sum to 1.
    pub kinds: [f32; Kind::ALL.len()],
    /// The probability that author and text of most records were read correctly.
    pub legible: f32,
}

impl Decision {
    /// Returns the probability of a kind.
    pub fn of(&self, kind: Kind) -> f32 {
        self.kinds[kind as usize]
    }
}

/// Decides the kinds of groups of records.
#[derive(Clone, Debug)]
pub struct RecordModel {
    forests: Vec<Forest>,
    places: Vec<usize>,
    /// The log-odds of each kind for each hash of a name.
    names: HashMap<u32, [f32; Kind::ALL.len()]>,
}

impl RecordModel {
    /// Prepares a model: one forest for each of [`Kind::ALL`], one for legibility, and one table of names for each kind.
    ///
    /// # Errors
    /// [`ModelError`] if a part is missing or a column is unknown.
    pub fn new(mut pack: Pack) -> Result<RecordModel, ModelError> {
        if pack.forests.len() != Kind::ALL.len() + 1 || pack.tables.len() != Kind::ALL.len() {
            return Err(ModelError::Damaged);
        }
        let names = by_name(&std::mem::take(&mut pack.tables));
        Ok(RecordModel { places: pack.places(&columns())?, forests: pack.forests, names })
    }

    /// Returns the model inside the library, which is read once.
    ///
    /// # Errors
    /// [`ModelError`] if the library was built with a damaged model.
    pub fn shipped() -> Result<Arc<RecordModel>, ModelError> {
        static SHIPPED: LazyLock<Result<Arc<RecordModel>, ModelError>> = LazyLock::new(|| {
            let pack = Pack::from_bytes(crate::model::shipped::records()?, PURPOSE)?;
            Ok(Arc::new(RecordModel::new(pack)?))
        });
        SHIPPED.clone()
    }

    /// Decides on a group.
    pub fn decide(&self, evidence: &Evidence) -> Decision {
        let row = row(evidence, |h| self.names.get(&h).copied());
        let probability = |f: &Forest| sigmoid(f.score(|c| row[self.places[c]]));
        let mut out = Decision::default();
        out.kinds.iter_mut().zip(&self.forests).for_each(|(p, f)| *p = probability(f));
        let sum: f32 = out.kinds.iter().sum();
        out.kinds.iter_mut().for_each(|p| *p /= sum.max(1e-6));
        out.legible = self.forests.last().map_or(0.0, probability);
        out
    }
}

/// Returns the names of the model's columns.
pub fn columns() -> Vec<String> {
    let names = Kind::ALL.iter().map(|k| format!("names_{k:?}").to_lowercase());
    evidence::NAMES.iter().map(|n| (*n).to_owned()).chain(names).collect()
}

/// Returns the values of the columns: the numbers of the evidence, then for each kind the log-odds of the known names, summed and divided
/// by the square root of their count.
pub fn row(evidence: &Evidence, odds: impl Fn(u32) -> Option<[f32; Kind::ALL.len()]>) -> Vec<f32> {
    let (mut sums, mut known) = ([0.0f32; Kind::ALL.len()], 0.0f32);
    for own in evidence.tokens.iter().filter_map(|&h| odds(h)) {
        sums.iter_mut().zip(own).for_each(|(sum, x)| *sum += x);
        known += 1.0;
    }
    let mut out = evidence.values.clone();
    out.resize(evidence::NAMES.len(), 0.0);
    out.extend(sums.map(|s| s / known.max(1.0).sqrt()));
    out
}

/// Merges the tables of all kinds into one map.
pub fn by_name(tables: &[Table<f32>]) -> HashMap<u32, [f32; Kind::ALL.len()]> {
    let mut out: HashMap<u32, [f32; Kind::ALL.len()]> = HashMap::default();
    for (k, table) in tables.iter().enumerate().take(Kind::ALL.len()) {
        table.0.iter().for_each(|(h, s)| out.entry(*h).or_default()[k] = *s);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Favor, Options, Page, extract};

    #[test]
    fn the_shipped_model_is_valid() {
        let model = RecordModel::shipped().unwrap();
        let decision = model.decide(&Evidence::default());
        assert!((decision.kinds.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert!(RecordModel::new(Pack::default()).is_err());
    }

    fn read(body: &str, favor: Favor) -> Page {
        let html = format!(
            "<html lang=en><head><title>The herons are back - A walk a day</title><meta property=og:type content=article></head>\
             <body><div id=header><a href=/>A walk a day</a></div>{body}</body></html>"
        );
        let url = Some("https://example.org/2024/03/herons".into());
        extract(&html, &Options { url, favor, ..Options::default() }).unwrap()
    }

    const STORY: [&str; 4] = [
        "This morning, after a week of rain, two herons stood in the reeds below the mill, and nobody dared to go nearer.",
        "They will stay until the autumn, as they have done each year since the dam was built, if the water allows it.",
        "The miller, who has kept count for thirty years, says that he has never seen them arrive before the swallows.",
        "Whoever wants to watch them should come early, before the first walkers and their dogs have reached the bridge.",
    ];

    fn comments(n: usize) -> String {
        let one = |n: usize| {
            format!(
                "<li class=comment id=comment-{n}><div class=comment-author><a href=\"/u/{n}\">Reader Number{n}</a></div>\
                 <div class=comment-date>March {n}, 2024 at 10:1{n}</div><div class=comment-body><p>I have seen them too, \
                 reader {n} says, and it was in the week after the storm, when the lake stood high. They left toward the \
                 hills.</p><p>My neighbour has counted nine of them, which is more than last year.</p></div>\
                 <a href=\"#respond-{n}\">Reply</a></li>"
            )
        };
        let all: String = (1..=n).map(one).collect();
        format!(
            "<div id=comments><h3>{n} comments</h3><ol class=commentlist>{all}</ol></div>\
             <form action=/comment><textarea name=comment></textarea></form>"
        )
    }

    fn story(after_each: impl Fn(usize) -> String) -> String {
        let parts: String = STORY.iter().enumerate().map(|(i, p)| format!("<p>{p}</p>{}", after_each(i))).collect();
        format!("<div id=content><div class=post><h1>The herons are back</h1>{parts}</div></div>")
    }

    /// The eight comments hold most of the page's words.
    #[test]
    fn comments_are_excluded_unless_recall_is_favored() {
        let html = story(|_| String::new()) + &comments(8);
        let page = read(&html, Favor::Balance);
        assert!(page.text().contains("two herons stood") && !page.text().contains("reader 4 says"), "{}", page.text());
        assert_eq!((page.posts.len(), page.comments.len()), (0, 8));
        assert_eq!(page.comments[2].author.as_deref(), Some("Reader Number3"));
        assert_eq!(read(&html, Favor::Recall).comments.len(), 8);
    }

    #[test]
    fn embedded_posts_are_part_of_the_article() {
        let tweet = |i: usize| {
            format!(
                "<blockquote class=\"twitter-tweet\"><p lang=en dir=ltr>The {i}. heron of this year has been seen at the dam, \
                 says the warden of the reserve.</p>&mdash; River Watch (@riverwatch) \
                 <a href=\"https://twitter.com/riverwatch/status/17{i}?ref_src=twsrc\">March {}, 2024</a></blockquote>",
                i + 1
            )
        };
        let page = read(&story(tweet), Favor::Balance);
        assert!(page.comments.is_empty() && page.posts.is_empty(), "{:?}", page.comments);
        for (i, paragraph) in STORY.iter().enumerate() {
            assert!(page.text().contains(paragraph), "{}", page.text());
            assert!(page.text().contains(&format!("The {i}. heron of this year")), "{}", page.text());
        }
    }

    #[test]
    fn related_headlines_are_not_comments() {
        let titles =
            ["Council votes for the new bridge", "Storm closes the northern harbour", "Ferry timetable changes"];
        let card = |(i, t): (usize, &&str)| {
            format!(
                "<article class=card><span class=label>Local</span><h3><a href=/news/{i}>{t} in the coming weeks</a></h3>\
                 <time>{} minutes ago</time></article>",
                38 + i
            )
        };
        let cards: String = titles.iter().enumerate().map(card).collect();
        let html = format!("{}<aside class=related><h2>More news</h2>{cards}</aside>", story(|_| String::new()));
        let page = read(&html, Favor::Balance);
        assert!(page.comments.is_empty() && page.posts.is_empty(), "{:?}", page.comments);
    }

    #[test]
    fn dated_sections_of_an_article_stay() {
        let section = |i: usize| {
            format!(
                "<h3>March {}, 2024</h3><p><b>Jane Doe</b></p><p>The {i}. walk led along the dam, past the old mill and over the \
                 wooden bridge, where the water was higher than in any year that I remember.</p>",
                i + 1
            )
        };
        let page = read(&story(section), Favor::Balance);
        assert!(page.comments.is_empty(), "{:?}", page.comments);
        assert!((0..4).all(|i| page.text().contains(&format!("The {i}. walk"))), "{}", page.text());
    }
}
