//! Writes a backslash before a character that would otherwise be markup, and nowhere else, so that text stays readable.
use std::borrow::Cow;

/// The surroundings of a piece of text that decide whether its characters are markup.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around {
    /// The character before; a space at the beginning of a line, [`MARKUP`] after a delimiter.
    pub(super) before: char,
    /// The character after; a space at the end of a line, [`MARKUP`] before a delimiter.
    pub(super) after: char,
    /// Whether it begins a line.
    pub(super) line_start: bool,
    /// Whether it is inside the brackets of a link or an image.
    pub(super) in_link: bool,
    /// Whether a bracket or parenthesis of a link follows.
    pub(super) before_link: bool,
    pub(super) in_table: bool,
    /// Whether a tilde could find a partner in the paragraph.
    pub(super) tildes: bool,
    /// Whether a dollar sign could find a partner in the paragraph.
    pub(super) dollars: bool,
}

/// Represents a delimiter next to a text.
pub(super) const MARKUP: char = '*';

/// Represents a footnote reference before a text.
pub(super) const NOTE: char = ']';

/// Appends `text` so that a CommonMark parser returns exactly that text.
pub(super) fn text(text: &str, around: Around, out: &mut String) {
    let start = if around.line_start { line_start(text, around, out) } else { 0 };
    let mut before = text[..start].chars().next_back().unwrap_or(around.before);
    let mut from = start;
    for (i, c) in text[start..].char_indices().map(|(i, c)| (i + start, c)) {
        if c.is_ascii_punctuation() {
            let rest = &text[i + c.len_utf8()..];
            if c == '[' && i == 0 && before == NOTE {
                // Some parsers read even an escaped bracket there as the second half of a reference.
                out.push_str("&#91;");
                from = 1;
            } else if needs_escape(c, before, rest, around, i) {
                out.extend([&text[from..i], "\\"]);
                from = i;
            }
        }
        before = c;
    }
    out.push_str(&text[from..]);
}

fn needs_escape(c: char, before: char, rest: &str, around: Around, at: usize) -> bool {
    let after = rest.chars().next().unwrap_or(around.after);
    let edge = rest.is_empty() && around.after == MARKUP;
    let lonely = before.is_whitespace() && after.is_whitespace();
    match c {
        '\\' => after.is_ascii_punctuation(),
        '`' => true,
        '*' => !lonely || (at == 0 && around.line_start),
        '_' => !(lonely || (before.is_alphanumeric() && after.is_alphanumeric() && !edge)),
        '[' => around.in_link || after == '^' || before == '!' || (at == 0 && around.line_start && is_task(rest)),
        ']' => around.in_link || matches!(after, '(' | '[' | ':') || edge,
        '<' => after.is_ascii_alphabetic() || matches!(after, '/' | '!' | '?') || edge,
        '&' => is_entity(rest),
        '~' => around.tildes && !lonely,
        '$' => around.dollars,
        '|' => around.in_table,
        '(' => at == 0 && before == NOTE,
        '!' => rest.is_empty() && around.before_link,
        _ => false,
    }
}

/// Whether a text that begins a line with `[` is the box of a task list.
fn is_task(rest: &str) -> bool {
    let mut chars = rest.chars();
    matches!(chars.next(), Some(' ' | 'x' | 'X')) && chars.next() == Some(']')
}

/// Whether an ampersand followed by `rest` is a character reference.
pub(super) fn is_entity(rest: &str) -> bool {
    let rest = rest.strip_prefix('#').unwrap_or(rest).as_bytes();
    let name = rest.iter().take(40).take_while(|b| b.is_ascii_alphanumeric()).count();
    name > 0 && rest.get(name) == Some(&b';')
}

/// Escapes anything that would begin a block: list markers, headings, quotes, rules, table borders. Returns how many bytes it wrote.
fn line_start(text: &str, around: Around, out: &mut String) -> usize {
    let Some(first) = text.chars().next() else { return 0 };
    let after = |i: usize| text[i..].chars().next().unwrap_or(around.after);
    let ends_marker = |i: usize| after(i).is_whitespace() || (i == text.len() && around.after == MARKUP);
    let escape = match first {
        '#' => {
            let hashes = text.bytes().take_while(|&b| b == b'#').count();
            hashes <= 6 && ends_marker(hashes)
        }
        '>' | '|' => true,
        '-' => ends_marker(1) || is_border(text, &['-', ':', '|']),
        ':' => is_border(text, &['-', ':', '|']),
        '+' => ends_marker(1),
        '=' => is_border(text, &['=']),
        '0'..='9' => {
            let digits = text.bytes().take_while(u8::is_ascii_digit).count();
            if digits <= 9 && matches!(after(digits), '.' | ')') && digits < text.len() && ends_marker(digits + 1) {
                out.extend([&text[..digits], "\\", &text[digits..digits + 1]]);
                return digits + 1;
            }
            false
        }
        _ => false,
    };
    if escape {
        out.push('\\');
        out.push(first);
        return 1;
    }
    0
}

fn is_border(text: &str, set: &[char]) -> bool {
    text.chars().all(|c| c == ' ' || set.contains(&c))
}

/// Whether a pair of dollar signs in the text could be read as a formula.
pub(super) fn has_dollar_pair(text: &str) -> bool {
    let bytes = text.as_bytes();
    let opener = memchr::memchr_iter(b'$', bytes).find(|&i| bytes.get(i + 1).is_some_and(|b| !b.is_ascii_whitespace()));
    let Some(opener) = opener else { return false };
    memchr::memchr_iter(b'$', bytes).any(|i| i > opener && !bytes[i - 1].is_ascii_whitespace())
}

/// Returns the source of a formula for a place between dollar signs, such that a parser that does not know formulas reads no tag, address or
/// link in it. A space, which TeX ignores, separates the characters that would begin one.
pub(super) fn tex(source: &str) -> Cow<'_, str> {
    let splits: Vec<usize> = source
        .bytes()
        .enumerate()
        .filter(|&(i, b)| match b {
            b'<' => begins_markup(&source[i + 1..]),
            b']' => source[i + 1..].starts_with(['(', ':', '[']),
            _ => false,
        })
        .map(|(i, _)| i + 1)
        .collect();
    if splits.is_empty() {
        return Cow::Borrowed(source);
    }
    let mut out = String::with_capacity(source.len() + splits.len());
    let mut from = 0;
    for at in splits {
        out.extend([&source[from..at], " "]);
        from = at;
    }
    Cow::Owned(out + &source[from..])
}

/// Whether `<` before this source of a formula could begin a tag, a comment or an address. A name may also end with the formula: a line break
/// follows there.
fn begins_markup(rest: &str) -> bool {
    if rest.starts_with(['/', '!', '?']) {
        return true;
    }
    let name = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.')).count();
    let after = rest.as_bytes().get(name);
    rest.starts_with(|c: char| c.is_ascii_alphabetic())
        && after.is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b'/' | b'>' | b':' | b'@'))
}

/// Whether a parser that knows formulas reads the source between dollar signs unchanged.
pub(super) fn is_readable_tex(tex: &str) -> bool {
    let (mut depth, mut escaped) = (0i32, false);
    for b in tex.bytes() {
        match b {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'{' => depth += 1,
            b'}' => depth -= 1,
            // It would begin code for parsers that do not know formulas.
            b'`' => return false,
            // Inside braces, as in `\text{if $x$}`, a sign ends nothing.
            b'$' if depth == 0 => return false,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0 && !escaped && !tex.is_empty() && tex.trim() == tex
}

/// Whether a line with this source inside a paragraph begins no block.
pub(super) fn is_safe_line(tex: &str) -> bool {
    match tex.as_bytes().first() {
        Some(b'#' | b'>' | b'<' | b'|' | b':' | b'`' | b'~' | b'*' | b'_' | b'$') | None => false,
        Some(b'+') => !tex[1..].starts_with(' '),
        Some(b'-') => !tex[1..].starts_with([' ', '-']) && tex.len() > 1,
        Some(b'=') => !tex.bytes().all(|b| b == b'=' || b == b' '),
        Some(b'[') => !tex.starts_with("[^"),
        Some(b'0'..=b'9') => {
            let digits = tex.bytes().take_while(u8::is_ascii_digit).count();
            !tex[digits..].starts_with(['.', ')'])
        }
        _ => !tex.contains('\n'),
    }
}

/// Appends an address as the destination of a link: nothing in it ends the link or begins other markup.
pub(super) fn destination(url: &str, out: &mut String) {
    for (i, c) in url.char_indices() {
        match c {
            '(' => out.push_str("%28"),
            ')' => out.push_str("%29"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            '\\' => out.push_str("%5C"),
            '`' => out.push_str("%60"),
            '|' => out.push_str("%7C"),
            '$' => out.push_str("%24"),
            '&' if is_entity(&url[i + 1..]) => out.push_str("&amp;"),
            c if c.is_whitespace() || c.is_control() => out.push_str("%20"),
            c => out.push(c),
        }
    }
}

/// Appends the title of an image: `"` and backslashes are escaped, and nothing in it ends the line.
pub(super) fn title(title: &str, in_table: bool, out: &mut String) {
    out.push_str(" \"");
    for (i, word) in title.split_whitespace().enumerate() {
        if i > 0 {
            out.push(' ');
        }
        for c in word.chars() {
            match c {
                '"' | '\\' | '`' | '$' | '<' | '&' | '*' | '_' | '~' => out.extend(['\\', c]),
                '|' if in_table => out.push_str("\\|"),
                c => out.push(c),
            }
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(s: &str) -> String {
        let around = Around {
            before: ' ',
            after: ' ',
            line_start: true,
            in_link: false,
            before_link: false,
            in_table: false,
            tildes: false,
            dollars: false,
        };
        let mut out = String::new();
        text(s, around, &mut out);
        out
    }

    #[test]
    fn ordinary_text_stays_as_it_is() {
        for s in [
            "A sentence (with brackets) - and a dash, 5 > 3, a & b, C:\\dir, snake_case_name, #hashtag, 3.5%, [edit] [1].",
            "AT&T, 2 * 3 = 6; 1986; f(x) | g(x); ~5 km; $5; wow!",
            "-5 degrees",
            "1.5 million",
            "#1 hit",
        ] {
            assert_eq!(line(s), s);
        }
    }

    #[test]
    fn characters_that_would_be_markup_are_escaped() {
        for (s, want) in [
            ("# not a heading", "\\# not a heading"),
            ("- no list", "\\- no list"),
            ("+ no list", "\\+ no list"),
            ("* no list", "\\* no list"),
            ("1986. A year", "1986\\. A year"),
            ("2) two", "2\\) two"),
            ("> no quote", "\\> no quote"),
            ("---", "\\---"),
            ("===", "\\==="),
            (":--|--:", "\\:--|--:"),
            ("| a |", "\\| a |"),
            ("*stars* and _lines_", "\\*stars\\* and \\_lines\\_"),
            ("a*b*c", "a\\*b\\*c"),
            ("<b>tag</b>", "\\<b>tag\\</b>"),
            ("&amp; &#38;", "\\&amp; \\&#38;"),
            ("[a](b)", "[a\\](b)"),
            ("[a]: b", "[a\\]: b"),
            ("[^1]", "\\[^1]"),
            ("![a]", "!\\[a]"),
            ("[x] done", "\\[x] done"),
            ("`code`", "\\`code\\`"),
            ("a\\*b", "a\\\\\\*b"),
        ] {
            assert_eq!(line(s), want);
        }
    }

    #[test]
    fn prices_are_not_formulas() {
        assert!(!has_dollar_pair("$5 to $10, $20"));
        assert!(!has_dollar_pair("only $5"));
        assert!(has_dollar_pair("$x$ and"));
        assert!(has_dollar_pair("$5 or 6$"));
    }

    #[test]
    fn tex_that_a_parser_would_misread_is_recognised() {
        assert!(is_readable_tex("x_{i}^{2}+\\frac{a}{b}"));
        assert!(is_readable_tex("\\{a\\} * b_c | \\$5"));
        assert!(is_readable_tex("\\text{if $x$}"));
        assert!(!is_readable_tex("a $ b"));
        assert!(!is_readable_tex("{a"));
        assert!(!is_readable_tex("a\\"));
        assert!(is_safe_line("\\frac{a}{b}"));
        assert!(is_safe_line("= b"));
        assert!(is_safe_line("-x + 2"));
        assert!(!is_safe_line("=="));
        assert!(!is_safe_line("- x"));
        assert!(!is_safe_line("1. x"));
    }
}
