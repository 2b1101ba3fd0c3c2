//! Ingredients and instructions as declarations state them.
use super::RecipePart;
use super::lines;
use super::words::RecipeWords;
use crate::things::items::ItemValue;
use crate::things::names::plain;
use crate::things::{Sources, clean};
use maintext_page::dom::Tag;

/// Maximum number of lines of a list.
const MAX_LINES: usize = 1_000;
/// Maximum number of values that are read, so that objects which refer to each other end.
const MAX_VALUES: usize = 2_000;
/// Maximum number of objects around a line.
const MAX_DEPTH: usize = 5;

/// Collects lines into parts.
struct PartCollector<'s> {
    sources: &'s Sources<'s>,
    parts: Vec<RecipePart>,
    count: usize,
    visited: usize,
    words: &'static RecipeWords,
    /// Number of values of the property.
    values: usize,
}

/// Returns the ingredients of the values of a property.
pub(in crate::things) fn ingredients(sources: &Sources<'_>, values: &[&ItemValue]) -> Vec<RecipePart> {
    collect(sources, values, PartCollector::ingredient)
}

/// Returns the steps of the values of a property.
pub(in crate::things) fn steps(sources: &Sources<'_>, values: &[&ItemValue]) -> Vec<RecipePart> {
    let mut parts = collect(sources, values, PartCollector::step);
    super::drop_repetitions(&mut parts);
    parts
}

fn collect<'s>(
    sources: &'s Sources<'s>,
    values: &[&ItemValue],
    read: fn(&mut PartCollector<'s>, &ItemValue, usize),
) -> Vec<RecipePart> {
    let words = RecipeWords::shared();
    let mut all = PartCollector { sources, parts: Vec::new(), count: 0, visited: 0, words, values: values.len() };
    values.iter().for_each(|value| read(&mut all, value, 0));
    all.parts.retain(|p| !p.lines.is_empty());
    all.parts
}

impl PartCollector<'_> {
    fn open(&mut self, name: &str) {
        self.parts.push(RecipePart { name: Some(name.to_owned()), lines: Vec::new() });
    }

    fn push(&mut self, line: String) {
        if line.is_empty() || self.words.is_noise(&line) {
            return;
        }
        if self.count >= MAX_LINES {
            self.sources.leave_out(1);
            return;
        }
        self.count += 1;
        if self.parts.is_empty() {
            self.parts.push(RecipePart::default());
        }
        if let Some(part) = self.parts.last_mut() {
            part.lines.push(line);
        }
    }

    /// Counts a value; returns whether it may be read.
    fn visit(&mut self, depth: usize) -> bool {
        self.visited += 1;
        self.visited <= MAX_VALUES && depth <= MAX_DEPTH
    }

    /// Returns the lines of a text or of the element that states it.
    fn lines(&self, text: &str, node: Option<maintext_page::dom::NodeId>) -> Vec<String> {
        let dom = self.sources.facts.dom;
        match node.filter(|n| dom.first_child(*n).is_some()) {
            Some(n) if self.values > 2 || matches!(dom.tag(n), Tag::LI | Tag::TR) => {
                super::visible::rows_of(self.sources, self.words, n, true)
            }
            Some(n) => super::visible::rows_of(self.sources, self.words, n, false),
            None => clean::lines(text),
        }
    }

    fn ingredient(&mut self, value: &ItemValue, depth: usize) {
        if !self.visit(depth) {
            return;
        }
        let items = &self.sources.items;
        match value {
            ItemValue::Text(text, node) => {
                for line in self.lines(text, *node) {
                    let line = lines::tidy(&line);
                    match lines::group_name(&line) {
                        Some(name) => self.open(name),
                        None => self.push(line),
                    }
                }
            }
            ItemValue::Item(i) => {
                let inner: Vec<&ItemValue> = ["itemListElement", "recipeIngredient"]
                    .iter()
                    .flat_map(|p| items.values(*i, p))
                    .take(MAX_LINES)
                    .collect();
                if inner.is_empty() {
                    let amount = items.text(*i, &["amount", "quantity", "requiredQuantity", "value"]).unwrap_or("");
                    let unit = items.text(*i, &["unitText", "unit"]).unwrap_or("");
                    let name = items.text(*i, &["text", "name", "item"]).unwrap_or("");
                    let line = if name.contains(amount) { name.to_owned() } else { format!("{amount} {unit} {name}") };
                    if let Some(line) = clean::text(&line) {
                        self.push(lines::tidy(&line));
                    }
                    return;
                }
                if let Some(name) = items.text(*i, &["name"]).and_then(clean::text) {
                    self.open(&name);
                }
                for value in inner {
                    self.ingredient(value, depth + 1);
                }
            }
        }
    }

    fn step(&mut self, value: &ItemValue, depth: usize) {
        if !self.visit(depth) {
            return;
        }
        let items = &self.sources.items;
        match value {
            ItemValue::Text(text, node) => {
                // The code of a list as a text.
                if text.starts_with("[{") || text.starts_with("{\"") {
                    return;
                }
                let lines = self.lines(text, *node);
                let is_one = lines.len() == 1 && self.values == 1 && depth == 0;
                for line in lines {
                    let cut = if is_one { lines::at_glue(&line) } else { vec![line] };
                    cut.iter().for_each(|line| self.text(line));
                }
            }
            ItemValue::Item(i) => {
                let name = items
                    .text(*i, &["name", "Name"])
                    .and_then(clean::text)
                    .map(|n| lines::step(&n))
                    .unwrap_or_default();
                let inner: Vec<&ItemValue> = ["itemListElement", "steps", "step"]
                    .iter()
                    .flat_map(|p| items.values(*i, p))
                    .take(MAX_LINES)
                    .collect();
                let is_section = items.get(*i).kinds.iter().any(|k| k == "HowToSection" || k == "ItemList");
                let text = own_text(self.sources, *i);
                if !inner.is_empty() {
                    if is_section && !name.is_empty() {
                        self.open(&name);
                    } else if !name.is_empty() && !inner.iter().any(|v| starts_with(self.sources, v, &name)) {
                        self.push(name);
                    }
                    for value in inner {
                        self.step(value, depth + 1);
                    }
                    return;
                }
                let text = text.unwrap_or_default();
                let has_name = plain(&lines::step(&text)).starts_with(&plain(&name))
                    || name.ends_with('…')
                    || name.ends_with("...");
                if text.is_empty() {
                    self.push(name);
                    return;
                }
                if !has_name {
                    self.push(name);
                }
                self.text(&text);
            }
        }
    }

    /// Adds a text that may hold several steps.
    fn text(&mut self, line: &str) {
        let line = lines::tidy(line);
        for line in lines::at_numbers(&line).unwrap_or_else(|| vec![line]) {
            self.push(lines::step(&line));
        }
    }
}

/// Returns the text of a step, in one line.
fn own_text(sources: &Sources<'_>, item: usize) -> Option<String> {
    let value = sources.items.values(item, "text").chain(sources.items.values(item, "description")).next()?;
    match value {
        ItemValue::Text(text, _) => Some(clean::lines(text).join(" ")),
        ItemValue::Item(_) => sources.items.text_of(value).and_then(clean::text),
    }
}

/// Returns whether a step inside another begins with its name.
fn starts_with(sources: &Sources<'_>, value: &ItemValue, name: &str) -> bool {
    let text = match value {
        ItemValue::Text(text, _) => clean::text(text),
        ItemValue::Item(i) => own_text(sources, *i),
    };
    text.is_some_and(|t| plain(&t).starts_with(&plain(name)))
}
