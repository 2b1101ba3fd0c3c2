//! Overrides by the caller: CSS selectors that include or exclude content, or that set fields of the metadata.
//!
//! A selector that matches nothing on a page has no effect and adds a warning.
use maintext_page::blocks::Blocks;
use maintext_page::dom::{Dom, NodeId, Tag};
use maintext_page::select::{Selector, SelectorError};
use maintext_page::warnings::{Warning, WarningCode};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;
use url::Host;

/// The fields that a rule can set.
pub const FIELDS: [&str; 14] = [
    "title",
    "author",
    "date",
    "date_modified",
    "sitename",
    "description",
    "language",
    "image",
    "url",
    "license",
    "categories",
    "tags",
    "videos",
    "breadcrumb",
];

/// The caller's rules for pages.
///
/// ```
/// use maintext_core::{Options, extract, rules::{FieldRule, Rules}, select::Selector};
/// let rules = Rules {
///     content: Some(Selector::parse("#story")?),
///     drop: vec![Selector::parse(".ad")?],
///     fields: vec![FieldRule::parse("date=.when@data-day")?],
///     ..Rules::default()
/// };
/// let html = "<p class=when data-day=2024-05-17>Friday</p><div id=story>Two herons. <i class=ad>Buy!</i></div><p>Much more text.";
/// let page = extract(html, &Options { rules, ..Options::default() })?;
/// assert_eq!(page.text(), "Two herons.\n");
/// assert_eq!(page.metadata.date.as_deref(), Some("2024-05-17"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "expected an object with rules")]
pub struct Rules {
    /// The main content is the content of the elements that match, and nothing else.
    #[serde(default)]
    pub content: Option<Selector>,
    /// The content of elements that match is never main content.
    #[serde(default, deserialize_with = "one_or_many")]
    pub drop: Vec<Selector>,
    /// Fields of the metadata; of several rules for one field, the first that matches counts.
    #[serde(default, deserialize_with = "fields")]
    pub fields: Vec<FieldRule>,
}

/// Where a metadata field is on the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldRule {
    /// One of [`FIELDS`].
    pub field: &'static str,
    /// The elements.
    pub selector: Selector,
    /// The attribute that holds the value. Without it the value is the element's text, or its usual attribute: `content` of a `<meta>`,
    /// `datetime` of a `<time>`.
    pub attribute: Option<String>,
}

/// What a rule found on a page.
#[derive(Clone, Debug)]
pub struct FoundField<'a> {
    /// The rule.
    pub rule: &'a FieldRule,
    /// The values, unchanged from the source.
    pub values: Vec<String>,
    /// The warning if the selector spent the page's budget.
    pub warning: Option<Warning>,
}

/// The reason for refusing a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleError {
    /// The rule does not have the form `NAME=SELECTOR`.
    NoField(String),
    /// The field does not exist.
    UnknownField(String),
    /// The selector is malformed.
    Selector(SelectorError),
    /// Rules are for something other than a host or `*`.
    NoHost(String),
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RuleError::NoField(text) => write!(f, "'{text}' is not of the form NAME=SELECTOR"),
            RuleError::UnknownField(name) => write!(f, "no field '{name}' (known: {})", FIELDS.join(", ")),
            RuleError::Selector(e) => e.fmt(f),
            RuleError::NoHost(text) => {
                write!(f, "'{text}' is neither a host, such as example.org (with its subdomains), nor '*' for all")
            }
        }
    }
}

impl std::error::Error for RuleError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            RuleError::Selector(error) => Some(error),
            _ => None,
        }
    }
}

impl FieldRule {
    /// Reads `NAME=SELECTOR` or `NAME=SELECTOR@ATTRIBUTE`.
    ///
    /// # Errors
    /// See [`RuleError`].
    pub fn parse(text: &str) -> Result<FieldRule, RuleError> {
        let (name, rest) = text.split_once('=').ok_or_else(|| RuleError::NoField(text.to_owned()))?;
        FieldRule::new(name.trim(), rest)
    }

    /// Reads `SELECTOR` or `SELECTOR@ATTRIBUTE` for a field.
    pub fn new(name: &str, rest: &str) -> Result<FieldRule, RuleError> {
        let field = FIELDS.into_iter().find(|f| *f == name).ok_or_else(|| RuleError::UnknownField(name.to_owned()))?;
        let (selector, attribute) = match rest.rsplit_once('@') {
            Some((s, a)) if is_attribute_name(a.trim()) => (s, Some(a.trim().to_ascii_lowercase())),
            _ => (rest, None),
        };
        let selector = Selector::parse(selector.trim()).map_err(RuleError::Selector)?;
        Ok(FieldRule { field, selector, attribute })
    }

    /// Looks the field up on a page.
    pub fn find(&self, dom: &Dom) -> FoundField<'_> {
        let (found, warning) = self.selector.find(dom);
        let values = found.into_iter().filter_map(|n| self.value(dom, n));
        let values = values.filter(|v| !v.trim().is_empty()).take(1000).collect();
        FoundField { rule: self, values, warning }
    }

    /// Returns what an element states: its attribute, or what elements of its tag state, or its text.
    fn value(&self, dom: &Dom, n: NodeId) -> Option<String> {
        if let Some(attribute) = &self.attribute {
            return dom.attr(n, attribute).map(str::to_owned);
        }
        let is_address = matches!(self.field, "image" | "url" | "license" | "videos");
        let own = match dom.tag(n) {
            Tag::META => dom.attr(n, "content"),
            Tag::TIME => dom.attr(n, "datetime"),
            Tag::A | Tag::LINK if is_address => dom.attr(n, "href"),
            Tag::IMG | Tag::VIDEO | Tag::IFRAME | Tag::SOURCE if is_address => dom.attr(n, "src"),
            _ => None,
        };
        Some(own.map_or_else(|| dom.text_content(n), str::to_owned))
    }
}

fn is_attribute_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "-_:".contains(c))
}

impl Rules {
    /// Whether the rules are empty.
    pub fn is_empty(&self) -> bool {
        self.content.is_none() && self.drop.is_empty() && self.fields.is_empty()
    }

    /// Returns these rules, completed by the others where these have no rule.
    pub fn over(&self, other: &Rules) -> Rules {
        Rules {
            content: self.content.clone().or_else(|| other.content.clone()),
            drop: self.drop.iter().chain(&other.drop).cloned().collect(),
            fields: self.fields.iter().chain(&other.fields).cloned().collect(),
        }
    }

    /// Returns the nodes of a page that the rules include and exclude.
    pub fn content(&self, dom: &Dom, warnings: &mut Vec<Warning>) -> Picked {
        let mut picked = Picked::default();
        if let Some(selector) = &self.content {
            let (found, warning) = selector.find(dom);
            if found.is_empty() {
                warnings.push(warning.unwrap_or_else(|| unmatched(selector, "the method chooses the content")));
            } else {
                warnings.extend(warning);
                picked.only = Some(below(dom, &found));
            }
        }
        let mut dropped = Vec::new();
        for selector in &self.drop {
            let (found, warning) = selector.find(dom);
            if found.is_empty() {
                warnings.push(warning.unwrap_or_else(|| unmatched(selector, "it drops nothing")));
            } else {
                warnings.extend(warning);
            }
            dropped.extend(found);
        }
        if !dropped.is_empty() {
            picked.dropped = Some(below(dom, &dropped));
        }
        picked
    }
}

/// Returns the warning that a selector matches nothing; `so` is the consequence.
pub fn unmatched(selector: &Selector, so: &str) -> Warning {
    let message =
        format!("the selector '{}' matches nothing: {so}", maintext_page::select::beginning(selector.as_str()));
    Warning::new(WarningCode::SelectorNoMatch, message)
}

/// Returns for each node whether it is one of `roots` or below one.
fn below(dom: &Dom, roots: &[NodeId]) -> Vec<bool> {
    let mut out = vec![false; dom.len()];
    for &root in roots {
        // A root inside another root has been walked already.
        if !out[root.index()] {
            dom.descendants(root).for_each(|n| out[n.index()] = true);
        }
    }
    out
}

/// The nodes that rules include and exclude.
#[derive(Debug, Default)]
pub struct Picked {
    /// If set, the content is exactly these nodes.
    only: Option<Vec<bool>>,
    /// These nodes are excluded from the content.
    dropped: Option<Vec<bool>>,
}

impl Picked {
    /// Whether a rule chooses the content instead of the method.
    pub fn is_content(&self) -> bool {
        self.only.is_some()
    }

    /// Whether a rule excludes a part of the page.
    pub fn is_dropping(&self) -> bool {
        self.dropped.is_some()
    }

    /// Takes the excluded nodes out of the tree.
    pub fn remove_dropped(&self, dom: &mut Dom<'_>) {
        let Some(dropped) = &self.dropped else { return };
        let outermost: Vec<NodeId> = dom
            .descendants(NodeId::ROOT)
            .filter(|n| dropped[n.index()] && !dom.parent(*n).is_some_and(|p| dropped[p.index()]))
            .collect();
        outermost.into_iter().for_each(|n| dom.remove(n));
    }

    /// Whether a node may be content.
    pub fn allows(&self, n: NodeId) -> bool {
        let dropped = self.dropped.as_ref().is_some_and(|d| d[n.index()]);
        !dropped && self.only.as_ref().is_none_or(|o| o[n.index()])
    }

    /// Applies the rules to the method's choice of blocks.
    pub fn blocks(&self, blocks: &Blocks, kept: &mut [bool]) {
        if self.only.is_none() && self.dropped.is_none() {
            return;
        }
        for (b, kept) in blocks.blocks.iter().zip(kept) {
            let leaves = blocks.leaves_of(b);
            *kept = (*kept || self.only.is_some()) && leaves.iter().any(|n| self.allows(*n));
        }
    }

    /// Applies the rules to the nodes of the chosen blocks: a rule may split a block.
    pub fn nodes(&self, keep: &mut [bool]) {
        if self.only.is_some() || self.dropped.is_some() {
            keep.iter_mut().enumerate().for_each(|(i, k)| *k &= self.allows(NodeId(i as u32)));
        }
    }
}

/// Rules per site. The longest host that the page's host equals or ends with decides which rules apply; `*` matches every site.
///
/// In JSON or TOML, one table per host:
///
/// ```toml
/// ["example.org"]
/// content = "article"
/// drop = [".promo", "aside"]
/// fields = { author = ".byline a", date = "time@datetime" }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "BTreeMap<String, Rules>")]
pub struct SiteRules {
    tables: BTreeMap<String, Rules>,
}

impl TryFrom<BTreeMap<String, Rules>> for SiteRules {
    type Error = RuleError;

    fn try_from(rules: BTreeMap<String, Rules>) -> Result<SiteRules, RuleError> {
        SiteRules::new(rules)
    }
}

impl SiteRules {
    /// Returns rules for the given hosts.
    ///
    /// # Errors
    /// [`RuleError::NoHost`] for an address, a host with a port or a pattern, which would match no page.
    pub fn new(rules: impl IntoIterator<Item = (String, Rules)>) -> Result<SiteRules, RuleError> {
        let mut tables = BTreeMap::new();
        for (host, rules) in rules {
            let is_pattern = host.starts_with('.') || host.contains(['/', ':', '*', ' ']) && !host.starts_with('[');
            let key = match host.as_str() {
                "*" => Some(host.clone()),
                _ if is_pattern => None,
                // As addresses have it: in lower case, and other letters than ASCII's encoded.
                _ => Host::parse(&host).ok().map(|host| host.to_string()),
            };
            tables.insert(key.ok_or(RuleError::NoHost(host))?, rules);
        }
        Ok(SiteRules { tables })
    }

    /// Returns the rules for a host, or the rules of `*` if no others match or the host is unknown.
    pub fn of(&self, host: Option<&str>) -> Option<&Rules> {
        let host = host.unwrap_or("").to_ascii_lowercase();
        let ends = std::iter::successors(Some(host.as_str()), |h| h.split_once('.').map(|(_, rest)| rest));
        ends.chain(["*"]).find_map(|h| self.tables.get(h))
    }
}

/// Maximum number of selectors in one list of rules.
const MAX_SELECTORS: usize = 500;

/// A text or a list of texts.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a text or a list of texts")]
pub enum OneOrMany {
    /// One text.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl OneOrMany {
    /// Returns all texts.
    pub fn list(self) -> Vec<String> {
        match self {
            OneOrMany::One(s) => vec![s],
            OneOrMany::Many(list) => list,
        }
    }
}

/// Rejects lists of too many selectors.
pub fn check_number(n: usize) -> Result<(), String> {
    if n > MAX_SELECTORS { Err(format!("{n} selectors, more than the {MAX_SELECTORS} of one list")) } else { Ok(()) }
}

fn one_or_many<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<Selector>, D::Error> {
    let list = OneOrMany::deserialize(d)?.list();
    check_number(list.len()).map_err(serde::de::Error::custom)?;
    list.iter().map(|s| Selector::parse(s).map_err(serde::de::Error::custom)).collect()
}

fn fields<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<FieldRule>, D::Error> {
    let mut out = Vec::new();
    for (name, selectors) in BTreeMap::<String, OneOrMany>::deserialize(d)? {
        for s in selectors.list() {
            out.push(FieldRule::new(&name, &s).map_err(serde::de::Error::custom)?);
        }
        check_number(out.len()).map_err(serde::de::Error::custom)?;
    }
    Ok(out)
}
