//! Word lists: data files in `lexicons/`, one entry per line, read at compile time. Lines that begin with `# ` are comments.

/// Returns the entries of a file in `lexicons/` as a constant slice.
#[macro_export]
macro_rules! lexicon {
    ($file:literal) => {{
        const TEXT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/lexicons/", $file));
        const ENTRIES: [&str; $crate::lexicon::count(TEXT)] = $crate::lexicon::entries(TEXT);
        &ENTRIES
    }};
}
pub use lexicon;

/// Returns the first line, without its end, and the rest.
const fn split(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        if bytes[i] == b'\n' {
            let (line, rest) = text.split_at(i);
            return (line, rest.split_at(1).1);
        }
        i += 1;
    }
    (text, "")
}

const fn is_entry(line: &str) -> bool {
    !matches!(line.as_bytes(), [] | [b'#', b' ', ..])
}

/// Returns the number of entries.
pub const fn count(mut text: &str) -> usize {
    let mut n = 0;
    while !text.is_empty() {
        let (line, rest) = split(text);
        n += is_entry(line) as usize;
        text = rest;
    }
    n
}

/// Returns the entries in the order of the file.
pub const fn entries<const N: usize>(mut text: &'static str) -> [&'static str; N] {
    let mut out = [""; N];
    let mut n = 0;
    while !text.is_empty() {
        let (line, rest) = split(text);
        if is_entry(line) {
            out[n] = line;
            n += 1;
        }
        text = rest;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{count, entries};

    #[test]
    fn entries_are_lines_without_comments() {
        const TEXT: &str = "# Labels.\nby\n\nпо словам\n#1\nthe end";
        assert_eq!(count(TEXT), 4);
        assert_eq!(entries::<4>(TEXT), ["by", "по словам", "#1", "the end"]);
        assert_eq!(entries::<0>(""), [""; 0]);
    }
}
