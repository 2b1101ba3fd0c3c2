//! A part of an answer as the result of a call.
use super::words::{HeadValue, fenced};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value};

/// A part, without its body.
#[derive(Debug)]
pub struct AnswerPart<'a> {
    /// Facts about the page.
    pub head: Vec<(&'static str, HeadValue)>,
    /// The meaning of a line.
    pub legend: Option<&'static str>,
    /// The key of the body in JSON.
    pub name: &'static str,
    /// The unit of offsets, as a word.
    pub unit: &'static str,
    /// The number of these in the whole answer.
    pub total: usize,
    /// The offset of the next part.
    pub next: Option<usize>,
    /// Whether an item is cut.
    pub cut: bool,
    /// The mark around the words of the page, which the page cannot know.
    pub mark: &'a str,
}

impl AnswerPart<'_> {
    /// Returns the part with its body, which is given as text and as a value.
    pub fn written(&self, text: &str, value: Value, json: bool) -> CallToolResult {
        let text = if json { Value::from(self.object(value)).to_string() } else { self.text(text) };
        CallToolResult::success(vec![ContentBlock::text(text)])
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
        if self.cut {
            out += &format!("\n\n[cut; raise max_chars for whole {}]", self.unit);
        }
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
        if self.cut {
            out.insert("cut".into(), "raise max_chars".into());
        }
        out
    }
}

fn line(name: &str, value: &str) -> String {
    format!("{name}: {}\n", value.replace(['\n', '\r'], " "))
}
