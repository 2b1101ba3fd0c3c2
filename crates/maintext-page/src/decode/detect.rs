//! Detects the encoding of a page from its bytes alone.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    Encoding, ISO_8859_2, ISO_8859_4, ISO_8859_13, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1250, WINDOWS_1252, WINDOWS_1254,
    WINDOWS_1257, WINDOWS_1258,
};

use super::{DETECTION_WINDOW, MIN_UTF8_SEQUENCES, PRESCAN_WINDOW, TOLERATED_ERRORS};

/// Counts of multi-byte UTF-8 sequences in a page.
pub(super) struct Utf8Count {
    whole: usize,
    broken: usize,
}

impl Utf8Count {
    pub(super) fn of(bytes: &[u8]) -> Self {
        let mut count = Utf8Count { whole: 0, broken: 0 };
        for chunk in bytes.utf8_chunks() {
            count.whole += chunk.valid().bytes().filter(|byte| *byte >= 0xC0).count();
            count.broken += usize::from(!chunk.invalid().is_empty());
        }
        count
    }

    pub(super) fn mostly_whole(&self) -> bool {
        self.broken <= self.whole
    }

    /// Whether the bytes can only be UTF-8, possibly damaged.
    fn is_utf8(&self) -> bool {
        self.whole >= MIN_UTF8_SEQUENCES && self.broken * TOLERATED_ERRORS <= self.whole
    }

    pub(super) fn refutes(&self, declared: &'static Encoding) -> bool {
        self.is_utf8() || (declared == WINDOWS_1252 && self.broken == 0 && self.whole > 0)
    }
}

/// Recognises UTF-16 without a byte-order mark: markup is ASCII, so at least a third of the first units have a NUL as their
/// high byte and (almost) none as their low byte. One such NUL is enough if the server declares UTF-16.
pub(super) fn utf16_by_nuls(bytes: &[u8], declared: bool) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(PRESCAN_WINDOW)];
    let units = head.len() / 2;
    let (mut even, mut odd) = (0, 0);
    for unit in head.chunks_exact(2) {
        even += usize::from(unit[0] == 0);
        odd += usize::from(unit[1] == 0);
    }
    let needed = if declared { 1 } else { (units / 3).max(2) };
    if odd >= needed && even * 10 <= odd {
        Some(UTF_16LE)
    } else if even >= needed && odd * 10 <= even {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// Number of ASCII bytes that the detector sees on each side of non-ASCII ones.
const CONTEXT_BYTES: usize = 16;

/// Number of pieces into which a page that may be damaged is cut.
const PIECES: usize = 8;

/// Minimum number of non-ASCII bytes of a piece with a vote.
const MIN_PIECE: usize = 16;

/// Minimum number of different non-ASCII bytes in text of a script other than Latin.
const MIN_DISTINCT: usize = 4;

/// Returns the most plausible encoding. UTF-8 is tested first, since chardetng rejects it at the first broken sequence.
pub(super) fn detect(bytes: &[u8]) -> &'static Encoding {
    if Encoding::utf8_valid_up_to(bytes) == bytes.len() || Utf8Count::of(bytes).is_utf8() {
        return UTF_8;
    }
    let (sample, complete) = excerpt(bytes);
    let guessed = guess(&sample, complete);
    if !guessed.is_single_byte() {
        return guessed;
    }
    match majority(&sample) {
        Some(encoding) => encoding,
        None if is_plausible(guessed, &sample) => guessed,
        None => WINDOWS_1252,
    }
}

/// Returns the non-ASCII bytes with some ASCII around them, and whether these are all. The bytes between carry no information for
/// the detector and cost as much as the others: it reads about 15 MB/s.
fn excerpt(bytes: &[u8]) -> (Vec<u8>, bool) {
    let mut sample = Vec::new();
    let mut at = 0;
    while sample.len() < DETECTION_WINDOW {
        let ascii = Encoding::ascii_valid_up_to(&bytes[at..]);
        if at + ascii == bytes.len() {
            sample.extend_from_slice(&bytes[at..at + ascii.min(CONTEXT_BYTES)]);
            return (sample, true);
        }
        if ascii > 2 * CONTEXT_BYTES {
            // Cutting here splits no character: the second half of one follows its first half.
            sample.extend_from_slice(&bytes[at..at + CONTEXT_BYTES]);
            sample.push(b'\n');
            at += ascii - CONTEXT_BYTES;
        }
        let run = &bytes[at..];
        let start = Encoding::ascii_valid_up_to(run);
        let end = run[start..].iter().position(u8::is_ascii).map_or(run.len(), |length| start + length);
        let end = end.min(DETECTION_WINDOW);
        sample.extend_from_slice(&run[..end]);
        at += end;
    }
    (sample, at == bytes.len())
}

fn guess(sample: &[u8], complete: bool) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, complete);
    detector.guess(None, Utf8Detection::Deny)
}

/// Returns the multi-byte encoding of most pieces of a page. For chardetng, which expects no damage, one stray byte rules out the right
/// encoding for the whole page, but in pieces it does so only for the piece that contains it.
fn majority(sample: &[u8]) -> Option<&'static Encoding> {
    let guesses: Vec<&'static Encoding> = pieces(sample)
        .filter(|piece| piece.iter().filter(|byte| !byte.is_ascii()).count() >= MIN_PIECE)
        .map(|piece| guess(piece, false))
        .collect();
    let votes = |encoding: &Encoding| guesses.iter().filter(|guess| **guess == encoding).count();
    let most = guesses.iter().copied().filter(|guess| !guess.is_single_byte()).max_by_key(|guess| votes(guess))?;
    (guesses.len() > 2 && votes(most) * 3 >= guesses.len() * 2).then_some(most)
}

/// Cuts before bytes below 0x30, which are not the second half of a character in any encoding.
fn pieces(sample: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = sample;
    let length = (sample.len() / PIECES).max(1);
    std::iter::from_fn(move || {
        let from = length.min(rest.len());
        let end = rest[from..].iter().position(|byte| *byte < 0x30).map_or(rest.len(), |at| from + at);
        let piece;
        (piece, rest) = rest.split_at(end);
        (!piece.is_empty()).then_some(piece)
    })
}

/// Whether there is enough evidence for a single-byte guess other than windows-1252. chardetng always guesses, and takes
/// an English page with a few "£3,000" for Polish. Letters occur before other letters, signs do not;
/// and text in another script has more than a few letters.
fn is_plausible(guessed: &'static Encoding, sample: &[u8]) -> bool {
    if !LATIN.contains(&guessed) {
        let mut seen = [false; 256];
        sample.iter().filter(|byte| !byte.is_ascii()).for_each(|byte| seen[usize::from(*byte)] = true);
        return seen.iter().filter(|seen| **seen).count() >= MIN_DISTINCT;
    }
    let as_guessed = characters(guessed);
    let as_western = characters(WINDOWS_1252);
    let (mut different, mut in_words) = (0, 0);
    for (at, &byte) in sample.iter().enumerate() {
        if as_guessed[usize::from(byte)] != as_western[usize::from(byte)] {
            different += 1;
            let next = sample.get(at + 1).is_some_and(|next| as_guessed[usize::from(*next)].is_alphabetic());
            in_words += usize::from(as_guessed[usize::from(byte)].is_alphabetic() && next);
        }
    }
    in_words * 3 >= different
}

/// Returns the character of each byte in a single-byte encoding.
fn characters(encoding: &'static Encoding) -> [char; 256] {
    let mut characters = ['\0'; 256];
    for byte in 0..=255 {
        let (text, _) = encoding.decode_without_bom_handling(std::slice::from_ref(&byte));
        characters[usize::from(byte)] = text.chars().next().unwrap_or('\0');
    }
    characters
}

/// The single-byte encodings for Latin script that chardetng guesses besides windows-1252.
const LATIN: [&Encoding; 7] =
    [WINDOWS_1250, ISO_8859_2, WINDOWS_1254, WINDOWS_1257, WINDOWS_1258, ISO_8859_4, ISO_8859_13];

#[cfg(test)]
mod tests {
    use super::*;

    const POLISH: &str = "Wczoraj wieczorem szliśmy wzdłuż rzeki i patrzyliśmy, jak rybacy wracają do domu. Łódź \
        stała przy moście, a dzieci puszczały latawce, choć było już późno i robiło się zimno.";
    const TURKISH: &str = "Dün akşam nehir boyunca yürüdük ve balıkçıların eve dönüşünü izledik. Hava çok güzeldi, \
        çocuklar köprünün üstünde uçurtma uçuruyordu, ışıklar yanıyordu.";
    const CHINESE: &str = "昨天晚上我们沿着河边散步,看着渔民们回家。 天气很好,风也不大,孩子们在桥上放风筝。 ";
    const JAPANESE: &str = "昨日の夕方、川沿いを散歩しながら、漁師たちが帰るのを見ていました。 とても良い天気でした。 ";
    const KOREAN: &str = "어제 저녁에 우리는 강가를 오래 걸으면서 어부들이 돌아가는 모습을 보았습니다. ";
    const RUSSIAN: &str = "Вчера вечером мы долго гуляли по набережной.";

    fn detected(text: &str, label: &str) -> &'static str {
        let encoding = Encoding::for_label(label.as_bytes()).unwrap();
        detect(&encoding.encode(text).0).name()
    }

    #[test]
    fn english_with_a_few_signs_is_not_polish() {
        for text in [
            "<p>Any course will be £3,000 next year. Graduates earn more than £15,000 a year.</p>",
            "<p>The fee is £12. © 1999 The Walking Club</p>",
            "<p>Open today¹ and tomorrow² except on the hills³ and the moors¹</p>",
            "<b>»</b> For starters, <b>»</b> The second thing",
            "<p>§§§§§</p><p>§§§§§</p><p>Chapter one</p>",
        ] {
            let (bytes, ..) = WINDOWS_1252.encode(text);
            assert_eq!(WINDOWS_1252.decode(&bytes).0, detect(&bytes).decode(&bytes).0, "{text}");
        }
    }

    #[test]
    fn latin_text_of_other_languages_keeps_its_encoding() {
        assert_eq!(detected(POLISH, "windows-1250"), "windows-1250");
        assert_eq!(detected(POLISH, "iso-8859-2"), "ISO-8859-2");
        assert_eq!(detected(TURKISH, "windows-1254"), "windows-1254");
    }

    #[test]
    fn damaged_pages_without_declaration_are_detected() {
        for (text, label) in [(CHINESE, "GBK"), (JAPANESE, "Shift_JIS"), (JAPANESE, "EUC-JP"), (KOREAN, "EUC-KR")] {
            let encoding = Encoding::for_label(label.as_bytes()).unwrap();
            let repeated = text.repeat(12);
            let mut bytes = encoding.encode(&repeated).0.into_owned();
            bytes.insert(bytes.len() / 2, 0xff);
            bytes.extend_from_slice(b"\xa4 end");
            assert_eq!(detect(&bytes).name(), label);
        }
    }

    #[test]
    fn excerpt_keeps_non_ascii_bytes_and_their_surroundings() {
        let script = "var x = 1;".repeat(1000);
        let page = format!("{script}<p>één</p>{script}<p>über</p>{script}");
        let (sample, complete) = excerpt(page.as_bytes());
        let sample = String::from_utf8(sample).unwrap();
        assert!(complete && sample.contains("<p>één</p>") && sample.contains("<p>über</p>"), "{sample}");
        assert!(sample.len() < 200);
        assert_eq!(excerpt(b""), (Vec::new(), true));
        assert_eq!(excerpt("ü".as_bytes()), ("ü".into(), true));
        let (sample, complete) = excerpt(&[0xff; 3 * DETECTION_WINDOW]);
        assert!(!complete && sample.len() == DETECTION_WINDOW);
    }

    #[test]
    fn pieces_join_to_the_whole() {
        for text in ["", "x", "a b c d e f g h i j k l m n o p", "no-space-anywhere-in-these-bytes"] {
            let joined: Vec<u8> = pieces(text.as_bytes()).flatten().copied().collect();
            assert_eq!(joined, text.as_bytes());
        }
    }

    #[test]
    fn russian_stays_russian() {
        assert_eq!(detected(&RUSSIAN.repeat(40), "windows-1251"), "windows-1251");
        assert_eq!(detected(RUSSIAN, "koi8-r"), "KOI8-U");
        assert_eq!(detected(RUSSIAN, "ibm866"), "IBM866");
    }
}
