//! Records whose title leads to another site, with the name of that site: "A walk (example.org)".
//!
//! The links to the site's own pages about the record, its reader, its comments, its domain, look more like entries than the title does.
use super::columns::{Keys, site};
use super::permalinks::OwnLink;
use super::record::MAX_SCAN;
use super::table::{LinkTable, MIN_RECORDS};
use maintext_facts::metadata::text::cap;
use std::collections::BTreeMap;

/// Minimum share of the records in which no other link has a longer text.
const MIN_SHARE_LONGEST: f32 = 0.8;
/// Maximum number of links of a record that are compared.
const MAX_LINKS: usize = 30;

/// Returns the records with such titles, in document order.
pub(super) fn find(t: &LinkTable<'_>, keys: &Keys) -> Vec<OwnLink> {
    let mut alike: BTreeMap<u32, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    for (i, l) in t.links.iter().enumerate() {
        if l.url.is_some() && !l.text.is_empty() {
            let (named, others) = alike.entry(keys.signature[i]).or_default();
            if names_site(t, i) { named.push(i) } else { others.push(i) }
        }
    }
    let mut found: Vec<OwnLink> = Vec::new();
    for (mut titles, mut others) in alike.into_values().filter(|(named, _)| named.len() >= MIN_RECORDS) {
        let elements = t.record_elements(&titles);
        let longest = elements.iter().filter(|(e, title)| is_longest(t, *e, *title)).count();
        others.retain(|i| !is_inside(t, &elements, *i));
        others.dedup_by_key(|i| t.blocks.elements[t.links[*i].element].parent);
        if longest as f32 >= MIN_SHARE_LONGEST * titles.len() as f32 && others.len() <= titles.len() {
            // Stories of the site itself, such as questions to its readers, have the same markup.
            titles.append(&mut others);
            titles.sort_unstable();
            found.extend(records(t, &titles));
        }
    }
    found.sort_by_key(|record| record.link);
    found
}

/// Returns whether a link is in one of some elements in document order.
fn is_inside(t: &LinkTable<'_>, elements: &[(usize, usize)], link: usize) -> bool {
    let next = elements.partition_point(|(e, _)| t.links_in(*e).start <= link);
    next > 0 && t.links_in(elements[next - 1].0).contains(&link)
}

/// Returns whether no link of an element has a longer text than its title.
fn is_longest(t: &LinkTable<'_>, element: usize, title: usize) -> bool {
    t.links_in(element).take(MAX_LINKS).all(|i| t.links[i].text.len() <= t.links[title].text.len())
}

/// Returns whether the name of the site that a link leads to follows in its line.
fn names_site(t: &LinkTable<'_>, i: usize) -> bool {
    let link = &t.links[i];
    // Relative addresses are on the site of the page.
    if !link.href.contains("//") {
        return false;
    }
    let Some(url) = &link.url else { return false };
    let name = site(url);
    if link.text.contains(name) {
        return false;
    }
    let block = t.blocks.elements[link.element].blocks.start as usize;
    let text = t.blocks.blocks.get(block).map_or("", |_| cap(t.blocks.text(block), MAX_SCAN));
    t.dom.reads(text.len());
    text.split_once(&link.text).is_some_and(|(_, after)| after.to_lowercase().contains(name))
}

/// Returns the records of titles: the largest element around each without another title, and the elements after it up to the next one.
/// The last record has as many links after its element as the one before.
fn records(t: &LinkTable<'_>, titles: &[usize]) -> Vec<OwnLink> {
    let elements = t.record_elements(titles);
    let parent = |e: usize| t.blocks.elements[e].parent as usize;
    let mut following = 0;
    let records = elements.iter().enumerate().map(|(k, &(e, link))| {
        let own = t.links_in(e);
        let end = match elements.get(k + 1) {
            Some(&(next, _)) if parent(next) == parent(e) => t.links_in(next).start,
            _ => t.links_in(parent(e)).end.min(own.end + following),
        };
        following = end - own.end;
        OwnLink { record: own.start..end, link }
    });
    records.collect()
}

#[cfg(test)]
mod tests {
    use super::super::columns;
    use super::*;
    use maintext_page::blocks::Blocks;
    use maintext_page::dom;

    /// Returns the text of each title and the number of links of its record.
    fn stories(story: &dyn Fn(usize) -> String) -> Vec<(String, usize)> {
        let html = format!("<nav><a href=/new>New</a></nav><main>{}</main>", (1..5).map(story).collect::<String>());
        let dom = dom::parse(&html, &Default::default());
        let blocks = Blocks::new(&dom);
        let t = LinkTable::new(&dom, &blocks, None);
        let found = find(&t, &columns::columns(&t, None).1);
        found.into_iter().map(|r| (t.links[r.link].text.clone(), r.record.len())).collect()
    }

    fn expected(links: usize) -> Vec<(String, usize)> {
        (1..5).map(|n| (format!("The ferry that never left {n}"), links)).collect()
    }

    #[test]
    fn the_site_beside_a_link_makes_it_the_title_of_its_record() {
        let title = |n: usize| format!("<a href=https://www.pier{n}.example/f>The ferry that never left {n}</a>");
        let by = |n: usize| format!("by <a href=/u/{n}>jo{n}</a> | <a href=/s/{n}>{n} comments</a>");
        let one = |n: usize| format!("<div>{} <a href=/d/{n}>pier{n}.example</a><p>{}</p></div>", title(n), by(n));
        assert_eq!(stories(&one), expected(4));
        // The second line may be an element of its own, and the site need not be a link.
        let two = |n: usize| format!("<p class=t>{} (pier{n}.example)</p><p class=l>{}</p>", title(n), by(n));
        assert_eq!(stories(&two), expected(3));
        // A question to the readers leads nowhere else.
        let own = |n: usize| if n == 2 { one(n).replace("https://www.pier2.example/f", "/s/2") } else { one(n) };
        assert_eq!(stories(&own), expected(4));
    }

    #[test]
    fn a_site_that_is_a_detail_of_a_record_is_not_its_title() {
        let shop = |n: usize| {
            format!(
                "<div><a href=/shop/{n}>Rope, tar and oilcloth, number {n}</a> by <a href=https://tar{n}.example>Tar {n}</a> (tar{n}.example)</div>"
            )
        };
        assert!(stories(&shop).is_empty());
        // The name of a site as the text of its link.
        let named =
            |n: usize| format!("<div><a href=/p/{n}>Walk {n}</a> <a href=https://w{n}.example>w{n}.example</a></div>");
        assert!(stories(&named).is_empty());
    }
}
