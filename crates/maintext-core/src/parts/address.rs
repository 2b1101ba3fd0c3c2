//! The addresses of the parts of one article: they differ only in a number.
use maintext_lists::list::without_tracking;
use maintext_page::lexicon::lexicon;
use url::Url;

/// The largest number of a part.
const MAX_NUMBER: u32 = 9_999;
/// Query parameters that count pages, whatever their value.
const COUNTERS: &[&str] = lexicon!("page-parameters.txt");
/// Words that precede the number in a path.
const WORDS: [&str; 12] =
    ["page", "pages", "pg", "p", "seite", "pagina", "página", "strona", "stranica", "side", "sida", "part"];

/// An address taken apart: the article's and the number of the part.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Numbered {
    /// The address without the number, in a normal form.
    pub stem: String,
    /// The way the number is written.
    pub form: String,
    /// The number.
    pub number: u32,
    /// Whether a word such as "page" says that the number counts pages; other numbers may count articles.
    pub says_page: bool,
}

/// Returns the address in the form of [`Numbered::stem`].
pub(super) fn bare(url: &Url) -> String {
    stem(url, &plain_path(url), &pairs(url))
}

/// Returns the ways to read an address as the address of a numbered part.
pub(super) fn readings(url: &Url) -> Vec<Numbered> {
    let (mut out, path, query) = (Vec::new(), plain_path(url), pairs(url));
    for (i, (name, value)) in query.iter().enumerate() {
        let lower = name.to_ascii_lowercase();
        let says_page = COUNTERS.contains(&lower.as_str());
        if !says_page && lower != "p" {
            continue;
        }
        let Some(number) = number(value) else { continue };
        let rest: Vec<_> = query.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, pair)| pair.clone()).collect();
        out.push(Numbered { stem: stem(url, &path, &rest), form: format!("?{lower}"), number, says_page });
    }
    let (above, last) = path.rsplit_once('/').unwrap_or(("", &path));
    let mut add = |path: &str, form: &str, number: u32, says_page: bool| {
        out.push(Numbered { stem: stem(url, path, &query), form: form.to_owned(), number, says_page });
    };
    let (name, suffix) = extension(last);
    if let Some(number) = number(name) {
        // A day of a calendar is not a part.
        let mut before = above.rsplit('/');
        let is_date = match (before.next(), before.next()) {
            (Some(year), _) if is_year(year) => number <= 12,
            (Some(month), Some(year)) => is_year(year) && month.len() <= 2 && is_digits(month) && number <= 31,
            _ => false,
        };
        match above.rsplit_once('/') {
            Some((article, word)) if WORDS.contains(&word.to_lowercase().as_str()) => {
                add(article, &format!("/{word}/#{suffix}"), number, true);
            }
            _ if !is_date => {
                add(above, &format!("/#{suffix}"), number, false);
                if !suffix.is_empty() {
                    add(&format!("{above}{suffix}"), &format!("/#{suffix}"), number, false);
                }
            }
            _ => {}
        }
    } else {
        let digits = name.len() - name.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (before, tail) = name.split_at(digits);
        if let Some(number) = number(tail) {
            let stop = before.trim_end_matches(['-', '_', '~', ',', '.', '=']);
            let letters =
                stop.len() - stop.chars().rev().take_while(|c| c.is_alphabetic()).map(char::len_utf8).sum::<usize>();
            let (head, word) = stop.split_at(letters);
            let sign = &before[stop.len()..];
            if WORDS.contains(&word.to_lowercase().as_str()) {
                let article = head.trim_end_matches(['-', '_', '~', ',', '.']);
                let path = if article.is_empty() { above.to_owned() } else { format!("{above}/{article}{suffix}") };
                add(&path, &format!("{}{word}{sign}#", &head[article.len()..]), number, true);
            } else if !sign.is_empty() {
                add(&format!("{above}/{stop}{suffix}"), &format!("{sign}#"), number, false);
            }
        }
    }
    out
}

fn is_year(s: &str) -> bool {
    s.len() == 4 && is_digits(s) && (s.starts_with("19") || s.starts_with("20"))
}

/// Whether the last part of the path or a parameter says that the page shows all parts, or is made to be printed.
pub(super) fn says_whole(url: &Url) -> bool {
    let last = url.path().trim_end_matches('/').rsplit('/').next().unwrap_or("");
    is_whole_sign(extension(last).0)
        || url.query_pairs().any(|(name, value)| {
            is_whole_sign(&value) || is_whole_sign(&name) && matches!(&*value, "" | "1" | "true" | "yes")
        })
}

const SIGNS: &[&str] = lexicon!("whole-article-addresses.txt");

fn is_whole_sign(text: &str) -> bool {
    SIGNS.contains(&text.to_ascii_lowercase().as_str())
}

/// Whether a part of a path says that a number follows.
pub(super) fn says_page(name: &str) -> bool {
    WORDS.iter().any(|word| word.eq_ignore_ascii_case(name))
}

/// Returns the host without `www.`.
pub(super) fn host(url: &Url) -> &str {
    maintext_page::address::host_of(url).unwrap_or("")
}

fn stem(url: &Url, path: &str, query: &[(String, String)]) -> String {
    let mut query: Vec<String> = query.iter().map(|(name, value)| format!("{name}={value}")).collect();
    query.sort();
    let port = url.port().map(|p| format!(":{p}")).unwrap_or_default();
    format!("{}{port}{}?{}", host(url), path.trim_end_matches('/'), query.join("&"))
}

/// Returns the path without the slash at its end and without the name of a folder's own page.
fn plain_path(url: &Url) -> String {
    let path = url.path().trim_end_matches('/');
    let (above, last) = path.rsplit_once('/').unwrap_or(("", path));
    let is_index = matches!(extension(last), ("index" | "default", suffix) if !suffix.is_empty());
    if is_index { above.to_owned() } else { path.to_owned() }
}

fn pairs(url: &Url) -> Vec<(String, String)> {
    let plain = Url::parse(&without_tracking(url.as_str())).unwrap_or_else(|_| url.clone());
    plain.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
}

/// Splits the name of a file from its extension, dot included.
pub(super) fn extension(name: &str) -> (&str, &str) {
    match name.rfind('.').map(|at| name.split_at(at)) {
        Some((stem, suffix)) if is_suffix(&suffix[1..]) => (stem, suffix),
        _ => (name, ""),
    }
}

fn is_suffix(s: &str) -> bool {
    (2..=5).contains(&s.len()) && s.bytes().all(|b| b.is_ascii_alphabetic())
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

fn number(text: &str) -> Option<u32> {
    let plain = !text.is_empty() && text.len() <= 5 && is_digits(text);
    text.parse().ok().filter(|n| plain && *n <= MAX_NUMBER)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(base: &str, other: &str) -> Option<u32> {
        let (base, other) = (Url::parse(base).unwrap(), Url::parse(other).unwrap());
        readings(&other).into_iter().find(|r| r.stem == bare(&base)).map(|r| r.number)
    }

    #[test]
    fn numbers_are_read_in_all_their_places() {
        for (base, other) in [
            ("https://e.org/story", "https://www.e.org/story/2"),
            ("https://e.org/story/", "https://e.org/story/page/2/"),
            ("https://e.org/story.html", "https://e.org/story-2.html"),
            ("https://e.org/story.html", "https://e.org/story_2.html"),
            ("https://e.org/story.html", "https://e.org/story-page2.html"),
            ("https://e.org/story.html", "https://e.org/story,page-2.html"),
            ("https://e.org/story", "https://e.org/story/seite-2"),
            ("https://e.org/story", "https://e.org/story?page=2"),
            ("https://e.org/a?id=7&utm_source=x", "https://e.org/a?page=2&id=7"),
            ("https://e.org/story/index.html", "https://e.org/story/2.html"),
            ("https://e.org/story.html", "https://e.org/story/2.html"),
            ("https://e.org/story.html", "https://e.org/story.html/2"),
            ("https://e.cn/2024/a_1.htm", "https://e.cn/2024/a_1_2.htm"),
        ] {
            assert_eq!(parts(base, other), Some(2), "{base} {other}");
        }
        for (base, other) in [
            ("https://e.org/story", "https://f.org/story/2"),
            ("https://e.org/2024/05", "https://e.org/2024/05/17"),
            ("https://e.org/story", "https://e.org/story2"),
            ("https://e.org/story", "https://e.org/story?id=2"),
            ("https://e.org/story", "https://e.org/other/2"),
            ("https://e.org/story?id=1", "https://e.org/story?page=2"),
        ] {
            assert_eq!(parts(base, other), None, "{base} {other}");
        }
    }

    #[test]
    fn addresses_of_the_whole_article_are_known() {
        let whole = |url: &str| says_whole(&Url::parse(url).unwrap());
        assert!(whole("https://e.org/story/print") && whole("https://e.org/story?page=all"));
        assert!(whole("https://e.org/story?singlepage=true") && whole("https://e.org/story/single.html"));
        assert!(!whole("https://e.org/story") && !whole("https://e.org/story?print=0"));
    }
}
