//! The vacancy of a page that offers one: labels of its terms, and a control to apply.
use super::labels::Label;
use super::{Page, text_of, thing};
use crate::things::value::{Thing, Value};
use crate::things::{clean, money};
use maintext_facts::metadata::Stamp;
use maintext_facts::metadata::text::{dates, key};
use maintext_page::lexicon::lexicon;

/// Words of the addresses of vacancies.
const PATHS: &[&str] = lexicon!("job-addresses.txt");
/// Controls to apply, by their first words.
const APPLY: &[&str] = lexicon!("apply-buttons.txt");

/// Returns the vacancy that the page offers.
pub(super) fn job(page: &Page<'_>) -> Option<Thing> {
    let title = page.title.clone()?;
    let label = |l: Label| page.label(l).and_then(|p| clean::text(&p.value));
    let (employment, salary) = (label(Label::Employment), label(Label::Salary));
    let (place, employer, deadline) = (label(Label::Place), label(Label::Employer), label(Label::Deadline));
    let terms = [&employment, &salary, &deadline].iter().filter(|t| t.is_some()).count();
    let all = terms + usize::from(place.is_some()) + usize::from(employer.is_some());
    if terms == 0 || all < 2 {
        return None;
    }
    let applies = has_apply(page);
    if !applies && (all < 3 || !page.path_has(PATHS)) {
        return None;
    }
    let date = |l: Label| page.label(l).and_then(|p| day(page, &p.value)).map(|s| Value::Text(s.to_string()));
    let mut fields = vec![("title", Value::Text(title))];
    fields.extend(employer.map(|e| ("organization", Value::Text(e))));
    if let Some(place) = place {
        fields.push(("place", Value::List(vec![Value::object(vec![("name", Value::Text(place))])])));
    }
    fields.extend(employment.map(|e| ("employment_type", Value::List(vec![Value::Text(e)]))));
    fields.extend(salary.as_deref().and_then(pay).map(|s| ("salary", s)));
    fields.extend(date(Label::Posted).map(|d| ("date", d)));
    fields.extend(date(Label::Deadline).map(|d| ("valid_until", d)));
    fields.extend(label(Label::Reference).map(|r| ("id", Value::Text(r))));
    let content = page.facts.content;
    fields.extend(text_of(page.facts, content.0..content.1 + 1).map(|t| ("description", Value::Text(t))));
    Some(thing("JobPosting", 0.8, fields))
}

/// Returns whether the page has a control to apply.
fn has_apply(page: &Page<'_>) -> bool {
    let blocks = page.facts.blocks;
    (0..blocks.len()).any(|b| {
        let block = &blocks.blocks[b];
        block.chars <= 40 && !block.hidden && APPLY.contains(&&key(blocks.text(b))[..])
    })
}

/// Returns the date in a text.
fn day(page: &Page<'_>, text: &str) -> Option<Stamp> {
    dates::find(text, &page.facts.hint()).into_iter().next().map(|h| h.stamp)
}

/// Reads a salary: one or two amounts, a currency, a unit of time. `None` if there is no amount.
fn pay(text: &str) -> Option<Value> {
    const RANGES: [&str; 10] = ["–", "—", " - ", "-", " to ", " bis ", " à ", " a ", " до ", "～"];
    let split = RANGES.iter().find_map(|r| {
        let (low, high) = text.split_once(r)?;
        Some((amount(low)?, amount(high)?))
    });
    let (min, max) = match split {
        Some((low, high)) => (low, Some(high)),
        None => (amount(text)?, None),
    };
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '/' | '(' | ')')).filter(|w| !w.is_empty());
    let sign = |w: &str| {
        let sign: String = w
            .chars()
            .filter(|c| !c.is_ascii_digit() && !matches!(c, '.' | ',' | '-' | '–' | '—' | '\'' | ':'))
            .collect();
        money::currency(sign.trim_end_matches(['k', 'K']))
    };
    let mut fields = Vec::new();
    fields.extend(words.clone().find_map(sign).map(|c| ("currency", Value::Text(c.to_owned()))));
    fields.push(("min", Value::Text(min)));
    fields.extend(max.map(|m| ("max", Value::Text(m))));
    fields.extend(words.rev().find_map(|w| unit(&key(w))).map(|u| ("unit", Value::Text(u.to_owned()))));
    Some(Value::object(fields))
}

/// Returns an amount; `50k` is 50000.
fn amount(text: &str) -> Option<String> {
    let number = money::number(text)?;
    let after = &text[text.rfind(|c: char| c.is_ascii_digit())? + 1..];
    let thousands = after.trim_start().to_lowercase();
    let is_k = thousands.starts_with('k') && !thousands[1..].starts_with(char::is_alphabetic);
    let whole = number.bytes().all(|b| b.is_ascii_digit());
    Some(if is_k && whole && number.len() <= 4 { format!("{number}000") } else { number })
}

/// Returns the unit of time of a salary.
fn unit(word: &str) -> Option<&'static str> {
    let mut units = lexicon!("salary-units.txt").iter().filter_map(|line| line.split_once(' '));
    units.find(|(_, names)| names.split(' ').any(|n| n == word)).map(|u| u.0)
}

#[cfg(test)]
mod tests {
    use super::pay;

    fn json(text: &str) -> String {
        pay(text).map(|v| serde_json::to_string(&v).unwrap()).unwrap_or_default()
    }

    #[test]
    fn salaries_of_many_countries() {
        assert_eq!(
            json("€50,000 – 60,000 per year"),
            r#"{"currency":"EUR","min":"50000","max":"60000","unit":"YEAR"}"#
        );
        assert_eq!(json("3.200 EUR / Monat"), r#"{"currency":"EUR","min":"3200","unit":"MONTH"}"#);
        assert_eq!(json("$25k - $49k USD"), r#"{"currency":"USD","min":"25000","max":"49000"}"#);
        assert_eq!(json("12 000 zł / mies"), r#"{"currency":"PLN","min":"12000","unit":"MONTH"}"#);
        assert_eq!(json("negotiable"), "");
        assert_eq!(json(&"9".repeat(5000)), "");
    }
}
