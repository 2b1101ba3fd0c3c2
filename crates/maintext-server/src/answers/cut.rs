//! The length of text in an answer, and places to cut it.

/// Returns the length of a character in a JSON string, in UTF-16 units, which no client counts as more.
fn cost(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => c.len_utf16(),
    }
}

/// Returns the length of a text in a JSON string, without the quotes.
pub fn json_len(text: &str) -> usize {
    text.chars().map(cost).sum()
}

/// Returns the text, or its beginning with an ellipsis, in at most `room` units of JSON.
pub fn shortened(text: &str, room: usize) -> String {
    if json_len(text) <= room {
        return text.to_owned();
    }
    let end = fitting(text, room.saturating_sub(1));
    format!("{}\u{2026}", text[..end].trim_end())
}

/// Returns the number of bytes of the longest beginning in at most `room` units of JSON.
fn fitting(text: &str, room: usize) -> usize {
    let mut used = 0;
    let over = text.char_indices().find(|(_, c)| {
        used += cost(*c);
        used > room
    });
    over.map_or(text.len(), |(i, _)| i)
}

/// Returns the number of bytes of the part of a text that fits `room` units of JSON and ends at the border of a paragraph; if its
/// last paragraph is long, of a line, a sentence, or a word. At least one character, unless the text is empty.
pub fn part(text: &str, room: usize) -> usize {
    let end = fitting(text, room);
    if end == text.len() {
        return end;
    }
    let end = end.max(text.chars().next().map_or(0, char::len_utf8));
    // The place after the last border in the part, if that is not too early.
    let after = |borders: &[&str], least: usize| {
        borders
            .iter()
            .filter_map(|b| text[..end].rfind(*b).map(|i| i + b.trim_end_matches(' ').len()))
            .max()
            .filter(|i| *i > least)
    };
    let border = after(&["\n\n"], end / 4)
        .or_else(|| after(&["\n"], end / 3))
        .or_else(|| after(&[". ", "? ", "! ", "\u{3002}", "\u{ff1f}", "\u{ff01}"], end / 3))
        .or_else(|| after(&[" "], end / 2));
    let cut = border.unwrap_or(end);
    // White space at the border belongs to this part.
    cut + (text[cut..].len() - text[cut..].trim_start().len())
}

/// Returns an item in at most `room` units: whole, or up to its last sentence, line or field that fits, or else its last word, with an
/// ellipsis. No address and no number is cut.
pub fn item(text: &str, room: usize) -> String {
    if json_len(text) <= room {
        return text.to_owned();
    }
    // An item with an empty line after it keeps the line.
    let end = if text.ends_with('\n') { "\u{2026}\n" } else { "\u{2026}" };
    let fits = &text[..fitting(text, room.saturating_sub(json_len(end)))];
    let borders = ["\n", " | ", ". ", "? ", "! ", "\u{3002}", "\u{ff1f}", "\u{ff01}"];
    let border = borders.iter().filter_map(|b| fits.rfind(b).map(|i| i + b.trim_end().len())).max();
    let cut = border.filter(|i| 2 * i > fits.len()).unwrap_or_else(|| {
        let space = fits.rfind(char::is_whitespace).unwrap_or(0);
        let word = text[space..].split_whitespace().next().unwrap_or("");
        // Chinese and Japanese have no spaces between words.
        if word.is_ascii() || word.contains("://") { space } else { fits.len() }
    });
    format!("{}{end}", fits[..cut].trim_end_matches(['|', ' ', '\n']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_cut_between_sentences_and_never_in_an_address_or_a_number() {
        let entry = "- A walk to the herons | 2024-05-17 | https://example.org/walks/1";
        let passage = "1. Prices\nA ticket costs 12.50 pounds. Children pay 7.25 pounds on weekdays.\nhttps://example.org/#:~:text=A\n";
        for text in [entry, passage] {
            for room in 0..=json_len(text) {
                let cut = item(text, room);
                assert!(json_len(&cut) <= room.max(2 + json_len("\u{2026}")), "{room}: {cut}");
                let whole = cut.trim_end_matches(['\u{2026}', '\n']);
                let next = text[whole.len()..].chars().next();
                assert!(text.starts_with(whole) && (whole.is_empty() || next.is_none_or(char::is_whitespace)), "{cut}");
            }
        }
        assert_eq!(item(entry, 60), "- A walk to the herons | 2024-05-17\u{2026}");
        assert_eq!(item(passage, 70), "1. Prices\nA ticket costs 12.50 pounds.\u{2026}\n");
        assert_eq!(item("\u{4e2d}\u{6587}\u{4e2d}\u{6587}", 3), "\u{4e2d}\u{6587}\u{2026}");
    }

    #[test]
    fn the_length_is_that_of_json() {
        for text in ["plain", "a \"b\" \\ c\n\t\u{1}\u{8}", "\u{e9}\u{4e2d}\u{1f600}", "\u{7f}\u{2028}"] {
            let written = serde_json::Value::from(text).to_string();
            assert_eq!(json_len(text) + 2, written.encode_utf16().count(), "{text:?}");
        }
    }

    #[test]
    fn parts_end_at_borders_and_make_the_whole() {
        let text = format!("# Two herons\n\n{}\n\n{}\n\nEnd.", "They stood still. ".repeat(9), "word ".repeat(40));
        for room in [1, 2, 7, 60, 100, 250, 1000] {
            let (mut rest, mut parts) = (text.as_str(), Vec::new());
            while !rest.is_empty() {
                let n = part(rest, room);
                assert!(n > 0 && json_len(rest[..n].trim_end()) <= room.max(2), "{room}: {:?}", &rest[..n]);
                parts.push(&rest[..n]);
                rest = &rest[n..];
            }
            assert_eq!(parts.concat(), text);
        }
        assert!(text[..part(&text, 250)].ends_with("still. \n\n"));
        assert!(text[..part(&text, 120)].ends_with("still. "), "{:?}", &text[..part(&text, 120)]);
        assert_eq!(part("\u{1f600}\u{1f600}", 1), 4);
        assert_eq!((shortened("herons", 6), shortened("herons fly", 8)), ("herons".into(), "herons\u{2026}".into()));
    }
}
