//! Fields set by the caller's rules.
use crate::metadata::text::dates::{Hint, find};
use crate::metadata::text::names::names;
use crate::metadata::text::{plain, push_new, squeeze};
use crate::metadata::{Metadata, Stamp, language};
use crate::rules::{FoundField, unmatched};
use maintext_page::dom::Dom;
use maintext_page::hash::HashSet;
use maintext_page::warnings::{Warning, WarningCode};
use url::Url;

/// Sets the fields named by rules, which come with the values that they find. A rule that finds nothing, or no valid value of its field, causes a warning.
pub fn apply(
    fields: &[FoundField<'_>],
    dom: &Dom,
    base: Option<&Url>,
    now: Option<Stamp>,
    out: &mut Metadata,
    warnings: &mut Vec<Warning>,
) {
    let mut done: Vec<&str> = Vec::new();
    for FoundField { rule, values: raw, warning } in fields {
        if done.contains(&rule.field) {
            continue;
        }
        let warning = warning.clone();
        let Some(first) = raw.first() else {
            let so = "the field keeps the value found elsewhere on the page";
            warnings.push(warning.unwrap_or_else(|| unmatched(&rule.selector, so)));
            continue;
        };
        warnings.extend(warning);
        if set(rule.field, raw, (dom, base), now, out) {
            done.push(rule.field);
            out.sources.insert(rule.field, format!("rule {}", rule.selector.as_str()));
        } else {
            let value: String = squeeze(first).chars().take(60).collect();
            let message = format!(
                "the selector '{}' finds '{value}', which is not a valid {}",
                rule.selector.as_str(),
                rule.field
            );
            warnings.push(Warning::new(WarningCode::SelectorNoMatch, message));
        }
    }
}

fn set(field: &str, raw: &[String], (dom, base): (&Dom, Option<&Url>), now: Option<Stamp>, out: &mut Metadata) -> bool {
    let texts: Vec<String> = raw.iter().map(|v| plain(v)).filter(|v| !v.is_empty()).collect();
    let first = texts.first().cloned();
    match field {
        "author" => {
            let mut list: Vec<String> = Vec::new();
            for text in &texts {
                let found = names(text);
                // The caller knows that this place holds a name, whatever it looks like.
                let found = if found.is_empty() { vec![text.clone()] } else { found };
                push_new(&mut list, found);
            }
            if list.is_empty() {
                return false;
            }
            out.author = Some(list.join(", "));
            out.authors = list;
            true
        }
        "date" => set_one(&mut out.date, first_date(&texts, out.language.as_deref(), now)),
        "date_modified" => set_one(&mut out.date_modified, first_date(&texts, out.language.as_deref(), now)),
        "title" => set_one(&mut out.title, first),
        "sitename" => set_one(&mut out.sitename, first),
        "description" => set_one(&mut out.description, first),
        "language" => set_one(&mut out.language, first.as_deref().and_then(language::tag)),
        "image" => set_one(&mut out.image, raw.first().and_then(|v| address(dom, base, v))),
        "url" => set_one(&mut out.url, raw.first().and_then(|v| address(dom, base, v))),
        "license" => {
            set_one(&mut out.license, raw.first().and_then(|v| address(dom, base, v).or_else(|| first.clone())))
        }
        "videos" => many(&mut out.videos, raw.iter().filter_map(|v| address(dom, base, v)).collect()),
        "categories" => many(&mut out.categories, texts),
        "tags" => many(&mut out.tags, texts),
        "breadcrumb" => many(&mut out.breadcrumb, texts),
        _ => false,
    }
}

/// Returns the first date in some texts.
fn first_date(texts: &[String], language: Option<&str>, now: Option<Stamp>) -> Option<String> {
    let hint = Hint { language: language.unwrap_or(""), now, ..Hint::default() };
    let stamp = texts.iter().find_map(|t| find(t, &hint).first().map(|h| h.stamp).or_else(|| Stamp::parse(t)));
    stamp.map(|s| s.to_string())
}

fn address(dom: &Dom, base: Option<&Url>, v: &str) -> Option<String> {
    maintext_page::address::parse(dom, v.trim(), base).ok().map(|u| u.to_string())
}

fn set_one(slot: &mut Option<String>, value: Option<String>) -> bool {
    let found = value.is_some();
    *slot = value.or(slot.take());
    found
}

fn many(slot: &mut Vec<String>, mut list: Vec<String>) -> bool {
    let mut seen = HashSet::default();
    list.retain(|v| seen.insert(v.clone()));
    let found = !list.is_empty();
    *slot = if found { list } else { std::mem::take(slot) };
    found
}
