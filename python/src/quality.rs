//! Quality filters and masks of personal data on plain text.
use crate::errors::wrong_option;
use maintext_quality::{BadWords, Mask, Quality};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Checks a text with published quality filters.
#[pyfunction]
#[pyo3(signature = (text, *, language=None, filters=None, bad_words=None))]
pub fn quality<'py>(
    py: Python<'py>,
    text: &str,
    language: Option<&str>,
    filters: Option<Vec<String>>,
    bad_words: Option<&str>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut chosen = Quality::new(&filters.unwrap_or_else(|| vec!["fineweb-all".into()])).map_err(wrong_option)?;
    chosen.bad_words = bad_words.map(BadWords::new);
    let report = py.detach(|| chosen.check(text, language));
    let failed = report.failed.iter().map(|rule| {
        let row = PyDict::new(py);
        row.set_item("rule", rule.rule)?;
        row.set_item("value", rule.value)?;
        row.set_item("threshold", rule.threshold)?;
        row.set_item("reason", rule.to_string())?;
        Ok(row)
    });
    let out = PyDict::new(py);
    out.set_item("passes", report.passes())?;
    out.set_item("failed", failed.collect::<PyResult<Vec<_>>>()?)?;
    out.set_item("text", report.text.as_deref().unwrap_or(text))?;
    out.set_item("dropped_lines", report.dropped_lines)?;
    out.set_item("bad_words", report.bad_words)?;
    Ok(out)
}

/// Masks personal data in a text.
#[pyfunction]
#[pyo3(signature = (text, *, kinds=None, replacements=None))]
pub fn mask<'py>(
    py: Python<'py>,
    text: &str,
    kinds: Option<Vec<String>>,
    replacements: Option<std::collections::BTreeMap<String, String>>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut mask = Mask::new(&kinds.unwrap_or_else(|| vec!["all".into()])).map_err(wrong_option)?;
    for (kind, word) in replacements.unwrap_or_default() {
        let slot = match kind.as_str() {
            "email" => &mut mask.email,
            "phone" => &mut mask.phone,
            "card" => &mut mask.card,
            "ip" => &mut mask.ip,
            _ => {
                return Err(wrong_option(format!(
                    "unknown kind of data '{kind}'; the kinds are: email, phone, card, ip"
                )));
            }
        };
        // A replacement does not switch on a kind that was not chosen.
        if slot.is_some() {
            *slot = Some(word);
        }
    }
    let masked = py.detach(|| mask.apply(text));
    let out = PyDict::new(py);
    out.set_item("text", masked.text)?;
    for (kind, count) in
        [("email", masked.emails), ("phone", masked.phones), ("card", masked.cards), ("ip", masked.ips)]
    {
        out.set_item(kind, count)?;
    }
    Ok(out)
}
