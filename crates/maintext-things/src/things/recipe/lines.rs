//! Lines of recipes: quantities, numbers of steps, and repairs of lines that programs break.
use super::words::{NUTRIENT_WORDS, PURPOSE_WORDS, STEP_WORDS, YIELD_WORDS};
use crate::things::names::plain;
use maintext_facts::metadata::text::squeeze;

/// Maximum length of a number of a step, in digits.
const MAX_STEP_DIGITS: usize = 2;
/// Maximum length of a name of a group, in characters.
const MAX_GROUP_NAME: usize = 70;

/// Returns a line as printed: without bullets, doubled parentheses and spaces before commas, which templates leave.
pub(super) fn tidy(line: &str) -> String {
    let line = line.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '•' | '▢' | '☐' | '□' | '◦' | '▪' | '●' | '·' | '✓' | '\u{feff}')
    });
    let line = ["- ", "* "].iter().find_map(|b| line.strip_prefix(b)).unwrap_or(line);
    let mut out = squeeze(line);
    if out.contains(" ,") {
        out = out.replace(" ,", ",");
    }
    if out.contains("((") && out.contains("))") {
        out = out.replace("((", "(").replace("))", ")");
    }
    if out.ends_with(" *") { squeeze(out.trim_end_matches(" *")) } else { out }
}

/// Returns a step without its number.
pub(super) fn step(line: &str) -> String {
    let line = tidy(line);
    if is_step_name(&line) || ends_with_step_name(&line) {
        return String::new();
    }
    match after_step_name(&line).or_else(|| numbered(&line).map(|n| n.1)) {
        Some(rest) if rest.chars().any(char::is_alphabetic) => rest.trim_start().to_owned(),
        _ => line,
    }
}

/// Returns the number of a step and its text: `2. Boil the water.`
pub(super) fn numbered(line: &str) -> Option<(u32, &str)> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || digits > MAX_STEP_DIGITS {
        return None;
    }
    let rest = &line[digits..];
    let text = rest.strip_prefix(['.', ')', ':', '、', '．']).or_else(|| rest.strip_prefix(".-"))?;
    // `1.5 l` is a quantity.
    let is_number = text.starts_with(|c: char| c.is_ascii_digit());
    (!is_number).then_some((line[..digits].parse().ok()?, text))
}

/// Returns whether a line is only the name of a step: `Step 1`, `1. Adım`, `2.`
pub(super) fn is_step_name(line: &str) -> bool {
    line.len() < 40
        && (!line.chars().any(char::is_alphabetic)
            || after_step_name(line).is_some_and(|r| !r.contains(char::is_alphabetic))
            || numbered(line).is_some_and(|(_, name)| STEP_WORDS.contain(&name.trim().to_lowercase())))
}

/// Returns whether a heading is the name of a step with its number: `Step 1`.
pub(super) fn is_step_heading(line: &str) -> bool {
    line.len() < 40 && after_step_name(line).is_some_and(str::is_empty)
}

/// Returns whether a short line ends with the name of a step: `Apple pie: step 2`.
fn ends_with_step_name(line: &str) -> bool {
    let mut words = line.rsplitn(3, ' ');
    let (Some(number), Some(word)) = (words.next(), words.next()) else { return false };
    let is_number = !number.is_empty() && number.len() <= MAX_STEP_DIGITS && number.bytes().all(|b| b.is_ascii_digit());
    line.len() < 80 && is_number && STEP_WORDS.contain(&word.to_lowercase())
}

/// Returns the text after `Step 1`, `Step 1:`.
fn after_step_name(line: &str) -> Option<&str> {
    if !STEP_WORDS.may_begin(line) {
        return None;
    }
    let lower = line[..line.floor_char_boundary(24)].to_lowercase();
    let rest = STEP_WORDS.after(&lower)?.trim_start_matches([' ', '\u{a0}', '-', '#']);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || digits > MAX_STEP_DIGITS {
        return None;
    }
    // The number is the first one of the line, as no word for `step` holds a digit.
    let number = line.find(|c: char| c.is_ascii_digit())?;
    Some(
        line[number + digits..]
            .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ':' | ')' | '-' | '–')),
    )
}

/// Returns whether a line is the name of a group: short, with a colon at its end, and without a quantity.
pub(super) fn is_group_name(line: &str) -> bool {
    (line.ends_with([':', '：']) || names_purpose(line))
        && line.len() <= 4 * MAX_GROUP_NAME
        && line.chars().count() <= MAX_GROUP_NAME
        && !has_quantity(line)
}

/// Returns the name of a group, without its colon.
pub(super) fn group_name(line: &str) -> Option<&str> {
    let heading = line.strip_prefix('#').map(|l| l.trim_start_matches(['#', ' '])).filter(|l| !l.is_empty());
    let name = heading.or_else(|| is_group_name(line).then_some(line))?;
    Some(name.trim_end_matches([':', '：', ' '])).filter(|n| !n.is_empty())
}

/// Returns whether a line names the purpose of its ingredients: `For the sauce`.
fn names_purpose(line: &str) -> bool {
    PURPOSE_WORDS.may_begin(line)
        && !line.ends_with('.')
        && line.split_whitespace().count() <= 6
        && PURPOSE_WORDS.after(&line.to_lowercase()).is_some()
}

/// Returns whether a line says for how many people the quantities are: `4 portions`.
pub(super) fn is_yield(line: &str) -> bool {
    line.len() < 40
        && has_quantity(line)
        && line.split_whitespace().count() <= 4
        && YIELD_WORDS.is_in(&line.to_lowercase())
}

/// Returns whether a line among ingredients is not one: a number of a scaler, a question, an invitation.
pub(super) fn is_remark(line: &str) -> bool {
    !line.contains(char::is_alphabetic) || !has_quantity(line) && line.ends_with(['?', '!', '？', '！'])
}

/// Returns whether a line is about nutrition.
pub(super) fn is_nutrition(line: &str) -> bool {
    line.len() < 80
        && has_quantity(line)
        && (line.ends_with('%') || {
            let lower = line.to_lowercase();
            NUTRIENT_WORDS.is_in(&lower) || lower.contains("kj")
        })
}

/// Returns the number without a point at the beginning of a step: `2 Boil the water`.
pub(super) fn bare_number(line: &str) -> Option<(u32, &str)> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || digits > MAX_STEP_DIGITS {
        return None;
    }
    let rest = line[digits..].strip_prefix(' ')?;
    rest.starts_with(char::is_uppercase).then_some((line[..digits].parse().ok()?, rest))
}

/// Returns whether a line begins with a quantity, or holds one.
pub(super) fn has_quantity(line: &str) -> bool {
    line.chars().any(|c| c.is_ascii_digit() || matches!(c, '¼'..='¾' | '⅐'..='⅞' | '０'..='９'))
}

/// Cuts one text into the steps that it numbers: `1. Boil. 2. Serve.`
pub(super) fn at_numbers(text: &str) -> Option<Vec<String>> {
    let (first, _) = numbered(text)?;
    let mut cuts = vec![0];
    let mut next = first + 1;
    for (at, _) in text
        .match_indices(char::is_whitespace)
        .chain(text.match_indices(['.', '。', '!', ')']))
        .collect::<std::collections::BTreeMap<_, _>>()
    {
        let from = at + text[at..].chars().next().map_or(1, char::len_utf8);
        if numbered(&text[from..]).is_some_and(|(n, _)| n == next) {
            cuts.push(from);
            next += 1;
        }
    }
    cuts.push(text.len());
    (cuts.len() > 2).then(|| cuts.windows(2).map(|c| text[c[0]..c[1]].trim().to_owned()).collect())
}

/// Cuts a text where a sentence ends without a space after it: a program removed the border between two lines.
pub(super) fn at_glue(text: &str) -> Vec<String> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let (mut out, mut from) = (Vec::new(), 0);
    for w in chars.windows(4) {
        let is_end = matches!(w[1].1, '.' | '!' | '?') && (w[0].1.is_lowercase() || matches!(w[0].1, ')' | '°'));
        if is_end && w[2].1.is_uppercase() && (w[3].1.is_lowercase() || w[3].1 == ' ') {
            out.push(text[from..w[2].0].trim().to_owned());
            from = w[2].0;
        }
    }
    out.push(text[from..].trim().to_owned());
    out
}

/// Returns whether two lines differ only in spaces, and the first one has those between numbers and units: `400 g`, not `400g`.
pub(super) fn divides_units(line: &str, other: &str) -> bool {
    is_glued(other) && !is_glued(line) && without_spaces(line) == without_spaces(other)
}

fn is_glued(l: &str) -> bool {
    l.chars().zip(l.chars().skip(1)).any(|(a, b)| a.is_ascii_digit() && b.is_alphabetic())
}

fn without_spaces(l: &str) -> String {
    l.chars().filter(|c| !c.is_whitespace()).collect::<String>()
}

/// Returns the last word of a line as a key: of an ingredient its name, in whatever quantity and unit.
pub(super) fn last_word(line: &str) -> String {
    line.split_whitespace().rev().map(plain).find(|k| !k.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::is_step_name;

    #[test]
    fn a_number_may_be_before_or_after_the_word_for_a_step() {
        for name in ["Step 1", "1. Step", "2. Adım", "3"] {
            assert!(is_step_name(name), "{name}");
        }
        assert!(!is_step_name("1. Boil the water.") && !is_step_name("Step back"));
    }
}
