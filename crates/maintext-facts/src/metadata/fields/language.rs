//! The language: declared by the page, checked against its text.
//!
//! The detector is maintext-language or, without the feature `languages`, whatlang: 70 languages by script and trigrams, without models to
//! ship. docs/languages.md compares them. Detection overrules a declaration only where it is reliable, which
//! it must do because templates declare `en` on pages in any language.
use crate::metadata::sources::facts::Facts;
use crate::metadata::text::cap;
use maintext_page::lexicon::lexicon;

/// Maximum number of characters of text that are read.
const SAMPLE_CHARS: usize = 1600;
/// Minimum number of characters of text for a guess better than the declaration.
const MIN_SAMPLE_CHARS: usize = 200;

/// Returns the language of the page and the language detected in its text, as BCP 47 tags.
pub fn language(facts: &Facts<'_>, kept: &[bool]) -> (Option<String>, Option<String>) {
    let declared = tag(&facts.declared).or_else(|| {
        let meta =
            facts.meta(&["content-language", "dc.language", "dcterms.language", "language", "lang", "og:locale"]);
        meta.as_deref().and_then(tag)
    });
    let declared = declared.or_else(|| {
        let graph = facts.graph();
        graph.things.iter().filter(|t| t.depth == 0).find_map(|t| tag(graph.text(t.id, "inLanguage")?))
    });
    let detected = detect(facts, kept, declared.as_deref().map(primary));
    let detected_tag = detected.map(|d| d.0.to_owned());
    let language = match (declared, detected) {
        (Some(d), Some((code, true))) if primary(&d) != code && !close(primary(&d), code) => Some(code.to_owned()),
        (Some(d), _) => Some(d),
        (None, d) => d.map(|d| d.0.to_owned()),
    };
    (language, detected_tag)
}

/// Returns the detected language, and whether it may overrule a declaration.
fn detect(facts: &Facts<'_>, kept: &[bool], declared: Option<&str>) -> Option<(&'static str, bool)> {
    let blocks = facts.blocks;
    let any = kept.contains(&true);
    let mut sample = String::new();
    for (i, b) in blocks.blocks.iter().enumerate() {
        if sample.len() >= SAMPLE_CHARS {
            break;
        }
        if b.code_chars * 2 > b.chars || b.hidden || (any && !kept.get(i).copied().unwrap_or(false)) {
            continue;
        }
        sample.push_str(cap(blocks.text(i), SAMPLE_CHARS));
        sample.push('\n');
    }
    if let Some(code) = common_words(&sample, primary(&facts.declared.to_ascii_lowercase())) {
        return Some((code, true));
    }
    let (code, reliable) = judged(&sample)?;
    let enough = reliable && sample.chars().count() >= MIN_SAMPLE_CHARS;
    Some((code, enough || declared.is_some_and(|d| is_in_other_script(&sample, d))))
}

/// Returns whether a character belongs to a script.
type Script = fn(char) -> bool;

/// Languages that are always written in these scripts.
const SCRIPTS: &[(&str, Script)] = &[
    (
        "en de fr es it pt nl sv da no nb nn fi is pl cs sk hu ro hr sl et lv lt tr ca gl eu sq ga cy mt af id vi tl sw",
        |c| matches!(c, 'A'..='Z' | 'a'..='z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}'),
    ),
    ("ru uk be bg mk", |c| matches!(c, '\u{400}'..='\u{52f}')),
    ("el", |c| matches!(c, '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}')),
    ("he yi", |c| matches!(c, '\u{590}'..='\u{5ff}')),
    ("ar fa ur", |c| matches!(c, '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{fb50}'..='\u{fdff}')),
    ("zh ja ko", |c| {
        maintext_page::blocks::is_cjk(c)
            || matches!(c, '\u{3040}'..='\u{30ff}' | '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7af}')
    }),
    ("hi mr ne", |c| matches!(c, '\u{900}'..='\u{97f}')),
    ("th", |c| matches!(c, '\u{e00}'..='\u{e7f}')),
];
/// Minimum number of letters that show another script.
const MIN_LETTERS: usize = 10;

/// Returns whether nearly all letters of a text are in a script in which the declared language is never written.
fn is_in_other_script(sample: &str, declared: &str) -> bool {
    let Some((_, is_own)) = SCRIPTS.iter().find(|s| s.0.split(' ').any(|l| l == declared)) else { return false };
    let letters = sample.chars().filter(|c| c.is_alphabetic()).count();
    letters >= MIN_LETTERS && sample.chars().filter(|c| is_own(*c)).count() * 10 < letters
}

/// Returns the language of a text, and whether that is reliable.
#[cfg(feature = "languages")]
fn judged(sample: &str) -> Option<(&'static str, bool)> {
    const RELIABLE: f32 = 0.9;
    /// Number of letters below which only a certain answer counts: "hello" is like Basque.
    const MANY_LETTERS: usize = 20;
    /// Minimum number of letters: a single one is in no language.
    const MIN_LETTERS: usize = 2;
    let letters = sample.chars().filter(|c| c.is_alphabetic()).take(MANY_LETTERS).count();
    if letters < MIN_LETTERS {
        return None;
    }
    let found = maintext_language::detect(sample)?;
    let is_reliable = found.score >= RELIABLE;
    (is_reliable || letters == MANY_LETTERS).then_some((found.language, is_reliable))
}

#[cfg(not(feature = "languages"))]
fn judged(sample: &str) -> Option<(&'static str, bool)> {
    let info = whatlang::detect(sample)?;
    Some((code(info.lang()), info.is_reliable()))
}

/// Lines of a language and its most frequent words.
const COMMON: &[&str] = lexicon!("common-words.txt");

/// Returns the declared language if the text is certainly in it: at least a fifth of its words, and eight different ones, are among the
/// language's most frequent. On most pages this saves the comparison with every language's trigrams.
fn common_words(sample: &str, declared: &str) -> Option<&'static str> {
    let mut lines = COMMON.iter().filter_map(|line| line.split_once(' '));
    let (code, words) = lines.find(|(code, _)| *code == declared)?;
    let words: Vec<&str> = words.split(' ').collect();
    let mut counts = [0usize; 32];
    let mut total = 0;
    for word in sample.split(|c: char| !c.is_alphabetic()).filter(|w| !w.is_empty()).take(300) {
        total += 1;
        if let Some(i) = words.iter().position(|w| w.eq_ignore_ascii_case(word)) {
            counts[i] += 1;
        }
    }
    let hits: usize = counts.iter().sum();
    let different = counts.iter().filter(|n| **n > 0).count();
    (total >= 60 && hits * 5 >= total && different >= 8).then_some(code)
}

fn primary(tag: &str) -> &str {
    tag.split(['-', '_']).next().unwrap_or(tag)
}

/// Returns whether trigrams separate two languages too poorly to contradict a page.
fn close(a: &str, b: &str) -> bool {
    const FAMILIES: &str = "no nb nn da sv, hr sr bs sh sl mk bg, cs sk, id ms jv, es ca gl pt, uk be ru, zh yue wuu, nl af, hi mr ne, fa ur ar, fil tl";
    FAMILIES.split(", ").any(|f| f.split(' ').any(|l| l == a) && f.split(' ').any(|l| l == b))
}

/// Returns a declaration as a BCP 47 tag, such as `en-US` for `en_us`; `None` if it names no language.
pub fn tag(declared: &str) -> Option<String> {
    let first = declared.split([',', ';', ' ']).next()?.trim().replace('_', "-");
    let mut parts = first.split('-');
    let primary = parts.next()?.to_ascii_lowercase();
    let primary = match primary.as_str() {
        "english" => "en".into(),
        "german" | "deutsch" => "de".into(),
        "jp" => "ja".into(),
        "cn" => "zh".into(),
        "ua" => "uk".into(),
        "cz" => "cs".into(),
        "gr" => "el".into(),
        "iw" => "he".into(),
        _ => primary,
    };
    if !(2..=3).contains(&primary.len()) || !primary.bytes().all(|b| b.is_ascii_lowercase()) {
        return None;
    }
    let mut out = primary;
    for p in parts.take(2) {
        let p = match p.len() {
            2 => p.to_ascii_uppercase(),
            4 if p.bytes().all(|b| b.is_ascii_alphabetic()) => {
                p[..1].to_ascii_uppercase() + &p[1..].to_ascii_lowercase()
            }
            3 if p.bytes().all(|b| b.is_ascii_digit()) => p.to_owned(),
            _ => break,
        };
        out = format!("{out}-{p}");
    }
    Some(out)
}

/// Returns the two-letter code, or the three-letter code of languages without one.
#[cfg(any(test, not(feature = "languages")))]
fn code(lang: whatlang::Lang) -> &'static str {
    const CODES: &str = "afr:af aka:ak amh:am ara:ar aze:az bel:be ben:bn bul:bg cat:ca ces:cs cmn:zh cym:cy dan:da deu:de ell:el eng:en epo:eo \
        est:et fin:fi fra:fr guj:gu heb:he hin:hi hrv:hr hun:hu hye:hy ind:id ita:it jav:jv jpn:ja kan:kn kat:ka khm:km kor:ko \
        lat:la lav:lv lit:lt mal:ml mar:mr mkd:mk mya:my nep:ne nld:nl nob:no ori:or pan:pa pes:fa pol:pl por:pt ron:ro rus:ru \
        sin:si slk:sk slv:sl sna:sn spa:es srp:sr swe:sv tam:ta tel:te tgl:tl tha:th tuk:tk tur:tr ukr:uk urd:ur uzb:uz vie:vi \
        yid:yi zul:zu";
    let mut codes = CODES.split(' ').filter_map(|pair| pair.split_once(':'));
    codes.find(|c| c.0 == lang.code()).map_or(lang.code(), |c| c.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_become_tags() {
        assert_eq!(tag("en_us").as_deref(), Some("en-US"));
        assert_eq!(tag("zh-hant-tw").as_deref(), Some("zh-Hant-TW"));
        assert_eq!(tag("de, en").as_deref(), Some("de"));
        assert_eq!(tag("{{lang}}"), None);
    }

    #[test]
    fn letters_of_another_script_refute_a_declaration() {
        let chinese = "石桥的冬天，两岸的人都来此处取水。";
        assert!(is_in_other_script(chinese, "en") && is_in_other_script("Зимой у моста тихо.", "de"));
        assert!(is_in_other_script("A bridge in winter", "ru") && is_in_other_script(chinese, "ru"));
        // Languages of one script, languages of several, texts that are mixed or too short.
        assert!(!is_in_other_script(chinese, "ja") && !is_in_other_script(chinese, "sr"));
        assert!(!is_in_other_script("The bridge 石桥的冬天 in winter", "en") && !is_in_other_script("石桥", "en"));
    }

    #[test]
    fn every_language_has_its_code() {
        for lang in whatlang::Lang::all() {
            assert_ne!(code(*lang), lang.code(), "{lang}");
        }
    }
}
