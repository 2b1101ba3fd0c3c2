//! Named character references.

/// One reference per line: the name, with its semicolon if it has one, and the code points of its expansion. The list is the standard's,
/// <https://html.spec.whatwg.org/entities.json>.
const LIST: &str = include_str!("entities.txt");
const NAMES: usize = 2231;
const SLOTS: usize = 4096;

/// Maximum length of a name, including its semicolon (`CounterClockwiseContourIntegral;`).
pub(crate) const MAX_NAME: usize = 32;
/// Maximum length of a name that is valid without a semicolon.
const MAX_BARE_NAME: usize = 6;

/// The replacement of a reference: one character or two.
pub(crate) type Expansion = (char, Option<char>);

/// The named references, in a hash table with open addressing and linear probing.
struct EntityTable {
    /// Offset in `LIST`, length of the name, expansion.
    entries: [(u16, u8, Expansion); NAMES],
    /// Index + 1, or 0 for an empty slot.
    slots: [u16; SLOTS],
}

static TABLE: EntityTable = table();

const fn table() -> EntityTable {
    let mut table = EntityTable { entries: [(0, 0, ('\0', None)); NAMES], slots: [0; SLOTS] };
    let mut rest = LIST.as_bytes();
    let mut i = 0;
    while i < NAMES {
        let offset = LIST.len() - rest.len();
        let mut len = 0;
        while rest[len] != b' ' {
            len += 1;
        }
        let mut slot = slot(rest.split_at(len).0);
        let (first, after) = hex_char(rest.split_at(len + 1).1);
        rest = after;
        let mut second = None;
        if rest[0] == b' ' {
            let (c, after) = hex_char(rest.split_at(1).1);
            (second, rest) = (Some(c), after);
        }
        rest = rest.split_at(1).1;
        while table.slots[slot] != 0 {
            slot = (slot + 1) % SLOTS;
        }
        table.entries[i] = (offset as u16, len as u8, (first, second));
        i += 1;
        table.slots[slot] = i as u16;
    }
    assert!(rest.is_empty());
    table
}

/// Reads a code point in hexadecimal digits. Returns the bytes after it, too.
const fn hex_char(mut bytes: &[u8]) -> (char, &[u8]) {
    let mut code = 0;
    while let Some((&digit, rest)) = bytes.split_first()
        && let Some(digit) = (digit as char).to_digit(16)
    {
        code = code * 16 + digit;
        bytes = rest;
    }
    (char::from_u32(code).expect("a code point of the standard's list"), bytes)
}

const fn slot(name: &[u8]) -> usize {
    let mut hash = 0x811C_9DC5_u32;
    let mut i = 0;
    while i < name.len() {
        hash = (hash ^ name[i] as u32).wrapping_mul(0x0100_0193);
        i += 1;
    }
    (hash ^ (hash >> 15)) as usize % SLOTS
}

/// Returns the expansion of a name. The name includes the semicolon, if it has one.
fn lookup(name: &[u8]) -> Option<Expansion> {
    let mut at = slot(name);
    loop {
        let (start, len, expansion) = TABLE.entries[usize::from(TABLE.slots[at]).checked_sub(1)?];
        if &LIST.as_bytes()[usize::from(start)..][..usize::from(len)] == name {
            return Some(expansion);
        }
        at = (at + 1) % SLOTS;
    }
}

/// Finds the longest reference name at the start of `bytes`, which begin after the ampersand. Returns its length and expansion.
pub(crate) fn longest_match(bytes: &[u8]) -> Option<(usize, Expansion)> {
    let run = bytes.iter().take(MAX_NAME).take_while(|b| b.is_ascii_alphanumeric()).count();
    if bytes.get(run) == Some(&b';')
        && let Some(text) = lookup(&bytes[..run + 1])
    {
        return Some((run + 1, text));
    }
    (2..=run.min(MAX_BARE_NAME)).rev().find_map(|len| Some((len, lookup(&bytes[..len])?)))
}

/// The standard's replacements for references to the C1 range ("numeric character reference end state").
pub(crate) static C1: [char; 32] = [
    '\u{20AC}', '\u{81}', '\u{201A}', '\u{192}', '\u{201E}', '\u{2026}', '\u{2020}', '\u{2021}', '\u{2C6}', '\u{2030}',
    '\u{160}', '\u{2039}', '\u{152}', '\u{8D}', '\u{17D}', '\u{8F}', '\u{90}', '\u{2018}', '\u{2019}', '\u{201C}',
    '\u{201D}', '\u{2022}', '\u{2013}', '\u{2014}', '\u{2DC}', '\u{2122}', '\u{161}', '\u{203A}', '\u{153}', '\u{9D}',
    '\u{17E}', '\u{178}',
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_and_the_longest_match_wins() {
        for line in LIST.lines() {
            let (name, _) = line.split_once(' ').unwrap();
            assert_eq!(longest_match(name.as_bytes()).map(|m| m.0), Some(name.len()), "{name}");
        }
        assert_eq!(longest_match(b"notit;"), Some((3, ('\u{ac}', None))));
        assert_eq!(longest_match(b"notin;"), Some((6, ('\u{2209}', None))));
        assert_eq!(longest_match(b"nosuch;"), None);
        assert_eq!(longest_match(b"NotEqualTilde;x"), Some((14, ('\u{2242}', Some('\u{338}')))));
    }
}
