//! The numbers of ordered lists and the boxes of task lists.
use super::tree::{BlockKind, KeptTree};
use maintext_html::Attr;
use maintext_page::dom::{Dom, NodeId, Tag};

/// Numbers above this are not written: CommonMark allows nine digits, and no page holds enough items to count past the bound.
const MAX_ITEM_NUMBER: u32 = 900_000_000;

/// The style of an ordered list's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NumberStyle {
    Decimal,
    LowerAlpha,
    UpperAlpha,
    LowerRoman,
    UpperRoman,
}

impl NumberStyle {
    /// Reads `type` or the style of a list.
    pub(super) fn of(dom: &Dom<'_>, list: NodeId) -> NumberStyle {
        if dom.tag(list) != Tag::OL {
            return NumberStyle::Decimal;
        }
        let css = dom.attr(list, "style").unwrap_or("");
        match dom.attr(list, "type").map(str::trim) {
            Some("a") => NumberStyle::LowerAlpha,
            Some("A") => NumberStyle::UpperAlpha,
            Some("i") => NumberStyle::LowerRoman,
            Some("I") => NumberStyle::UpperRoman,
            _ if css.contains("lower-alpha") || css.contains("lower-latin") => NumberStyle::LowerAlpha,
            _ if css.contains("upper-alpha") || css.contains("upper-latin") => NumberStyle::UpperAlpha,
            _ if css.contains("lower-roman") => NumberStyle::LowerRoman,
            _ if css.contains("upper-roman") => NumberStyle::UpperRoman,
            _ => NumberStyle::Decimal,
        }
    }

    /// Returns the value of HTML's `type`, if it is not the usual one.
    pub(super) fn html(self) -> Option<&'static str> {
        Some(match self {
            NumberStyle::Decimal => return None,
            NumberStyle::LowerAlpha => "a",
            NumberStyle::UpperAlpha => "A",
            NumberStyle::LowerRoman => "i",
            NumberStyle::UpperRoman => "I",
        })
    }

    /// Returns the name that CSS gives it.
    pub(super) fn name(self) -> &'static str {
        match self {
            NumberStyle::Decimal => "decimal",
            NumberStyle::LowerAlpha => "lower-alpha",
            NumberStyle::UpperAlpha => "upper-alpha",
            NumberStyle::LowerRoman => "lower-roman",
            NumberStyle::UpperRoman => "upper-roman",
        }
    }

    /// Appends a number in this style, in decimal digits where the style has no sign for it.
    pub(super) fn write(self, number: u32, out: &mut String) {
        let start = out.len();
        match self {
            NumberStyle::LowerAlpha | NumberStyle::UpperAlpha if number > 0 => alpha(number, out),
            NumberStyle::LowerRoman | NumberStyle::UpperRoman if (1..4000).contains(&number) => roman(number, out),
            _ => out.push_str(&number.to_string()),
        }
        if matches!(self, NumberStyle::UpperAlpha | NumberStyle::UpperRoman) {
            out[start..].make_ascii_uppercase();
        }
    }
}

fn alpha(number: u32, out: &mut String) {
    let (mut letters, mut rest) = (Vec::new(), number);
    while rest > 0 {
        rest -= 1;
        letters.push(b'a' + (rest % 26) as u8);
        rest /= 26;
    }
    out.extend(letters.iter().rev().map(|&b| char::from(b)));
}

fn roman(number: u32, out: &mut String) {
    const SIGNS: [(u32, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    let mut rest = number;
    for (value, sign) in SIGNS {
        while rest >= value {
            out.push_str(sign);
            rest -= value;
        }
    }
}

/// Counts the items of an ordered list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    /// The number of the next item.
    pub(super) next: u32,
    pub(super) reversed: bool,
}

impl Numbers {
    pub(super) fn of(tree: &KeptTree<'_>, list: usize) -> Numbers {
        let BlockKind::List { ordered: true, start } = tree.blocks[list].kind else {
            return Numbers { next: 1, reversed: false };
        };
        let (dom, node) = (tree.content.dom, tree.blocks[list].node);
        let reversed = is_reversed(dom, node);
        let next =
            if reversed && dom.attr(node, "start").is_none() { tree.children(list).count() as u32 } else { start };
        Numbers { next, reversed }
    }

    /// Whether the items of a list are numbered 1, 2, 3. `self` must be at its beginning.
    pub(super) fn are_usual(mut self, tree: &KeptTree<'_>, list: usize) -> bool {
        (1..).zip(tree.children(list)).all(|(usual, item)| self.number(tree, item) == usual)
    }

    /// Returns the number of an item and moves on to the next.
    pub(super) fn number(&mut self, tree: &KeptTree<'_>, item: usize) -> u32 {
        let number = value(tree.content.dom, tree.blocks[item].node).unwrap_or(self.next);
        self.next = if self.reversed { number.saturating_sub(1) } else { number + 1 };
        number
    }
}

/// Whether the numbers of an ordered list have a meaning: its first items begin with text of their own. The posts of a thread and the cards of a
/// shop are written as ordered lists, too, but deep inside their items.
pub(super) fn is_enumeration(tree: &KeptTree<'_>, list: usize) -> bool {
    let mut items = tree.children(list).take(2).peekable();
    items.peek().is_some() && items.all(|item| begins_with_own_text(tree, item))
}

fn begins_with_own_text(tree: &KeptTree<'_>, item: usize) -> bool {
    /// Maximum number of elements between an item and its first text.
    const MAX_LEVELS_TO_TEXT: usize = 2;
    let own = tree.blocks[item].node;
    tree.leaves(item).next().is_some_and(|leaf| {
        let leaf = tree.blocks[leaf].node;
        leaf == own || tree.content.dom.ancestors(leaf).take(MAX_LEVELS_TO_TEXT).any(|n| n == own)
    })
}

/// Whether a list counts down.
pub(super) fn is_reversed(dom: &Dom<'_>, list: NodeId) -> bool {
    dom.tag(list) == Tag::OL && dom.attr(list, "reversed").is_some()
}

/// Returns the number that an item states.
pub(super) fn value(dom: &Dom<'_>, item: NodeId) -> Option<u32> {
    if dom.tag(item) != Tag::LI {
        return None;
    }
    dom.attr(item, "value").and_then(|v| v.trim().parse().ok()).filter(|&v| v < MAX_ITEM_NUMBER)
}

/// Returns the number with which a list begins.
pub(super) fn start(dom: &Dom<'_>, list: NodeId) -> u32 {
    dom.attr(list, "start").and_then(|s| s.trim().parse().ok()).filter(|&s| s < MAX_ITEM_NUMBER).unwrap_or(1)
}

/// Whether a list without an order shows numbers, because the style of its first item asks for them.
pub(super) fn has_numbered_items(dom: &Dom<'_>, list: NodeId) -> bool {
    let item = dom.children(list).find(|&n| dom.tag(n) == Tag::LI);
    let style = item.and_then(|n| dom.attribute(n, Attr::STYLE)).unwrap_or("");
    let types = style.split(';').filter_map(|declaration| declaration.split_once(':'));
    let mut types = types.filter(|(name, _)| matches!(name.trim(), "list-style" | "list-style-type"));
    types.any(|(_, value)| value.split_whitespace().any(|word| word.starts_with("decimal")))
}

/// Whether preformatted text holds a table near its beginning: old pages put all their content into it.
pub(super) fn holds_table(dom: &Dom<'_>, pre: NodeId) -> bool {
    /// Maximum number of nodes that are examined.
    const MAX_NODES: usize = 64;
    dom.descendants(pre).take(MAX_NODES).any(|n| dom.tag(n) == Tag::TABLE)
}

/// Returns the box of an item of a task list, as GFM writes it, or nothing.
pub(super) fn task_box(tree: &KeptTree<'_>, item: usize) -> &'static str {
    match tree.task(item) {
        None => "",
        Some(true) => "[x] ",
        Some(false) => "[ ] ",
    }
}

/// Whether a checkbox is the box of a task, and not a control of a form; `Some(true)` if it is ticked.
pub(super) fn checkbox(dom: &Dom<'_>, input: NodeId) -> Option<bool> {
    let (mut is_box, mut task, mut ticked) = (false, false, false);
    for (name, value) in dom.attrs(input) {
        match name {
            "type" => is_box = value.eq_ignore_ascii_case("checkbox"),
            "disabled" => task = true,
            "class" => task |= value.contains("task"),
            "checked" => ticked = true,
            _ => {}
        }
    }
    (is_box && task).then_some(ticked)
}

/// Reads the state of the task that an item itself declares.
pub(super) fn stated_task(dom: &Dom<'_>, item: NodeId) -> Option<bool> {
    if dom.tag(item) != Tag::LI {
        return None;
    }
    dom.attrs(item).find_map(|(name, value)| match (name, value.trim()) {
        ("aria-checked" | "data-checked", "true") | ("data-list", "checked") => Some(true),
        ("aria-checked" | "data-checked", "false") | ("data-list", "unchecked") => Some(false),
        ("data-task", "x" | "X") => Some(true),
        ("data-task", "") => Some(false),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_the_style_of_the_list() {
        let write = |style: NumberStyle, n: u32| {
            let mut out = String::new();
            style.write(n, &mut out);
            out
        };
        assert_eq!([1, 26, 27, 702, 703].map(|n| write(NumberStyle::LowerAlpha, n)), ["a", "z", "aa", "zz", "aaa"]);
        assert_eq!([4, 1999, 4000].map(|n| write(NumberStyle::UpperRoman, n)), ["IV", "MCMXCIX", "4000"]);
        assert_eq!(write(NumberStyle::UpperAlpha, 0), "0");
    }
}
