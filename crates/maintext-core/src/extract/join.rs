//! Makes one page of the parts of an article.
use super::Extractor;
use super::assembly::write;
use crate::options::{Formats, Options};
use crate::page::Page;
use crate::parts::Follower;
use maintext_lists::list::Pagination;
use maintext_lists::list::words::fit;
use maintext_page::blocks::{Blocks, count_words};
use maintext_page::dom::{self, Dom, NodeId, Tag};
use maintext_page::hash::HashSet;
use maintext_page::image::image_source;
use maintext_render::keep::keep_nodes;
use maintext_render::render::{Content, TitleHeading};
use std::ops::Range;

/// Blocks at the beginning of the first part that later parts may repeat: title, byline, date, lead.
const HEAD_BLOCKS: usize = 12;
/// Maximum number of blocks that a part repeats from the end of the one before.
const MAX_SEAM_BLOCKS: usize = 8;
/// The index of the words for a page among the kinds of words in labels.
const PAGE_WORDS: usize = 4;
/// Minimum number of words of a text that two parts share at a seam or at their ends.
const MIN_SHARED_WORDS: u32 = 4;

impl Extractor {
    /// Returns the options with which the further parts of an article are extracted, for [`Extractor::join`].
    #[must_use]
    pub fn part_options(&self) -> Options {
        let mut options = self.options.clone();
        options.formats = Formats { text: true, html: true, ..Formats::NONE };
        (options.schema, options.things, options.page_type) = (None, false, false);
        options.pieces = None;
        options.metadata = true;
        options.render.title = TitleHeading::AsIs;
        options
    }

    /// Returns the article whose parts were read, with the metadata of its first part, which this extractor has made.
    ///
    /// Text that parts repeat is written once: title and byline at their beginning, notes at their end, paragraphs at the seams. Typed
    /// blocks have no positions then. If there was only one part, it stays as it is.
    #[must_use]
    pub fn join(&self, mut first: Page, parts: Follower) -> Page {
        first.warnings.extend(parts.warnings);
        if parts.pages.len() < 2 && !parts.is_whole {
            return first;
        }
        let mut html = String::from("<body><article>");
        for (i, part) in parts.pages.iter().enumerate() {
            html.push_str("<div>");
            html.push_str(&with_own_notes(part.html.as_deref().unwrap_or(""), i));
            html.push_str("</div>");
        }
        let dom = dom::parse(&html, &self.options.budget);
        let blocks = Blocks::new(&dom);
        let mut kept = vec![true; blocks.len()];
        drop_repeated(&blocks, &part_ranges(&dom, &blocks), &mut kept);
        let mut keep = keep_nodes(&dom, &blocks, &kept).nodes;
        let mut seen = HashSet::default();
        for m in &blocks.media {
            let is_new = image_source(&dom, m.node, None).is_none_or(|source| seen.insert(source));
            keep[m.node.index()] = is_new;
        }
        let title = first.metadata.title.clone();
        let content = Content {
            dom: &dom,
            blocks: &blocks,
            keep: &keep,
            base: None,
            posts: &[],
            roles: &[],
            title: title.as_deref(),
            options: self.options.render,
        };
        write(&self.options, &mut first, &content, None, false);
        let limits = dom.truncated().into_iter().chain(dom.is_out_of_work().then_some("work"));
        first.warnings.extend(limits.map(maintext_page::warnings::Warning::limit_reached));
        first.work += dom.work() + parts.pages.iter().map(|p| p.work).sum::<u64>();
        first.confidence = confidence(&parts.pages);
        first.parts = Pagination::default();
        first.single_page.clear();
        for part in parts.pages.into_iter().skip(usize::from(!parts.is_whole)) {
            first.posts.extend(part.posts.into_iter().filter(|c| !first.posts.contains(c)).collect::<Vec<_>>());
            first
                .comments
                .extend(part.comments.into_iter().filter(|c| !first.comments.contains(c)).collect::<Vec<_>>());
        }
        first
    }
}

/// Returns the mean confidence of the parts by their words.
fn confidence(pages: &[Page]) -> Option<f32> {
    let all: Vec<(f32, f32)> = pages.iter().map(weighted_confidence).collect::<Option<_>>()?;
    let words: f32 = all.iter().map(|p| p.0).sum();
    Some(all.iter().map(|p| p.0 * p.1).sum::<f32>() / words)
}

fn weighted_confidence(p: &Page) -> Option<(f32, f32)> {
    Some((count_words(p.text()).max(1) as f32, p.confidence?))
}

/// Returns the blocks of each part.
fn part_ranges(dom: &Dom, blocks: &Blocks) -> Vec<Range<usize>> {
    let Some(article) = dom.find(NodeId::ROOT, Tag::ARTICLE) else { return Vec::new() };
    let parts: HashSet<NodeId> = dom.children(article).collect();
    let own = blocks.elements.iter().filter(|e| parts.contains(&e.node));
    own.map(|e| e.blocks.start as usize..e.blocks.end as usize).collect()
}

/// Drops the blocks that parts repeat.
fn drop_repeated(blocks: &Blocks, parts: &[Range<usize>], kept: &mut [bool]) {
    let keys: Vec<String> = (0..blocks.len()).map(|b| key(blocks.text(b))).collect();
    let mut before: Vec<usize> = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        let mut own: Vec<usize> = part.clone().filter(|b| is_number_of_part(blocks.text(*b)) != Some(i + 1)).collect();
        while own.last().is_some_and(|&b| is_pagination(blocks.text(b))) {
            own.pop();
        }
        let head: HashSet<&str> = match parts.first() {
            Some(first) if i > 0 => first.clone().take(HEAD_BLOCKS).map(|b| keys[b].as_str()).collect(),
            _ => HashSet::default(),
        };
        let repeated = own.iter().take_while(|&&b| {
            let text = blocks.text(b);
            head.contains(keys[b].as_str()) || is_pagination(text) && numbers(text).count() >= 2
        });
        own.drain(..repeated.count());
        // A note that ends both parts belongs to the end of the later one.
        let ends = before.iter().rev().zip(own.iter().rev()).take_while(|(a, b)| keys[**a] == keys[**b]).count();
        let ends = ends.min(MAX_SEAM_BLOCKS);
        if ends < own.len() && words_of(blocks, &own[own.len() - ends..]) >= MIN_SHARED_WORDS {
            before.drain(before.len() - ends..).for_each(|b| kept[b] = false);
        }
        // A paragraph that ends one part and begins the next.
        let overlap = (1..=MAX_SEAM_BLOCKS.min(own.len()).min(before.len())).rev().find(|&m| {
            let tail = &before[before.len() - m..];
            words_of(blocks, tail) >= MIN_SHARED_WORDS && tail.iter().zip(&own).all(|(a, b)| keys[*a] == keys[*b])
        });
        own.drain(..overlap.unwrap_or(0));
        part.clone().filter(|b| own.binary_search(b).is_err()).for_each(|b| kept[b] = false);
        before = own;
    }
}

fn words_of(blocks: &Blocks, range: &[usize]) -> u32 {
    range.iter().map(|&b| blocks.blocks[b].words).sum::<u32>()
}

/// Returns the number of the part in a text that only counts the parts: "Page 2 of 5".
fn is_number_of_part(text: &str) -> Option<usize> {
    let numbers: Vec<usize> = numbers(text).collect();
    let is_short = text.chars().filter(|c| c.is_alphabetic()).count() <= 12 && text.chars().count() <= 30;
    let says_page = fit(text)[PAGE_WORDS] > 0.0 || ["页", "頁", "ページ"].iter().any(|page| text.contains(page));
    match numbers[..] {
        [n, of] if is_short && says_page && n <= of => Some(n),
        _ => None,
    }
}

/// Whether a text only leads to the parts: "1 2 3 Next", "2/5".
fn is_pagination(text: &str) -> bool {
    let rises = numbers(text).zip(numbers(text).skip(1)).all(|(a, b)| a < b);
    let count = numbers(text).count();
    page_words(text).all(|w| is_short_number(w) || leads(w))
        && (count >= 2 && rises || count < page_words(text).count())
}

fn page_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty())
}

fn is_short_number(w: &str) -> bool {
    w.len() <= 4 && w.bytes().all(|b| b.is_ascii_digit())
}

fn leads(w: &str) -> bool {
    fit(w)[..=PAGE_WORDS].iter().any(|f| *f > 0.0)
}

/// Returns the numbers in a text.
fn numbers(text: &str) -> impl Iterator<Item = usize> + '_ {
    let digits = text.split(|c: char| !c.is_ascii_digit()).filter(|n| !n.is_empty() && n.len() <= 4);
    digits.filter_map(|n| n.parse().ok())
}

/// Returns letters and digits in lower case: parts may write the same text with different spaces.
fn key(text: &str) -> String {
    let letters: String = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    if letters.is_empty() { text.to_owned() } else { letters }
}

/// Gives the notes of a part unique names. `html` comes from [`Page::html`], in which all attributes are quoted.
fn with_own_notes(html: &str, part: usize) -> String {
    if part == 0 || !html.contains("\"fn:") && !html.contains("#fn:") {
        return html.to_owned();
    }
    let mut out = String::with_capacity(html.len() + 64);
    let (mut in_tag, mut quoted) = (false, false);
    for (i, c) in html.char_indices() {
        out.push(c);
        match c {
            '<' if !in_tag => in_tag = true,
            '>' if in_tag && !quoted => in_tag = false,
            '"' if in_tag => quoted = !quoted,
            ':' if in_tag && quoted => {
                let before = &html[..i];
                let is_note = ["\"fn", "\"fnref", "\"#fn", "\"#fnref"].iter().any(|sign| before.ends_with(sign));
                if is_note {
                    out.push_str(&format!("p{}-", part + 1));
                }
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract;

    const TEXTS: [&str; 3] = [
        "The ferry left at nine that morning, and nobody on the pier thought that it would be the last one of the year.",
        "By noon the wind had turned, and the captain, who had seen worse, asked the passengers to sit down in the cabin.",
        "They came back in the evening, wet and cheerful, and the cook of the harbour inn had kept the soup warm for them.",
    ];

    /// Joins pages whose addresses are `https://e.org/ferry`, `/ferry/2` and so on.
    fn joined(pages: &[String], options: Options) -> Page {
        let extractor = Extractor::new(options).unwrap();
        let of = |i: usize, options: &Options| {
            let url = if i == 0 { "https://e.org/ferry".to_owned() } else { format!("https://e.org/ferry/{}", i + 1) };
            (extract(&pages[i], &Options { url: Some(url.clone()), ..options.clone() }).unwrap(), url)
        };
        let options = extractor.part_options();
        let mut follower = Follower::new(of(0, &options).0, "https://e.org/ferry", 9);
        let mut at = 0;
        while follower.next_address().is_some() {
            at += 1;
            follower.add(Ok(of(at, &options)));
        }
        let page = extractor.join(of(0, extractor.options()).0, follower);
        assert_eq!(at + 1, pages.len());
        page
    }

    fn pages(body: impl Fn(usize) -> String) -> Vec<String> {
        let links = "<div class=pages><a href=/ferry>1</a> <a href=/ferry/2>2</a> <a href=/ferry/3>3</a></div>";
        let page = |i: usize| {
            format!(
                "<html><head><title>The last ferry</title></head><body><article><h1>The last ferry</h1>\
                <p class=byline>By Jane Field, 17 May 2024</p>{}</article>{links}</body></html>",
                body(i)
            )
        };
        (0..3).map(page).collect()
    }

    #[test]
    fn parts_are_joined_once_each_in_every_format() {
        let pages = pages(|i| {
            let before = if i > 0 { format!("<p>{}</p>", TEXTS[i - 1]) } else { String::new() };
            let end = "<p>Jane Field is a writer who lives near the harbour and keeps geese.</p>";
            format!("<p>Page {} of 3</p>{before}<p>{}</p>{end}", i + 1, TEXTS[i])
        });
        let page = joined(&pages, Options { formats: Formats::ALL, ..Options::default() });
        let written = [
            page.text.as_deref(),
            page.markdown.as_deref(),
            page.html.as_deref(),
            page.xml.as_deref(),
            page.blocks.as_deref(),
        ];
        for text in written.map(|f| f.unwrap()) {
            let mut at = 0;
            for part in TEXTS {
                assert_eq!(text.matches(part).count(), 1, "{text}");
                let found = text.find(part).unwrap();
                assert!(found >= at);
                at = found;
            }
            assert_eq!(text.matches("keeps geese").count(), 1, "{text}");
            assert!(text.rfind("keeps geese") > text.find(TEXTS[2]) && !text.contains("of 3"), "{text}");
        }
        assert!(page.text().matches("The last ferry").count() <= 1 && page.text().matches("Jane Field,").count() <= 1);
        assert_eq!(page.metadata.title.as_deref(), Some("The last ferry"));
        assert!(page.metadata.words > 60 && page.parts.is_empty() && page.warnings.is_empty(), "{page:?}");
    }

    #[test]
    fn notes_of_the_parts_stay_apart() {
        let html = "<p>x<sup><a href=\"#fn:1\" id=\"fnref:1\">1</a></sup> id=\"fn:1\"</p>";
        let own = "<p>x<sup><a href=\"#fn:p2-1\" id=\"fnref:p2-1\">1</a></sup> id=\"fn:1\"</p>";
        assert_eq!((with_own_notes(html, 0).as_str(), with_own_notes(html, 1).as_str()), (html, own));
        let pages = pages(|i| {
            let note = format!("<sup id=r{i}><a href='#n{i}'>1</a></sup>");
            format!(
                "<p>{}{note}</p><p>{}</p><hr><ol><li id=n{i}>The note of part {i} says where to read more.</li></ol>",
                TEXTS[i],
                TEXTS[i].to_uppercase()
            )
        });
        let page = joined(&pages, Options { formats: Formats::ALL, ..Options::default() });
        for i in 0..3 {
            assert_eq!(page.text().matches(&format!("The note of part {i}")).count(), 1, "{}", page.text());
        }
    }

    #[test]
    fn repeated_words_inside_a_part_stay() {
        let pages = pages(|i| {
            format!(
                "<p>{}</p><table><tr><td>Day</td><td>Yes</td></tr><tr><td>Night</td><td>Yes</td></tr></table><p>{} Indeed.</p>",
                TEXTS[i], TEXTS[i]
            )
        });
        let page = joined(&pages, Options::default());
        assert_eq!(page.text().matches("Night").count(), 3, "{}", page.text());
    }

    #[test]
    fn numbers_of_parts_are_known() {
        for text in ["Page 2 of 5", "Seite 2 von 3", "第2页/共5页"] {
            assert_eq!(is_number_of_part(text), Some(2), "{text}");
        }
        for text in ["Step 2", "Page 5 of 2", "1 May 2024", "Chapter 2: 5 ways", "They won 2 of 5", "2/5"] {
            assert_eq!(is_number_of_part(text), None, "{text}");
        }
        for text in ["1 2 3 Next", "« Previous 1 2", "2/5", "Next page", "下一页"] {
            assert!(is_pagination(text), "{text}");
        }
        for text in ["2", "2024", "3 2 1", "Next year", "Two ferries", "5 of 9 ferries"] {
            assert!(!is_pagination(text), "{text}");
        }
    }
}
