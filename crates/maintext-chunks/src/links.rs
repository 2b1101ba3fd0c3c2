//! Where the links of a piece are in it.
use maintext_core::render::Piece;

/// Returns for each link of a piece where it begins in the text; if its first word cannot be found, where the link before it begins.
pub(crate) fn places(text: &str, piece: &Piece) -> Vec<usize> {
    let own = &text[piece.range.clone()];
    let mut at = 0;
    // Bytes that may be searched in vain, so that the work stays linear.
    let mut spare = 2 * own.len();
    let mut places = Vec::with_capacity(piece.links.len());
    for (shown, _) in &piece.links {
        let word = shown.split(|c: char| !c.is_alphanumeric()).find(|w| !w.is_empty()).unwrap_or("");
        let rest = &own[at..];
        if !word.is_empty() && spare >= rest.len() {
            match rest.find(word) {
                Some(found) => at += found,
                None => spare -= rest.len(),
            }
        }
        places.push(piece.range.start + at);
        at += own[at..].chars().next().map_or(0, char::len_utf8);
    }
    places
}
