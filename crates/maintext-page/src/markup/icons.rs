//! Icons of fonts that draw a name as one sign: `<i class="material-icons">arrow_forward</i>`.
use crate::dom::{Dom, NodeId, NodeKind, Tag};

/// Maximum number of bytes of the name of an icon.
const MAX_NAME_BYTES: usize = 40;

/// Whether an element shows an icon in place of its text.
pub(super) fn is_icon(dom: &Dom<'_>, n: NodeId) -> bool {
    let text = dom.first_child(n).filter(|&c| dom.kind(c) == NodeKind::Text && dom.next_sibling(c).is_none());
    let name = text.map_or("", |t| dom.text(t).trim());
    if name.is_empty()
        || name.len() > MAX_NAME_BYTES
        || !name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    {
        return false;
    }
    let class = dom.class(n);
    // A class such as "icon-name" is about icons.
    let mut words = class.split_ascii_whitespace().map(|word| word.rsplit(['-', '_']).next().unwrap_or(word));
    let is_underscored =
        name.contains('_') && !name.starts_with('_') && words.any(|word| matches!(word, "icon" | "icons"));
    is_underscored
        || ["material-icons", "material-symbols", "google-symbols", "mat-icon"].iter().any(|font| class.contains(font))
        || dom.tag(n) == Tag::OTHER && matches!(dom.tag_name(n), "mat-icon" | "md-icon" | "v-icon" | "q-icon")
}

#[cfg(test)]
mod tests {
    use crate::blocks::Blocks;

    fn text(html: &str) -> String {
        let dom = crate::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        (0..blocks.len()).map(|i| blocks.text(i)).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn names_of_icons_are_no_text() {
        for icon in [
            "<i class=material-icons>home</i>",
            "<span class='material-symbols-outlined'>arrow_forward</span>",
            "<mat-icon>chevron_right</mat-icon>",
            "<i class='icon left'>keyboard_arrow_down</i>",
        ] {
            assert_eq!(text(&format!("<p>{icon} Go on</p>")), "Go on", "{icon}");
        }
    }

    #[test]
    fn words_stay() {
        for (html, want) in [
            ("<p><i class=iconic>home</i> is where", "home is where"),
            ("<p><span class=material-icons>The icons of Material</span> are", "The icons of Material are"),
            ("<p>The option <i>max_width</i> sets", "The option max_width sets"),
            ("<p>The icon <span class=icon-name>arrow_forward</span> is new", "The icon arrow_forward is new"),
        ] {
            assert_eq!(text(html), want);
        }
    }
}
