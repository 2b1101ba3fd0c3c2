//! Labels of pagination links in many languages.
use crate::hash::HashMap;
use std::sync::LazyLock;

/// The role of a link in a pagination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The page after this one.
    Next,
    /// The page before this one.
    Previous,
    /// The first page.
    First,
    /// The last page.
    Last,
    /// A page with a number.
    Page,
}

impl Role {
    /// All roles, in the order of the model's forests.
    pub const ALL: [Role; 5] = [Role::Next, Role::Previous, Role::First, Role::Last, Role::Page];

    /// Returns the name used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Role::Next => "next",
            Role::Previous => "previous",
            Role::First => "first",
            Role::Last => "last",
            Role::Page => "page",
        }
    }
}

/// Kinds of words in labels: the roles except [`Role::Page`], words for a page, words for more, and words for chronological order, which
/// pages use in either direction.
pub const KINDS: [&str; 8] = ["next", "previous", "first", "last", "page", "more", "older", "newer"];

/// Words and phrases in lower case, by kind. In languages without spaces, a word may occur anywhere in the text.
const WORDS: [&[&str]; 8] = [
    &[
        "next",
        "forward",
        "n\u{e4}chste",
        "n\u{e4}chster",
        "n\u{e4}chsten",
        "weiter",
        "vorw\u{e4}rts",
        "suivant",
        "suivante",
        "siguiente",
        "pr\u{f3}xima",
        "pr\u{f3}ximo",
        "proxima",
        "proximo",
        "seguinte",
        "avan\u{e7}ar",
        "avanti",
        "successiva",
        "successivo",
        "prossima",
        "prossimo",
        "seg\u{fc}ent",
        "volgende",
        "verder",
        "neste",
        "n\u{e6}ste",
        "n\u{e4}sta",
        "seuraava",
        "nast\u{119}pna",
        "nast\u{119}pny",
        "nast\u{119}pne",
        "dalej",
        "dal\u{161}\u{ed}",
        "\u{10f}al\u{161}ia",
        "naslednja",
        "sljede\u{107}a",
        "slede\u{107}a",
        "k\u{f6}vetkez\u{151}",
        "urm\u{103}toarea",
        "urm\u{103}tor",
        "sonraki",
        "berikutnya",
        "selanjutnya",
        "seterusnya",
        "ti\u{1ebf}p",
        "trang sau",
        "kitas",
        "n\u{101}kam\u{101}",
        "j\u{e4}rgmine",
        "hurrengoa",
        "\u{441}\u{43b}\u{435}\u{434}\u{443}\u{44e}\u{449}\u{430}\u{44f}",
        "\u{441}\u{43b}\u{435}\u{434}\u{443}\u{44e}\u{449}\u{438}\u{435}",
        "\u{441}\u{43b}\u{435}\u{434}\u{443}\u{44e}\u{449}\u{438}\u{439}",
        "\u{441}\u{43b}\u{435}\u{434}",
        "\u{434}\u{430}\u{43b}\u{435}\u{435}",
        "\u{434}\u{430}\u{43b}\u{44c}\u{448}\u{435}",
        "\u{432}\u{43f}\u{435}\u{440}\u{451}\u{434}",
        "\u{432}\u{43f}\u{435}\u{440}\u{435}\u{434}",
        "\u{43d}\u{430}\u{441}\u{442}\u{443}\u{43f}\u{43d}\u{430}",
        "\u{43d}\u{430}\u{441}\u{442}\u{443}\u{43f}\u{43d}\u{456}",
        "\u{441}\u{43b}\u{435}\u{434}\u{432}\u{430}\u{449}\u{430}",
        "\u{3b5}\u{3c0}\u{3cc}\u{3bc}\u{3b5}\u{3bd}\u{3b7}",
        "\u{3b5}\u{3c0}\u{3cc}\u{3bc}\u{3b5}\u{3bd}\u{3bf}",
        "\u{5d4}\u{5d1}\u{5d0}",
        "\u{627}\u{644}\u{62a}\u{627}\u{644}\u{64a}",
        "\u{628}\u{639}\u{62f}\u{6cc}",
        "\u{628}\u{639}\u{62f}\u{64a}",
        "\u{905}\u{917}\u{932}\u{93e}",
        "\u{905}\u{917}\u{932}\u{947}",
        "\u{9aa}\u{9b0}\u{9ac}\u{9b0}\u{9cd}\u{9a4}\u{9c0}",
        "\u{b85}\u{b9f}\u{bc1}\u{ba4}\u{bcd}\u{ba4}",
        "\u{e16}\u{e31}\u{e14}\u{e44}\u{e1b}",
        "\u{4e0b}\u{4e00}\u{9875}",
        "\u{4e0b}\u{9875}",
        "\u{4e0b}\u{4e00}\u{9801}",
        "\u{4e0b}\u{9801}",
        "\u{540e}\u{4e00}\u{9875}",
        "\u{6b21}\u{3078}",
        "\u{6b21}\u{306e}",
        "\u{6b21}\u{30da}\u{30fc}\u{30b8}",
        "\u{b2e4}\u{c74c}",
    ],
    &[
        "prev",
        "previous",
        "back",
        "zur\u{fc}ck",
        "vorherige",
        "vorige",
        "vorheriger",
        "pr\u{e9}c\u{e9}dent",
        "pr\u{e9}c\u{e9}dente",
        "anterior",
        "voltar",
        "indietro",
        "precedente",
        "precedent",
        "terug",
        "forrige",
        "f\u{f6}reg\u{e5}ende",
        "edellinen",
        "poprzednia",
        "poprzedni",
        "poprzednie",
        "wstecz",
        "p\u{159}edchoz\u{ed}",
        "predch\u{e1}dzaj\u{fa}ca",
        "prej\u{161}nja",
        "prethodna",
        "el\u{151}z\u{151}",
        "anterioar\u{103}",
        "\u{f6}nceki",
        "sebelumnya",
        "tr\u{1b0}\u{1edb}c",
        "ankstesnis",
        "iepriek\u{161}\u{113}j\u{101}",
        "eelmine",
        "\u{43f}\u{440}\u{435}\u{434}\u{44b}\u{434}\u{443}\u{449}\u{430}\u{44f}",
        "\u{43f}\u{440}\u{435}\u{434}\u{44b}\u{434}\u{443}\u{449}\u{438}\u{435}",
        "\u{43f}\u{440}\u{435}\u{434}\u{44b}\u{434}\u{443}\u{449}\u{438}\u{439}",
        "\u{43f}\u{440}\u{435}\u{434}",
        "\u{43d}\u{430}\u{437}\u{430}\u{434}",
        "\u{43f}\u{43e}\u{43f}\u{435}\u{440}\u{435}\u{434}\u{43d}\u{44f}",
        "\u{43f}\u{440}\u{435}\u{434}\u{438}\u{448}\u{43d}\u{430}",
        "\u{3c0}\u{3c1}\u{3bf}\u{3b7}\u{3b3}\u{3bf}\u{3cd}\u{3bc}\u{3b5}\u{3bd}\u{3b7}",
        "\u{3c0}\u{3c1}\u{3bf}\u{3b7}\u{3b3}\u{3bf}\u{3cd}\u{3bc}\u{3b5}\u{3bd}\u{3bf}",
        "\u{5d4}\u{5e7}\u{5d5}\u{5d3}\u{5dd}",
        "\u{627}\u{644}\u{633}\u{627}\u{628}\u{642}",
        "\u{642}\u{628}\u{644}\u{6cc}",
        "\u{642}\u{628}\u{644}\u{64a}",
        "\u{92a}\u{93f}\u{91b}\u{932}\u{93e}",
        "\u{92a}\u{93f}\u{91b}\u{932}\u{947}",
        "\u{9aa}\u{9c2}\u{9b0}\u{9cd}\u{9ac}\u{9ac}\u{9b0}\u{9cd}\u{9a4}\u{9c0}",
        "\u{e01}\u{e48}\u{e2d}\u{e19}\u{e2b}\u{e19}\u{e49}\u{e32}",
        "\u{4e0a}\u{4e00}\u{9875}",
        "\u{4e0a}\u{9875}",
        "\u{4e0a}\u{4e00}\u{9801}",
        "\u{4e0a}\u{9801}",
        "\u{524d}\u{4e00}\u{9875}",
        "\u{524d}\u{3078}",
        "\u{524d}\u{306e}",
        "\u{524d}\u{30da}\u{30fc}\u{30b8}",
        "\u{c774}\u{c804}",
    ],
    &[
        "first",
        "start",
        "begin",
        "erste",
        "anfang",
        "premi\u{e8}re",
        "premier",
        "d\u{e9}but",
        "primera",
        "primero",
        "inicio",
        "primeira",
        "prima",
        "inizio",
        "eerste",
        "f\u{f8}rste",
        "f\u{f6}rsta",
        "ensimm\u{e4}inen",
        "pierwsza",
        "prvn\u{ed}",
        "prv\u{e1}",
        "els\u{151}",
        "ilk",
        "pertama",
        "\u{111}\u{1ea7}u",
        "\u{43f}\u{435}\u{440}\u{432}\u{430}\u{44f}",
        "\u{43f}\u{435}\u{440}\u{448}\u{430}",
        "\u{432} \u{43d}\u{430}\u{447}\u{430}\u{43b}\u{43e}",
        "\u{43d}\u{430}\u{447}\u{430}\u{43b}\u{43e}",
        "\u{3c0}\u{3c1}\u{3ce}\u{3c4}\u{3b7}",
        "\u{5e8}\u{5d0}\u{5e9}\u{5d5}\u{5df}",
        "\u{627}\u{644}\u{623}\u{648}\u{644}\u{649}",
        "\u{627}\u{648}\u{644}\u{6cc}\u{646}",
        "\u{92a}\u{939}\u{932}\u{93e}",
        "\u{9aa}\u{9cd}\u{9b0}\u{9a5}\u{9ae}",
        "\u{9996}\u{9875}",
        "\u{9996}\u{9801}",
        "\u{7b2c}\u{4e00}\u{9875}",
        "\u{6700}\u{521d}",
        "\u{5148}\u{982d}",
        "\u{cc98}\u{c74c}",
    ],
    &[
        "last",
        "end",
        "letzte",
        "ende",
        "derni\u{e8}re",
        "dernier",
        "fin",
        "\u{fa}ltima",
        "\u{fa}ltimo",
        "ultima",
        "ultimo",
        "fine",
        "laatste",
        "siste",
        "sista",
        "viimeinen",
        "ostatnia",
        "posledn\u{ed}",
        "posledn\u{e1}",
        "utols\u{f3}",
        "son",
        "terakhir",
        "cu\u{1ed1}i",
        "\u{43f}\u{43e}\u{441}\u{43b}\u{435}\u{434}\u{43d}\u{44f}\u{44f}",
        "\u{43f}\u{43e}\u{441}\u{43b}\u{435}\u{434}\u{43d}\u{438}\u{435}",
        "\u{43e}\u{441}\u{442}\u{430}\u{43d}\u{43d}\u{44f}",
        "\u{432} \u{43a}\u{43e}\u{43d}\u{435}\u{446}",
        "\u{43a}\u{43e}\u{43d}\u{435}\u{446}",
        "\u{3c4}\u{3b5}\u{3bb}\u{3b5}\u{3c5}\u{3c4}\u{3b1}\u{3af}\u{3b1}",
        "\u{5d0}\u{5d7}\u{5e8}\u{5d5}\u{5df}",
        "\u{627}\u{644}\u{623}\u{62e}\u{64a}\u{631}\u{629}",
        "\u{622}\u{62e}\u{631}\u{6cc}\u{646}",
        "\u{905}\u{902}\u{924}\u{93f}\u{92e}",
        "\u{9b6}\u{9c7}\u{9b7}",
        "\u{5c3e}\u{9875}",
        "\u{672b}\u{9875}",
        "\u{5c3e}\u{9801}",
        "\u{672b}\u{9801}",
        "\u{6700}\u{540e}",
        "\u{6700}\u{5f8c}",
        "\u{b9c8}\u{c9c0}\u{b9c9}",
    ],
    &[
        "page",
        "pages",
        "seite",
        "p\u{e1}gina",
        "pagina",
        "side",
        "sida",
        "sivu",
        "strona",
        "str\u{e1}nka",
        "strana",
        "oldal",
        "sayfa",
        "halaman",
        "trang",
        "\u{441}\u{442}\u{440}\u{430}\u{43d}\u{438}\u{446}\u{430}",
        "\u{441}\u{442}\u{43e}\u{440}\u{456}\u{43d}\u{43a}\u{430}",
        "\u{3c3}\u{3b5}\u{3bb}\u{3af}\u{3b4}\u{3b1}",
        "\u{5e2}\u{5de}\u{5d5}\u{5d3}",
        "\u{635}\u{641}\u{62d}\u{629}",
        "\u{635}\u{641}\u{62d}\u{647}",
        "\u{92a}\u{943}\u{937}\u{94d}\u{920}",
        "\u{9aa}\u{9be}\u{9a4}\u{9be}",
        "\u{9875}",
        "\u{9801}",
        "\u{30da}\u{30fc}\u{30b8}",
        "\u{d398}\u{c774}\u{c9c0}",
    ],
    &[
        "load more",
        "show more",
        "view more",
        "see more",
        "more results",
        "more posts",
        "more articles",
        "more stories",
        "mehr laden",
        "mehr anzeigen",
        "weitere laden",
        "voir plus",
        "charger plus",
        "afficher plus",
        "cargar m\u{e1}s",
        "ver m\u{e1}s",
        "mostrar m\u{e1}s",
        "carregar mais",
        "ver mais",
        "mostrar mais",
        "carica altri",
        "mostra altri",
        "meer laden",
        "toon meer",
        "vis mer",
        "vis flere",
        "visa fler",
        "ladda fler",
        "n\u{e4}yt\u{e4} lis\u{e4}\u{e4}",
        "wczytaj wi\u{119}cej",
        "poka\u{17c} wi\u{119}cej",
        "na\u{10d}\u{ed}st dal\u{161}\u{ed}",
        "daha fazla",
        "muat lebih",
        "xem th\u{ea}m",
        "\u{43f}\u{43e}\u{43a}\u{430}\u{437}\u{430}\u{442}\u{44c} \u{435}\u{449}\u{435}",
        "\u{43f}\u{43e}\u{43a}\u{430}\u{437}\u{430}\u{442}\u{44c} \u{435}\u{449}\u{451}",
        "\u{437}\u{430}\u{433}\u{440}\u{443}\u{437}\u{438}\u{442}\u{44c} \u{435}\u{449}\u{435}",
        "\u{437}\u{430}\u{433}\u{440}\u{443}\u{437}\u{438}\u{442}\u{44c} \u{435}\u{449}\u{451}",
        "\u{43f}\u{43e}\u{43a}\u{430}\u{437}\u{430}\u{442}\u{438} \u{449}\u{435}",
        "\u{3c0}\u{3b5}\u{3c1}\u{3b9}\u{3c3}\u{3c3}\u{3cc}\u{3c4}\u{3b5}\u{3c1}\u{3b1}",
        "\u{5d8}\u{5e2}\u{5df} \u{5e2}\u{5d5}\u{5d3}",
        "\u{62a}\u{62d}\u{645}\u{64a}\u{644} \u{627}\u{644}\u{645}\u{632}\u{64a}\u{62f}",
        "\u{627}\u{644}\u{645}\u{632}\u{64a}\u{62f}",
        "\u{52a0}\u{8f7d}\u{66f4}\u{591a}",
        "\u{67e5}\u{770b}\u{66f4}\u{591a}",
        "\u{66f4}\u{591a}",
        "\u{8f09}\u{5165}\u{66f4}\u{591a}",
        "\u{3082}\u{3063}\u{3068}\u{898b}\u{308b}",
        "\u{3055}\u{3089}\u{306b}\u{8868}\u{793a}",
        "\u{b354}\u{bcf4}\u{ae30}",
        "\u{b354} \u{bcf4}\u{ae30}",
    ],
    &[
        "older",
        "\u{e4}ltere",
        "plus anciens",
        "anciens",
        "antiguos",
        "antiguas",
        "antigos",
        "antigas",
        "ouder",
        "oudere",
        "\u{e4}ldre",
        "\u{e6}ldre",
        "eldre",
        "starsze",
        "star\u{161}\u{ed}",
        "vecchi",
        "r\u{e9}gebbi",
        "eski",
        "vanhemmat",
        "\u{441}\u{442}\u{430}\u{440}\u{44b}\u{435}",
        "\u{440}\u{430}\u{43d}\u{435}\u{435}",
        "\u{3c0}\u{3b1}\u{3bb}\u{3b1}\u{3b9}\u{3cc}\u{3c4}\u{3b5}\u{3c1}\u{3b1}",
        "\u{53e4}\u{3044}",
        "\u{904e}\u{53bb}",
        "\u{8f83}\u{65e9}",
        "\u{8f83}\u{65e7}",
        "\u{8f03}\u{820a}",
    ],
    &[
        "newer",
        "neuere",
        "plus r\u{e9}cents",
        "recientes",
        "recentes",
        "nieuwer",
        "nieuwere",
        "nyare",
        "nyere",
        "nowsze",
        "nov\u{11b}j\u{161}\u{ed}",
        "\u{fa}jabb",
        "yeni",
        "uudemmat",
        "\u{43d}\u{43e}\u{432}\u{44b}\u{435}",
        "\u{3bd}\u{3b5}\u{3cc}\u{3c4}\u{3b5}\u{3c1}\u{3b1}",
        "\u{65b0}\u{3057}\u{3044}",
        "\u{8f83}\u{65b0}",
        "\u{8f03}\u{65b0}",
    ],
];

/// The words by the way they are looked up; a word's mask has the bits of its kinds.
#[derive(Default)]
struct Lexicon {
    all: HashMap<&'static str, u16>,
    words: HashMap<&'static str, u16>,
    /// Phrases by the bytes around their first space: the phrase, the index of that space, the mask.
    phrases: HashMap<[u8; 2], Vec<(&'static str, usize, u16)>>,
    unspaced: Vec<(&'static str, u16)>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut out = Lexicon::default();
    for (k, list) in WORDS.iter().enumerate() {
        for w in list.iter() {
            *out.all.entry(w).or_default() |= 1 << k;
            match w.chars().any(crate::blocks::is_cjk) {
                true => out.unspaced.push((w, 1 << k)),
                false => match w.bytes().position(|b| b == b' ').and_then(|at| Some((at, around(w, at)?))) {
                    Some((at, around)) => out.phrases.entry(around).or_default().push((w, at, 1 << k)),
                    None => *out.words.entry(w).or_default() |= 1 << k,
                },
            }
        }
    }
    out
});

/// Returns the bytes before and after a position in a text.
fn around(text: &str, at: usize) -> Option<[u8; 2]> {
    let bytes = text.as_bytes();
    Some([*bytes.get(at.checked_sub(1)?)?, *bytes.get(at + 1)?])
}

/// Scores a text for each of [`KINDS`]: 2 if it is such a word or phrase with at most signs and numbers beside it, 1 if it holds one.
pub fn fit(text: &str) -> [f32; 8] {
    let mut out = [0.0; 8];
    // A long text is not a label of a pagination link.
    if text.is_empty() || text.len() > 120 {
        return out;
    }
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric() && !is_mark(c)).filter(|w| !w.is_empty()).collect();
    let bare = words.iter().filter(|w| !w.chars().all(char::is_numeric)).copied().collect::<Vec<_>>().join(" ");
    let lexicon: &Lexicon = &LEXICON;
    let mut holds =
        |mask: u16| out.iter_mut().enumerate().filter(|(k, _)| mask >> k & 1 == 1).for_each(|(_, f)| *f = 1.0);
    words.iter().filter_map(|w| lexicon.words.get(w)).for_each(|m| holds(*m));
    // Every phrase has a space, so only the positions of spaces are examined.
    for at in bare.bytes().enumerate().filter(|(_, b)| *b == b' ').map(|(at, _)| at) {
        let near = around(&bare, at).and_then(|around| lexicon.phrases.get(&around));
        for (phrase, space, mask) in near.into_iter().flatten() {
            if at.checked_sub(*space).is_some_and(|start| bare.as_bytes()[start..].starts_with(phrase.as_bytes())) {
                holds(*mask);
            }
        }
    }
    if lower.chars().any(crate::blocks::is_cjk) {
        lexicon.unspaced.iter().filter(|(p, _)| lower.contains(p)).for_each(|(_, m)| holds(*m));
    }
    let exact = lexicon.all.get(bare.as_str()).copied().unwrap_or(0);
    out.iter_mut().enumerate().filter(|(k, _)| exact >> k & 1 == 1).for_each(|(_, f)| *f = 2.0);
    out
}

/// Marks that are parts of letters in the scripts of India and Thailand.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{dff}' | '\u{e31}'..='\u{e4e}')
}

/// Returns the direction of the arrows in a text: 1 forward, 2 to the end, -1 back, -2 to the beginning, 0 none.
pub fn arrow(text: &str) -> f32 {
    let (mut on, mut back) = (0.0f32, 0.0f32);
    for c in text.chars() {
        match c {
            '>' | '\u{203a}' | '\u{2192}' | '\u{25b6}' | '\u{25ba}' | '\u{276f}' | '\u{27e9}' | '\u{2c3}'
            | '\u{25b8}' | '\u{ff1e}' => on += 1.0,
            '<' | '\u{2039}' | '\u{2190}' | '\u{25c0}' | '\u{25c4}' | '\u{276e}' | '\u{27e8}' | '\u{2c2}'
            | '\u{25c2}' | '\u{ff1c}' => back += 1.0,
            '\u{bb}' | '\u{226b}' | '\u{21e5}' | '\u{300b}' => on += 2.0,
            '\u{ab}' | '\u{226a}' | '\u{21e4}' | '\u{300a}' => back += 2.0,
            _ => {}
        }
    }
    match (on > 0.0, back > 0.0) {
        (true, false) => on.min(2.0),
        (false, true) => -back.min(2.0),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_in_several_languages_are_recognised() {
        let next = |s: &str| fit(s)[0];
        for s in [
            "Next",
            "next \u{bb}",
            "N\u{e4}chste",
            "\u{4e0b}\u{4e00}\u{9875}",
            "\u{421}\u{43b}\u{435}\u{434}\u{443}\u{44e}\u{449}\u{430}\u{44f}",
            "\u{905}\u{917}\u{932}\u{93e}",
        ] {
            assert_eq!(next(s), 2.0, "{s}");
        }
        assert_eq!((next("Next page"), fit("Next page")[4]), (1.0, 1.0));
        assert_eq!(next("Nextcloud released"), 0.0);
        assert_eq!(fit("Load more")[5], 2.0);
        // A phrase is found at any position, after any number of spaces.
        assert_eq!(
            (fit("1 2 load more posts")[5], fit("load more")[5], fit("load mor e")[5], fit("loa d more")[5]),
            (1.0, 2.0, 0.0, 0.0)
        );
        assert_eq!((arrow("\u{203a}"), arrow("\u{ab}"), arrow("<>"), arrow("x")), (1.0, -2.0, 0.0, 0.0));
    }
}
