//! Words in classes that highlighters, editors and sites use for the parts of displayed code.
use crate::dom::{Dom, NodeId, NodeKind, single_spaced};
use crate::lexicon::lexicon;

/// The content of a `<div>`, by its class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Container {
    None,
    /// An element per line.
    Lines,
    /// An element per line, in any order.
    Sorted,
    /// Nothing that is shown.
    Measure,
    /// Line numbers.
    Gutter,
    /// The name of a language, buttons.
    Label,
    /// Code, perhaps without an element for it.
    Text,
}

/// Whether one of the words of a class is in the list.
pub(super) fn has_word(class: &str, words: &[&str]) -> bool {
    class.split_ascii_whitespace().any(|w| words.contains(&w))
}

/// Reads the class of a `<div>`. Most classes of a page have none of the substrings that are looked for first.
pub(super) fn container(class: &str) -> Container {
    if !may_name_code(class) {
        return Container::None;
    }
    let mut found = Container::None;
    for word in class.split_ascii_whitespace() {
        match word {
            "CodeMirror-code" | "cm-content" | "ace_text-layer" | "fragment" | "react-code-lines" | "crayon-pre"
            | "syntaxhighlighter" | "dp-highlighter" => {
                return Container::Lines;
            }
            "view-lines" => return Container::Sorted,
            "CodeMirror-measure" | "CodeMirror-cursors" | "CodeMirror-gutters" | "cm-gutters" | "ace_gutter" => {
                return Container::Measure;
            }
            "crayon-toolbar" | "crayon-plain-wrap" | "margin-view-overlays" => return Container::Measure,
            "code-block" | "codeblock" | "code_block" | "CodeBlock" | "codebox" | "code-box" | "code" | "blockcode"
            | "geshi" | "mw-geshi" | "code-snippet" | "code-sample" | "source-code" | "sourcecode" => {
                found = Container::Text
            }
            _ if is_gutter(word) => return Container::Gutter,
            _ if is_label(word) => return Container::Label,
            _ => {}
        }
    }
    found
}

/// Parts of the words that name code, its numbers or its labels, in four letters each.
const PARTS: [&[u8; 4]; 15] = [
    b"code", b"Code", b"line", b"Line", b"gutt", b"lang", b"Lang", b"cm-c", b"cm-g", b"ace_", b"frag", b"cray",
    b"marg", b"high", b"gesh",
];

/// Words of four letters that are looked for at once (the Shift-And algorithm: Baeza-Yates and Gonnet 1992). Bit `4 * word + letter` of a
/// byte marks a place of the byte in a word.
struct Fours([u64; 256]);

impl Fours {
    const FIRST: u64 = 0x1111_1111_1111_1111;

    const fn new(words: &[&[u8; 4]]) -> Fours {
        let mut table = [0; 256];
        let mut bit = 0;
        while bit < 4 * words.len() {
            table[words[bit / 4][bit % 4] as usize] |= 1 << bit;
            bit += 1;
        }
        Fours(table)
    }

    /// Whether a text holds one of the words.
    fn are_in(&self, text: &str) -> bool {
        let mut read = 0u64;
        text.bytes().any(|b| {
            read = (read << 1 & !Fours::FIRST | Fours::FIRST) & self.0[b as usize];
            read & Fours::FIRST << 3 != 0
        })
    }
}

/// Whether a class holds one of [`PARTS`].
fn may_name_code(class: &str) -> bool {
    static FOURS: Fours = Fours::new(&PARTS);
    FOURS.are_in(class)
}

/// Whether a class names line numbers.
pub(in super::super) fn is_gutter(class: &str) -> bool {
    class.split_ascii_whitespace().any(|word| {
        lexicon!("code-gutters.txt").contains(&word)
            || word.contains("ine")
                && ["line-num", "line_number", "linenumber", "LineNumber", "lineNumber"]
                    .iter()
                    .any(|w| word.contains(w))
    })
}

/// Whether a class names code or a line of it.
pub(super) fn is_code(class: &str) -> bool {
    class.split_ascii_whitespace().any(|word| lexicon!("code-classes.txt").contains(&word))
}

/// Whether a class belongs to a highlighter that draws code next to the text field with its source.
pub(in super::super) fn draws_code(class: &str) -> bool {
    ["CodeMirror", "crayon", "ace_editor", "monaco-editor", "cm-editor"].iter().any(|w| class.contains(w))
}

/// Whether a class names one line of code.
pub(super) fn is_line(class: &str) -> bool {
    class.split_ascii_whitespace().any(|word| {
        matches!(
            word,
            "line" | "code-line" | "token-line" | "view-line" | "cm-line" | "ace_line" | "CodeMirror-line" | "codeline"
        ) || matches!(word, "code__line" | "hljs-line" | "shiki-line" | "crayon-line" | "prism-line" | "CodeLine")
    })
}

/// Whether a class names a marked line among lines without elements, where the element replaces the line feed.
pub(super) fn is_marked_line(class: &str) -> bool {
    class.ends_with("-highlight-code-line")
}

/// Whether a class names the header of a code block.
pub(super) fn is_label(class: &str) -> bool {
    /// Words for code, and words for the part of its display that names it.
    const CODE: [&str; 9] = ["code", "highlight", "hljs", "snippet", "prism", "shiki", "listing", "editor", "syntax"];
    const PART: [&str; 9] = ["head", "lang", "toolbar", "label", "title", "topbar", "tools", "-bar", "copy"];
    /// The beginnings of the words for code.
    static START: Fours =
        Fours::new(&[b"code", b"high", b"hljs", b"snip", b"pris", b"shik", b"list", b"edit", b"synt"]);
    class.split_ascii_whitespace().any(|word| {
        let word = word.to_ascii_lowercase();
        let of_code =
            START.are_in(&word) && CODE.iter().any(|c| word.contains(c)) && PART.iter().any(|p| word.contains(p));
        of_code
            || matches!(&*word, "lang" | "language" | "lang-label" | "language-label" | "lang-name" | "language-name")
    })
}

/// Whether a class names something that appears only when the reader points at code, or the popups themselves.
pub(super) fn is_popup(class: &str) -> bool {
    class
        .split_ascii_whitespace()
        .any(|w| w.starts_with("twoslash-popup") || matches!(w, "tooltiptext" | "sr-only" | "visually-hidden"))
}

/// Whether a class names the buttons of a highlighter.
pub(super) fn is_toolbar(class: &str) -> bool {
    has_word(class, &["toolbar", "code-toolbar-buttons", "tools"])
}

/// Returns how many line numbers the element shows if it shows nothing else: each is greater than the one before it.
pub(super) fn numbers(dom: &Dom<'_>, n: NodeId) -> Option<usize> {
    let (mut count, mut last) = (0, None);
    for d in dom.descendants(n).filter(|&d| dom.kind(d) == NodeKind::Text) {
        for word in dom.text(d).split_whitespace() {
            let word = word.trim_end_matches(['.', ':', '|', '…', '│']);
            if word.is_empty() {
                continue;
            }
            if word.len() > 7 || !word.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            let number: u32 = word.parse().ok()?;
            if last.is_some_and(|l| number <= l) {
                return None;
            }
            last = Some(number);
            count += 1;
        }
    }
    Some(count)
}

/// Whether the text is a prompt or a line number: what pages keep readers from selecting.
pub(super) fn is_prompt_or_number(text: &str) -> bool {
    /// Maximum number of characters of a prompt with a user and a folder.
    const MAX_PROMPT_CHARS: usize = 40;
    let text = text.trim();
    let number = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b':' | b'|' | b' '));
    number
        || text.len() <= MAX_PROMPT_CHARS
            && !text.contains('\n')
            && text.ends_with(['$', '#', '>', '%', '❯', '›', '➜', '»', ':', 'λ'])
}

/// Whether the text is the label of a button that copies code.
pub(super) fn is_copy_label(text: &str) -> bool {
    const LABELS: &[&str] = lexicon!("copy-buttons.txt");
    let text = text.trim().to_lowercase();
    LABELS.contains(&&*text)
}

/// Whether a button only copies something.
pub(super) fn is_copy_button(dom: &Dom<'_>, n: NodeId) -> bool {
    /// Maximum number of bytes of the label of such a button.
    const MAX_LABEL_BYTES: usize = 40;
    let mut len = 0;
    let short = dom.descendants(n).all(|d| {
        len += dom.text(d).trim().len();
        len <= MAX_LABEL_BYTES
    });
    if !short || len == 0 {
        return false;
    }
    let words = single_spaced(&dom.text_content(n));
    is_copy_label(&words) || copies(dom, n) && words.to_lowercase().split(' ').any(is_copy_label)
}

/// Whether an attribute of the element says that it copies something.
pub(super) fn copies(dom: &Dom<'_>, n: NodeId) -> bool {
    dom.attributes_named(n).any(|(_, name, value)| {
        name.starts_with("data-clipboard")
            || matches!(name, "class" | "id" | "title" | "aria-label" | "onclick")
                && ["copy", "Copy", "clipboard"].iter().any(|sign| value.contains(sign))
    })
}
