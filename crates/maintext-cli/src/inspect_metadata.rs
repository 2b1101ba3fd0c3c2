//! `maintext inspect --metadata`: the candidates for title, authors and date, and the reasons for the choice.
use maintext_core::metadata::{self, Candidate, Candidates, Metadata, Settings};
use maintext_core::{Choice, View};
use serde::Serialize;
use std::fmt::Write;
use url::Url;

/// Maximum number of candidates shown for a field.
const SHOWN: usize = 8;
/// Maximum number of reasons shown.
const REASONS: usize = 6;

/// The output of the command, as text or JSON.
#[derive(Serialize)]
pub struct MetadataReport {
    candidates: Candidates,
    metadata: Metadata,
}

impl MetadataReport {
    /// Reads the metadata of a page whose content is chosen.
    pub fn new(view: &View<'_>, choice: &Choice, now: Option<metadata::Stamp>) -> MetadataReport {
        let base = view.url.and_then(|u| Url::parse(u).ok());
        let settings = Settings { base: base.as_ref(), now, rankers: None };
        MetadataReport {
            candidates: metadata::candidates(view, choice, &settings),
            metadata: metadata::extract(view, choice, &settings),
        }
    }

    /// A JSON object with `candidates` and `metadata`.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Returns the report as text.
    pub fn text(&self, source: &str) -> String {
        let m = &self.metadata;
        let mut out = String::new();
        let date = m.date.as_deref().and_then(|d| d.get(..10)).map(str::to_owned);
        field(&mut out, "title", m.title.as_deref(), &self.candidates.title, source);
        field(&mut out, "author", m.author.as_deref(), &self.candidates.author, source);
        field(&mut out, "date", date.as_deref(), &self.candidates.date, source);
        out.push_str("other fields\n");
        let serde_json::Value::Object(all) = serde_json::to_value(m).unwrap_or_default() else { return out };
        let sources = &m.sources;
        for (name, value) in &all {
            let shown = match value {
                serde_json::Value::Null | serde_json::Value::Object(_) => continue,
                serde_json::Value::Array(list) if list.is_empty() => continue,
                serde_json::Value::String(s) => s.clone(),
                other => other.to_string(),
            };
            if matches!(name.as_str(), "title" | "author" | "authors" | "date" | "metadata_sources") {
                continue;
            }
            let from = sources.get(name.as_str()).map(|s| format!("  [{s}]")).unwrap_or_default();
            let _ = writeln!(out, "  {name}: {}{from}", cut(&shown, 160));
        }
        out
    }
}

fn field(out: &mut String, name: &str, chosen: Option<&str>, all: &[Candidate], source: &str) {
    let _ = match chosen {
        Some(value) => writeln!(out, "{name}: {}", cut(value, 120)),
        None if all.is_empty() => writeln!(out, "{name}: no candidates on the page"),
        None => writeln!(out, "{name}: none; no {name} at all is more likely than the best candidate"),
    };
    let won = chosen.is_some() && all.first().is_some_and(|c| c.value.starts_with(chosen.unwrap_or("")));
    if !all.is_empty() {
        out.push_str("    score   prob  value and its sources\n");
    }
    for (i, c) in all.iter().take(SHOWN).enumerate() {
        let mark = if i == 0 && won { '>' } else { ' ' };
        let _ = writeln!(out, "  {mark} {:5.1}  {:5.3}  {}", c.score, c.probability, cut(&c.value, 100));
        let places: Vec<String> = c.evidence.iter().take(6).map(|e| place(e, source)).collect();
        let more = c.evidence.len().saturating_sub(6);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let _ = writeln!(out, "                  {}{more}", places.join("; "));
    }
    if all.len() > SHOWN {
        let _ = writeln!(out, "                  ... and {} more candidates", all.len() - SHOWN);
    }
    if let Some(best) = all.first() {
        why(out, best, all.get(1));
    }
    out.push('\n');
}

fn place(e: &metadata::Evidence, source: &str) -> String {
    let line = e.span.as_ref().and_then(|s| source.get(..s.start as usize)).map(|s| s.matches('\n').count() + 1);
    let line = line.map(|l| format!(", line {l}")).unwrap_or_default();
    let block = e.block.map(|b| format!(", block {b}")).unwrap_or_default();
    format!("{}{line}{block}", e.key)
}

/// Writes the features that favour the best candidate over the second.
fn why(out: &mut String, best: &Candidate, second: Option<&Candidate>) {
    let mut reasons: Vec<(String, f32)> = Vec::new();
    for c in [Some(best), second].into_iter().flatten() {
        for (name, ..) in &c.features {
            let gain = part_of(best, name) - second.map_or(0.0, |s| part_of(s, name));
            if gain != 0.0 && !reasons.iter().any(|r| r.0 == *name) {
                reasons.push((name.clone(), gain));
            }
        }
    }
    reasons.push(("trees".into(), score_of_trees(best) - second.map_or(0.0, score_of_trees)));
    reasons.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let shown: Vec<String> = reasons.iter().take(REASONS).map(|(n, g)| format!("{n} {g:+.1}")).collect();
    let against = if second.is_some() { "first over second" } else { "reasons" };
    let _ = writeln!(out, "    {against}: {}", shown.join(", "));
}

fn part_of(c: &Candidate, name: &str) -> f32 {
    c.features.iter().find(|f| f.0 == name).map_or(0.0, |f| f.1 * f.2)
}

fn score_of_trees(c: &Candidate) -> f32 {
    c.score - c.features.iter().map(|f| f.1 * f.2).sum::<f32>()
}

/// Returns at most `n` characters, without control characters, which could manipulate a terminal.
fn cut(text: &str, n: usize) -> String {
    let mut out: String = text.chars().filter(|c| !c.is_control()).take(n).collect();
    if text.chars().count() > n {
        out.push('…');
    }
    out
}
