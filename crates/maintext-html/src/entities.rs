//! Named character references.

use crate::entities_table::{BLOB, INDEX, SLOTS};

/// Length of the longest name, including its semicolon (`CounterClockwiseContourIntegral;`).
pub(crate) const MAX_NAME: usize = 32;
/// Length of the longest name that is valid without a semicolon.
const MAX_BARE_NAME: usize = 6;

fn slot(name: &[u8]) -> usize {
    let mut hash = 0x811C_9DC5_u32;
    for &b in name {
        hash = (hash ^ u32::from(b)).wrapping_mul(0x0100_0193);
    }
    (hash ^ (hash >> 15)) as usize % SLOTS.len()
}

/// Returns the expansion of a name. The name includes the semicolon, if it has one.
fn lookup(name: &[u8]) -> Option<&'static str> {
    let mut at = slot(name);
    loop {
        let id = SLOTS[at];
        if id == 0 {
            return None;
        }
        let (start, name_len, len) = INDEX[id as usize - 1];
        let (start, middle) = (start as usize, start as usize + name_len as usize);
        if &BLOB.as_bytes()[start..middle] == name {
            return Some(&BLOB[middle..middle + len as usize]);
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
        for &(start, len, _) in INDEX.iter() {
            let name = &BLOB[start as usize..start as usize + len as usize];
            assert_eq!(longest_match(name.as_bytes()).map(|m| m.0), Some(name.len()), "{name}");
        }
        assert_eq!(longest_match(b"notit;"), Some((3, "\u{ac}")));
        assert_eq!(longest_match(b"notin;"), Some((6, "\u{2209}")));
        assert_eq!(longest_match(b"nosuch;"), None);
        assert_eq!(longest_match(b"NotEqualTilde;x"), Some((14, "\u{2242}\u{338}")));
    }
}
