//! Decides about text in `<noscript>`: requests to enable scripts, and copies of nearby text, are dropped. On a page that holds hardly
//! anything else, visible requests are dropped too. So are copies of a text for screens of another width.
use maintext_page::blocks::Blocks;
use maintext_page::dom::{Dom, Tag};
use maintext_page::hash::HashMap;
use maintext_page::visibility::names::{Screens, ScreensByClass};

/// Words, without requests, below which a page may be a shell without its content.
pub(crate) const SHELL_WORDS: u32 = 60;
/// Words of all blocks above which a page is not a shell, whatever it requests.
const MANY_WORDS: u32 = 400;
/// Maximum number of words of a request.
const WORDS: u32 = 40;
/// Maximum numbers of blocks and of nodes of a `<noscript>` that holds nothing but a notice, and of elements between it and its text.
const MAX_BLOCKS: usize = 3;
const MAX_NODES: usize = 20;
const MAX_LEVELS: usize = 5;
/// Maximum number of blocks between a text and its copy.
const COPY_DISTANCE: usize = 4;
/// Minimum number of words of a text that may be a copy for other screens: numbers and answers repeat by chance.
const MIN_COPY_WORDS: u32 = 2;

pub(crate) fn apply(dom: &Dom<'_>, blocks: &Blocks, kept: &mut [bool]) {
    for b in 0..kept.len() {
        if !blocks.blocks[b].noscript || !kept[b] {
            continue;
        }
        let text = blocks.text(b);
        let near = b.saturating_sub(COPY_DISTANCE)..(b + COPY_DISTANCE + 1).min(kept.len());
        let copies = near.into_iter().any(|o| kept[o] && !blocks.blocks[o].noscript && blocks.text(o) == text);
        kept[b] =
            !(copies || is_notice(blocks, b) || is_note_on_scripts(blocks, b) || names_scripts_alone(dom, blocks, b));
    }
    drop_visible_requests(blocks, kept);
}

/// Drops texts that an element for screens of one width shows and one for all others shows again.
pub(crate) fn drop_for_other_screens(dom: &Dom<'_>, blocks: &Blocks, kept: &mut [bool]) {
    // By the size of the text, since nearly all texts occur once, and hashing them all takes longer than all else.
    let mut seen: HashMap<(u32, u32), usize> = HashMap::default();
    let mut shown = ScreensByClass::default();
    for (b, kept) in kept.iter_mut().enumerate() {
        let block = &blocks.blocks[b];
        if !*kept || block.words < MIN_COPY_WORDS {
            continue;
        }
        let first = seen.insert((block.chars, block.words), b);
        let Some(first) = first.filter(|first| blocks.text(*first) == blocks.text(b)) else { continue };
        let copies = [first, b].map(|b| screens_of(dom, blocks, &mut shown, b));
        *kept = !matches!(copies, [Some(first), Some(own)] if first != own);
    }
}

/// Returns the screens on which a block is shown, by the nearest class around it that names some.
fn screens_of(dom: &Dom<'_>, blocks: &Blocks, shown: &mut ScreensByClass, b: usize) -> Option<Screens> {
    let mut around = blocks.ancestors(b).take(MAX_LEVELS).map(|e| blocks.elements[e].node);
    around.find_map(|n| shown.of(dom, n))
}

/// Drops requests in the visible text of a page that holds hardly anything else.
fn drop_visible_requests(blocks: &Blocks, kept: &mut [bool]) {
    let Some(notices) = requests_of_shell(blocks) else { return };
    for b in notices {
        kept[b] = false;
        // "JavaScript is disabled" may be followed by "Please enable it and load the page again".
        for near in b.saturating_sub(1)..(b + 3).min(kept.len()) {
            let text = blocks.text(near).to_lowercase();
            kept[near] &= blocks.blocks[near].words > WORDS || !ACTS.iter().any(|act| text.contains(act));
        }
    }
}

/// Returns the blocks that ask for scripts, if the page has hardly any other text.
pub(crate) fn requests_of_shell(blocks: &Blocks) -> Option<Vec<usize>> {
    let all: u32 = blocks.blocks.iter().map(|b| b.words).sum();
    if all >= MANY_WORDS {
        return None;
    }
    let notices: Vec<usize> = (0..blocks.len()).filter(|&b| is_notice(blocks, b)).collect();
    let asked: u32 = notices.iter().map(|&b| blocks.blocks[b].words).sum();
    (all - asked < SHELL_WORDS).then_some(notices)
}

/// Whether block `b` asks readers to enable scripts.
fn is_notice(blocks: &Blocks, b: usize) -> bool {
    blocks.blocks[b].words <= WORDS && asks_for_scripts(blocks.text(b))
}

/// Whether a text in `<noscript>` mentions scripts, by any name, and that they are needed.
fn is_note_on_scripts(blocks: &Blocks, b: usize) -> bool {
    let text = blocks.text(b).to_lowercase();
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    // Words of Japanese and Chinese do not begin after a space.
    let is_named = words.any(|w| ["script", "skript", "скрипт", "parancsfájl"].iter().any(|n| w.starts_with(n)))
        || ["スクリプト", "脚本", "腳本"].iter().any(|name| text.contains(name));
    is_named && blocks.blocks[b].words <= WORDS && ACTS.iter().any(|act| text.contains(act))
}

/// Whether a text is all that a `<noscript>` shows, or nearly all, and names JavaScript: whatever the verb, it says that the page needs it.
fn names_scripts_alone(dom: &Dom<'_>, blocks: &Blocks, b: usize) -> bool {
    let mut around = blocks.ancestors(b).take(MAX_LEVELS).map(|e| &blocks.elements[e]);
    let Some(noscript) = around.find(|e| e.tag == Tag::NOSCRIPT) else { return false };
    let own = noscript.blocks.start as usize..noscript.blocks.end as usize;
    own.len() <= MAX_BLOCKS
        && names_scripts(&blocks.text(b).to_lowercase())
        && blocks.blocks[own].iter().map(|block| block.words).sum::<u32>() <= WORDS
        // The caption of a picture may name anything.
        && !dom.descendants(noscript.node).take(MAX_NODES).any(|n| dom.tag(n) == Tag::IMG)
}

/// Whether a text only makes sense to readers whose browser runs no scripts.
fn asks_for_scripts(text: &str) -> bool {
    let text = text.to_lowercase();
    names_scripts(&text) && ACTS.iter().any(|act| text.contains(act))
}

/// Whether a text, in lower case, names JavaScript.
fn names_scripts(text: &str) -> bool {
    const NAMES: [&str; 11] = [
        "javascript",
        "java script",
        "java-script",
        "ジャバスクリプト",
        "자바스크립트",
        "자바 스크립트",
        "جافا سكريبت",
        "جافاسكربت",
        "جافاسكريبت",
        "جاوا اسکریپت",
        "जावास्क्रिप्ट",
    ];
    NAMES.iter().any(|name| text.contains(name))
}

/// Beginnings of words for switching on, needing and lacking, in lower case.
#[rustfmt::skip]
const ACTS: [&str; 77] = [
    // English, German, Dutch, the Scandinavian languages
    "enable", "turn on", "turned off", "requires", "required", "switch on", "disabled", "need", "must have", "activ", "aktiv",
    "einschalten", "erforder", "benötig", "schakel", "slå på", "slå til", "krever", "kræver", "kräver", "kveikja",
    // French, Spanish, Portuguese, Italian, Romanian, Catalan
    "habilit", "nécessit", "requiert", "requis", "requier", "necesit", "necess", "ative o", "ative java", "attiv", "abilita", "richied",
    "ativar", "ativado",
    // Slavic languages
    "включ", "увімкн", "необход", "требу", "отключ", "вимкн", "włącz", "wymaga", "povol", "zapn", "vyžad", "omoguć", "uključ", "вклуч",
    // Finnish, Hungarian, Estonian, Turkish, Greek, Vietnamese, Indonesian
    "käyttöön", "salli java", "engedélyez", "kapcsol", "szükség", "etkinleştir", "gerek", "ενεργοποι", "bật", "aktifkan",
    // Arabic, Persian, Hebrew, Hindi, Thai
    "تفعيل", "تمكين", "فعال", "הפעל", "सक्षम", "เปิด",
    // Chinese, Japanese, Korean
    "启用", "啟用", "开启", "開啟", "打开", "禁用", "有効", "無効", "必要", "需要", "활성", "사용",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(html: &str) -> Vec<bool> {
        let dom = maintext_page::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let mut kept = vec![true; blocks.len()];
        apply(&dom, &blocks, &mut kept);
        kept
    }

    #[test]
    fn requests_and_copies_are_dropped() {
        assert_eq!(kept("<p>a</p><noscript><p>Please enable JavaScript.</p></noscript>"), [true, false]);
        assert_eq!(
            kept("<p>a</p><noscript><p>動画の再生にはスクリプトの許可が必要です。</p></noscript>"),
            [true, false]
        );
        assert_eq!(
            kept("<p>a</p><noscript><p>A térkép megtekintéséhez parancsfájlok szükségesek.</p></noscript>"),
            [true, false]
        );
        assert_eq!(kept("<p>The same words.</p><noscript><p>The same words.</p></noscript>"), [true, false]);
        assert_eq!(kept("<div><noscript><p>The same words.</p></noscript><p>The same words.</p>"), [false, true]);
        assert_eq!(kept("<p>a</p><noscript><p>Only here.</p></noscript>"), [true, true]);
        let long = format!("<p>{}</p>", "The mill has been closed since the flood. ".repeat(8));
        assert_eq!(kept(&format!("{long}<p>JavaScript must be enabled.</p>")), [true, true]);
        assert_eq!(
            kept("<h1>JavaScript is off</h1><p>JavaScript must be enabled.</p><p>Enable it and reload.</p>"),
            [true, false, false]
        );
        assert_eq!(kept("<p>Our shop</p><p>You need to enable JavaScript to run this app.</p>"), [true, false]);
    }

    #[test]
    fn a_noscript_with_nothing_but_a_line_about_scripts_is_a_notice_in_any_language() {
        for line in [
            "Kommentteja näkee vain JavaScriptin kanssa.",
            "Bez JavaScriptu tu není co číst.",
            "Ei toimi ilman JavaScriptiä. <a href=/ohje>Ohje</a>",
        ] {
            assert_eq!(kept(&format!("<p>a</p><noscript><p>{line}</p></noscript>")), [true, false], "{line}");
            assert_eq!(kept(&format!("<p>a</p><noscript>{line}</noscript>")), [true, false], "{line}");
        }
        let line = "<p>JavaScript is older than this page.</p>";
        let long = format!("<p>{}</p>", "The mill has been closed since the flood. ".repeat(8));
        assert_eq!(kept(&format!("<div><noscript>{line}{long}</noscript>")), [true, true]);
        assert_eq!(kept(&format!("<div><noscript><img src=a.jpg>{line}</noscript>")), [true]);
    }

    #[test]
    fn a_text_for_other_screens_is_kept_once() {
        let note = |class: &str| format!("<div class='{class}'><p>Mind the step.</p></div><p>The path goes on.</p>");
        let kept = |first: &str, second: &str| {
            let html = note(first) + &note(second);
            crate::passes::choice_after(&html, "++++", drop_for_other_screens)
        };
        assert_eq!(kept("box hidden lg:block", "box block lg:hidden"), "++-+");
        assert_eq!(kept("d-none d-md-block", "d-md-none"), "++-+");
        assert_eq!(kept("box", "box lg:hidden"), "++++");
    }
}
