//! Characters of formulas and the TeX commands that write them.
use crate::lexicon::lexicon;

/// Returns the TeX of a character that has a command of its own.
pub(super) fn command(c: char) -> Option<&'static str> {
    if c.is_ascii() {
        return None;
    }
    let at = SYMBOLS.binary_search_by_key(&Some(c), |entry| entry.chars().next()).ok()?;
    SYMBOLS[at].split_once(' ').map(|entry| entry.1)
}

/// Returns the style of a letter of Unicode's mathematical alphabets, and the plain letter.
pub(super) fn styled(c: char) -> Option<(&'static str, char)> {
    if !matches!(c, '\u{2102}'..='\u{2134}' | '\u{1d400}'..='\u{1d7ff}') {
        return None;
    }
    let letterlike =
        LETTERLIKE.iter().flat_map(|&(style, from, to)| from.chars().zip(to.chars()).map(move |l| (style, l)));
    if let Some((style, (_, letter))) = letterlike.into_iter().find(|l| l.1.0 == c) {
        return Some((style, letter));
    }
    let code = c as u32;
    match code {
        0x1d400..0x1d6a4 => {
            const STYLES: [&str; 13] = [
                "mathbf",
                "",
                "boldsymbol",
                "mathcal",
                "mathcal",
                "mathfrak",
                "mathbb",
                "mathfrak",
                "mathsf",
                "mathsf",
                "mathsf",
                "mathsf",
                "mathtt",
            ];
            let (style, letter) = ((code - 0x1d400) / 52, (code - 0x1d400) % 52);
            let first = if letter < 26 { 'A' as u32 } else { 'a' as u32 - 26 };
            Some((STYLES[style as usize], char::from_u32(first + letter)?))
        }
        0x1d6a8..0x1d7ca => {
            const STYLES: [&str; 5] = ["boldsymbol", "", "boldsymbol", "boldsymbol", "boldsymbol"];
            const VARIANTS: [char; 7] = ['∂', 'ϵ', 'ϑ', 'ϰ', 'ϕ', 'ϱ', 'ϖ'];
            let (style, letter) = ((code - 0x1d6a8) / 58, (code - 0x1d6a8) % 58);
            let plain = match letter {
                17 => 'Θ',
                0..25 => char::from_u32('Α' as u32 + letter)?,
                25 => '∇',
                26..51 => char::from_u32('α' as u32 + letter - 26)?,
                _ => VARIANTS[letter as usize - 51],
            };
            Some((STYLES[style as usize], plain))
        }
        0x1d7ce.. => {
            const STYLES: [&str; 5] = ["mathbf", "mathbb", "mathsf", "mathsf", "mathtt"];
            let (style, digit) = ((code - 0x1d7ce) / 10, (code - 0x1d7ce) % 10);
            Some((STYLES[style as usize], char::from_digit(digit, 10)?))
        }
        _ => None,
    }
}

/// Whether TeX has a command of this name for a function: `\sin`.
pub(super) fn is_function(name: &str) -> bool {
    FUNCTIONS.binary_search(&name).is_ok()
}

const FUNCTIONS: [&str; 32] = [
    "Pr", "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim", "exp", "gcd",
    "hom", "inf", "ker", "lg", "lim", "liminf", "limsup", "ln", "log", "max", "min", "sec", "sin", "sinh", "sup",
    "tan", "tanh",
];

/// The letters of Unicode's block of letterlike symbols by their styles, and the plain ones.
const LETTERLIKE: [(&str, &str, &str); 3] =
    [("mathbb", "ℂℍℕℙℚℝℤ", "CHNPQRZ"), ("mathcal", "ℊℋℐℒℛℬℯℰℱℳℴ", "gHILRBeEFMo"), ("mathfrak", "ℌℨℭ", "HZC")];

/// Each a character, a space, and its TeX, sorted by character.
const SYMBOLS: &[&str] = lexicon!("tex-symbols.txt");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(SYMBOLS.is_sorted_by_key(|s| s.chars().next()));
        assert!(FUNCTIONS.is_sorted());
    }

    #[test]
    fn letters_of_mathematical_alphabets_have_a_style() {
        assert_eq!(styled('𝐀'), Some(("mathbf", 'A')));
        assert_eq!(styled('𝑥'), Some(("", 'x')));
        assert_eq!(styled('𝔹'), Some(("mathbb", 'B')));
        assert_eq!(styled('ℝ'), Some(("mathbb", 'R')));
        assert_eq!(styled('𝜋'), Some(("", 'π')));
        assert_eq!(styled('𝛉'), Some(("boldsymbol", 'θ')));
        assert_eq!(styled('𝟏'), Some(("mathbf", '1')));
        assert_eq!(styled('→'), None);
    }
}
