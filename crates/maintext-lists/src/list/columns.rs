//! The features of links for the decision whether each leads to an entry of the list: one table for training and inference.
use super::table::{Link, LinkTable, inline};
use maintext_page::blocks::{Blocks, ElementTokens, is_cjk};
use maintext_page::dom::Tag;
use maintext_page::hash::{FNV, HashMap, fnv};
use maintext_reading::features::Wanted;
use maintext_reading::features::sums::RunningSums;
use maintext_reading::features::tokens::{HashIndex, Spread, Table};
use maintext_reading::model::forest::Forest;
use std::fmt::Display;
use url::Url;

/// Number of innermost elements around a link whose names count as near.
const NEAR_LEVELS: usize = 4;
/// Punctuation beyond ASCII that ends or divides sentences.
const STOPS: [char; 7] = ['\u{3002}', '\u{ff01}', '\u{ff1f}', '\u{ff0c}', '\u{3001}', '\u{ff1a}', '\u{ff1b}'];
/// Maximum number of words of a text that is only a price.
const MAX_PRICE_WORDS: u32 = 12;
/// Maximum number of words of a text that are compared with an address.
const MAX_SLUG_WORDS: usize = 12;

/// Learned scores of class, id and role names: smoothed log-odds that a link below an element with that name leads to an entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkTokens {
    /// Scores of names of the innermost elements.
    pub near: Table<f32>,
    /// Scores of names of the elements above them.
    pub far: Table<f32>,
}

/// Named columns of equal length.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    wanted: Wanted,
    values: Vec<Vec<f32>>,
}

impl Columns {
    /// Returns a table that keeps only the wanted columns of all that are added, without their names.
    pub fn of(wanted: &[bool]) -> Columns {
        Columns { wanted: Wanted::new(Some(wanted)), ..Columns::default() }
    }
    /// Returns the names in order.
    pub fn names(&self) -> &[String] {
        self.wanted.names()
    }
    /// Returns the values of column `i`, one per row.
    pub fn column(&self, i: usize) -> &[f32] {
        &self.values[i]
    }
    /// Returns all columns.
    pub fn columns(&self) -> &[Vec<f32>] {
        &self.values
    }
    /// Sets the columns whose names begin with one of `prefixes` to the same value in every row, as if their content were unknown.
    pub fn blank(&mut self, prefixes: &[&str]) {
        for (name, values) in self.wanted.names().iter().zip(&mut self.values) {
            if prefixes.iter().any(|p| name.starts_with(p)) {
                values.fill(0.0);
            }
        }
    }
    /// Returns the places of named columns.
    pub(super) fn places(&self, names: &[String]) -> Vec<usize> {
        names.iter().map(|name| self.names().iter().position(|own| own == name).unwrap_or(0)).collect()
    }
    /// Returns the score of each row by a forest, whose columns have these places in the table. The forest of an earlier stage never uses the
    /// column of a later stage.
    pub(super) fn scores(&self, forest: &Forest, places: &[usize]) -> Vec<f32> {
        let rows = self.values.first().map_or(0, Vec::len);
        forest.scores(rows, |column| &self.values[places[column]])
    }
    /// Adds a column if it is wanted.
    pub fn add(&mut self, name: impl Display, values: impl IntoIterator<Item = f32>) {
        if self.wanted.takes(name) {
            self.values.push(values.into_iter().collect());
        }
    }
}

/// Returns whether a character is a currency sign.
fn is_currency(c: char) -> bool {
    matches!(c, '$' | '\u{20ac}' | '\u{a3}' | '\u{a5}' | '\u{ffe5}' | '\u{20b9}' | '\u{20bd}')
}

fn is_price(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit()) && text.contains(is_currency)
}

/// Features of a link's own text and address.
#[derive(Clone, Copy, Debug, Default)]
struct OwnFeatures {
    chars: f32,
    words: f32,
    digits: f32,
    upper: f32,
    stops: f32,
    cjk: f32,
    /// Share of the text's words that occur in the address.
    slug: f32,
    text: u32,
    currency: bool,
    same_host: bool,
    web: bool,
    depth: f32,
    url_len: f32,
    query: bool,
    url_digits: f32,
    hyphens: f32,
    below_page: bool,
    /// Hash of the address's form: host, number of segments, first segment, names of the query parameters.
    form: u32,
}

impl OwnFeatures {
    fn new(link: &Link, page: Option<&Url>) -> OwnFeatures {
        let text = link.label();
        let mut o = OwnFeatures { text: FNV, ..OwnFeatures::default() };
        let mut inside = false;
        for c in text.chars() {
            o.chars += 1.0;
            o.text = fnv(o.text, c as u32);
            if c.is_ascii() {
                let word = c.is_ascii_alphanumeric();
                o.digits += c.is_ascii_digit() as u8 as f32;
                o.upper += c.is_ascii_uppercase() as u8 as f32;
                o.stops += matches!(c, '.' | '!' | '?' | ',' | ':' | ';') as u8 as f32;
                o.currency |= c == '$';
                o.words += (word && !inside) as u8 as f32;
                inside = word;
                continue;
            }
            o.digits += c.is_numeric() as u8 as f32;
            o.upper += c.is_uppercase() as u8 as f32;
            o.stops += STOPS.contains(&c) as u8 as f32;
            o.currency |= is_currency(c);
            let (han, word) = (is_cjk(c), c.is_alphanumeric());
            o.cjk += han as u8 as f32;
            // A Chinese word has about two characters.
            o.words += if han { 0.5 } else { (word && !inside) as u8 as f32 };
            inside = word && !han;
        }
        if let Some(url) = &link.url {
            o.address(url, text, page);
        }
        o
    }

    fn address(&mut self, url: &Url, text: &str, page: Option<&Url>) {
        let path = url.path();
        let (mut depth, mut first, mut last) = (0, "", "");
        for segment in path.split('/').filter(|s| !s.is_empty()) {
            first = if depth == 0 { segment } else { first };
            (depth, last) = (depth + 1, segment);
        }
        self.web = true;
        self.same_host = page.is_none_or(|p| site(p) == site(url)) || url.host_str() == Some("page.invalid");
        self.depth = depth as f32;
        self.url_len = (path.len() + url.query().map_or(0, str::len)) as f32;
        self.query = url.query().is_some();
        let tail = path.bytes().chain(url.query().unwrap_or("").bytes());
        self.url_digits = tail.filter(u8::is_ascii_digit).count() as f32;
        self.hyphens = last.bytes().filter(|b| matches!(b, b'-' | b'_')).count() as f32;
        self.below_page = page.is_some_and(|p| {
            let trunk = p.path().trim_end_matches('/');
            trunk.len() > 1 && path.len() > trunk.len() + 1 && path.starts_with(trunk)
        });
        let lower = path.to_ascii_lowercase();
        let (mut found, mut all) = (0.0, 0.0);
        for w in text.split(|c: char| !c.is_alphanumeric()).filter(|w| w.len() > 2).take(MAX_SLUG_WORDS) {
            all += 1.0;
            found += (w.is_ascii() && holds(lower.as_bytes(), w.as_bytes())) as u8 as f32;
        }
        self.slug = found / f32::max(all, 1.0);
        let mut form = fnv(FNV, self.depth as u32);
        let first = if depth > 1 { first } else { "" };
        for b in url.host_str().unwrap_or("").bytes().chain(first.bytes()) {
            form = fnv(form, b as u32);
        }
        for (name, _) in url.query_pairs().take(8) {
            form = name.bytes().fold(fnv(form, 1), |h, b| fnv(h, b as u32));
        }
        self.form = form;
    }
}

/// Returns whether a text in lower case holds a word in any case.
fn holds(lower: &[u8], word: &[u8]) -> bool {
    let Some((first, rest)) = word.split_first() else { return true };
    memchr::memchr_iter(first.to_ascii_lowercase(), lower)
        .any(|at| lower.get(at + 1..at + word.len()).is_some_and(|s| s.eq_ignore_ascii_case(rest)))
}

/// Returns roughly the registrable part of a host: its last two labels.
pub(super) fn site(url: &Url) -> &str {
    let host = url.host_str().unwrap_or("");
    let mut dots = host.rmatch_indices('.');
    match dots.nth(1) {
        Some((i, _)) => &host[i + 1..],
        None => host,
    }
}

/// Statistics of a group of links.
#[derive(Clone, Copy, Debug, Default)]
struct GroupStats {
    count: f32,
    chars: f32,
    squares: f32,
    targets: f32,
    texts: f32,
    after: f32,
    slug: f32,
    same_host: f32,
    images: f32,
    words: f32,
    url_len: f32,
}

/// The group of each link, and the statistics of the groups.
struct Grouping {
    of: Vec<u32>,
    groups: Vec<GroupStats>,
}

/// The links sorted by address and by text, to count the distinct ones of a group.
struct Sorted<'a> {
    own: &'a [OwnFeatures],
    by_target: Vec<u32>,
    by_text: Vec<u32>,
}

impl Sorted<'_> {
    fn new<'a>(t: &LinkTable<'_>, own: &'a [OwnFeatures]) -> Sorted<'a> {
        Sorted { own, by_target: sorted_by(own, &|i| t.links[i].target), by_text: sorted_by(own, &|i| own[i].text) }
    }
}

fn sorted_by(own: &[OwnFeatures], key: &dyn Fn(usize) -> u32) -> Vec<u32> {
    let mut order: Vec<u32> = (0..own.len() as u32).collect();
    order.sort_unstable_by_key(|i| key(*i as usize));
    order
}

/// Returns for each group the number of distinct keys of its links, which come in the order of the keys.
fn distinct(order: &[u32], of: &[u32], groups: usize, key: impl Fn(usize) -> u32) -> Vec<u32> {
    let mut last: Vec<Option<u32>> = vec![None; groups];
    let mut counts = vec![0; groups];
    for i in order.iter().map(|i| *i as usize) {
        let (k, key) = (of[i] as usize, Some(key(i)));
        counts[k] += u32::from(last[k] != key);
        last[k] = key;
    }
    counts
}

impl Grouping {
    fn new(t: &LinkTable<'_>, sorted: &Sorted<'_>, key: impl Fn(usize) -> (u32, u32)) -> Grouping {
        let own = sorted.own;
        let mut numbers: HashMap<(u32, u32), u32> = HashMap::default();
        let mut out = Grouping { of: Vec::with_capacity(own.len()), groups: Vec::new() };
        for (i, o) in own.iter().enumerate() {
            let k = *numbers.entry(key(i)).or_insert(out.groups.len() as u32);
            if k as usize == out.groups.len() {
                out.groups.push(GroupStats::default());
            }
            let g = &mut out.groups[k as usize];
            out.of.push(k);
            g.count += 1.0;
            g.chars += o.chars;
            g.squares += o.chars * o.chars;
            g.after += t.links[i].after.min(1000) as f32;
            g.slug += o.slug;
            g.same_host += o.same_host as u8 as f32;
            g.images += t.links[i].image as u8 as f32;
            g.words += o.words;
            g.url_len += o.url_len;
        }
        let n = out.groups.len();
        let targets = distinct(&sorted.by_target, &out.of, n, |i| t.links[i].target);
        let texts = distinct(&sorted.by_text, &out.of, n, |i| own[i].text);
        for (g, (targets, texts)) in out.groups.iter_mut().zip(targets.into_iter().zip(texts)) {
            (g.targets, g.texts) = (targets as f32, texts as f32);
        }
        out
    }

    /// Adds the group's statistics as columns whose names begin with `name`.
    fn add(&self, name: &str, out: &mut Columns, links: f32, chars: f32) {
        // Rank of each group by characters: 0 for the largest.
        let mut order: Vec<usize> = (0..self.groups.len()).collect();
        order.sort_by(|&a, &b| self.groups[b].chars.total_cmp(&self.groups[a].chars).then(a.cmp(&b)));
        let mut rank = vec![0.0; order.len()];
        order.iter().enumerate().for_each(|(r, &g)| rank[g] = r as f32);
        let mut add = |suffix: &str, value: &dyn Fn(&GroupStats, f32) -> f32| {
            let values: Vec<f32> = self.groups.iter().map(|g| value(g, g.count)).collect();
            out.add(format_args!("{name}_{suffix}"), self.of.iter().map(|&k| values[k as usize]));
        };
        add("links", &|_, n| n);
        add("share", &|_, n| n / links);
        add("char_share", &|g, _| g.chars / chars);
        add("chars", &|g, n| g.chars / n);
        add("words", &|g, n| g.words / n);
        add("chars_deviation", &|g, n| (g.squares / n - (g.chars / n).powi(2)).max(0.0).sqrt());
        add("targets", &|g, n| g.targets / n);
        add("texts", &|g, n| g.texts / n);
        add("after", &|g, n| g.after / n);
        add("slug", &|g, n| g.slug / n);
        add("same_host", &|g, n| g.same_host / n);
        add("images", &|g, n| g.images / n);
        add("url_length", &|g, n| g.url_len / n);
        out.add(format_args!("{name}_rank"), self.of.iter().map(|&k| rank[k as usize]));
    }
}

/// The groups of each link, for the columns and for ranking.
pub struct Keys {
    /// Links at the same place below the siblings that repeat around them.
    pub repeated: Vec<u32>,
    /// Links with the same tags, class names and style attributes from the root.
    pub signature: Vec<u32>,
    /// Links with the same tags from the root.
    pub path: Vec<u32>,
}

/// Returns all columns of a page's links except the columns of learned names.
pub fn columns(t: &LinkTable<'_>, page: Option<&Url>) -> (Columns, Keys) {
    let mut out = Columns::default();
    let keys = add_columns(t, page, &mut out);
    (out, keys)
}

/// Adds the columns of [`columns`] to an empty table.
pub(super) fn add_columns(t: &LinkTable<'_>, page: Option<&Url>, out: &mut Columns) -> Keys {
    let own: Vec<OwnFeatures> = t.links.iter().map(|l| OwnFeatures::new(l, page)).collect();
    own_columns(t, &own, out);
    place_columns(t, out);
    record_columns(t, &own, out);
    let (links, chars) = (t.links.len().max(1) as f32, t.link_chars.max(1) as f32);
    let sorted = Sorted::new(t, &own);
    let repeated = Grouping::new(t, &sorted, |i| level_key(t, i, 0));
    let outer = Grouping::new(t, &sorted, |i| level_key(t, i, 1));
    let signature = Grouping::new(t, &sorted, |i| (0, t.signature[t.links[i].element]));
    let path = Grouping::new(t, &sorted, |i| (0, t.path[t.links[i].element]));
    let form = Grouping::new(t, &sorted, |i| (own[i].web as u32, own[i].form));
    repeated.add("repeated", out, links, chars);
    outer.add("outer", out, links, chars);
    signature.add("signature", out, links, chars);
    path.add("path", out, links, chars);
    form.add("form", out, links, chars);
    let density = t.link_chars as f32 / (t.plain_chars + t.link_chars).max(1) as f32;
    out.add("page_link_density", t.links.iter().map(|_| density));
    Keys { repeated: repeated.of, signature: signature.of, path: path.of }
}

fn level_key(t: &LinkTable<'_>, i: usize, k: usize) -> (u32, u32) {
    let l = &t.levels[i][k];
    match l.element {
        Some(e) => (t.blocks.elements[e as usize].parent, fnv(l.way, k as u32)),
        None => (u32::MAX, t.path[t.links[i].element]),
    }
}

fn own_columns(t: &LinkTable<'_>, own: &[OwnFeatures], out: &mut Columns) {
    let mut add = |name: &str, value: &dyn Fn(&OwnFeatures) -> f32| out.add(name, own.iter().map(value));
    add("chars", &|o| o.chars);
    add("words", &|o| o.words);
    add("digit_share", &|o| o.digits / o.chars.max(1.0));
    add("upper_share", &|o| o.upper / o.chars.max(1.0));
    add("stops", &|o| o.stops);
    add("cjk_share", &|o| o.cjk / o.chars.max(1.0));
    add("slug", &|o| o.slug);
    add("same_host", &|o| flag(o.same_host));
    add("web", &|o| flag(o.web));
    add("url_depth", &|o| o.depth);
    add("url_length", &|o| o.url_len);
    add("url_query", &|o| flag(o.query));
    add("url_digits", &|o| o.url_digits);
    add("url_hyphens", &|o| o.hyphens);
    add("url_below_page", &|o| flag(o.below_page));
    let mut per_link = |name: &str, value: &dyn Fn(&Link) -> f32| out.add(name, t.links.iter().map(value));
    per_link("image", &|l| flag(l.image));
    per_link("no_text", &|l| flag(l.text.is_empty()));
    per_link("after", &|l| l.after as f32);
    out.add("price", own.iter().map(|o| flag(o.currency && o.digits > 0.0)));
    let mut of_text: HashMap<u32, f32> = HashMap::default();
    own.iter().for_each(|o| *of_text.entry(o.text).or_default() += 1.0);
    out.add("same_text", own.iter().map(|o| of_text[&o.text]));
    // The numbers of addresses are less than the number of links.
    let mut of_target: Vec<(f32, f32)> = vec![(0.0, 0.0); own.len()];
    for (l, o) in t.links.iter().zip(own) {
        let e = &mut of_target[l.target as usize];
        *e = (e.0 + 1.0, e.1.max(o.chars));
    }
    let n = t.links.len();
    out.add("target_links", (0..n).map(|i| of_target[t.links[i].target as usize].0));
    out.add("target_longest", (0..n).map(|i| flag(own[i].chars >= of_target[t.links[i].target as usize].1)));
    out.add("before", (0..n).map(|i| (if i == 0 { t.links[i].before } else { t.links[i - 1].after }) as f32));
}

fn flag(b: bool) -> f32 {
    b as u8 as f32
}

/// Columns about the elements around a link, and their tags.
const ANCESTOR_COLUMNS: [(&str, &[Tag]); 11] = [
    ("in_nav", &[Tag::NAV, Tag::MENU]),
    ("in_header", &[Tag::HEADER]),
    ("in_footer", &[Tag::FOOTER]),
    ("in_aside", &[Tag::ASIDE]),
    ("in_main", &[Tag::MAIN]),
    ("in_article", &[Tag::ARTICLE]),
    ("in_heading", &[Tag::H1, Tag::H2, Tag::H3, Tag::H4, Tag::H5, Tag::H6]),
    ("in_list", &[Tag::LI, Tag::DD]),
    ("in_table", &[Tag::TD, Tag::TH]),
    ("in_definition", &[Tag::DT]),
    ("in_paragraph", &[Tag::P]),
];

/// For each tag, the bits of its columns.
const ANCESTOR_BITS: [u16; 256] = {
    let (mut bits, mut k) = ([0; 256], 0);
    while k < ANCESTOR_COLUMNS.len() {
        let mut i = 0;
        while i < ANCESTOR_COLUMNS[k].1.len() {
            bits[ANCESTOR_COLUMNS[k].1[i].0 as usize] |= 1 << k;
            i += 1;
        }
        k += 1;
    }
    bits
};

/// Adds the columns about the position of a link, computed from its ancestors.
fn place_columns(t: &LinkTable<'_>, out: &mut Columns) {
    let elements = &t.blocks.elements;
    // For each element, one bit for each kind of element around it.
    let mut bits: Vec<u16> = vec![0; elements.len()];
    let mut bold: Vec<bool> = vec![false; elements.len()];
    for (i, e) in elements.iter().enumerate().skip(1) {
        bits[i] = bits[e.parent as usize] | ANCESTOR_BITS[usize::from(e.tag.0)];
        // Bold markup around the link or inside it; block-level elements end it.
        bold[i] =
            matches!(e.tag, Tag::B | Tag::STRONG) || (inline(e.tag) || e.tag == Tag::A) && bold[e.parent as usize];
    }
    for (k, (name, _)) in ANCESTOR_COLUMNS.iter().enumerate() {
        out.add(*name, t.links.iter().map(|l| (bits[l.element] >> k & 1) as f32));
    }
    out.add(
        "bold",
        t.links.iter().map(|l| {
            (bold[l.element]
                || elements.get(l.element + 1).is_some_and(|e| e.parent as usize == l.element && bold[l.element + 1]))
                as u8 as f32
        }),
    );
    out.add("hidden", t.links.iter().map(|l| elements[l.element].hidden as u8 as f32));
    heading_columns(t, out);
    let (n, all) = (t.links.len() as f32, t.plain_chars.max(1) as f32);
    out.add("position", t.links.iter().map(|l| l.before as f32 / all));
    out.add("order", (0..t.links.len()).map(|i| i as f32 / n));
}

/// Adds the position of links relative to the page's first main heading: menus precede it, and its ancestors contain the list.
fn heading_columns(t: &LinkTable<'_>, out: &mut Columns) {
    let elements = &t.blocks.elements;
    let heading = elements.iter().position(|e| e.tag == Tag::H1 && !e.hidden);
    let Some(h1) = heading else {
        out.add("from_h1", t.links.iter().map(|_| -1000.0));
        out.add("around_h1", t.links.iter().map(|_| -1.0));
        return;
    };
    let before = t.links.partition_point(|l| l.element <= h1) as f32;
    out.add("from_h1", (0..t.links.len()).map(|i| (i as f32 - before).clamp(-500.0, 500.0)));
    // For each element, the number of ancestors that it shares with the heading.
    let mut shared: Vec<f32> = vec![0.0; elements.len()];
    for (i, e) in elements.iter().enumerate().skip(1) {
        let holds = i <= h1 && h1 <= i + e.descendants as usize;
        shared[i] = if holds { e.depth as f32 } else { shared[e.parent as usize] };
    }
    let depth = (elements[h1].depth as f32).max(1.0);
    out.add("around_h1", t.links.iter().map(|l| shared[l.element] / depth));
}

/// Adds the columns about the record of a link, at both levels of repetition, and about its zone.
fn record_columns(t: &LinkTable<'_>, own: &[OwnFeatures], out: &mut Columns) {
    let n = t.links.len();
    let all = (t.plain_chars + t.link_chars).max(1) as f32;
    let prices = RunningSums::new(
        (0..t.blocks.len())
            .map(|i| [(t.blocks.blocks[i].words < MAX_PRICE_WORDS && is_price(t.blocks.text(i))) as u32]),
    );
    for (k, name) in ["record", "outer_record"].into_iter().enumerate() {
        let mut add = |suffix: &str, value: &dyn Fn(usize, usize) -> f32| {
            out.add(
                format_args!("{name}_{suffix}"),
                (0..n).map(|i| t.levels[i][k].element.map_or(-1.0, |e| value(i, e as usize))),
            );
        };
        add("kin", &|i, _| t.levels[i][k].kin as f32);
        add("like", &|i, _| t.levels[i][k].like as f32 / t.levels[i][k].kin.max(1) as f32);
        add("links", &|_, e| t.links_below(e) as f32);
        add("chars", &|_, e| (t.chars_below(e)[0] + term_chars(t, e)) as f32);
        add("plain_chars", &|_, e| (plain_chars(t, e) + term_chars(t, e)) as f32);
        add("headings", &|_, e| t.headings_below(e) as f32);
        add("times", &|_, e| t.times_below(e) as f32);
        add("images", &|_, e| t.images_below(e) as f32);
        add("prices", &|_, e| {
            let r = &t.blocks.elements[e].blocks;
            prices.of(r.start as usize..r.end as usize)[0] as f32
        });
        add("place", &|i, e| (i - t.links_in(e).start) as f32);
        add("parent_share", &|_, e| t.chars_below(t.blocks.elements[e].parent as usize)[0] as f32 / all);
        add("parent_density", &|_, e| {
            let [chars, links] = t.chars_below(t.blocks.elements[e].parent as usize);
            links as f32 / chars.max(1) as f32
        });
        add("parent_links", &|_, e| t.links_below(t.blocks.elements[e].parent as usize) as f32);
    }
    // The longest text is sought among the first links only; an element with more links is not a record.
    out.add("record_longest", (0..n).map(|i| own[i].chars / f32::max(longest_of_record(t, own, i), 1.0)));
    out.add("zone_chars", (0..n).map(|i| t.chars_below(t.zone[i] as usize)[0] as f32));
    out.add("zone_plain", (0..n).map(|i| plain_chars(t, t.zone[i] as usize) as f32));
    out.add("zone_images", (0..n).map(|i| t.images_below(t.zone[i] as usize) as f32));
    out.add("zone_headings", (0..n).map(|i| t.headings_below(t.zone[i] as usize) as f32));
    out.add(
        "zone_height",
        (0..n).map(|i| {
            (t.blocks.elements[t.links[i].element].depth - t.blocks.elements[t.zone[i] as usize].depth) as f32
        }),
    );
}

fn longest_of_record(t: &LinkTable<'_>, own: &[OwnFeatures], i: usize) -> f32 {
    let Some(e) = t.levels[i][0].element else { return 0.0 };
    let r = t.links_in(e as usize);
    let first = r.start..r.end.min(r.start + 30);
    first.map(|j| own[j].chars).fold(0.0, f32::max)
}

/// Returns the number of characters below an element outside of links.
fn plain_chars(t: &LinkTable<'_>, element: usize) -> u32 {
    let [all, linked] = t.chars_below(element);
    all - linked
}

/// Returns the number of characters of the term before a description, if the term holds no link.
fn term_chars(t: &LinkTable<'_>, description: usize) -> u32 {
    let own = &t.blocks.elements[description];
    let term = if own.tag == Tag::DD { own.blocks.start.checked_sub(1) } else { None };
    let block = term.map(|b| &t.blocks.blocks[b as usize]);
    block
        .filter(|b| {
            let e = &t.blocks.elements[b.element as usize];
            e.tag == Tag::DT && e.parent == own.parent && b.link_chars == 0
        })
        .map_or(0, |b| b.chars)
}

/// [`LinkTokens`] prepared for look-up: one look-up finds both scores of a name.
#[derive(Clone, Debug)]
pub struct LinkTokenIndex {
    index: HashIndex,
    /// The scores as the name of a near and of a far element.
    scores: Vec<[Option<f32>; 2]>,
}

impl LinkTokenIndex {
    /// Prepares the scores.
    pub fn new(tokens: &LinkTokens) -> LinkTokenIndex {
        let mut hashes: Vec<u32> = tokens.near.0.iter().chain(&tokens.far.0).map(|e| e.0).collect();
        hashes.sort_unstable();
        hashes.dedup();
        let scores = hashes.iter().map(|h| [tokens.near.get(*h), tokens.far.get(*h)]).collect();
        LinkTokenIndex { index: HashIndex::new(hashes.into_iter()), scores }
    }

    /// Returns the spreads of the scores of some names.
    fn spreads(&self, hashes: &[u32]) -> [Spread; 2] {
        [0, 1].map(|k| {
            Spread::of(
                hashes.iter().filter_map(|h| self.scores.get(self.index.get(*h) as usize)).filter_map(|of| of[k]),
            )
        })
    }
}

/// Adds the columns of learned names.
pub fn token_columns(t: &LinkTable<'_>, tokens: &ElementTokens, scores: &LinkTokenIndex, out: &mut Columns) {
    let elements = &t.blocks.elements;
    let lists: Vec<[Spread; 2]> = tokens.lists().map(|list| scores.spreads(list)).collect();
    let mut far: Vec<Spread> = Vec::with_capacity(elements.len());
    for (i, e) in elements.iter().enumerate() {
        let above = if i == 0 { Spread::default() } else { far[e.parent as usize] };
        far.push(above.with(&(&lists[tokens.list_of()[i] as usize])[1]));
    }
    let near: Vec<Spread> = t
        .links
        .iter()
        .map(|l| {
            let chain = t.blocks.element_chain(l.element).take(NEAR_LEVELS);
            chain.fold(Spread::default(), |r, e| r.with(&(&lists[tokens.list_of()[e] as usize])[0]))
        })
        .collect();
    let above: Vec<Spread> =
        t.links.iter().map(|l| far[t.blocks.element_chain(l.element).nth(NEAR_LEVELS).unwrap_or(0)]).collect();
    for (name, ranges) in [("near", near), ("far", above)] {
        out.add(format_args!("tokens_{name}_min"), ranges.iter().map(|r| r.min));
        out.add(format_args!("tokens_{name}_max"), ranges.iter().map(|r| r.max));
        out.add(format_args!("tokens_{name}_mean"), ranges.iter().map(Spread::mean));
    }
}

/// Adds columns from the first-stage probabilities of the links around each link.
pub fn context_columns(t: &LinkTable<'_>, keys: &Keys, p: &[f32], out: &mut Columns) {
    let n = p.len();
    out.add("p", p.iter().copied());
    for (name, of) in [("repeated", &keys.repeated), ("signature", &keys.signature), ("path", &keys.path)] {
        let count = of.iter().max().map_or(0, |k| *k as usize + 1);
        let mut sums = vec![(0.0f32, 0.0f32, 0.0f32); count];
        for (k, p) in of.iter().zip(p) {
            let s = &mut sums[*k as usize];
            *s = (s.0 + p, s.1 + 1.0, s.2.max(*p));
        }
        let total: f32 = p.iter().sum::<f32>().max(1e-6);
        out.add(format_args!("p_{name}"), of.iter().map(|&k| sums[k as usize].0 / sums[k as usize].1));
        let top = sums.iter().map(|s| s.0).fold(1e-6f32, f32::max);
        out.add(format_args!("p_{name}_of_top"), of.iter().map(|&k| sums[k as usize].0 / top));
        out.add(format_args!("p_{name}_max"), of.iter().map(|&k| sums[k as usize].2));
        out.add(format_args!("p_{name}_share"), of.iter().map(|&k| sums[k as usize].0 / total));
    }
    for d in [-2, -1, 1, 2] {
        let beside = (0..n).map(|i| i.checked_add_signed(d).and_then(|i| p.get(i)).copied().unwrap_or(0.0));
        out.add(format_args!("p_at_{d}"), beside);
    }
    let top = p.iter().copied().fold(1e-6f32, f32::max);
    out.add("p_of_top", p.iter().map(|p| p / top));
    // Compares the link with the best link of its record.
    for (level, name) in [(0, "p_record"), (1, "p_outer_record")] {
        let best: Vec<f32> = (0..n)
            .map(|i| {
                let Some(e) = t.levels[i][level].element else { return -1.0 };
                let r = t.links_in(e as usize);
                p[r.start..r.end.min(r.start + 30)].iter().fold(1e-6f32, |a, b| a.max(*b))
            })
            .collect();
        out.add(format!("{name}_ratio"), best.iter().zip(p).map(|(b, p)| if *b < 0.0 { -1.0 } else { p / b }));
        out.add(name, best);
    }
    let mean = p.iter().sum::<f32>() / n.max(1) as f32;
    out.add("p_page", p.iter().map(|_| mean));
    out.add("p_page_max", p.iter().map(|_| top));
}

/// Returns the names of all columns, in the order of a model's columns.
pub(super) fn names() -> Vec<String> {
    let dom = maintext_page::dom::parse("", &Default::default());
    let blocks = Blocks::new(&dom);
    let t = LinkTable::new(&dom, &blocks, None);
    let (mut out, keys) = columns(&t, None);
    token_columns(&t, blocks.names(&dom), &LinkTokenIndex::new(&LinkTokens::default()), &mut out);
    context_columns(&t, &keys, &[], &mut out);
    out.names().to_vec()
}
