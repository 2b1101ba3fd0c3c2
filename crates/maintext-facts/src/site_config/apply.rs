//! What site configurations find on a page.
use super::{Rule, SiteConfig};
use maintext_page::dom::{Dom, NodeId, NodeKind, Tag};
use maintext_page::warnings::{Warning, WarningCode};
use maintext_page::xpath::{Item, Paths, XPath};
use std::sync::Arc;
use url::Url;

/// Bytes by which replacements may lengthen a page, and how many times as long they may make it.
const MORE_BYTES: usize = 1 << 20;
const TIMES_AS_LONG: usize = 4;
/// Maximum number of values of a field.
const MAX_VALUES: usize = 1_000;

impl SiteConfig {
    /// Returns the source of a page after the replacements, or `None` if it stays the same. A replacement that would make the page much longer is
    /// left out.
    pub fn replaced(&self, source: &str) -> Option<String> {
        let longest = source.len() * TIMES_AS_LONG + MORE_BYTES;
        let mut out: Option<String> = None;
        for (find, replace) in &self.replace {
            let text = out.as_deref().unwrap_or(source);
            let count = text.matches(find.as_str()).count();
            if count > 0 && text.len() + count * replace.len() <= longest {
                out = Some(text.replace(find.as_str(), replace));
            }
        }
        out
    }
}

/// The configurations for a page, the more specific first.
pub struct Applied<'d, 'a> {
    paths: Paths<'d, 'a>,
    dom: &'d Dom<'a>,
    configs: &'d [Arc<SiteConfig>],
}

impl<'d, 'a> Applied<'d, 'a> {
    /// Prepares configurations for a page; `None` without any.
    pub fn new(dom: &'d Dom<'a>, configs: &'d [Arc<SiteConfig>]) -> Option<Applied<'d, 'a>> {
        (!configs.is_empty()).then(|| Applied { paths: Paths::new(dom), dom, configs })
    }

    /// Returns the nodes of the content. `None` leaves the choice to the method; an empty list means that the page has no content.
    pub fn body(&self, warnings: &mut Vec<Warning>) -> Option<Vec<NodeId>> {
        for config in self.configs {
            let rules = config.rules("body");
            let found = self.first(rules, |xpath| {
                let nodes = self.elements(xpath);
                Some(nodes).filter(|nodes| nodes.iter().any(|n| self.has_content(*n)))
            });
            if found.is_some() {
                return found;
            }
            if !rules.is_empty() {
                let so = match config.falls_back {
                    true => "the method chooses the content",
                    false => "it allows no other choice",
                };
                let message = format!("no body of {} matches: {so}", config.name);
                warnings.push(Warning::new(WarningCode::SelectorNoMatch, message));
            }
            if !config.falls_back {
                return (!rules.is_empty()).then(Vec::new);
            }
        }
        None
    }

    /// Returns the nodes that are never content.
    pub fn stripped(&self) -> Vec<NodeId> {
        let mut out = Vec::new();
        for config in self.configs {
            for rule in config.rules("strip").iter().filter(|rule| self.applies(rule)) {
                out.extend(self.paths.nodes(&rule.xpath).into_iter().filter(|i| i.attribute.is_none()).map(|i| i.node));
            }
        }
        let names: Vec<&str> = self.configs.iter().flat_map(|c| &c.strip_id_or_class).map(String::as_str).collect();
        let sources: Vec<&str> = self.configs.iter().flat_map(|c| &c.strip_image_src).map(String::as_str).collect();
        if names.is_empty() && sources.is_empty() {
            return out;
        }
        let units = (names.len() + sources.len()) as u64;
        for n in self.dom.descendants(NodeId::ROOT).filter(|n| self.dom.kind(*n) == NodeKind::Element) {
            let has = |attribute: &str, parts: &[&str]| {
                let value = self.dom.attr(n, attribute).filter(|v| self.dom.works(units * (1 + v.len() as u64 / 64)));
                value.is_some_and(|value| parts.iter().any(|part| value.contains(part)))
            };
            let is_source = !sources.is_empty() && self.dom.tag(n) == Tag::IMG && has("src", &sources);
            if is_source || !names.is_empty() && (has("class", &names) || has("id", &names)) {
                out.push(n);
            }
        }
        out
    }

    /// Returns the values of a field, and the expression that found them.
    pub fn field(&self, field: &str) -> Option<(Vec<String>, &'d str)> {
        if !matches!(field, "title" | "author" | "date") {
            return None;
        }
        self.configs.iter().find_map(|config| {
            self.first(config.rules(field), |xpath| {
                let mut texts = self.paths.texts(xpath);
                texts.truncate(MAX_VALUES);
                (!texts.is_empty()).then(|| (texts, xpath.as_str()))
            })
        })
    }

    /// Returns the address of the whole text on one page, absolute.
    pub fn single_page(&self, page: &Url, base: &Url) -> Option<(String, String)> {
        self.address("single_page_link", page, base)
    }

    /// Returns the address of the next part, absolute and as written.
    pub fn next_page(&self, page: &Url, base: &Url) -> Option<(String, String)> {
        self.address("next_page_link", page, base)
    }

    /// Returns the warning for expressions that took too much work.
    pub fn warning(&self) -> Option<Warning> {
        self.paths.is_cut().then(|| Warning::limit_reached("steps of site rules"))
    }

    /// Returns the address that the rules of a key find, absolute and as written.
    fn address(&self, key: &str, page: &Url, base: &Url) -> Option<(String, String)> {
        let absolute = |href: String| {
            let mut url = maintext_page::address::parse(self.dom, &href, Some(base)).ok()?;
            url.set_fragment(None);
            let mut own = page.clone();
            own.set_fragment(None);
            (matches!(url.scheme(), "http" | "https") && url != own).then(|| (url.to_string(), href))
        };
        self.configs.iter().find_map(|config| {
            self.first(config.rules(key), |xpath| {
                self.paths.addresses(xpath).into_iter().take(MAX_VALUES).find_map(absolute)
            })
        })
    }

    /// Returns what the first rule finds that applies and finds something.
    fn first<T>(&self, rules: &'d [Rule], find: impl Fn(&'d XPath) -> Option<T>) -> Option<T> {
        rules.iter().filter(|rule| self.applies(rule)).find_map(|rule| find(&rule.xpath))
    }

    fn applies(&self, rule: &Rule) -> bool {
        rule.condition.as_ref().is_none_or(|condition| self.paths.holds(condition))
    }

    fn elements(&self, xpath: &XPath) -> Vec<NodeId> {
        let is_node = |item: &Item| item.attribute.is_none();
        self.paths.nodes(xpath).into_iter().filter(is_node).map(|item| item.node).collect()
    }

    /// Whether there is text or a picture below a node.
    fn has_content(&self, n: NodeId) -> bool {
        let dom = self.dom;
        let is_picture = |n: NodeId| matches!(dom.tag(n), Tag::IMG | Tag::VIDEO | Tag::AUDIO | Tag::IFRAME);
        dom.descendants(n).any(|n| !dom.text(n).trim().is_empty() || is_picture(n))
    }
}
