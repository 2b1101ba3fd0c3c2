//! Parses any bytes with any options and context: no panic, work within the promised limit, and every walk ends.

use maintext_html::{Attr, Context, Document, ParseOptions, Skip};

/// Tries one input.
pub fn run(data: &[u8]) {
    let [flags, context, rest @ ..] = data else { return };
    let html = String::from_utf8_lossy(rest);
    let options = ParseOptions {
        scripting: flags & 1 != 0,
        max_depth: if flags & 2 != 0 { 16 } else { 512 },
        max_attributes: if flags & 4 != 0 { 8 } else { 1 << 16 },
        skip: Skip {
            comments: flags & 16 != 0,
            script_text: flags & 32 != 0,
            style_text: flags & 64 != 0,
            attributes_except: (flags & 128 != 0).then(|| vec![Attr::ID, Attr::HREF]),
        },
        ..ParseOptions::default()
    };
    let names =
        ["div", "table", "tr", "td", "select", "template", "title", "script", "html", "frameset", "colgroup", "form"];
    let doc = match *context as usize {
        at if at < names.len() => Document::parse_fragment(&html, &Context::html(names[at]), &options),
        100 => Document::parse_fragment(&html, &Context::svg("foreignObject"), &options),
        101 => Document::parse_fragment(&html, &Context::mathml("mi"), &options),
        _ => Document::parse(&html, &options),
    };
    assert!(doc.steps() <= (1 << 20) + 12 * html.len() as u64);
    let mut nodes = 0;
    for node in doc.descendants(doc.root()) {
        nodes += 1;
        assert!(html.get(doc.span(node)).is_some());
        for attr in doc.attrs(node) {
            assert_eq!(doc.attr_named(node, attr.name_str), Some(attr.value));
        }
    }
    assert!(nodes < doc.len());
    let _ = doc.to_html();
}
