//! Cleans TeX source and recognises it among prose.
use super::symbols;
use crate::dom::single_spaced;
use crate::lexicon::lexicon;

/// Returns the source without comments, with white space collapsed, without the delimiters and the `{\displaystyle …}` around it; `""` if it
/// only defines commands.
pub(super) fn clean(tex: &str) -> String {
    let tex = without_comments(tex);
    let collapsed = single_spaced(tex.as_deref().unwrap_or_default());
    let inner = strip_style(delimited(&collapsed).map_or(&*collapsed, |d| d.0));
    let inner = trim(inner);
    if is_definition(inner) { String::new() } else { renderable(inner) }
}

/// Returns the source in the environments that renderers of pages know: KaTeX has neither `eqnarray` nor `multline` nor `\label`, and an
/// `equation` must not hold `align`.
fn renderable(tex: &str) -> String {
    const NAMES: [(&str, &str, &str); 4] = [
        ("eqnarray*", "\\begin{array}{rcl}", "\\end{array}"),
        ("eqnarray", "\\begin{array}{rcl}", "\\end{array}"),
        ("multline*", "\\begin{gather*}", "\\end{gather*}"),
        ("multline", "\\begin{gather*}", "\\end{gather*}"),
    ];
    if !tex.contains("\\begin{") && !tex.contains("\\label{") {
        return tex.to_owned();
    }
    let (mut out, mut rest) = (String::with_capacity(tex.len()), tex);
    while let Some((before, label)) = rest.split_once("\\label{")
        && let Some(end) = label.find('}')
    {
        out.push_str(before.trim_end());
        rest = &label[end + 1..];
    }
    out.push_str(rest);
    for (name, begin, end) in NAMES {
        let (from, to) = (format!("\\begin{{{name}}}"), format!("\\end{{{name}}}"));
        if out.contains(&from) && out.contains(&to) {
            out = out.replace(&from, begin).replace(&to, end).replace("\\nonumber", "");
        }
    }
    for name in ["equation", "equation*", "displaymath", "math"] {
        let inner = out.strip_prefix(&format!("\\begin{{{name}}}"));
        let inner = inner.and_then(|rest| rest.strip_suffix(&format!("\\end{{{name}}}"))).unwrap_or("").trim();
        if !inner.is_empty() && !inner.contains(&format!("{{{name}}}")) {
            return inner.to_owned();
        }
    }
    out
}

/// Strips white space at both ends. A command of one space at the end, and a lone backslash, show nothing and would escape a delimiter.
pub(super) fn trim(tex: &str) -> &str {
    let tex = tex.trim();
    let slashes = tex.bytes().rev().take_while(|&b| b == b'\\').count();
    tex[..tex.len() - slashes % 2].trim()
}

/// Removes comments and the marks of a CDATA section.
fn without_comments(tex: &str) -> Option<String> {
    if !tex.contains('%') && !tex.contains("<![CDATA[") {
        return Some(tex.to_owned());
    }
    let mut out = String::with_capacity(tex.len());
    for line in tex.replace("<![CDATA[", "").replace("]]>", "").lines() {
        let mut escaped = false;
        let comment = line.bytes().position(|b| {
            let begins = b == b'%' && !escaped;
            escaped = b == b'\\' && !escaped;
            begins
        });
        out.push_str(&line[..comment.unwrap_or(line.len())]);
        out.push('\n');
    }
    Some(out)
}

/// The delimiters around a formula, and whether they display it.
const DELIMITERS: [(&str, &str, bool); 4] =
    [("$$", "$$", true), ("\\[", "\\]", true), ("\\(", "\\)", false), ("$", "$", false)];

/// Returns the source between delimiters, and whether they display it, if the text is one delimited formula.
pub(super) fn delimited(tex: &str) -> Option<(&str, bool)> {
    let tex = tex.trim();
    DELIMITERS.iter().find_map(|&(open, close, display)| {
        let inner = tex.strip_prefix(open)?.strip_suffix(close)?;
        let whole = !inner.contains(close) && !inner.ends_with('\\') && !inner.trim().is_empty();
        whole.then_some((inner.trim(), display))
    })
}

/// Whether the text has a delimiter of formulas.
pub(super) fn has_delimiters(tex: &str) -> bool {
    tex.contains('$') || tex.contains("\\(") || tex.contains("\\[")
}

/// Strips the `{\displaystyle ...}` that MediaWiki puts around every formula.
fn strip_style(tex: &str) -> &str {
    for style in ["{\\displaystyle ", "{\\textstyle "] {
        if let Some(inner) = tex.strip_prefix(style).and_then(|t| t.strip_suffix('}'))
            && is_balanced(inner)
        {
            return inner.trim();
        }
    }
    tex
}

/// Whether the source only defines commands, which shows nothing.
pub(super) fn is_definition(tex: &str) -> bool {
    const COMMANDS: &[&str] = lexicon!("tex-definitions.txt");
    let mut rest = tex.trim();
    if !rest.starts_with('\\') {
        return false;
    }
    while !rest.is_empty() {
        let Some(command) = COMMANDS.iter().find(|c| rest.starts_with(**c)) else { return false };
        rest = rest[command.len()..].trim_start_matches('*').trim_start();
        // The name, the number of arguments and the meaning.
        loop {
            let end = match rest.as_bytes().first() {
                Some(b'{') => group(rest),
                Some(b'[') => rest.find(']').map(|i| i + 1),
                Some(b'#') => Some(rest.len().min(2)),
                Some(b'=') => Some(1),
                Some(b'\\') if !COMMANDS.iter().any(|c| rest.starts_with(*c)) => {
                    Some(1 + rest[1..].bytes().take_while(u8::is_ascii_alphabetic).count()).filter(|&n| n > 1)
                }
                _ => None,
            };
            let Some(after) = end.and_then(|end| rest.get(end..)) else { break };
            rest = after.trim_start();
        }
    }
    true
}

/// Returns the length of the group in braces at the beginning.
fn group(tex: &str) -> Option<usize> {
    let (mut depth, mut escaped) = (0, false);
    for (i, b) in tex.bytes().enumerate() {
        match b {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(i + 1);
        }
    }
    None
}

/// Whether each brace has its partner.
pub fn is_balanced(tex: &str) -> bool {
    let (mut depth, mut escaped) = (0i32, false);
    for b in tex.bytes() {
        match b {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0 && !escaped
}

/// Whether the text can only be TeX: it has a command of formulas, or an index in braces.
pub(super) fn is_beyond_doubt(s: &str) -> bool {
    let bytes = s.as_bytes();
    memchr::memchr3_iter(b'\\', b'^', b'_', bytes).any(|i| match bytes[i] {
        b'\\' => {
            let name = bytes[i + 1..].iter().take(24).take_while(|b| b.is_ascii_alphabetic()).count();
            is_command(&s[i + 1..i + 1 + name])
        }
        _ => bytes.get(i + 1) == Some(&b'{') && i > 0 && bytes[i - 1] != b'$',
    })
}

/// Whether the text has signs that TeX needs and prose does not.
pub(super) fn has_signs(s: &str) -> bool {
    s.contains(['\\', '^', '_', '{', '='])
}

/// Whether formulas use the command often and other languages do not.
fn is_command(name: &str) -> bool {
    COMMANDS.binary_search(&name).is_ok() || symbols::is_function(name) && name.len() > 2
}

const COMMANDS: &[&str] = lexicon!("tex-commands.txt");

/// Whether the text between dollar signs reads as words rather than as symbols: `5 or 10`.
pub(super) fn is_prose(s: &str) -> bool {
    let words = s.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    let long = words.clone().filter(|w| is_word(w)).count();
    match words.count() {
        0 => true,
        // A word with spaces around it is prose between two prices.
        1 => long == 1 && s.starts_with(char::is_whitespace) && s.ends_with(char::is_whitespace),
        _ => {
            long > 1
                || long == 1
                    && s.contains(' ')
                    && s.split_whitespace().any(|w| is_word(w.trim_matches(|c: char| !c.is_alphanumeric())))
        }
    }
}

/// Whether letters are a word, and neither a variable nor the name of a function.
fn is_word(letters: &str) -> bool {
    letters.chars().filter(|c| c.is_alphabetic()).count() > 1 && !symbols::is_function(letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_sorted() {
        assert!(COMMANDS.is_sorted());
    }

    #[test]
    fn source_is_cleaned() {
        assert_eq!(clean(" a\n  + b "), "a + b");
        assert_eq!(clean("a % note\n+ 5\\% b"), "a + 5\\% b");
        assert_eq!(clean("% <![CDATA[\nx < y %]]>"), "x < y");
        assert_eq!(clean("\\(x\\)"), "x");
        assert_eq!(clean("$$x$$"), "x");
        assert_eq!(clean("{\\displaystyle x_{1}}"), "x_{1}");
        assert_eq!(clean("{\\displaystyle a}+{b}"), "{\\displaystyle a}+{b}");
        assert_eq!(clean("\\newcommand{\\id}{\\mathrm{id}} \\def\\x#1{y}\\let\\a=\\b"), "");
        assert_eq!(clean("\\newcommand{\\id}{\\mathrm{id}} x"), "\\newcommand{\\id}{\\mathrm{id}} x");
        assert_eq!(clean("\\begin{equation} x = 1 \\label{eq:x} \\end{equation}"), "x = 1");
        assert_eq!(clean("\\begin{equation*}x\\tag{1}\\end{equation*}"), "x\\tag{1}");
        assert_eq!(
            clean("\\begin{eqnarray}x &=& y \\nonumber\\end{eqnarray}"),
            "\\begin{array}{rcl}x &=& y \\end{array}"
        );
        assert_eq!(clean("\\begin{multline}a\\\\b\\end{multline}"), "\\begin{gather*}a\\\\b\\end{gather*}");
        assert_eq!(clean("\\begin{align}x &= y\\end{align}"), "\\begin{align}x &= y\\end{align}");
        assert_eq!(clean("\\begin{equation}x"), "\\begin{equation}x");
        assert_eq!(clean("x\\label{y"), "x\\label{y");
        assert_eq!(clean("x\\ "), "x");
        assert_eq!(clean("x\\\\"), "x\\\\");
    }

    #[test]
    fn tex_is_told_from_prose() {
        assert!(is_beyond_doubt("\\frac{a}{b}"));
        assert!(is_beyond_doubt("x_{i}"));
        assert!(!is_beyond_doubt("C:\\data\\new"));
        assert!(!is_beyond_doubt("snake_case and 2^n"));
        assert!(is_prose("5 or 6"));
        assert!(is_prose("5 million, and the other one "));
        assert!(!is_prose("x"));
        assert!(!is_prose("n + 1"));
        assert!(!is_prose("ABC"));
        assert!(!is_prose("2 \\sin x"));
    }
}
