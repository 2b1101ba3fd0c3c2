//! The order in which the parts of an article are read, and where it ends.
use crate::page::Page;
use maintext_page::blocks::count_words;
use maintext_page::hash::{FNV64, HashSet, fnv64};
use maintext_page::lexicon::lexicon;
use maintext_page::warnings::{Warning, WarningCode};
use std::collections::{BTreeMap, VecDeque};

/// Minimum probability of a link that is followed from the first part.
const MIN_FOLLOWED: f32 = 0.5;
/// Minimum ratio of the words of the whole article to the words of its first part.
const MIN_WHOLE_RATIO: f32 = 1.2;

/// Reads the parts of an article one after another. It does no I/O: the caller loads each address that [`Follower::next_address`] returns and
/// gives the result to [`Follower::add`]; [`Extractor::join`](crate::Extractor::join) makes one page of the parts.
///
/// The caller extracts the parts with the options of [`Extractor::part_options`](crate::Extractor::part_options).
///
/// ```
/// use maintext_core::{Extractor, Options, parts::Follower};
/// let text = |n: u32| format!("<h1>The ferry</h1><p>Part {n} tells of the ferry, which left at nine, and of those who missed it.</p>\
///     <div><a href=/ferry>1</a> <a href=/ferry/2>2</a></div>");
/// let mut extractor = Extractor::new(Options::default())?;
/// let mut reader = Extractor::new(extractor.part_options())?;
/// let first = extractor.extract_at(&text(1), Some("https://example.org/ferry"), None)?;
/// let mut follower = Follower::new(reader.extract_at(&text(1), Some("https://example.org/ferry"), None)?, "https://example.org/ferry", 10);
/// while let Some(address) = follower.next_address() {
///     assert_eq!(address, "https://example.org/ferry/2"); // Fetch it here.
///     let page = reader.extract_at(&text(2), Some(&address), None).map_err(|e| e.to_string());
///     follower.add(page.map(|page| (page, address)));
/// }
/// let page = extractor.join(first, follower);
/// assert!(page.text().contains("Part 1 tells") && page.text().contains("Part 2 tells"));
/// # Ok::<(), maintext_core::Error>(())
/// ```
pub struct Follower {
    /// The parts that were read, in order. If the whole article was found, it is the only one.
    pub(crate) pages: Vec<Page>,
    pub(crate) warnings: Vec<Warning>,
    /// Whether the only page is the whole article.
    pub(crate) is_whole: bool,
    limit: usize,
    /// The number of the part that was read or missed last.
    current: u32,
    next: Option<String>,
    /// The addresses of parts with numbers.
    known: BTreeMap<u32, String>,
    whole: VecDeque<String>,
    visited: HashSet<String>,
    /// Hashes of the texts.
    texts: HashSet<u64>,
    asked: Option<AskedPage>,
    loads: usize,
    is_done: bool,
}

/// The page that the caller loads.
enum AskedPage {
    Whole,
    Part { number: u32, address: String },
}

impl Follower {
    /// Begins at a page, extracted at the address `url`. At most `limit` further parts are read.
    #[must_use]
    pub fn new(first: Page, url: &str, limit: usize) -> Follower {
        let parts = &first.parts;
        let current = parts.next.as_ref().and_then(|l| l.text.parse::<u32>().ok()).map_or(1, |n| n.saturating_sub(1));
        let likely = parts.next.as_ref().is_some_and(|l| l.probability >= MIN_FOLLOWED);
        let mut follower = Follower {
            warnings: Vec::new(),
            is_whole: false,
            limit,
            current,
            next: None,
            known: BTreeMap::new(),
            whole: if likely { first.single_page.iter().cloned().collect() } else { VecDeque::new() },
            visited: HashSet::from_iter([key(url)]),
            texts: HashSet::from_iter([hash(first.text())]),
            asked: None,
            loads: 0,
            is_done: !likely || limit == 0,
            pages: Vec::new(),
        };
        follower.learn(&first);
        follower.pages.push(first);
        follower
    }

    /// Returns the address to load next, or `None` at the end.
    pub fn next_address(&mut self) -> Option<String> {
        if self.is_done {
            return None;
        }
        while let Some(address) = self.whole.pop_front() {
            if self.visited.insert(key(&address)) {
                self.asked = Some(AskedPage::Whole);
                return Some(address);
            }
        }
        let after = self.current + 1;
        let known = self.known.get(&after).map(|a| (after, a.clone()));
        let found = known
            .or_else(|| self.next.take().map(|a| (after, a)))
            .or_else(|| self.known.range(after..).next().map(|(n, a)| (*n, a.clone())));
        let Some((number, address)) = found.filter(|f| !self.visited.contains(&key(&f.1))) else {
            self.is_done = true;
            return None;
        };
        if self.loads == self.limit {
            self.warnings.push(Warning::limit_reached("parts"));
            self.is_done = true;
            return None;
        }
        if number > after {
            let message = format!("no link leads to the parts {after} to {}", number - 1);
            self.warnings.push(Warning::new(WarningCode::MissingPart, message));
        }
        self.loads += 1;
        self.visited.insert(key(&address));
        self.asked = Some(AskedPage::Part { number, address: address.clone() });
        Some(address)
    }

    /// Takes the page found at the address that was returned last, with the address that answered, or the reason why it could not be
    /// loaded.
    pub fn add(&mut self, loaded: Result<(Page, String), String>) {
        match self.asked.take() {
            Some(AskedPage::Whole) => {
                if let Ok((page, _)) = loaded
                    && self.is_whole(&page)
                {
                    (self.pages, self.is_whole, self.is_done) = (vec![page], true, true);
                }
            }
            Some(AskedPage::Part { number, address }) => self.add_part(number, &address, loaded),
            None => {}
        }
    }

    fn add_part(&mut self, number: u32, address: &str, loaded: Result<(Page, String), String>) {
        self.current = number;
        self.next = None;
        let missing = match loaded {
            Err(reason) => reason,
            Ok((_, url)) if key(&url) != key(address) && !self.visited.insert(key(&url)) => {
                "it leads back to another part".to_owned()
            }
            Ok((page, _)) if page.text().trim().is_empty() => "it has no text".to_owned(),
            Ok((page, _)) if !self.is_same_article(&page) => {
                self.is_done = true;
                format!("it has another title, '{}'", page.metadata.title.as_deref().unwrap_or(""))
            }
            // Some servers repeat the last part for every larger number.
            Ok((page, _)) if !self.texts.insert(hash(page.text())) => {
                self.is_done = true;
                return;
            }
            Ok((page, _)) => {
                self.learn(&page);
                self.pages.push(page);
                return;
            }
        };
        let reason = missing.strip_prefix(address).map_or(missing.as_str(), |rest| rest.trim_start_matches(": "));
        let message = format!("part {number} ({address}) is missing: {reason}");
        self.warnings.push(Warning::new(WarningCode::MissingPart, message));
    }

    /// Notes the addresses of parts after this one.
    fn learn(&mut self, page: &Page) {
        for link in &page.parts.pages {
            if let Some(number) = link.text.parse().ok().filter(|n| *n > self.current) {
                self.known.entry(number).or_insert_with(|| link.url.clone());
            }
        }
        self.next = page.parts.next.as_ref().map(|l| l.url.clone());
    }

    /// Whether a page is the whole article: with the title and most of the text of the first part, and longer.
    fn is_whole(&self, page: &Page) -> bool {
        let first = self.pages[0].text();
        let lines: HashSet<String> = page.text().lines().map(letters).collect();
        let long: Vec<String> = first.lines().filter(|l| count_words(l) >= 5).map(letters).collect();
        let shared = long.iter().filter(|l| lines.contains(*l)).count();
        self.is_same_article(page)
            && 2 * shared >= long.len()
            && count_words(page.text()) as f32 >= MIN_WHOLE_RATIO * count_words(first) as f32
    }

    /// Whether a page has the title of the first part, apart from numbers of parts and the part's own heading.
    fn is_same_article(&self, page: &Page) -> bool {
        let (own, other) = (title_words(&self.pages[0]), title_words(page));
        if own.is_empty() || other.is_empty() || own == other {
            return true;
        }
        let (short, long) = if own.len() < other.len() { (&own, &other) } else { (&other, &own) };
        let shared = short.iter().filter(|w| long.contains(w)).count();
        short.len() >= 2 && (long.starts_with(short) || long.ends_with(short))
            || 3 * shared >= 2 * long.len() && shared >= 3
    }
}

fn title_words(page: &Page) -> Vec<String> {
    page.metadata.title.as_deref().map(plain_title).unwrap_or_default()
}

/// Returns the words of a title in lower case, without the number of a part at its end or beginning: "Page 2 of 5", "(2/5)".
fn plain_title(title: &str) -> Vec<String> {
    let lower = title.to_lowercase();
    let mut words: Vec<String> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_owned).collect();
    let (mut cut, mut begin) = (0, 0);
    if is_page_number(words.last()) {
        if is_of(from_end(&words, 2)) && is_page_number(from_end(&words, 3)) {
            cut = 3;
        } else if is_page_number(from_end(&words, 2)) {
            cut = 2;
        }
        let count = cut.max(1);
        if is_page_word(from_end(&words, count + 1)) {
            cut = count + 1;
        }
    } else if is_page_word(words.first()) && is_page_number(words.get(1)) {
        begin = 2;
    }
    words.truncate(words.len() - cut);
    words.drain(..begin.min(words.len()));
    words
}

/// Returns the `nth` word before the end; the last word is the first.
fn from_end(words: &[String], nth: usize) -> Option<&String> {
    words.get(words.len().checked_sub(nth)?)
}

fn is_page_number(w: Option<&String>) -> bool {
    w.is_some_and(|w| w.len() <= 3 && w.bytes().all(|b| b.is_ascii_digit()))
}

const OF: [&str; 8] = ["of", "von", "de", "sur", "di", "из", "z", "af"];

fn is_of(w: Option<&String>) -> bool {
    w.is_some_and(|w| OF.contains(&w.as_str()))
}

const PAGE: &[&str] = lexicon!("part-names.txt");

fn is_page_word(w: Option<&String>) -> bool {
    w.is_some_and(|w| PAGE.contains(&w.as_str()))
}

/// Returns an address without what does not choose the page: scheme, `www.`, fragment, a slash at its end.
fn key(url: &str) -> String {
    let url = url.split('#').next().unwrap_or("");
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.strip_prefix("www.").unwrap_or(rest).trim_end_matches('/').to_owned()
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn hash(text: &str) -> u64 {
    letters(text).bytes().fold(FNV64, fnv64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use maintext_lists::list::PageLink;

    /// Returns a part: its text, and the number and address of the parts to which it links.
    fn part(title: &str, text: &str, next: Option<u32>, pages: &[u32]) -> Page {
        let mut page = Page { text: Some(text.to_owned()), ..Page::default() };
        page.metadata.title = Some(title.to_owned());
        let link = |n: u32| PageLink::new(n.to_string(), format!("https://e.org/s/{n}"), String::new(), 0.9);
        page.parts.next = next.map(link);
        page.parts.pages = pages.iter().map(|&n| link(n)).collect();
        page
    }

    /// Returns the addresses that were asked for, the texts that were joined, and the codes of the warnings.
    fn follow(
        limit: usize,
        first: Page,
        load: impl Fn(&str) -> Result<(Page, String), String>,
    ) -> (Vec<String>, Vec<String>, Vec<String>) {
        let mut follower = Follower::new(first, "https://e.org/s", limit);
        let mut asked = Vec::new();
        while let Some(address) = follower.next_address() {
            asked.push(address.rsplit('/').next().unwrap().to_owned());
            follower.add(load(&address));
            assert!(asked.len() < 5000);
        }
        let texts = follower.pages.iter().map(|p| p.text().to_owned()).collect();
        (asked, texts, follower.warnings.iter().map(|w| w.code.to_string()).collect())
    }

    fn number(address: &str) -> u32 {
        address.rsplit('/').next().unwrap().parse().unwrap()
    }

    #[test]
    fn parts_come_in_order_and_end() {
        let load =
            |a: &str| Ok((part("T", &format!("text {a}"), (number(a) < 4).then(|| number(a) + 1), &[]), a.to_owned()));
        assert_eq!(follow(9, part("T", "one", Some(2), &[4, 3, 2]), load).0, ["2", "3", "4"]);
        // A limit, and a number of parts that only a limit ends.
        let endless = |a: &str| Ok((part("T", &format!("text {a}"), Some(number(a) + 1), &[]), a.to_owned()));
        let (asked, texts, warnings) = follow(100, part("T", "one", Some(2), &[]), endless);
        assert_eq!((asked.len(), texts.len(), warnings), (100, 101, vec!["limit_reached".to_owned()]));
        assert!(follow(0, part("T", "one", Some(2), &[]), endless).0.is_empty());
    }

    #[test]
    fn missing_parts_give_warnings_and_loops_end() {
        let load = |a: &str| match number(a) {
            3 => Err(format!("{a}: HTTP status 404")),
            n => Ok((part("T", &format!("text {n}"), (n < 5).then_some(n + 1), &[2, 3, 4, 5]), a.to_owned())),
        };
        let (asked, texts, warnings) = follow(9, part("T", "one", Some(2), &[2, 3, 4, 5]), load);
        assert_eq!((asked.len(), texts.len(), warnings), (4, 4, vec!["missing_part".to_owned()]));
        // The last part is repeated, or leads back to the first by its address.
        let same = |a: &str| Ok((part("T", "the last", Some(number(a) + 1), &[]), a.to_owned()));
        assert_eq!(follow(9, part("T", "one", Some(2), &[]), same).0, ["2", "3"]);
        let back = |a: &str| Ok((part("T", a, Some(2), &[]), "https://www.e.org/s/".to_owned()));
        let (asked, texts, warnings) = follow(9, part("T", "one", Some(2), &[]), back);
        assert_eq!((asked.len(), texts.len(), warnings), (1, 1, vec!["missing_part".to_owned()]));
        // A gap in the numbers.
        let gap = |a: &str| Ok((part("T", a, None, &[]), a.to_owned()));
        let (asked, _, warnings) = follow(9, part("T", "one", Some(2), &[2, 9]), gap);
        assert_eq!((asked, warnings), (vec!["2".to_owned(), "9".to_owned()], vec!["missing_part".to_owned()]));
    }

    #[test]
    fn another_article_is_not_joined() {
        let other = |a: &str| Ok((part("Another story of the day", a, Some(3), &[]), a.to_owned()));
        let (asked, texts, warnings) = follow(9, part("The ferry", "one", Some(2), &[]), other);
        assert_eq!((asked.len(), texts.len(), warnings), (1, 1, vec!["missing_part".to_owned()]));
        let mut unsure = part("T", "one", Some(2), &[]);
        unsure.parts.next.as_mut().unwrap().probability = 0.4;
        assert!(follow(9, unsure, other).0.is_empty());
        let plain = |t: &str| plain_title(t).join(" ");
        for title in [
            "The ferry - Page 2 of 5",
            "The ferry (2/5)",
            "Page 2: The ferry",
            "The ferry | Seite 2",
            "The Ferry, 2 von 5",
        ] {
            assert_eq!(plain(title), "the ferry", "{title}");
        }
        assert_eq!(plain("Weekly notes 12"), "weekly notes 12");
    }

    #[test]
    fn the_whole_article_is_taken_if_it_is_longer() {
        let text = "The ferry left at nine that morning.\n";
        let mut first = part("T", text, Some(2), &[]);
        first.single_page = vec!["https://e.org/s/print".to_owned()];
        let long = format!("{text}And it came back in the evening, except on Sundays.\n");
        let load = |whole: &str| {
            let whole = whole.to_owned();
            move |a: &str| Ok((part("T", if a.ends_with("print") { &whole } else { "two" }, None, &[]), a.to_owned()))
        };
        assert_eq!(follow(9, first.clone(), load(&long)).1.concat(), long);
        assert_eq!(follow(9, first.clone(), load(text)).1, [text, "two"]);
        assert_eq!(follow(9, first, load(&long.replace("nine", "ten"))).1, [text, "two"]);
    }
}
