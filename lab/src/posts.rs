//! Measures how well the posts of threads are found: author, time and text of each, compared with a set's annotation.
//!
//! The truth is a page's `extra.posts`: `text`, `user` (a name, or the address of a profile as written in the page), `datetime` as
//! printed. Found posts are aligned with true ones in page order, one to one, so that as many fields as possible agree. The F1 of a field
//! counts the agreeing fields over all posts of the set.
use crate::data::Page;
use crate::score::{self, Tokens};
use maintext_core::Comment;
use maintext_core::metadata::Stamp;
use serde::Deserialize;
use url::Url;

/// Minimum word F1 at which two texts count as the same post.
const SAME_TEXT: f64 = 0.8;

/// A true post.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Truth {
    /// Its text.
    pub text: Option<String>,
    /// A name or the address of a profile.
    pub user: Option<String>,
    /// As printed.
    pub datetime: Option<String>,
}

/// Counts of posts and of agreements.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Posts that were found.
    pub found: usize,
    /// Number of true posts.
    pub there: usize,
    /// Aligned posts whose author agrees.
    pub author: usize,
    /// Aligned posts whose time agrees: the day, and the minute if both have one.
    pub time: usize,
    /// Aligned posts whose text agrees with a word F1 of at least 0.8.
    pub text: usize,
}

impl Counts {
    /// Adds the counts of another page.
    pub fn add(&mut self, o: Counts) {
        self.found += o.found;
        self.there += o.there;
        self.author += o.author;
        self.time += o.time;
        self.text += o.text;
    }
    /// Returns the F1 of author, time and text.
    pub fn f1(&self) -> [f64; 3] {
        let all = (self.found + self.there).max(1) as f64;
        [self.author, self.time, self.text].map(|n| 2.0 * n as f64 / all)
    }
}

/// The true posts of a page.
pub fn truth(page: &Page) -> Vec<Truth> {
    page.extra.get("posts").and_then(|p| Vec::<Truth>::deserialize(p).ok()).unwrap_or_default()
}

/// Compares the posts found on a page with the true ones.
pub fn compare(page: &Page, found: &[Comment], truth: &[Truth]) -> Counts {
    let base = page.url.as_deref().and_then(|u| Url::parse(u).ok());
    let agree: Vec<Vec<[bool; 3]>> = truth
        .iter()
        .map(|t| found.iter().map(|f| [author(t, f, base.as_ref()), time(t, f), text(t, f)]).collect())
        .collect();
    // The best alignment in order, by the number of agreeing fields.
    let (n, m) = (truth.len(), found.len());
    let mut best = vec![vec![0u32; m + 1]; n + 1];
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            let both = (agree[i][j].iter().filter(|x| **x).count() as u32) + best[i + 1][j + 1];
            best[i][j] = both.max(best[i + 1][j]).max(best[i][j + 1]);
        }
    }
    let mut counts = Counts { found: m, there: n, ..Counts::default() };
    let (mut i, mut j) = (0, 0);
    while i < n && j < m {
        if best[i][j] == best[i + 1][j] {
            i += 1;
        } else if best[i][j] == best[i][j + 1] {
            j += 1;
        } else {
            let [a, t, x] = agree[i][j];
            counts.author += a as usize;
            counts.time += t as usize;
            counts.text += x as usize;
            (i, j) = (i + 1, j + 1);
        }
    }
    counts
}

fn author(t: &Truth, f: &Comment, base: Option<&Url>) -> bool {
    let Some(user) = &t.user else { return false };
    let same = f.author.as_deref().is_some_and(|a| score::fold(a) == score::fold(user));
    let whole = |u: &str| Url::options().base_url(base).parse(u).map(|u| u.to_string()).unwrap_or_default();
    // Relative addresses depend on the page's `<base>`, which the truth does not include.
    let end = user.trim_start_matches(['.', '/']);
    same || f
        .author_url
        .as_deref()
        .is_some_and(|u| whole(u) == whole(user) || end.len() > 6 && end.contains(['/', '?']) && u.ends_with(end))
}

fn time(t: &Truth, f: &Comment) -> bool {
    let Some(when) = &t.datetime else { return false };
    let printed = |s: &str| score::fold(s);
    if f.date_text.as_deref().is_some_and(|w| printed(w) == printed(when)) {
        return true;
    }
    let stamps = (Stamp::parse(when), f.date.as_deref().and_then(Stamp::parse));
    let (Some(a), Some(b)) = stamps else { return false };
    let minutes = |s: &Stamp| s.time.map(|t| (t.hour(), t.minute()));
    let zones = a.offset.is_some() != b.offset.is_some();
    a.date == b.date && (minutes(&a).is_none() || minutes(&b).is_none() || zones || minutes(&a) == minutes(&b))
}

fn text(t: &Truth, f: &Comment) -> bool {
    score::prf(&f.text, t.text.as_deref().unwrap_or(""), Tokens::Cjk).f1 >= SAME_TEXT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn posts_are_aligned_in_order() {
        let truth = |user: &str, when: &str, text: &str| Truth {
            text: Some(text.into()),
            user: Some(user.into()),
            datetime: Some(when.into()),
        };
        let post = |author: &str, date: &str, text: &str| {
            let mut post = Comment::default();
            (post.author, post.author_url) = (Some(author.into()), Some("https://e.org/u/1".into()));
            (post.date, post.text) = (Some(date.into()), text.into());
            post
        };
        let page = Page { url: Some("https://e.org/t/9".into()), ..Page::default() };
        let there =
            [truth("/u/1", "17 May 2024, 10:00", "one two three"), truth("Roe", "18 May 2024", "four five six")];
        let found = [
            post("Ad", "2020-01-01", "buy"),
            post("Doe", "2024-05-17T10:00", "one two three"),
            post("x", "2024-05-18", "no"),
        ];
        let c = compare(&page, &found, &there);
        assert_eq!((c.found, c.there, c.author, c.time, c.text), (3, 2, 1, 2, 1));
    }
}
