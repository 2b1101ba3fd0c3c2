//! A part of an answer as the result of a call: as text, as structured content, or as both.
use super::AnswerForm;
use super::words::{HeadValue, Own, fenced};
use crate::config::ResultPlace;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value};

/// A part, without its body.
#[derive(Debug)]
pub struct AnswerPart<'a> {
    /// Facts about the page.
    pub head: Vec<(&'static str, HeadValue)>,
    /// The meaning of a line.
    pub legend: Option<&'static str>,
    /// The key of the body in structured content.
    pub name: &'static str,
    /// The unit of offsets, as a word.
    pub unit: &'static str,
    /// The number of these in the whole answer.
    pub total: usize,
    /// The offset of the next part.
    pub next: Option<usize>,
    /// The mark around the words of the page, which the page cannot know.
    pub mark: &'a str,
}

impl AnswerPart<'_> {
    /// Returns the part with its body, as text and as a value.
    pub fn written(&self, text: String, value: Value, form: AnswerForm) -> CallToolResult {
        let object = |value| Value::from(self.object(value));
        match form.results {
            ResultPlace::Text if form.json => texts(object(value).to_string()),
            ResultPlace::Text => texts(self.text(&text)),
            ResultPlace::Structured => {
                let summary = self.summary(&value);
                with_object(texts(summary), object(value))
            }
            // A client passes one of the two to its model: the text must be complete, too.
            ResultPlace::Both => {
                let object = object(value);
                let text = if form.json { object.to_string() } else { self.text(&text) };
                with_object(texts(text), object)
            }
        }
    }

    /// Returns the server's words, the page's words between marks, and the position where the rest begins.
    fn text(&self, body: &str) -> String {
        // A line break in a value would look like another field.
        let (mut out, mut of_site) = (String::new(), String::new());
        for (name, value) in &self.head {
            match value {
                HeadValue::Own(own) => out += &line(name, own.as_str()),
                HeadValue::Site(text) => of_site += &line(name, text),
            }
        }
        if !body.is_empty()
            && let Some(legend) = self.legend
        {
            out += &format!("{legend}\n");
        }
        if !of_site.is_empty() && !body.is_empty() {
            of_site.push('\n');
        }
        of_site += body;
        out += &fenced(self.mark, of_site.trim_end_matches('\n'));
        if let Some(next) = self.next {
            out += &format!("\n\n[next_offset: {next} of {} {}]", self.total, self.unit);
        }
        out
    }

    /// Returns all fields.
    fn object(&self, body: Value) -> Map<String, Value> {
        let mut out = Map::new();
        for (name, value) in &self.head {
            match out.get_mut(*name) {
                // Several warnings.
                Some(Value::String(earlier)) => *earlier += &format!("; {}", value.as_str()),
                _ => drop(out.insert((*name).to_owned(), value.as_str().into())),
            }
        }
        out.insert(self.name.to_owned(), body);
        out.insert(format!("total_{}", self.unit), self.total.into());
        out.insert("next_offset".into(), self.next.into());
        out
    }

    /// Returns the line that stands for structured content in a client that shows only text.
    fn summary(&self, body: &Value) -> String {
        let count = match body {
            Value::String(text) => text.chars().count(),
            Value::Array(items) => items.len(),
            _ => 0,
        };
        // Offsets count the white space around a part, which the part itself lacks.
        match self.next {
            Some(next) => format!("the {} before {next} of {} are in structuredContent", self.unit, self.total),
            None => format!("the last {count} {} are in structuredContent", self.unit),
        }
    }
}

fn line(name: &str, value: &str) -> String {
    format!("{name}: {}\n", value.replace(['\n', '\r'], " "))
}

/// Returns a small object with its summary in words.
pub fn object(label: &Own, object: Map<String, Value>, results: ResultPlace, mark: &str) -> CallToolResult {
    let (label, object) = (label.as_str(), Value::from(object));
    match results {
        ResultPlace::Text => texts(format!("{label}\n{}", fenced(mark, &object.to_string()))),
        ResultPlace::Both | ResultPlace::Structured => with_object(texts(label.to_owned()), object),
    }
}

fn texts(text: String) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn with_object(mut result: CallToolResult, object: Value) -> CallToolResult {
    result.structured_content = Some(object);
    result
}
