//! Named character references.

/// The standard's names with their expansions, one per line and sorted, from <https://html.spec.whatwg.org/entities.json>. The semicolon
/// belongs to the name: `amp` and `amp;` are two entries. The expansion of `NewLine;` is a line break.
static LIST: &str = include_str!("entities.txt");
const NAMES: usize = 2231;

/// Where a name and its expansion are in the list.
#[derive(Clone, Copy)]
struct Entry {
    start: u16,
    name_len: u8,
    len: u8,
}

static ENTRIES: [Entry; NAMES] = entries();
/// Open addressing with linear probing: index of the entry + 1, or 0 for an empty slot.
static SLOTS: [u16; 4096] = slots();

const fn entries() -> [Entry; NAMES] {
    let (list, mut entries) = (LIST.as_bytes(), [Entry { start: 0, name_len: 0, len: 0 }; NAMES]);
    let (mut i, mut at) = (0, 0);
    while at < list.len() {
        let start = at;
        while list[at].is_ascii_alphanumeric() {
            at += 1;
        }
        if list[at] == b';' {
            at += 1;
        }
        let expansion = at;
        at += 1;
        while list[at] != b'\n' {
            at += 1;
        }
        entries[i] = Entry { start: start as u16, name_len: (expansion - start) as u8, len: (at - expansion) as u8 };
        i += 1;
        at += 1;
    }
    assert!(i == NAMES && list.len() <= u16::MAX as usize);
    entries
}

const fn slots() -> [u16; 4096] {
    let mut slots = [0; 4096];
    let mut i = 0;
    while i < NAMES {
        let Entry { start, name_len, .. } = ENTRIES[i];
        let mut at = slot(LIST.as_bytes().split_at(start as usize).1.split_at(name_len as usize).0);
        while slots[at] != 0 {
            at = (at + 1) % slots.len();
        }
        slots[at] = i as u16 + 1;
        i += 1;
    }
    slots
}

/// Length of the longest name, including its semicolon (`CounterClockwiseContourIntegral;`).
pub(crate) const MAX_NAME: usize = 32;
/// Length of the longest name that is valid without a semicolon.
const MAX_BARE_NAME: usize = 6;

const fn slot(name: &[u8]) -> usize {
    let mut hash = 0x811C_9DC5_u32;
    let mut i = 0;
    while i < name.len() {
        hash = (hash ^ name[i] as u32).wrapping_mul(0x0100_0193);
        i += 1;
    }
    (hash ^ (hash >> 15)) as usize % 4096
}

/// Returns the expansion of a name. The name includes the semicolon, if it has one.
fn lookup(name: &[u8]) -> Option<&'static str> {
    let mut at = slot(name);
    loop {
        let Entry { start, name_len, len } = ENTRIES[usize::from(SLOTS[at]).checked_sub(1)?];
        let (start, middle) = (start as usize, start as usize + name_len as usize);
        if &LIST.as_bytes()[start..middle] == name {
            return Some(&LIST[middle..middle + len as usize]);
        }
        at = (at + 1) % SLOTS.len();
    }
}

/// Finds the longest reference name at the start of `bytes`, which begin after the ampersand. Returns its length and expansion.
pub(crate) fn longest_match(bytes: &[u8]) -> Option<(usize, &'static str)> {
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
        for entry in ENTRIES {
            let name = &LIST[entry.start as usize..][..entry.name_len as usize];
            assert_eq!(longest_match(name.as_bytes()).map(|m| m.0), Some(name.len()), "{name}");
        }
        assert_eq!(longest_match(b"NewLine;"), Some((8, "\n")));
        assert_eq!(longest_match(b"Tab;"), Some((4, "\t")));
        assert_eq!(longest_match(b"notit;"), Some((3, "\u{ac}")));
        assert_eq!(longest_match(b"notin;"), Some((6, "\u{2209}")));
        assert_eq!(longest_match(b"nosuch;"), None);
        assert_eq!(longest_match(b"NotEqualTilde;x"), Some((14, "\u{2242}\u{338}")));
    }
}
