//! Shows the page itself with kept blocks in green, dropped ones in grey, hidden text in violet, a coloured outline for each role, and scores on
//! hover.
use super::roles_of;
use maintext_core::Choice;
use maintext_core::choice::{Reason, Step};
use maintext_core::dom::{NodeId, Tag};
use maintext_core::method::View;
use maintext_core::model::roles::{Role, Shares};
use maintext_core::render::escape::html;

const STYLE: &str = "<style>\
maintext-kept{background:#b9f2c0!important;color:#000!important;outline:1px solid #2a9d3c}\
maintext-dropped{background:#ddd!important;color:#777!important}\
[data-role=title],[data-role=header]{outline:2px solid #1f5fd0!important}\
[data-role=byline],[data-role=caption]{outline:2px solid #0e8a94!important}\
[data-role=optional]{outline:2px dotted #a67700!important}\
[data-role=comment]{outline:2px solid #a3308f!important}\
maintext-hidden{background:#ecd9f7!important;color:#6b2391!important;outline:1px dashed #8a3ab9}\
.maintext-legend{all:initial;position:fixed;right:8px;bottom:8px;z-index:2147483647;padding:6px 10px;border-radius:4px;\
background:#222;color:#fff;font:13px sans-serif}</style>";

/// An insertion or deletion at a position in the source.
struct Edit {
    from: usize,
    to: usize,
    text: String,
}

/// Returns the page's source with each block's text in a coloured element that shows its score and the reasons of the choice on hover. Removes
/// scripts, so that the page does not change; `url`, if known, becomes the base of links and images.
pub fn annotate(page: &View<'_>, method: &str, choice: &Choice) -> String {
    let roles = roles_of(page, method, choice);
    coloured(page, method, choice, &roles)
}

fn coloured(page: &View<'_>, method: &str, choice: &Choice, roles: &[Shares]) -> String {
    let mut edits = Vec::new();
    scripts(page, &mut edits);
    let why = choice.why();
    for (i, b) in page.blocks.blocks.iter().enumerate() {
        let shown = Shown { block: i, choice, why: &why[i], roles: roles.get(i) };
        for &leaf in page.blocks.leaves_of(b) {
            wrap(page, leaf, &shown, &mut edits);
        }
    }
    hidden(page, &mut edits);
    // A stable sort keeps edits at the same position in page order.
    edits.sort_by_key(|e| e.from);
    // A byte-order mark overrides any encoding declared in the page.
    let mut out = String::from("\u{feff}<!DOCTYPE html>");
    if let Some(url) = page.url {
        out.push_str(&format!("<base href=\"{}\">", html(url)));
    }
    out.push_str(STYLE);
    let mut at = 0;
    for e in edits.iter().filter(|e| e.from <= e.to && e.to <= page.source.len()) {
        if e.from < at {
            continue;
        }
        out.push_str(&page.source[at..e.from]);
        out.push_str(&e.text);
        at = e.to;
    }
    out.push_str(&page.source[at..]);
    let kept = choice.kept().iter().filter(|kept| **kept).count();
    out.push_str(&format!(
        "<div class=maintext-legend>maintext {}: {kept} of {} blocks kept</div>\n",
        html(method),
        choice.len()
    ));
    out
}

/// Shows the text that visitors do not see, instead of the elements that hide it.
fn hidden(page: &View<'_>, edits: &mut Vec<Edit>) {
    for part in page.blocks.hidden.chunk_by(|a, b| a.by == b.by) {
        let (span, reason) = (page.dom.span(part[0].by), part[0].reason);
        let text = part.iter().map(|p| page.dom.text_content(p.node)).collect::<Vec<_>>().join(" ");
        if text.trim().is_empty() || page.source.get(span.clone()).is_none() {
            continue;
        }
        let text = html(text.trim());
        let text = format!("<maintext-hidden title=\"no visitor sees this: {reason:?}\">{text}</maintext-hidden>");
        edits.push(Edit { from: span.start, to: span.end, text });
    }
}

fn scripts(page: &View<'_>, edits: &mut Vec<Edit>) {
    for n in page.dom.descendants(NodeId::ROOT).filter(|&n| page.dom.tag(n) == Tag::SCRIPT) {
        let span = page.dom.span(n);
        if page.source.is_char_boundary(span.start) && page.source.is_char_boundary(span.end) {
            edits.push(Edit { from: span.start, to: span.end, text: String::new() });
        }
    }
}

/// The facts about a block that are shown on hover.
struct Shown<'a> {
    block: usize,
    choice: &'a Choice,
    why: &'a [Reason],
    roles: Option<&'a Shares>,
}

fn wrap(page: &View<'_>, leaf: NodeId, shown: &Shown<'_>, edits: &mut Vec<Edit>) {
    let Shown { block, choice, why, roles } = *shown;
    let span = page.dom.span(leaf);
    // Skips formulas and text nodes that the parser joined across a tag, because wrapping them would break the tree.
    let Some(text) = page.source.get(span.clone()).filter(|t| !t.contains('<') && !t.trim().is_empty()) else { return };
    let is_kept = choice.keeps(block);
    let name = if is_kept { "maintext-kept" } else { "maintext-dropped" };
    let probability = choice.probability(block).map_or_else(String::new, |p| format!(", probability {p:.3}"));
    let said = if is_kept { "kept" } else { "dropped" };
    let steps = why.iter().filter(|reason| reason.step != Step::Method);
    let steps: String = steps.map(|reason| format!(", {}: {}", reason.step.name(), reason.saw)).collect();
    let (data, role) = roles.map(Role::best).map_or_else(Default::default, |(role, p)| {
        (format!(" data-role={}", role.name()), format!(", {} {p:.2}", role.name()))
    });
    let text = format!(
        "<{name}{data} title=\"block {}: score {:.3}{probability}, {said}{role}{steps}\">{text}</{name}>",
        block + 1,
        choice.scores()[block]
    );
    edits.push(Edit { from: span.start, to: span.end, text });
}

#[cfg(test)]
mod tests {
    use super::*;
    use maintext_core::blocks::Blocks;
    use maintext_core::method::{Favor, Method as _};

    fn run(html: &str) -> String {
        let dom = maintext_core::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let view = View { source: html, dom: &dom, blocks: &blocks, url: Some("https://e.org/a\"b") };
        let count = blocks.len();
        let scores = (0..count).map(|i| i as f32).collect();
        let choice = Choice::new(scores, Some(vec![0.25; count]), (0..count).map(|i| i == 1).collect());
        coloured(&view, "m", &choice, &[])
    }

    #[test]
    fn hidden_text_is_shown_in_its_own_colour() {
        let out = run(
            "<p>one</p><p class=a hidden>two <b>&amp; a half</b></p><p>three ferries left the port for the islands in the north</p>",
        );
        let shown = "<maintext-hidden title=\"no visitor sees this: Attribute\">two &amp; a half</maintext-hidden>";
        assert!(out.contains(shown) && !out.contains("class=a"), "{out}");
        assert!(out.contains("three ferries left"), "{out}");
    }

    #[test]
    fn text_is_wrapped_and_markup_is_unchanged() {
        let out = run("<body><ul><li><a href=x>Menu</a></ul><script>alert(1)</script><p>Some <b>text</b>.</p>");
        assert!(out.contains("<a href=x><maintext-dropped title=\"block 1: score 0.000, probability 0.250, dropped\">Menu</maintext-dropped></a>"));
        assert!(out.contains(
            "<b><maintext-kept title=\"block 2: score 1.000, probability 0.250, kept\">text</maintext-kept></b>"
        ));
        assert!(!out.contains("alert"));
        assert!(out.contains("href=\"https://e.org/a&quot;b\"") && out.contains("m: 1 of 2 blocks kept"));
    }

    #[test]
    fn roles_have_their_own_outline() {
        let html = "<h1>A walk</h1><p>We left early, and the road was empty; nobody spoke until the hills.</p>";
        let dom = maintext_core::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let view = View { source: html, dom: &dom, blocks: &blocks, url: None };
        let learned = maintext_core::model::Learned::shipped().unwrap();
        let out = annotate(&view, learned.name(), &learned.judge(&view, Favor::Balance));
        assert!(out.contains("data-role=main title=\"block 2: score ") && out.contains(", kept, main "), "{out}");
        let other = maintext_core::classic::method("text-density").unwrap();
        let coloured = annotate(&view, other.name(), &other.judge(&view, Favor::Balance));
        assert!(!coloured.contains("data-role=main"));
    }

    #[test]
    fn the_text_of_the_page_is_unchanged() {
        for html in ["a<table>b<tr><td>c</table>d", "x<b>y<p>z</b>w", "<p>é<p>中文", "", "<script>"] {
            let text = |s: &str| {
                let dom = maintext_core::dom::parse(s, &Default::default());
                let b = Blocks::new(&dom);
                (0..b.len()).map(|i| b.text(i).to_owned()).collect::<Vec<_>>()
            };
            let (before, mut after) = (text(html), text(&run(html)));
            after.retain(|t| !t.contains("blocks kept"));
            let join = |t: &[String]| t.concat().replace(' ', "");
            assert_eq!(join(&before), join(&after), "{html}");
        }
    }
}
