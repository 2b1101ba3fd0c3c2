//! List pages: their entries and their pagination.
//!
//! A list page links to the pages of many things. [`Lists`] judges each link by its text, its position and the repetition around it, and
//! returns the entries in groups, best first. The cost is linear in the size of the page: a link's record is the lowest element around it
//! with siblings of its kind, so siblings are counted but never compared with each other. Of a page that is mostly a nested list, such as the
//! contents of a book, every item is an entry. [`siblings`] is the published method.
mod authors;
mod buttons;
mod cells;
pub mod choosing;
pub mod columns;
pub mod confidence;
mod contents;
mod details;
mod fields;
pub mod group;
pub mod model;
mod offsite;
pub mod pagination;
mod permalinks;
mod places;
mod plain;
mod prices;
mod record;
mod sections;
pub mod siblings;
pub mod table;
mod title;
pub mod words;

pub use confidence::ListModel;
pub use model::LinkModel;
pub use pagination::{LinkRole, PageLink, Pagination, Paginator};
pub use prices::is_prices;
pub use table::{Link, LinkTable};

use maintext_page::address::base_url;
use maintext_reading::choice::Choice;
use maintext_reading::error::Error;
use maintext_reading::method::View;
use plain::PlainList;
use serde::Serialize;
use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use url::Url;

/// The methods that find entries; the first is the default.
pub const METHODS: &[&str] = &["learned", "siblings"];

/// A list of records without links must have this many times the characters of the links of every other list.
const MIN_TIMES_LINKS: usize = 3;

/// Query parameters that track where a reader came from and do not affect the page.
const TRACKING: [&str; 11] =
    ["fbclid", "gclid", "dclid", "msclkid", "yclid", "igshid", "mc_cid", "mc_eid", "srsltid", "_openstat", "ttclid"];

/// Returns the address without parameters that only track readers: `utm_...`, `fbclid`, `gclid` and similar ones.
///
/// ```
/// let url = maintext_lists::list::without_tracking("https://example.org/a?utm_source=x&page=2");
/// assert_eq!(url, "https://example.org/a?page=2");
/// ```
pub fn without_tracking(url: &str) -> String {
    let (rest, fragment) = url.split_once('#').map_or((url, None), |(a, b)| (a, Some(b)));
    let Some((path, query)) = rest.split_once('?') else { return url.to_owned() };
    let kept: Vec<&str> = query
        .split('&')
        .filter(|p| !parameter_name(p).starts_with("utm_") && !TRACKING.contains(&parameter_name(p).as_str()))
        .collect();
    let mut out = path.to_owned();
    if !kept.is_empty() {
        out = out + "?" + &kept.join("&");
    }
    fragment.map_or(out.clone(), |f| out + "#" + f)
}

fn parameter_name(pair: &str) -> String {
    pair.split('=').next().unwrap_or("").to_ascii_lowercase()
}

/// An entry of a list page.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Entry {
    /// The entry's heading.
    pub title: String,
    /// Address of the linked page, absolute if the page's address is known. `None` for a record without a link.
    pub url: Option<String>,
    /// Address of the linked page, as written in the source.
    pub href: Option<String>,
    /// The text below the heading.
    pub summary: Option<String>,
    /// Date of publication, ISO 8601.
    pub date: Option<String>,
    /// The author.
    pub author: Option<String>,
    /// Address of its image, absolute if the page's address is known.
    pub image: Option<String>,
    /// Its price, as written.
    pub price: Option<String>,
    /// Its rating and the best one, as `4.5/5`. `None` if the page does not state the scale.
    pub rating: Option<String>,
    /// Its place, as written: a city, a venue, an address.
    pub place: Option<String>,
    /// The number of its comments, replies or answers.
    pub replies: Option<u32>,
    /// The heading of its section, if the list has several; else the category that a link of its record names with `rel="category"`.
    pub category: Option<String>,
    /// The other links of its record: comments, tags, the author.
    pub links: Vec<EntryLink>,
    /// The group that it belongs to: 0 for the best group of the page.
    pub group: usize,
    /// Its position in the group, from 1.
    pub position: usize,
}

impl Group {
    /// Returns the name and the length of the list.
    pub fn named(&self) -> ListName {
        ListName { name: self.name.clone(), count: self.entries.len() }
    }
}

/// A further link of an entry.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EntryLink {
    /// Its text, or else the label of its image.
    pub text: String,
    /// Its address, absolute if the page's address is known.
    pub href: String,
}

/// A group of similar entries.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Group {
    /// The heading above the list.
    pub name: Option<String>,
    /// Score for ranking, in the method's own unit; larger is better.
    pub score: f32,
    /// The entries in document order.
    pub entries: Vec<Entry>,
}

/// One of the lists of a page, without its entries.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListName {
    /// The heading above it.
    pub name: Option<String>,
    /// Number of its entries.
    pub count: usize,
}

/// The entries and the pagination of a list page.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListPage {
    /// The groups of entries: the best one, the others in document order, and groups in side columns last.
    pub groups: Vec<Group>,
    /// Links to the list's other pages.
    pub pagination: Pagination,
}

/// Finds the entries and the pagination of list pages.
///
/// ```
/// use maintext_lists::list::Lists;
/// use maintext_page::{blocks::Blocks, dom};
/// use maintext_reading::View;
/// let html = "<nav><a href=/>Home</a> <a href=/about>About</a></nav><ul>
///   <li><a href=/a-walk-in-the-hills>A walk in the hills</a><p>We left early, and the road was empty until noon.</p>
///   <li><a href=/two-herons>Two herons at the pond</a><p>They stood still for an hour, and then they were gone.</p>
///   <li><a href=/first-swallows>The first swallows</a><p>They came a week later than in any year before.</p></ul>";
/// let dom = dom::parse(html, &Default::default());
/// let blocks = Blocks::new(&dom);
/// let view = View { source: html, dom: &dom, blocks: &blocks, url: Some("https://example.org/") };
/// let list = Lists::named("learned")?.page(&view);
/// assert_eq!(list.groups[0].entries[1].url.as_deref(), Some("https://example.org/two-herons"));
/// # Ok::<(), maintext_reading::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Lists {
    model: Option<Arc<LinkModel>>,
    paginator: Arc<Paginator>,
}

impl Lists {
    /// Returns the method with that name.
    ///
    /// # Errors
    /// [`Error::UnknownMethod`] for a name that is not in [`METHODS`].
    pub fn named(name: &str) -> Result<Lists, Error> {
        let model = match name {
            "learned" => Some(LinkModel::shipped()?),
            "siblings" => None,
            _ => return Err(Error::UnknownMethod { name: name.to_owned(), known: METHODS }),
        };
        Ok(Lists { model, paginator: Paginator::shipped()? })
    }

    /// Returns the learned method with the caller's models.
    pub fn with_models(model: Arc<LinkModel>, paginator: Arc<Paginator>) -> Lists {
        Lists { model: Some(model), paginator }
    }

    /// Returns the entries and the pagination of a page; addresses are absolute if the page's address is known.
    pub fn page(&self, view: &View<'_>) -> ListPage {
        let (page, base, table) = read(view);
        let mut groups = self.links(view, &table, page.as_ref());
        if self.model.is_some() {
            groups = contents::parts_of_page(&table, contents::complete(&table, groups));
        }
        let plain = self.plain(view, &table.aside).filter(|list| !has_links_for(&table, &groups, list));
        ListPage {
            groups: with_fields(&table, &groups, plain.as_ref(), base.as_ref()),
            pagination: self.paginator.find(&table, page.as_ref(), base.as_ref()),
        }
    }

    /// Returns the groups of [`Lists::page`] if the page is a list, else no groups. Links to parts of the page itself do not make it a list.
    ///
    /// Nearly every page has links that look like entries. `choice` comes from the content model; the probabilities of a list and of each
    /// kind come from the model of page types.
    pub fn confident(
        &self,
        view: &View<'_>,
        choice: &Choice,
        list: f32,
        kinds: &BTreeMap<&'static str, f32>,
    ) -> Vec<Group> {
        let may_be_list = confidence::may_be_list(view.blocks, choice, list, kinds);
        let plain = LazyCell::new(|| {
            confidence::may_be_plain(list, kinds)
                .then(|| self.plain(view, &table::in_side_boxes(view.blocks)))
                .flatten()
        });
        if !may_be_list && plain.is_none() {
            return Vec::new();
        }
        let (page, base, table) = read(view);
        let mut groups = self.links(view, &table, page.as_ref());
        groups.retain(|group| !confidence::is_menu(&table, group, choice));
        // Tests load the shipped model, so this cannot fail in a release.
        if may_be_list
            && !is_single_in_text(&table, &groups)
            && confidence::facts(&table, &groups, choice, list, kinds)
                .map_or(0.0, |facts| ListModel::shipped().map_or(0.0, |m| m.judge(&facts)))
                >= confidence::CONFIDENT
        {
            let groups = if self.model.is_some() { contents::complete(&table, groups) } else { groups };
            return with_fields(&table, &groups, None, base.as_ref());
        }
        let plain = plain.as_ref().filter(|list| !has_links_for(&table, &groups, list));
        plain.map_or(Vec::new(), |list| with_fields(&table, &[], Some(list), base.as_ref()))
    }

    /// Returns the list of records without links that is the content of the page; the published method has none.
    fn plain(&self, view: &View<'_>, aside: &[bool]) -> Option<PlainList> {
        self.model.as_ref()?;
        plain::find(view.dom, view.blocks, aside)
    }

    /// Returns only the groups of entries, best first.
    pub fn groups(&self, view: &View<'_>) -> Vec<Group> {
        self.page(view).groups
    }

    /// Returns the groups as indices of the table's links, for evaluation.
    pub fn links(&self, view: &View<'_>, table: &LinkTable<'_>, page: Option<&Url>) -> Vec<group::LinkGroup> {
        match &self.model {
            Some(model) => {
                let (p, keys) = model.judge(table, page);
                group::rank(table, &keys, &p, &**model)
            }
            None => {
                let links = siblings::entries(view, table);
                if links.is_empty() { Vec::new() } else { vec![group::LinkGroup { links, score: 1.0, mean: 1.0 }] }
            }
        }
    }
}

/// Returns the address of a page, the base of its links, and its links.
fn read<'v>(view: &View<'v>) -> (Option<Url>, Option<Url>, LinkTable<'v>) {
    let page = view.url.and_then(|u| Url::parse(u).ok());
    let base = base_url(view.dom, page.as_ref());
    let table = LinkTable::new(view.dom, view.blocks, base.as_ref());
    (page, base, table)
}

/// Whether the best group is a single link inside of a sentence.
fn is_single_in_text(table: &LinkTable<'_>, groups: &[group::LinkGroup]) -> bool {
    let Some([link]) = groups.first().map(|best| best.links.as_slice()) else { return false };
    let block = table.blocks.elements[table.links[*link].element].blocks.start as usize;
    table.blocks.blocks.get(block).is_some_and(|block| 2 * block.link_chars < block.chars)
}

/// Returns whether a group of links outside of side boxes is as good a list as the list of records without links.
fn has_links_for(table: &LinkTable<'_>, groups: &[group::LinkGroup], plain: &PlainList) -> bool {
    groups.iter().any(|g| MIN_TIMES_LINKS * label_chars(table, g) > plain.chars as usize)
}

fn label_chars(table: &LinkTable<'_>, g: &group::LinkGroup) -> usize {
    let links = g.links.iter().map(|i| &table.links[*i]).filter(|l| !table.aside[l.element]);
    links.map(|l| l.label().chars().count()).sum::<usize>()
}

/// Returns the groups with the fields of their entries.
pub fn read_groups(table: &LinkTable<'_>, groups: &[group::LinkGroup], base: Option<&Url>) -> Vec<Group> {
    with_fields(table, groups, None, base)
}

/// Adds the fields of the entries to the groups, after the list of records without links.
fn with_fields(
    table: &LinkTable<'_>,
    groups: &[group::LinkGroup],
    plain: Option<&PlainList>,
    base: Option<&Url>,
) -> Vec<Group> {
    let mut order: Vec<&group::LinkGroup> = groups.iter().collect();
    order.get_mut(1..).unwrap_or_default().sort_by_key(|g| place_of(table, g));
    let mut reader = fields::FieldReader::new(table, base);
    let mut groups: Vec<Group> = Vec::new();
    if let Some(list) = plain {
        let (name, entries) = reader.plain(list);
        groups.push(Group { name, score: maintext_page::num::ln(entries.len() as f32 + 1.0), entries });
    }
    for g in order {
        let (name, entries) = reader.linked(&g.links);
        groups.push(Group { name, score: g.score, entries });
    }
    for (rank, g) in groups.iter_mut().enumerate() {
        g.entries.iter_mut().for_each(|e| e.group = rank);
    }
    groups
}

fn place_of(table: &LinkTable<'_>, g: &group::LinkGroup) -> (bool, usize) {
    let first = g.links.first().map_or(0, |i| table.links[*i].element);
    (table.aside[first], first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use maintext_page::blocks::Blocks;
    use maintext_page::dom;

    fn groups(html: &str, method: &str) -> Vec<Group> {
        let dom = dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let view = View { source: html, dom: &dom, blocks: &blocks, url: Some("https://example.org/news/") };
        Lists::named(method).unwrap().page(&view).groups
    }

    fn titles(group: &Group) -> Vec<&str> {
        group.entries.iter().map(|e| e.title.as_str()).collect()
    }

    const TITLES: [&str; 6] = [
        "Council votes for the new bridge",
        "Storm closes the northern harbour",
        "Two schools share one orchestra",
        "Museum opens its winter rooms",
        "Ferry timetable changes in May",
        "Old mill becomes a library",
    ];

    fn news(entry: impl Fn(usize, &str) -> String) -> String {
        let menu: String = ["Home", "Sports", "Culture", "Contact"]
            .iter()
            .map(|t| format!("<li><a href='/{t}'>{t}</a></li>"))
            .collect();
        let entries: String = TITLES.iter().enumerate().map(|(i, t)| entry(i, t)).collect();
        let tags: String =
            ["bridge", "rain", "school"].iter().map(|t| format!("<a href='/tag/{t}'>{t}</a> ")).collect();
        format!(
            "<html lang=en><title>The Gazette</title><body><ul>{menu}</ul><div>{entries}</div><div>{tags}</div>\
             <div><a href='/imprint'>Imprint</a> <a href='/privacy'>Privacy</a></div>"
        )
    }

    fn card(i: usize, title: &str) -> String {
        format!(
            "<div class=card><a href='/news/{i}-story'><img src='/img/{i}.jpg' alt=''></a>\
             <h3><a href='/news/{i}-story'>{title}</a></h3><time datetime='2024-05-0{}'>x</time> by <span class=author>Jo \
             Field</span><p>What the town said about it, and what will come of it before the summer ends, from our own desk.\
             </p><a href='/news/{i}-story'>Read more</a></div>",
            i + 1
        )
    }

    #[test]
    fn cards_yield_title_link_and_fields() {
        let g = groups(&news(card), "learned");
        assert_eq!(titles(&g[0]), TITLES);
        let e = &g[0].entries[1];
        assert_eq!(
            (e.url.as_deref(), e.href.as_deref()),
            (Some("https://example.org/news/1-story"), Some("/news/1-story"))
        );
        assert_eq!(e.image.as_deref(), Some("https://example.org/img/1.jpg"));
        assert_eq!((e.date.as_deref(), e.author.as_deref()), (Some("2024-05-02"), Some("Jo Field")));
        assert!(e.summary.as_deref().unwrap().starts_with("What the town said"));
        assert_eq!((e.group, e.position), (0, 2));
    }

    #[test]
    fn a_line_with_a_date_dates_the_entries_below_it() {
        let entry = |i: usize| format!("<p><a href=/n/{i}>{}</a></p>", TITLES[i % TITLES.len()]);
        let dates = |html: &str| {
            let dom = dom::parse(html, &Default::default());
            let blocks = Blocks::new(&dom);
            let t = table::LinkTable::new(&dom, &blocks, None);
            let all: Vec<usize> = (0..t.links.len()).collect();
            let entries = fields::FieldReader::new(&t, None).linked(&all).1;
            entries.into_iter().map(|e| e.date.unwrap_or_default()).collect::<Vec<_>>()
        };
        let days = ["Sunday, 12 July 2026", "Saturday, 11 July 2026"].map(|day| format!("<div>{day}</div>"));
        let of_day: String = (0..2).map(|i| format!("{}{}{}", days[i], entry(2 * i), entry(2 * i + 1))).collect();
        assert_eq!(dates(&of_day), ["2026-07-12", "2026-07-12", "2026-07-11", "2026-07-11"]);
        // Here each entry ends with its own date.
        let own: String = (0..2).map(|i| format!("{}{}", entry(i), days[i])).collect();
        assert_eq!(dates(&own), ["2026-07-12", "2026-07-11"]);
    }

    #[test]
    fn a_button_has_the_title_of_the_link_beside_it() {
        let row = |i: usize, title: &str| {
            format!("<div><span>2024-05-0{}</span><a href=/n/{i}>{title}</a><a href=/n/{i}>Details</a></div>", i + 1)
        };
        let html = news(row);
        let dom = dom::parse(&html, &Default::default());
        let blocks = Blocks::new(&dom);
        let t = table::LinkTable::new(&dom, &blocks, None);
        let buttons: Vec<usize> = (0..t.links.len()).filter(|&i| t.links[i].text == "Details").collect();
        let entries = fields::FieldReader::new(&t, None).linked(&buttons).1;
        assert_eq!(entries.iter().map(|e| e.title.as_str()).collect::<Vec<_>>(), TITLES);
    }

    #[test]
    fn a_term_without_a_link_names_its_description() {
        let notice = |i: usize, title: &str| {
            format!(
                "<dt>{title}</dt><dd>The desk is open as usual on all of these days. (0{}.05.2024) <a href=/n/{i}>Read more</a></dd>",
                i + 1
            )
        };
        let g = groups(&news(notice).replace("<div><dt>", "<dl><dt>").replace("</dd></div>", "</dd></dl>"), "learned");
        assert_eq!(titles(&g[0]), TITLES);
        assert_eq!(g[0].entries[2].date.as_deref(), Some("2024-05-03"));
        assert!(g[0].entries[2].summary.as_deref().unwrap().starts_with("The desk is open"));
    }

    #[test]
    fn cards_of_inline_elements_have_their_own_prices() {
        let card = |i: usize, title: &str| {
            format!(
                "<a class=card href=/p/{i}><span><img src=/{i}.jpg alt=''></span><span>{title}</span><span>{i}8,50 \u{20ac}</span></a>"
            )
        };
        let g = groups(&news(card), "learned");
        assert_eq!(titles(&g[0]), TITLES);
        let prices: Vec<_> = g[0].entries.iter().map(|e| e.price.as_deref().unwrap_or("-")).collect();
        assert_eq!(prices[..3], ["08,50 \u{20ac}", "18,50 \u{20ac}", "28,50 \u{20ac}"]);
    }

    #[test]
    fn the_month_above_completes_the_days_below_it() {
        let dates = |html: &str| -> Vec<String> {
            groups(html, "learned")[0].entries.iter().map(|e| e.date.clone().unwrap_or_default()).collect()
        };
        let day = |i: usize, title: &str| format!("<li><b>1{i}</b><i>May</i> <a href=/n/{i}>{title}</a></li>");
        let list =
            news(day).replace("<div><li>", "<h2>May 2024</h2><div><ul><li>").replace("</li></div>", "</li></ul></div>");
        assert_eq!(dates(&list)[..2], ["2024-05-10", "2024-05-11"]);
        let of_month = |i: usize, title: &str| {
            let heading = ["<h3>June 2024</h3>", "", "", "<h3>May 2024</h3>", "", ""][i];
            format!("{heading}<p>1{i} {} <a href=/n/{i}>{title}</a></p>", if i < 3 { "Jun" } else { "May" })
        };
        assert_eq!(dates(&news(of_month))[2..4], ["2024-06-12", "2024-05-13"]);
        let years = news(of_month).replace("June 2024", "Meetings in 2024").replace("May 2024", "Meetings in 2023");
        assert_eq!(dates(&years)[2..4], ["2024-06-12", "2023-05-13"]);
        // Of two years, neither is certain.
        assert!(dates(&years.replace("in 2024", "2024 to 2025"))[..3].iter().all(String::is_empty));
    }

    #[test]
    fn lists_are_named_by_their_headings_and_those_of_side_columns_are_last() {
        let items =
            |of: &str| (0..3).map(|i| format!("<li><a href=/{of}{i}>Of {of}, {i}</a></li>")).collect::<String>();
        let html = format!(
            "<aside><h3>Most read</h3><ul>{}</ul></aside><main><h1>News</h1><h2>Today</h2><ul>{}</ul><h2>Elsewhere</h2><ul>{}</ul></main>",
            items("a"),
            items("b"),
            items("c")
        );
        let dom = dom::parse(&html, &Default::default());
        let blocks = Blocks::new(&dom);
        let table = LinkTable::new(&dom, &blocks, None);
        let group = |first: usize| group::LinkGroup { links: (first..first + 3).collect(), score: 1.0, mean: 1.0 };
        let found = with_fields(&table, &[group(6), group(0), group(3)], None, None);
        let names: Vec<Option<&str>> = found.iter().map(|g| g.name.as_deref()).collect();
        assert_eq!(names, [Some("Elsewhere"), Some("Today"), Some("Most read")]);
        assert!(found.iter().enumerate().all(|(k, g)| g.entries.iter().all(|e| e.group == k && e.category.is_none())));
    }

    #[test]
    fn categories_come_from_links_or_sections_and_not_from_boxes_between_the_entries() {
        let html = news(|i, t| {
            let label = if i % 2 == 0 { "Read on" } else { "اقرأ المزيد" };
            let between = format!(
                "<div><div><h3>Oak, lot {i}</h3><p>Enough oak for a dozen small boxes.</p><a href=/ad/{i}>Order</a></div></div>"
            );
            let category = if i % 3 == 0 { "<a href=/topics/town rel='category tag'>Town</a>" } else { "" };
            format!(
                "<article>{category}<h2><a href='/n/{i}'>{t}</a></h2><p>What the town said about it, at some length and with care. \
                 <a href='/n/{i}'>{label}<span class=sr-only> “{t}”</span></a></p></article>{between}"
            )
        });
        let g = groups(&html, "learned");
        assert_eq!(titles(&g[0]), TITLES);
        for (i, e) in g[0].entries.iter().enumerate() {
            assert_eq!(e.category.as_deref(), (i % 3 == 0).then_some("Town"), "{i}");
            assert_eq!(e.summary.as_deref(), Some("What the town said about it, at some length and with care."), "{i}");
        }
    }

    #[test]
    fn table_rows_and_definitions_are_entries() {
        let row = |i: usize, t: &str| {
            format!("<tr><td>{}<td><a href='/n/{i}'>{t}</a><td>12 May 2024<td><a href='/u/{i}'>jo{i}</a></tr>", i + 1)
        };
        let table = news(row).replace("<div><tr>", "<table><tr>");
        assert_eq!(titles(&groups(&table, "learned")[0]), TITLES);
        let definition = |i: usize, t: &str| {
            format!(
                "<dt><a href='/n/{i}'>{t}</a></dt><dd>What the town said about it, at some length and with care.</dd>"
            )
        };
        let list = news(definition).replace("<div><dt>", "<dl><dt>");
        let g = groups(&list, "learned");
        assert_eq!(titles(&g[0]), TITLES);
        assert!(g[0].entries[2].summary.as_deref().unwrap().contains("at some length"));
    }

    #[test]
    fn the_base_element_and_odd_addresses_are_respected() {
        let html = news(|i, t| {
            format!("<p><a href='{i}.html'>{t}</a><br>A line about it, to be read before the link is followed.</p>")
        });
        let html = html.replace("<title>", "<base href='https://cdn.example.net/x/'><title>");
        let g = groups(&html, "learned");
        assert_eq!(g[0].entries[0].url.as_deref(), Some("https://cdn.example.net/x/0.html"));
    }

    #[test]
    fn the_published_method_finds_similar_siblings() {
        let g = groups(
            &news(|i, t| format!("<li><a href='/n/{i}'>{t}</a></li>")).replace("<div><li>", "<ul><li>"),
            "siblings",
        );
        assert_eq!(titles(&g[0]), TITLES);
    }

    #[test]
    fn pages_without_links_have_no_entries() {
        for method in METHODS {
            assert!(groups("", method).is_empty());
            assert!(groups("<p>Only words here.</p><a name=x>no address</a>", method).is_empty());
        }
        assert!(Lists::named("magic").is_err());
    }

    #[test]
    fn many_links_and_deep_pages_take_linear_time() {
        let work = |html: &str, method: &str| {
            let dom = dom::parse(html, &Default::default());
            let blocks = Blocks::new(&dom);
            let view = View { source: html, dom: &dom, blocks: &blocks, url: Some("https://example.org/news/") };
            Lists::named(method).unwrap().page(&view);
            dom.work()
        };
        let many =
            |n| (0..n).map(|i| format!("<li><a href='/{i}'>Entry {i}</a> <span>text</span></li>")).collect::<String>();
        let deep = |n| "<div><a href=/x>a link</a>".repeat(n);
        for method in METHODS {
            assert!(work(&many(4000), method) < 11 * work(&many(400), method), "{method}");
            // Up to the depth limit, there are as many levels as links.
            assert!(work(&deep(8000), method) < 11 * work(&deep(800), method), "{method}");
        }
    }
}
