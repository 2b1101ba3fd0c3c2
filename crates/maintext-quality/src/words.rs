//! Words and sentences by the rules that datatrove uses for English: spaCy's blank pipeline with its sentencizer (MIT, written anew from
//! their description). Differences are listed in `docs/corpora.md`.
use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};
use std::collections::HashSet;

/// The punctuation that spaCy cuts off at both ends of a word.
const PUNCT: &str = "…,:;!?¿؟¡()[]{}<>_#*&。？！，、；：～·।،۔؛٪";
const QUOTES: &str = "'\"”“`‘´’‚,„»«「」『』（）〔〕【】《》〈〉⟦⟧";
const CURRENCY: &str = "$£€¥฿₽﷼₴₠₡₢₣₤₥₦₧₨₩₪₫₭₮₯₰₱₲₳₵₶₷₸₹₺₻₼₾₿";
const UNITS: &[&str] = &[
    "km", "km²", "km³", "m", "m²", "m³", "dm", "dm²", "dm³", "cm", "cm²", "cm³", "mm", "mm²", "mm³", "ha", "µm", "nm",
    "yd", "in", "ft", "kg", "g", "mg", "µg", "t", "lb", "oz", "m/s", "km/h", "kmh", "mph", "hPa", "Pa", "mbar", "mb",
    "MB", "kb", "KB", "gb", "GB", "tb", "TB", "T", "G", "M", "K", "%",
];
/// Abbreviations that keep their full stop in English.
const ABBREVIATIONS: &[&str] = &[
    "'d", "a.m.", "Adm.", "Bros.", "co.", "Co.", "Corp.", "D.C.", "Dr.", "e.g.", "E.g.", "E.G.", "Gen.", "Gov.",
    "i.e.", "I.e.", "I.E.", "Inc.", "Jr.", "Ltd.", "Md.", "Messrs.", "Mo.", "Mont.", "Mr.", "Mrs.", "Ms.", "p.m.",
    "Ph.D.", "Prof.", "Rep.", "Rev.", "Sen.", "St.", "vs.", "v.s.", "Mt.", "Ak.", "Ala.", "Apr.", "Ariz.", "Ark.",
    "Aug.", "Calif.", "Colo.", "Conn.", "Dec.", "Del.", "Feb.", "Fla.", "Ga.", "Ia.", "Id.", "Ill.", "Ind.", "Jan.",
    "Jul.", "Jun.", "Kan.", "Kans.", "Ky.", "La.", "Mar.", "Mass.", "Mich.", "Minn.", "Miss.", "N.C.", "N.D.", "N.H.",
    "N.J.", "N.M.", "N.Y.", "Neb.", "Nebr.", "Nev.", "Nov.", "Oct.", "Okla.", "Ore.", "Pa.", "S.C.", "Sep.", "Sept.",
    "Tenn.", "Va.", "Wash.", "Wis.",
];
const SUBJECTS: &[&str] = &[
    "i", "you", "he", "she", "it", "we", "they", "who", "what", "when", "where", "why", "how", "there", "that", "this",
    "these", "those",
];
const VERBS: &[&str] = &[
    "ai", "ca", "could", "do", "does", "did", "had", "may", "might", "must", "need", "ought", "sha", "should", "wo",
    "would", "is", "are", "was", "were", "have", "has", "dare", "can",
];
/// Contractions without an apostrophe: the ending, and the words before it. Endings that give another word (`its`, `were`) are left out.
const JOINED: &[(&str, &[&str])] = &[
    (
        "ll",
        &["you", "it", "they", "who", "what", "when", "where", "why", "how", "there", "that", "this", "these", "those"],
    ),
    ("re", &["you", "they", "what", "when", "where", "why", "how", "there", "these", "those"]),
    (
        "ve",
        &[
            "i", "you", "we", "they", "who", "what", "when", "where", "why", "how", "there", "these", "those", "could",
            "might", "must", "should", "would",
        ],
    ),
    ("m", &["i"]),
    (
        "d",
        &[
            "i", "you", "he", "it", "we", "they", "who", "what", "when", "where", "why", "how", "there", "that",
            "this", "these", "those",
        ],
    ),
    ("s", &["he", "she", "who", "what", "when", "where", "why", "how", "there", "that", "this"]),
];
const EMOTICONS: &[&str] = &[
    "(:", "(;", "(=", "):", "8)", "8D", ":(", ":)", ":*", ":/", ":0", ":1", ":3", ":>", ":D", ":O", ":P", ":X", ":]",
    ":o", ":p", ":x", ":|", ":}", ";)", ";D", "<3", "=(", "=)", "=/", "=3", "=D", "=[", "=]", "=|", "[:", "[=", "]=",
    "(-8", "(-:", "(-;", "(o:", ")-:", ":((", "8-)", "8-D", ":'(", ":')", ":()", ":))", ":-(", ":-)", ":-*", ":-/",
    ":-0", ":-3", ":->", ":-D", ":-O", ":-P", ":-X", ":-]", ":-o", ":-p", ":-x", ":-|", ":-}", ":o)", ";-)", ";-D",
    ";_;", "</3", "<33", "0.0", "0.o", "0_0", "0_o", "O.O", "O.o", "O_O", "O_o", "o.0", "o.O", "o.o", "o_0", "o_O",
    "o_o", "V.V", "V_V", "v.v", "v_v", "-_-", "._.", "<.<", ">.<", ">.>", ">:(", ">:o", "@_@", "^_^",
];
/// The characters that end a sentence for spaCy's sentencizer, of scripts in common use.
const STOPS: &str = "!.?։؟۔܀܁܂߹।॥၊။።፧፨᙮᜵᜶᠃᠉᥄᥅᪨᪩᪪᪫᭚᭛᭞᭟᰻᰼᱾᱿‼‽⁇⁈⁉⸮⸼꓿꘎꘏꛳꛷꡶꡷꣎꣏꤯꧈꧉꩝꩞꩟꫰꫱꯫﹒﹖﹗！．？｡。";

/// Whether a character is Unicode punctuation (category P).
fn is_punctuation(c: char) -> bool {
    GeneralCategoryGroup::Punctuation.contains(CodePointMapData::<GeneralCategory>::new().get(c))
}

fn is_icon(c: char) -> bool {
    !c.is_ascii() && CodePointMapData::<GeneralCategory>::new().get(c) == GeneralCategory::OtherSymbol
}

/// White space as Python's `str.split` and `str.strip` know it.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// Returns the lines of a text, cut where Python's `str.splitlines` cuts.
pub(crate) fn lines(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((i, c)) = chars.next() {
        if matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}') {
            out.push(&text[start..i]);
            start = i + c.len_utf8();
            if c == '\r' && chars.peek().is_some_and(|n| n.1 == '\n') {
                chars.next();
                start += 1;
            }
        }
    }
    if start < text.len() {
        out.push(&text[start..]);
    }
    out
}

/// Whether the scripts of a character have no spaces between words.
fn unspaced(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{2fdf}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}'
        | '\u{e00}'..='\u{e7f}' | '\u{e80}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

/// Returns the words of a text in order; punctuation marks are words of their own.
pub(crate) fn words(text: &str, english: bool) -> Vec<&str> {
    let mut out = Vec::with_capacity(text.len() / 5);
    for chunk in text.split(is_space).filter(|c| !c.is_empty()) {
        split(chunk, english, &mut out);
    }
    out
}

/// Counts sentences: a sentence ends after a full stop, a question or exclamation mark that is a word of its own.
pub(crate) fn sentences(line: &str, english: bool) -> usize {
    let (mut count, mut ended) = (1, false);
    for word in words(line, english) {
        let stop = {
            let mut c = word.chars();
            c.next().is_some_and(|c| STOPS.contains(c)) && c.next().is_none()
        };
        if stop {
            ended = true;
        } else if ended && !word.chars().all(is_punctuation) {
            count += 1;
            ended = false;
        }
    }
    count
}

/// Cuts one run without spaces into words: marks at both ends, then contractions, addresses and marks inside.
fn split<'a>(chunk: &'a str, english: bool, out: &mut Vec<&'a str>) {
    let (mut rest, from) = (chunk, out.len());
    let mut tail: Vec<&str> = Vec::new();
    while !rest.is_empty() && special(rest, english).is_none() {
        let pre = prefix(rest);
        if pre > 0 && special(&rest[pre..], english).is_some() {
            out.push(&rest[..pre]);
            rest = &rest[pre..];
            break;
        }
        let suf = suffix(&rest[pre..]);
        if suf > 0 && special(&rest[..rest.len() - suf], english).is_some() {
            tail.push(&rest[rest.len() - suf..]);
            rest = &rest[..rest.len() - suf];
            break;
        }
        if pre == 0 && suf == 0 {
            break;
        }
        if pre > 0 {
            out.push(&rest[..pre]);
        }
        if suf > 0 {
            tail.push(&rest[rest.len() - suf..]);
        }
        rest = &rest[pre..rest.len() - suf];
    }
    if !rest.is_empty() {
        match special(rest, english) {
            Some(cut) if cut < rest.len() && cut > 0 => out.extend([&rest[..cut], &rest[cut..]]),
            Some(_) => out.push(rest),
            None if is_address(rest) => out.push(rest),
            None => infixes(rest, english, out),
        }
    }
    out.extend(tail.into_iter().rev());
    if out.len() > from + 1 {
        join_emoticons(chunk, from, out);
    }
}

/// Joins the marks of a chunk that are an emoticon together, from the word `from` on.
fn join_emoticons<'a>(chunk: &'a str, from: usize, out: &mut Vec<&'a str>) {
    let cut = out.split_off(from);
    let (mut i, mut start) = (0, 0);
    while let Some(word) = cut.get(i) {
        let both = start + word.len() + cut.get(i + 1).map_or(0, |next| next.len());
        let joined = cut.len() > i + 1 && is_emoticon(&chunk[start..both]);
        out.push(if joined { &chunk[start..both] } else { word });
        (i, start) = if joined { (i + 2, both) } else { (i + 1, start + word.len()) };
    }
}

/// Whether a word is an emoticon of two or three signs that spaCy knows.
fn is_emoticon(word: &str) -> bool {
    (2..=3).contains(&word.len()) && EMOTICONS.contains(&word)
}

/// Returns where a known word is cut: its length if it stays whole.
fn special(word: &str, english: bool) -> Option<usize> {
    if word.len() > 24 {
        return None;
    }
    let mut chars = word.chars();
    match (chars.next(), chars.next(), chars.next()) {
        (Some('\''), None, _) | (Some('—'), None, _) => return Some(word.len()),
        (Some('a'..='z' | 'ä' | 'ö' | 'ü'), Some('.'), None) | (Some('\''), Some('\''), None) => {
            return Some(word.len());
        }
        _ => {}
    }
    if is_emoticon(word) {
        return Some(word.len());
    }
    if !english {
        return None;
    }
    if ABBREVIATIONS.contains(&word) || matches!(word, "and/or" | "w/o") {
        return Some(word.len());
    }
    // A clock time such as 10am.
    for half in ["am", "pm", "a.m.", "p.m."] {
        if let Some(hour) = word.strip_suffix(half)
            && hour.parse::<u32>().is_ok_and(|h| (1..=12).contains(&h) && !hour.starts_with('0'))
        {
            return Some(hour.len());
        }
    }
    if !word.is_ascii() && !word.contains('’') || !word.chars().next().is_some_and(|c| c.is_ascii_alphabetic()) {
        return None;
    }
    let lower = word.to_lowercase().replace('’', "'");
    // Only the lower-case and the title-case forms are known.
    if !word.chars().skip(1).all(|c| !c.is_uppercase()) {
        return None;
    }
    match lower.as_str() {
        "cannot" | "gonna" | "gotta" => return Some(3),
        "let's" => return Some(3),
        "c'mon" => return Some(2 + word.len() - lower.len()),
        "ma'am" | "o'clock" | "ol'" | "nothin'" | "doin'" | "goin'" | "havin'" | "lovin'" | "nuthin'" | "cos'"
        | "cause" => {
            return Some(word.len());
        }
        _ => {}
    }
    if let Some(base) = lower.strip_suffix("n't").or_else(|| lower.strip_suffix("nt"))
        && VERBS.contains(&base)
    {
        return Some(base.len());
    }
    for end in ["'ll", "'re", "'ve", "'m", "'d", "'s"] {
        if let Some(base) = lower.strip_suffix(end)
            && SUBJECTS.contains(&base)
        {
            return Some(base.len());
        }
    }
    JOINED.iter().find_map(|(end, bases)| lower.strip_suffix(end).filter(|base| bases.contains(base))).map(str::len)
}

fn first(word: &str) -> Option<char> {
    word.chars().next()
}

fn last(word: &str) -> Option<char> {
    word.chars().next_back()
}

/// Returns the length of the mark at the start of a word.
fn prefix(word: &str) -> usize {
    let Some(c) = first(word) else { return 0 };
    let n = c.len_utf8();
    if c == '+' {
        return if word[1..].starts_with(|d: char| d.is_ascii_digit()) { 0 } else { 1 };
    }
    if "§%=—–".contains(c) || PUNCT.contains(c) || QUOTES.contains(c) || CURRENCY.contains(c) || is_icon(c) {
        return n;
    }
    if word.starts_with("..") {
        return word.len() - word.trim_start_matches('.').len();
    }
    if word.starts_with("US$") {
        3
    } else if word.starts_with("C$") || word.starts_with("A$") {
        2
    } else {
        0
    }
}

/// Returns the length of the mark at the end of a word.
fn suffix(word: &str) -> usize {
    let Some(c) = last(word) else { return 0 };
    let n = c.len_utf8();
    let before = &word[..word.len() - n];
    if c == '.' {
        let dots = word.len() - word.trim_end_matches('.').len();
        if dots > 1 {
            return dots;
        }
        let mut back = before.chars().rev();
        let Some(p) = back.next() else { return 0 };
        let upper = p.is_uppercase() && back.next().is_some_and(char::is_uppercase);
        // spaCy counts letters without case, such as Hebrew's, as lower case.
        let lower = p.is_alphabetic() && !p.is_uppercase();
        let mark = PUNCT.contains(p) || QUOTES.contains(p) || "%²-+".contains(p) || p.is_ascii_digit();
        let degrees = before.strip_suffix(['F', 'f', 'C', 'c', 'K', 'k']).is_some_and(|b| b.ends_with('°'));
        return usize::from(upper || lower || mark || degrees);
    }
    if word.ends_with("……") {
        return "……".len();
    }
    for end in ["'s", "'S", "’s", "’S"] {
        if word.ends_with(end) {
            return end.len();
        }
    }
    if PUNCT.contains(c) || QUOTES.contains(c) || "—–".contains(c) || is_icon(c) {
        return n;
    }
    if (c == '+' || CURRENCY.contains(c)) && ends_with_digit(before) {
        return n;
    }
    if c.is_alphabetic() || "%²³".contains(c) {
        for unit in UNITS {
            if word.strip_suffix(unit).is_some_and(ends_with_digit) {
                return unit.len();
            }
        }
    }
    0
}

fn ends_with_digit(s: &str) -> bool {
    s.ends_with(|d: char| d.is_ascii_digit())
}

/// Cuts at marks inside a word: dots between sentences, commas, hyphens and slashes between letters, and signs between digits.
fn infixes<'a>(word: &'a str, english: bool, out: &mut Vec<&'a str>) {
    let mut start = 0;
    let mut prev: Option<char> = None;
    let mut i = 0;
    while let Some(c) = first(&word[i..]) {
        let n = c.len_utf8();
        let next = first(&word[i + n..]);
        let before = |digits: bool| prev.is_some_and(|p| p.is_alphabetic() || digits && p.is_ascii_digit());
        let dots = if c == '.' { word[i..].len() - word[i..].trim_start_matches('.').len() } else { 0 };
        let mut len = 0;
        if dots > 1 {
            len = dots;
        } else if c == '…' || is_icon(c) {
            len = n;
        } else if c == '.' {
            let left = prev.is_some_and(|p| p.is_alphabetic() && !p.is_uppercase() || QUOTES.contains(p));
            let right = next.is_some_and(|q| q.is_alphabetic() && !q.is_lowercase() || QUOTES.contains(q));
            len = usize::from(left && right);
        } else if c == ',' {
            len = usize::from(before(false) && is_letter(next));
        } else if ":<>=/".contains(c) {
            len = usize::from(before(true) && is_letter(next));
        } else if "-–—~".contains(c) {
            let run = if c == '-' { (word[i..].len() - word[i..].trim_start_matches('-').len()).min(3) } else { n };
            let run = if word[i..].starts_with("——") { "——".len() } else { run };
            if before(english) && is_letter(first(&word[i + run..])) {
                len = run;
            } else if c == '-'
                && prev.is_some_and(|p| p.is_ascii_digit())
                && next.is_some_and(|q| q.is_ascii_digit() || q == '-')
            {
                len = 1;
            }
        } else if "+*^".contains(c) {
            len = usize::from(
                prev.is_some_and(|p| p.is_ascii_digit()) && next.is_some_and(|q| q.is_ascii_digit() || q == '-'),
            );
        } else if !english && unspaced(c) && !is_punctuation(c) {
            // One word per character, where a language has no spaces. English rules keep such a run whole, as spaCy does.
            if i > start {
                out.push(&word[start..i]);
            }
            out.push(&word[i..i + n]);
            start = i + n;
        }
        if len > 0 && i > start {
            out.extend([&word[start..i], &word[i..i + len]]);
            start = i + len;
        }
        let step = len.max(n);
        prev = last(&word[i..i + step]);
        i += step;
    }
    if start < word.len() {
        out.push(&word[start..]);
    }
}

fn is_letter(c: Option<char>) -> bool {
    c.is_some_and(char::is_alphabetic)
}

/// Whether a run is a web or mail address, which stays one word.
fn is_address(word: &str) -> bool {
    let rest = match word.split_once("://") {
        Some((scheme, rest))
            if scheme.len() > 1 && scheme.chars().all(|c| c.is_alphanumeric() || "+-._".contains(c)) =>
        {
            rest
        }
        _ => word,
    };
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = host.split_once(':').unwrap_or((host, "80"));
    if port.len() < 2 || port.len() > 5 || !port.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    if host.split('.').count() == 4 && host.split('.').all(|p| p.parse::<u8>().is_ok()) {
        return !["10.", "127.", "192.168.", "169.254.", "0."].iter().any(|p| host.starts_with(p));
    }
    let Some((names, top)) = host.rsplit_once('.') else { return false };
    (2..=63).contains(&top.chars().count())
        && top.chars().all(|c| c.is_alphabetic() && !c.is_uppercase())
        && names.split('.').all(is_label)
}

fn is_label(l: &str) -> bool {
    l.len() <= 256
        && may_be_edge(first(l))
        && may_be_edge(last(l))
        && l.chars().all(|c: char| c.is_ascii_alphanumeric() || c >= '\u{a1}' || c == '-' || c == '_')
}

/// Counts the items that repeat an earlier one, and their characters.
pub(crate) fn duplicates(items: &[&str]) -> (usize, usize) {
    let mut seen = HashSet::with_capacity(items.len());
    items.iter().filter(|i| !seen.insert(**i)).fold((0, 0), |(n, c), i| (n + 1, c + i.chars().count()))
}

fn may_be_edge(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_ascii_alphanumeric() || c >= '\u{a1}')
}

#[cfg(test)]
mod tests {
    use super::words;

    /// Words as spaCy 3.8's blank English pipeline cuts them.
    #[test]
    fn marks_and_contractions_are_cut_as_spacy_cuts_them() {
        for (text, expected) in [
            ("at 350°F.", vec!["at", "350", "°", "F", "."]),
            ("18°28'N", vec!["18", "°", "28'N"]),
            ("and/or either/or w/o", vec!["and/or", "either", "/", "or", "w/o"]),
            ("Wed wed its Its", vec!["We", "d", "we", "d", "its", "Its"]),
            ("Youre theyll Thats were Well id", vec!["You", "re", "they", "ll", "That", "s", "were", "Well", "i", "d"]),
            ("couldve Ive she'd", vec!["could", "ve", "I", "ve", "she", "'d"]),
            ("a): (x): y", vec!["a", "):", "(", "x", "):", "y"]),
            ("=> a=>b a=b", vec!["=", ">", "a=>b", "a", "=", "b"]),
        ] {
            assert_eq!(words(text, true), expected, "{text}");
        }
    }
}
