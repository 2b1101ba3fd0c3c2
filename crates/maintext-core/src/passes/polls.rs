//! Drops polls: the question above a form of a few answers, and the form.
use maintext_html::Attr;
use maintext_page::blocks::Blocks;
use maintext_page::dom::{Dom, NodeId, Tag};

/// Maximum number of words of a question, and of all answers.
const MAX_QUESTION_WORDS: u32 = 30;
const MAX_POLL_WORDS: u32 = 80;
/// Minimum number of kept words elsewhere, for which the page is not a quiz.
const MIN_OTHER_WORDS: u32 = 100;
/// Minimum number of answers.
const MIN_ANSWERS: usize = 2;
/// Maximum number of nodes of a form that are searched for its answers.
const MAX_NODES: usize = 200;

pub(crate) fn apply(dom: &Dom<'_>, blocks: &Blocks, kept: &mut [bool]) {
    let mut left = blocks.kept_words(kept);
    for form in blocks.elements.iter().filter(|e| e.tag == Tag::FORM) {
        let own = form.blocks.start as usize..form.blocks.end as usize;
        let words: u32 = blocks.blocks[own.clone()].iter().map(|block| block.words).sum();
        if own.is_empty() || words > MAX_POLL_WORDS || !is_poll(dom, form.node) {
            continue;
        }
        let before = own.start.saturating_sub(1);
        let asks = own.start > 0
            && blocks.blocks[before].words <= MAX_QUESTION_WORDS
            && shares_parent(blocks, before, form.parent);
        let poll = if asks { before..own.end } else { own };
        let kept_of_poll: u32 = poll.clone().filter(|b| kept[*b]).map(|b| blocks.blocks[b].words).sum();
        if left - kept_of_poll >= MIN_OTHER_WORDS {
            left -= kept_of_poll;
            kept[poll].fill(false);
        }
    }
}

/// Whether a block lies in the element that holds the form.
fn shares_parent(blocks: &Blocks, block: usize, parent: u32) -> bool {
    blocks.element_chain(blocks.blocks[block].container as usize).take(2).any(|e| e == parent as usize)
}

/// Whether a form has radio buttons of one name, and no field to write in.
fn is_poll(dom: &Dom<'_>, form: NodeId) -> bool {
    let (mut answers, mut name) = (0, None);
    for n in dom.descendants(form).take(MAX_NODES) {
        match dom.tag(n) {
            Tag::INPUT => match dom.attr(n, "type").unwrap_or("text").to_ascii_lowercase().as_str() {
                "radio" => {
                    let own = dom.attribute(n, Attr::NAME).unwrap_or("");
                    // Colour and size of a product are radio buttons, too, but of two names.
                    if *name.get_or_insert(own) != own {
                        return false;
                    }
                    answers += 1;
                }
                "hidden" | "submit" | "button" | "image" => {}
                _ => return false,
            },
            Tag::TEXTAREA | Tag::SELECT => return false,
            _ => {}
        }
    }
    answers >= MIN_ANSWERS
}

#[cfg(test)]
mod tests {
    use super::apply;

    fn kept(html: &str, words: usize) -> String {
        let page = format!("{html}<p>{}</p>", "word ".repeat(words));
        let count = maintext_page::blocks::Blocks::new(&maintext_page::dom::parse(&page, &Default::default())).len();
        crate::passes::choice_after(&page, &"+".repeat(count), apply)
    }

    const ANSWERS: &str = "<input type=radio name=v value=1> twelve<br><input type=radio name=v value=2> thirteen";

    #[test]
    fn a_poll_goes_with_its_question() {
        let poll = format!("<div><b>How often?</b><form>{ANSWERS}<input type=submit></form></div>");
        assert_eq!(kept(&poll, 200), "--+");
        assert_eq!(kept(&format!("<div><form><p>How often?</p>{ANSWERS}</form></div>"), 200), "--+");
        let table = format!("<table><tr><td>Vote<br>How often?<form>{ANSWERS}</form></table>");
        assert_eq!(kept(&table, 200), "--+");
    }

    #[test]
    fn quizzes_and_other_forms_stay() {
        let poll = format!("<div><b>How often?</b><form>{ANSWERS}</form></div>");
        assert_eq!(kept(&poll, 20), "+++");
        let variants =
            "<div><b>A lamp</b><form><input type=radio name=c> Moss<br><input type=radio name=s> Large</form></div>";
        assert_eq!(kept(variants, 200), "+++");
        assert_eq!(kept("<div><b>Search</b><form><input name=q> words<br>of the page</form></div>", 200), "+++");
        assert_eq!(kept(&format!("<p>The text above.</p><div><form>{ANSWERS}</form></div>"), 200), "+-+");
    }
}
