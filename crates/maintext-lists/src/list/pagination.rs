//! The links to other pages of a list: next, previous, first, last, and by number.
//!
//! The features of a link are its label in many languages, its arrows, its `rel`, its class names, the run of numbers around it, and the
//! differences between its address and the addresses of the page and its neighbours.
use super::columns::Columns;
use super::table::{Link, LinkTable, absolute};
pub use super::words::LinkRole;
use super::words::{KINDS, arrow, fit};
use maintext_facts::metadata::text::{node_text, squeeze};
use maintext_page::address::{has_word, head_links};
use maintext_page::dom::Tag;
use maintext_page::hash::{FNV, HashMap, fnv};
use maintext_reading::model::forest::sigmoid;
use maintext_reading::model::shipped::shipped;
use maintext_reading::model::{ModelError, Pack};
use serde::Serialize;
use url::Url;

/// The purpose stated in the model file.
pub const KIND: &str = "pagination";
/// Minimum probability for a link to have a role.
const THRESHOLD: f32 = 0.5;
/// Number of links before and after a link that it is compared with.
const MAX_DISTANCE: usize = 12;
/// Number of elements around a link whose class may name its role.
const LEVELS_WITH_ROLE: usize = 2;
/// Indices in [`KINDS`] of the words for chronological order.
const OLDER: usize = 6;
const NEWER: usize = 7;
/// Maximum number of controls that load more entries.
const MAX_MORE: usize = 5;

/// The links of a page to the other pages of its list, or to the other parts of its article. Fields are `None` or empty if it lacks them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Pagination {
    /// The page after this one.
    pub next: Option<PageLink>,
    /// The page before this one.
    pub previous: Option<PageLink>,
    /// The first page.
    pub first: Option<PageLink>,
    /// The last page.
    pub last: Option<PageLink>,
    /// Numbered pages, in document order.
    pub pages: Vec<PageLink>,
    /// Labels of buttons that load more entries into the page; these have no address.
    pub load_more: Vec<String>,
}

/// A link of a [`Pagination`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PageLink {
    /// The link's text, or else its label: `alt` of its image, `title`, `aria-label`.
    pub text: String,
    /// The address, absolute if the page's address is known.
    pub url: String,
    /// The address as written.
    pub href: String,
    /// The probability of its role.
    pub probability: f32,
}

impl PageLink {
    /// Returns a link with the probability of its role.
    pub fn new(text: String, url: String, href: String, probability: f32) -> PageLink {
        PageLink { text, url, href, probability }
    }
}

impl Pagination {
    /// Returns the links to the other parts of an article.
    pub fn of_parts(next: Option<PageLink>, previous: Option<PageLink>, pages: Vec<PageLink>) -> Pagination {
        Pagination { next, previous, pages, ..Pagination::default() }
    }

    /// Whether there is neither a link nor a button.
    pub fn is_empty(&self) -> bool {
        *self == Pagination::default()
    }
}

/// Finds the roles of a page's links in its pagination.
#[derive(Clone, Debug)]
pub struct Paginator {
    pack: Pack,
}

impl Paginator {
    /// Prepares a model of one forest for each of [`LinkRole::ALL`].
    ///
    /// # Errors
    /// [`ModelError::Damaged`] if a part is missing.
    pub fn new(pack: Pack) -> Result<Paginator, ModelError> {
        if pack.forests.len() != LinkRole::ALL.len() { Err(ModelError::Damaged) } else { Ok(Paginator { pack }) }
    }

    shipped!(Paginator, pagination, KIND);

    /// Returns for each role the probability of each link.
    pub fn judge(&self, t: &LinkTable<'_>, page: Option<&Url>) -> Vec<Vec<f32>> {
        let columns = columns(t, page);
        let places = columns.places(&self.pack.names);
        self.pack.forests.iter().map(|f| columns.scores(f, &places).into_iter().map(sigmoid).collect()).collect()
    }

    /// Returns the pagination of a page. Relative addresses are resolved against `base`.
    pub fn find(&self, t: &LinkTable<'_>, page: Option<&Url>, base: Option<&Url>) -> Pagination {
        decide(t, &self.judge(t, page), base)
    }
}

/// Chooses a pagination by the probabilities.
pub fn decide(t: &LinkTable<'_>, p: &[Vec<f32>], base: Option<&Url>) -> Pagination {
    // Returns the most probable link of a role, except those to the address `but`; links whose markup states the role go first.
    let stated = stated_roles(t);
    let best = |role: LinkRole, but: Option<u32>| {
        let p = &p[role as usize];
        (0..t.links.len())
            .filter(|i| {
                t.links[*i].url.is_some()
                    && Some(t.links[*i].target) != but
                    && (stated[*i] == Some(role) || p[*i] >= THRESHOLD && stated[*i].is_none_or(|r| r == role))
            })
            .fold(None, |b: Option<usize>, i| {
                if b.is_none_or(|b| (stated[i] == Some(role), p[i]) > (stated[b] == Some(role), p[b])) {
                    Some(i)
                } else {
                    b
                }
            })
    };
    let (mut next, mut previous) = (best(LinkRole::Next, None), best(LinkRole::Previous, None));
    // A page is either next or previous: the more probable role wins.
    if let (Some(n), Some(b)) = (next, previous)
        && t.links[n].target == t.links[b].target
    {
        let but = Some(t.links[n].target);
        let worth_next = (stated[n] == Some(LinkRole::Next), p[LinkRole::Next as usize][n]);
        let worth_previous = (stated[b] == Some(LinkRole::Previous), p[LinkRole::Previous as usize][b]);
        if worth_next >= worth_previous {
            previous = best(LinkRole::Previous, but);
        } else {
            next = best(LinkRole::Next, but);
        }
    }
    let one = |role: LinkRole, i: Option<usize>| i.map(|i| page_link(t, base, i, p[role as usize][i]));
    let next = one(LinkRole::Next, next).or_else(|| declared(t, "next", base));
    let previous = one(LinkRole::Previous, previous).or_else(|| declared(t, "prev", base));
    // "Older posts" may be the page that the head calls next.
    let previous = previous.filter(|p| next.as_ref().is_none_or(|n| n.url != p.url));
    let pages = &p[LinkRole::Page as usize];
    let mut seen = maintext_page::hash::HashSet::default();
    let pages = (0..t.links.len())
        .filter(|i| pages[*i] >= THRESHOLD && t.links[*i].url.is_some())
        .filter(|&i| seen.insert(t.links[i].target))
        .map(|i| page_link(t, base, i, pages[i]))
        .collect();
    Pagination {
        next,
        previous,
        first: one(LinkRole::First, best(LinkRole::First, None)),
        last: one(LinkRole::Last, best(LinkRole::Last, None)),
        pages,
        load_more: load_more(t),
    }
}

fn page_link(t: &LinkTable<'_>, base: Option<&Url>, i: usize, p: f32) -> PageLink {
    let l = &t.links[i];
    let url = if base.is_some() || l.href.contains("://") { l.url.as_ref() } else { None };
    PageLink {
        text: l.label().to_owned(),
        url: url.map_or_else(|| l.href.clone(), Url::to_string),
        href: l.href.clone(),
        probability: p,
    }
}

/// Returns the role that the markup states for each link.
///
/// `rel` names it. WordPress themes put older posts, the next page of a blog, into `nav-previous`.
fn stated_roles(t: &LinkTable<'_>) -> Vec<Option<LinkRole>> {
    t.links.iter().map(|l| role_by_rel(t, l).or_else(|| role_by_class(t, l))).collect()
}

fn role_by_rel(t: &LinkTable<'_>, l: &Link) -> Option<LinkRole> {
    let rel = t.dom.attr(l.node, "rel");
    let is_next = has_word(rel, "next");
    let is_previous = has_word(rel, "prev") || has_word(rel, "previous");
    if is_next == is_previous {
        None
    } else if is_next {
        Some(LinkRole::Next)
    } else {
        Some(LinkRole::Previous)
    }
}

fn role_by_class(t: &LinkTable<'_>, l: &Link) -> Option<LinkRole> {
    let names = t.dom.ancestors(l.node).take(LEVELS_WITH_ROLE).filter_map(|n| t.dom.attr(n, "class"));
    let place = names.into_iter().find_map(|class| {
        class
            .split_ascii_whitespace()
            .any(|w| w == "nav-previous")
            .then_some(OLDER)
            .or_else(|| class.split_ascii_whitespace().any(|w| w == "nav-next").then_some(NEWER))
    })?;
    let order = fit(l.label());
    match place {
        OLDER if order[OLDER] > 0.0 => Some(LinkRole::Next),
        NEWER if order[NEWER] > 0.0 => Some(LinkRole::Previous),
        _ => None,
    }
}

/// Returns the target of `<link rel=...>` in the head.
fn declared(t: &LinkTable<'_>, rel: &str, base: Option<&Url>) -> Option<PageLink> {
    let href = head_link(t, rel)?;
    let url = absolute(t.dom, href, base)?;
    let url = if base.is_some() || href.contains("://") { url.to_string() } else { href.to_owned() };
    Some(PageLink { text: String::new(), url, href: href.to_owned(), probability: 1.0 })
}

fn head_link<'a>(t: &LinkTable<'a>, rel: &str) -> Option<&'a str> {
    let first = head_links(t.dom, rel).next();
    first.and_then(|n| t.dom.attr(n, "href"))
}

/// Returns the labels of buttons, and of links without an address, that load more entries.
fn load_more(t: &LinkTable<'_>) -> Vec<String> {
    let buttons = t.blocks.elements.iter().filter(|e| e.tag == Tag::BUTTON && !e.hidden);
    let written = buttons.map(|e| node_text(t.dom, e.node, 120));
    let links = t.links.iter().filter(|l| l.url.is_none()).map(|l| l.text.clone());
    let mut out: Vec<String> = written.chain(links).map(|s| squeeze(&s)).filter(|s| fit(s)[5] == 2.0).collect();
    out.dedup();
    out.truncate(MAX_MORE);
    out
}

/// Features of a link's own text and address.
struct LinkNumbers {
    /// The number, if the text is one.
    number: Option<u32>,
    /// Hash of the address without its numbers.
    template: u32,
    /// The last number in the address.
    url_number: Option<u32>,
}

fn numbers(url: &str) -> (u32, Option<u32>) {
    let (mut hash, mut last, mut open) = (FNV, None, None::<u32>);
    for b in url.bytes() {
        if b.is_ascii_digit() {
            open = Some(open.unwrap_or(0).saturating_mul(10).saturating_add((b - b'0') as u32));
            continue;
        }
        if let Some(n) = open.take() {
            last = Some(n);
            hash = fnv(hash, b'#' as u32);
        }
        hash = fnv(hash, b as u32);
    }
    if open.is_some() {
        hash = fnv(hash, b'#' as u32);
    }
    (hash, open.or(last))
}

impl LinkNumbers {
    fn new(l: &Link) -> LinkNumbers {
        let digits = l.label().trim_matches(|c: char| !c.is_alphanumeric());
        let (template, url_number) =
            l.url.as_ref().map_or((0, None), |u| numbers(u.as_str().split('#').next().unwrap_or("")));
        LinkNumbers { number: small_number(digits).filter(|n| *n < 100_000), template, url_number }
    }
}

fn small_number(s: &str) -> Option<u32> {
    let mut n = 0u32;
    for c in s.chars() {
        n = n.checked_mul(10)?.checked_add(maintext_facts::metadata::text::digit(c)?)?;
    }
    (!s.is_empty()).then_some(n)
}

/// Returns the columns of a page's links.
pub fn columns(t: &LinkTable<'_>, page: Option<&Url>) -> Columns {
    let mut out = Columns::default();
    let own: Vec<LinkNumbers> = t.links.iter().map(LinkNumbers::new).collect();
    let labels: Vec<[f32; 8]> = t.links.iter().map(|l| fit(l.label())).collect();
    name_columns(t, &labels, &mut out);
    number_columns(t, &own, &labels, &mut out);
    address_columns(t, &own, page, &mut out);
    place_columns(t, &mut out);
    out
}

fn name_columns(t: &LinkTable<'_>, labels: &[[f32; 8]], out: &mut Columns) {
    // The label of a link is its text, unless that is empty.
    let text: Vec<[f32; 8]> =
        t.links.iter().zip(labels).map(|(l, label)| if l.text.is_empty() { fit("") } else { *label }).collect();
    // The links of a list have parents with the same names.
    let mut last = (String::new(), fit(""));
    let mut fit_again = |names: String| {
        if names != last.0 {
            last = (names.clone(), fit(&names));
        }
        last.1
    };
    let alts: Vec<[f32; 8]> =
        t.links.iter().map(|l| fit(&(l.alt.clone() + " " + &attributes(t, l, &["title"])))).collect();
    let named: Vec<[f32; 8]> = t.links.iter().map(|l| fit_again(attributes(t, l, &["class", "id"]))).collect();
    let above: Vec<[f32; 8]> = t.links.iter().map(|l| fit_again(parent_names(t, l))).collect();
    for (k, kind) in KINDS.iter().enumerate() {
        out.add(format_args!("text_{kind}"), text.iter().map(|f| f[k]));
        out.add(format_args!("said_{kind}"), alts.iter().map(|f| f[k]));
        out.add(format_args!("named_{kind}"), named.iter().map(|f| f[k]));
        out.add(format_args!("above_{kind}"), above.iter().map(|f| f[k]));
    }
    for (name, word) in [("next", "next"), ("previous", "prev")] {
        out.add(
            format_args!("rel_{name}"),
            t.links.iter().map(|l| {
                let rel = t.dom.attr(l.node, "rel");
                has_word(rel, word) || has_word(rel, name)
            } as u8 as f32),
        );
        let head = head_link(t, word);
        out.add(format_args!("head_{name}"), t.links.iter().map(|l| (head == Some(&l.href)) as u8 as f32));
    }
    out.add("arrow", t.links.iter().map(|l| arrow(l.label())));
    out.add("chars", t.links.iter().map(|l| l.label().chars().count() as f32));
    out.add("image", t.links.iter().map(|l| l.image as u8 as f32));
}

fn attributes(t: &LinkTable<'_>, l: &Link, names: &[&str]) -> String {
    let values = names.iter().filter_map(|n| t.dom.attr(l.node, n));
    values.collect::<Vec<_>>().join(" ")
}

fn parent_names(t: &LinkTable<'_>, l: &Link) -> String {
    let p = t.dom.parent(l.node);
    format!("{} {}", attribute_of(t, p, "class"), attribute_of(t, p, "id"))
}

/// Returns the links around link `i`, without it.
fn around(i: usize, n: usize) -> impl Iterator<Item = usize> {
    (i.saturating_sub(MAX_DISTANCE)..(i + MAX_DISTANCE + 1).min(n)).filter(move |&j| j != i)
}

fn attribute_of<'t>(t: &'t LinkTable<'_>, p: Option<maintext_page::dom::NodeId>, n: &str) -> &'t str {
    p.and_then(|p| t.dom.attr(p, n)).unwrap_or("")
}

/// Returns the number that the run of numbers around a link lacks.
fn missing_number(own: &[LinkNumbers], i: usize) -> Option<u32> {
    let numbers = around(i, own.len()).chain([i]).filter_map(|j| own[j].number);
    let mut run: Vec<u32> = numbers.filter(|x| *x < 1000).collect();
    run.sort_unstable();
    run.dedup();
    let gap = run.windows(2).find(|w| w[1] == w[0] + 2).map(|w| w[0] + 1);
    gap.or(if run.first() == Some(&2) { Some(1) } else { None })
}

fn number_columns(t: &LinkTable<'_>, own: &[LinkNumbers], texts: &[[f32; 8]], out: &mut Columns) {
    let n = t.links.len();
    out.add("number", own.iter().map(|o| o.number.map_or(-1.0, |x| x.min(10_000) as f32)));
    out.add("one_less_near", (0..n).map(|i| has_near(own, i, -1) as u8 as f32));
    out.add("one_more_near", (0..n).map(|i| has_near(own, i, 1) as u8 as f32));
    out.add("number_before", (0..n).map(|i| number_beside(own, i, -1)));
    out.add("number_after", (0..n).map(|i| number_beside(own, i, 1)));
    out.add(
        "numbers_around",
        (0..n).map(|i| around(i, n).filter(|&j| own[j].number.is_some_and(|x| x < 1000)).count() as f32),
    );
    // Whether the neighbours have labels of the same kind, as in a pagination.
    for (k, kind) in KINDS.iter().enumerate().take(4) {
        out.add(format_args!("around_{kind}"), (0..n).map(|i| around(i, n).any(|j| texts[j][k] > 0.0) as u8 as f32));
    }
    // The number missing from a run is the number of this page.
    let current: Vec<Option<u32>> = (0..n).map(|i| missing_number(own, i)).collect();
    out.add(
        "after_missing",
        (0..n).map(|i| match (own[i].number, current[i]) {
            (Some(x), Some(c)) => x as f32 - c as f32,
            _ => 1000.0,
        }),
    );
    out.add("missing", current.iter().map(|c| c.map_or(-1.0, |x| x as f32)));
}

fn has_near(own: &[LinkNumbers], i: usize, d: i64) -> bool {
    let value = own[i].number.map(i64::from);
    let (from, to) = (i.saturating_sub(3), (i + 4).min(own.len()));
    value.is_some_and(|v| (from..to).any(|j| own[j].number.map(i64::from) == Some(v + d)))
}

fn number_beside(own: &[LinkNumbers], i: usize, d: isize) -> f32 {
    let j = i.checked_add_signed(d).filter(|&j| j < own.len());
    j.and_then(|j| own[j].number).map_or(-1.0, |x| x.min(1000) as f32)
}

fn address_columns(t: &LinkTable<'_>, own: &[LinkNumbers], page: Option<&Url>, out: &mut Columns) {
    let n = t.links.len();
    let mut count: HashMap<u32, f32> = HashMap::default();
    own.iter().filter(|o| o.template != 0).for_each(|o| *count.entry(o.template).or_default() += 1.0);
    out.add("template_links", own.iter().map(|o| count.get(&o.template).copied().unwrap_or(0.0)));
    out.add(
        "template_numbers",
        (0..n).map(|i| {
            around(i, n).filter(|&j| own[j].template == own[i].template && own[j].number.is_some()).count() as f32
        }),
    );
    let here = page.map(|p| numbers(&without_fragment(p)));
    out.add("template_of_page", own.iter().map(|o| here.is_some_and(|h| h.0 == o.template) as u8 as f32));
    out.add(
        "url_step",
        own.iter().map(|o| match (o.url_number, here.and_then(|h| h.1)) {
            (Some(a), Some(b)) => (a as f32 - b as f32).clamp(-1000.0, 1000.0),
            _ => -2000.0,
        }),
    );
    let (trunk, here) = (page.map(path_of), page.map(without_fragment));
    let mut add = |name: &str, has: &dyn Fn(&Url) -> bool| {
        out.add(name, t.links.iter().map(|l| l.url.as_ref().is_some_and(has) as u8 as f32));
    };
    add("same_path", &|u| trunk.as_ref().is_some_and(|p| path_of(u) == *p));
    add("below_path", &|u| trunk.as_ref().is_some_and(|p| path_of(u).starts_with(p.as_str())));
    add("same_url", &|u| here.as_ref().is_some_and(|h| without_fragment(u) == *h));
    add("url_page", &|u| u.as_str().to_ascii_lowercase().contains("page"));
    add("url_query", &|u| u.query().is_some());
    add("web", &|_| true);
    out.add("number_in_url", own.iter().map(|o| (o.number.is_some() && o.number == o.url_number) as u8 as f32));
}

fn without_fragment(u: &Url) -> String {
    u.as_str().split('#').next().unwrap_or("").to_owned()
}

fn path_of(u: &Url) -> String {
    u.path().trim_end_matches('/').to_owned()
}

fn place_columns(t: &LinkTable<'_>, out: &mut Columns) {
    // Few columns for position: with a hundred training pages, a model would memorise positions.
    let all = t.plain_chars.max(1) as f32;
    out.add("late", t.links.iter().map(|l| (l.before as f32 > 0.5 * all) as u8 as f32));
    out.add("plain_after", t.links.iter().map(|l| (l.after > 40) as u8 as f32));
    let mut targets: HashMap<u32, f32> = HashMap::default();
    t.links.iter().for_each(|l| *targets.entry(l.target).or_default() += 1.0);
    out.add("target_links", t.links.iter().map(|l| targets[&l.target]));
}

#[cfg(test)]
mod tests {
    use super::super::Lists;
    use super::*;
    use maintext_page::blocks::Blocks;
    use maintext_reading::method::View;

    fn pagination(html: &str, url: &str) -> Pagination {
        let dom = maintext_page::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let view = View { source: html, dom: &dom, blocks: &blocks, url: Some(url) };
        Lists::named("learned").unwrap().page(&view).pagination
    }

    fn list(pages: &str) -> String {
        let entries: String = (0..8)
            .map(|i| format!("<li><a href='/story-{i}'>The story of the day number {i}</a><p>And its text.</li>"))
            .collect();
        format!(
            "<body><nav><a href=/>Home</a> <a href=/about>About</a></nav><ul>{entries}</ul><div class=pagination>{pages}</div>"
        )
    }

    #[test]
    fn a_run_of_numbers_with_next_and_previous_is_read() {
        let html = list(
            "<a href='?page=1'>\u{ab} Previous</a> <a href='?page=1'>1</a> <b>2</b> <a href='?page=3'>3</a> \
             <a href='?page=4'>4</a> <a href='?page=3'>Next \u{bb}</a>",
        );
        let p = pagination(&html, "https://example.org/news?page=2");
        assert_eq!(p.next.unwrap().url, "https://example.org/news?page=3");
        assert_eq!(p.previous.unwrap().url, "https://example.org/news?page=1");
        assert_eq!(p.pages.iter().map(|l| l.text.as_str()).collect::<Vec<_>>(), ["1", "3", "4"]);
    }

    #[test]
    fn chinese_labels_and_links_in_the_head_are_read() {
        let html = list(
            "<a href='list_3.html'>\u{4e0a}\u{4e00}\u{9875}</a> <a href='list_5.html'>\u{4e0b}\u{4e00}\u{9875}</a>",
        );
        let p = pagination(&html, "https://example.cn/list_4.html");
        assert_eq!(p.next.unwrap().url, "https://example.cn/list_5.html");
        let head = "<head><link rel=next href='/p/2'></head>".to_owned() + &list("");
        assert_eq!(pagination(&head, "https://example.org/").next.unwrap().url, "https://example.org/p/2");
    }

    #[test]
    fn a_page_is_never_both_next_and_previous() {
        let read = |head: &str, next: [f32; 2], previous: [f32; 2]| {
            let html = format!("<head>{head}</head><p><a href=/p/1>Older</a> <a href=/p/3>Newer</a>");
            let dom = maintext_page::dom::parse(&html, &Default::default());
            let blocks = Blocks::new(&dom);
            let base = Url::parse("https://example.org/p/2").unwrap();
            let table = LinkTable::new(&dom, &blocks, Some(&base));
            let mut p = vec![vec![0.0; 2]; LinkRole::ALL.len()];
            (p[LinkRole::Next as usize], p[LinkRole::Previous as usize]) = (next.to_vec(), previous.to_vec());
            let found = decide(&table, &p, Some(&base));
            [found.next, found.previous].map(|l| l.map_or(String::new(), |l| l.href))
        };
        assert_eq!(read("", [0.7, 0.6], [0.8, 0.1]), ["/p/3", "/p/1"]);
        assert_eq!(read("", [0.8, 0.6], [0.7, 0.1]), ["/p/1", ""]);
        assert_eq!(read("", [0.7, 0.1], [0.8, 0.1]), ["", "/p/1"]);
        assert_eq!(read("<link rel=next href=/p/1>", [0.1, 0.1], [0.8, 0.1]), ["/p/1", ""]);
    }

    #[test]
    fn roles_stated_by_markup_override_the_model() {
        let urls = |pages: &str| {
            let p = pagination(&list(pages), "https://example.org/news/page/2");
            [p.next, p.previous].map(|l| l.map_or(String::new(), |l| l.href))
        };
        // The label does not matter, and `rel` may hold other words.
        assert_eq!(urls("<a rel='nofollow next' href='/o/7'>Onwards</a>"), ["/o/7", ""]);
        assert_eq!(urls("<a rel='Prev' href='/o/5'>Whence we came</a>"), ["", "/o/5"]);
        let swapped = "<a rel=next href='/page/3'>Previous</a> <a rel=prev href='/page/1'>Next</a>";
        assert_eq!(urls(swapped), ["/page/3", "/page/1"]);
        // A link that leads to no page states nothing.
        assert_eq!(urls("<a rel=next href='#'>Onwards</a>"), ["", ""]);
    }

    #[test]
    fn older_posts_are_the_next_page_of_a_blog() {
        let pages = "<div class=nav-links><div class=nav-previous><a href='/page/3/'>\u{2190} Older posts</a></div>\
            <div class=nav-next><a href='/page/1/'>Newer posts \u{2192}</a></div></div>";
        let p = pagination(&list(pages), "https://example.org/page/2/");
        assert_eq!(p.next.unwrap().href, "/page/3/");
        assert_eq!(p.previous.unwrap().href, "/page/1/");
    }

    #[test]
    fn buttons_that_load_more_are_reported() {
        let p = pagination(&list("<button>Load more</button><button>Search</button>"), "https://example.org/");
        assert_eq!(p.load_more, ["Load more"]);
        assert_eq!(p.next, None);
    }
}
