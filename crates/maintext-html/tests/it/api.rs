//! Tests options, limits, spans, errors and reuse.

use maintext_html::{
    Arena, Attr, Context, Document, Edge, Namespace, NodeId, NodeKind, ParseOptions, QuirksMode, Skip, Tag,
};

fn parse(input: &str) -> Document<'_> {
    Document::parse(input, &ParseOptions::default())
}

fn find(doc: &Document<'_>, tag: Tag) -> NodeId {
    doc.descendants(doc.root()).find(|&n| doc.tag(n) == Some(tag)).expect("the element")
}

#[test]
fn spans_cover_the_source_of_elements_and_text() {
    let input = "<div id=a>one<p>two &amp; three<p>four</div><img src=x>five";
    let doc = parse(input);
    let source = |tag| &input[doc.span(find(&doc, tag))];
    assert_eq!(source(Tag::DIV), "<div id=a>one<p>two &amp; three<p>four</div>");
    assert_eq!(source(Tag::P), "<p>two &amp; three");
    assert_eq!(source(Tag::IMG), "<img src=x>");
    let texts: Vec<&str> =
        doc.descendants(doc.root()).filter(|&n| doc.kind(n) == NodeKind::Text).map(|n| &input[doc.span(n)]).collect();
    assert_eq!(texts, ["one", "two &amp; three", "four", "five"]);
}

#[test]
fn the_body_ends_with_its_end_tag() {
    let input = "<html><body><p>x</p></body></html>";
    let doc = parse(input);
    assert_eq!(&input[doc.span(doc.body().unwrap())], "<body><p>x</p></body>");
    assert_eq!(&input[doc.span(doc.html().unwrap())], input);
}

#[test]
fn attributes_are_found_by_constant_and_name_and_listed_in_order() {
    let doc = parse("<a href='?a&amp;b' DATA-X=1 href=2 x:y>");
    let a = find(&doc, Tag::A);
    assert_eq!(doc.attr(a, Attr::HREF), Some("?a&b"));
    assert_eq!(doc.attr(a, Attr::CLASS), None);
    assert_eq!(doc.attr_named(a, "data-x"), Some("1"));
    let all: Vec<(&str, &str)> = doc.attrs(a).map(|a| (a.name_str, a.value)).collect();
    assert_eq!(all, [("href", "?a&b"), ("data-x", "1"), ("x:y", "")]);
    assert_eq!(doc.attr(doc.root(), Attr::HREF), None);
}

#[test]
fn namespaced_attributes_have_separate_numbers() {
    let doc = parse("<svg xlink:href=a><a xlink:href=b></a></svg><p xlink:href=c>");
    let svg = find(&doc, Tag::SVG);
    assert_eq!(doc.attr(svg, Attr::XLINK_HREF), Some("a"));
    assert_eq!(doc.namespace(svg), Namespace::Svg);
    let p = find(&doc, Tag::P);
    assert_eq!(doc.attr(p, Attr::XLINK_HREF), None);
    assert_eq!(doc.attr(p, Attr::XLINK_HREF_PLAIN), Some("c"));
}

#[test]
fn duplicates_are_found_among_many_attributes() {
    let names: Vec<String> = (0..500).map(|i| format!("a{i}={i}")).collect();
    let input = format!("<p {} {}>", names.join(" "), names.join(" "));
    let doc = parse(&input);
    let p = find(&doc, Tag::P);
    assert_eq!(doc.attrs(p).count(), 500);
    assert_eq!(doc.attr_named(p, "a499"), Some("499"));
}

#[test]
fn attributes_beyond_the_limit_are_dropped_and_reported() {
    let options = ParseOptions { max_attributes: 10, ..ParseOptions::default() };
    let names: Vec<String> = (0..30).map(|i| format!("a{i}")).collect();
    let input = format!("<p {}>", names.join(" "));
    let doc = Document::parse(&input, &options);
    assert_eq!(doc.attrs(find(&doc, Tag::P)).count(), 10);
    assert_eq!(doc.limits_hit().attributes, 20);
}

#[test]
fn elements_below_the_depth_limit_become_siblings() {
    let input = "<div>".repeat(2000) + "deep" + &"</div>".repeat(2000) + "<p>after";
    let doc = parse(&input);
    let depth = |n| doc.ancestors(n).count();
    let deepest = doc.descendants(doc.root()).map(depth).max().unwrap();
    assert!((510..=514).contains(&deepest), "{deepest}");
    assert_eq!(doc.limits_hit().depth, 2000 + 2 - 512);
    let p = find(&doc, Tag::P);
    assert_eq!(doc.parent(p), doc.body());
    let unlimited = Document::parse(&input, &ParseOptions { max_depth: u32::MAX, ..ParseOptions::default() });
    let text = unlimited.descendants(unlimited.root()).find(|&n| unlimited.text(n) == "deep").unwrap();
    assert_eq!(unlimited.ancestors(text).count(), 2003);
    assert!(!unlimited.limits_hit().any());
}

#[test]
fn skipping_parts_does_not_change_the_rest() {
    let input = "<head><script>a</script><style>b</style></head><p class=c id=d>x<!--y-->z<a href=1 class=2>t";
    let skip = Skip {
        script_text: true,
        style_text: true,
        comments: true,
        attributes_except: Some(vec![Attr::ID, Attr::HREF]),
    };
    let doc = Document::parse(input, &ParseOptions { skip, ..ParseOptions::default() });
    assert_eq!(
        doc.to_html(),
        "<html><head><script></script><style></style></head><body><p id=\"d\">xz<a href=\"1\">t</a></p></body></html>"
    );
}

#[test]
fn skipped_attributes_still_distinguish_formatting_elements() {
    let input = "<p><b class=1><b class=2><b class=3><b class=4></p><p>x";
    let skip = Skip { attributes_except: Some(vec![]), ..Skip::default() };
    let doc = Document::parse(input, &ParseOptions { skip, ..ParseOptions::default() });
    assert_eq!(doc.inner_html(doc.body().unwrap()).matches("<b>").count(), 8);
}

#[test]
fn the_doctype_selects_the_quirks_mode() {
    for (doctype, mode) in [
        ("", QuirksMode::Quirks),
        ("<!doctype html>", QuirksMode::NoQuirks),
        ("<!doctype html system 'about:legacy-compat'>", QuirksMode::NoQuirks),
        (
            "<!doctype html public '-//W3C//DTD HTML 4.01//EN' 'http://www.w3.org/TR/html4/strict.dtd'>",
            QuirksMode::NoQuirks,
        ),
        ("<!doctype html public '-//W3C//DTD HTML 4.01 Transitional//EN'>", QuirksMode::Quirks),
        ("<!doctype html public '-//W3C//DTD HTML 4.01 Transitional//EN' 'x'>", QuirksMode::LimitedQuirks),
        ("<!doctype html public '-//W3C//DTD XHTML 1.0 Frameset//EN'>", QuirksMode::LimitedQuirks),
        ("<!doctype html public '-//W3C//DTD HTML 3.2 Final//EN'>", QuirksMode::Quirks),
        ("<!doctype htm>", QuirksMode::Quirks),
    ] {
        assert_eq!(parse(doctype).quirks(), mode, "{doctype}");
    }
    assert_eq!(
        Document::parse("x", &ParseOptions { iframe_srcdoc: true, ..ParseOptions::default() }).quirks(),
        QuirksMode::NoQuirks
    );
}

#[test]
fn scripting_makes_noscript_text() {
    let scripting = ParseOptions { scripting: true, ..ParseOptions::default() };
    let doc = Document::parse("<body><noscript><p>x</noscript>", &scripting);
    let noscript = find(&doc, Tag::NOSCRIPT);
    assert_eq!(doc.text(doc.first_child(noscript).unwrap()), "<p>x");
    let doc = parse("<body><noscript><p>x</noscript>");
    assert!(doc.is_element(doc.first_child(find(&doc, Tag::NOSCRIPT)).unwrap(), Tag::P));
}

#[test]
fn template_contents_are_not_children() {
    let doc = parse("<template><p>x</template>");
    let template = find(&doc, Tag::TEMPLATE);
    assert_eq!(doc.first_child(template), None);
    let content = doc.template_content(template).unwrap();
    assert_eq!(doc.kind(content), NodeKind::TemplateContent);
    assert!(doc.is_element(doc.first_child(content).unwrap(), Tag::P));
    assert_eq!(doc.template_content(doc.body().unwrap()), None);
}

#[test]
fn unknown_names_are_kept_and_compared() {
    let doc = parse("<My-Card><other-card></my-card>x");
    let body = doc.body().unwrap();
    assert_eq!(doc.inner_html(body), "<my-card><other-card></other-card></my-card>x");
    let card = doc.first_child(body).unwrap();
    assert_eq!(doc.tag_name(card), "my-card");
    assert_eq!(doc.name_of_tag(doc.tag(card).unwrap()), "my-card");
}

#[test]
fn a_reused_arena_gives_the_same_tree() {
    let first = "<table>x<td a=1 b-c=2>&amp;<template><p>y</template><!doctype z><b><p></b>".repeat(50);
    let second = "<p>only this";
    let mut arena = parse(&first).into_arena();
    for input in [second, &first, second] {
        let doc = Document::parse_into(arena, input, &ParseOptions::default());
        let fresh = parse(input);
        assert_eq!(crate::support::ours::outline(&doc), crate::support::ours::outline(&fresh));
        assert_eq!(doc.len(), fresh.len());
        arena = doc.into_arena();
    }
    let doc = Document::parse_fragment_into(arena, "<td>x", &Context::html("tr"), &ParseOptions::default());
    assert_eq!(doc.to_html(), "<td>x</td>");
    assert!(Arena::new().memory() == 0);
}

#[test]
fn traverse_enters_and_leaves_in_order() {
    let doc = parse("<p>a<b>c</b></p>");
    let p = find(&doc, Tag::P);
    let edges: Vec<String> = doc
        .traverse(p)
        .map(|e| match e {
            Edge::Enter(n) => format!("+{}{}", doc.tag_name(n), doc.text(n)),
            Edge::Leave(n) => format!("-{}{}", doc.tag_name(n), doc.text(n)),
        })
        .collect();
    assert_eq!(edges, ["+p", "+a", "-a", "+b", "+c", "-c", "-b", "-p"]);
}

#[test]
fn a_doctype_keeps_its_identifiers() {
    let doc = parse("<!DOCTYPE HTML PUBLIC 'a' \"b\">");
    let doctype = doc.doctype(doc.first_child(doc.root()).unwrap()).unwrap();
    assert_eq!((doctype.name, doctype.public_id, doctype.system_id), ("html", "a", "b"));
}

#[test]
fn documents_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&parse("x"));
}

#[test]
fn spans_of_split_text_are_on_character_boundaries() {
    for (context, input) in
        [("colgroup", "\u{4e2d} <!--x-->"), ("colgroup", "\u{4e2d}&amp; \u{4e2d}"), ("html", " \u{e9}&amp;x")]
    {
        let doc = Document::parse_fragment(input, &Context::html(context), &ParseOptions::default());
        for node in doc.descendants(doc.root()) {
            assert!(input.get(doc.span(node)).is_some(), "{input} in {context}: {:?}", doc.span(node));
        }
    }
    let doc = parse("<head> \n\u{e9}");
    let body = doc.body().unwrap();
    assert_eq!(doc.span(doc.first_child(body).unwrap()), 8..10);
}

#[test]
fn parsing_stops_at_the_node_limit_and_reports_it() {
    for piece in ["<p>x", "<!---->", "</br>", "<b><i><a><p></b></i></a></p>", "<svg><![CDATA[x]]></svg>", "<table>x"] {
        let input = piece.repeat(1000);
        let options = ParseOptions { max_nodes: 100, ..ParseOptions::default() };
        let doc = Document::parse(&input, &options);
        assert!((100..150).contains(&doc.len()), "{piece}: {} nodes", doc.len());
        let unread = doc.limits_hit().nodes as usize;
        assert!(unread > input.len() / 2, "{piece}: {unread} bytes unread");
        assert!(doc.limits_hit().any());
        for node in doc.descendants(doc.root()) {
            assert!(doc.span(node).end <= input.len() - unread, "{piece}");
        }
        assert_eq!(parse(&input).limits_hit().nodes, 0, "{piece}");
    }
}

#[test]
fn an_input_with_exactly_the_allowed_nodes_does_not_reach_the_limit() {
    let input = "<p>one<p>two";
    let nodes = parse(input).len() as u32;
    let at = |max_nodes| Document::parse(input, &ParseOptions { max_nodes, ..ParseOptions::default() });
    assert_eq!(at(nodes).limits_hit().nodes, 0);
    assert_eq!(at(nodes).to_html(), parse(input).to_html());
    assert_eq!(at(1).to_html(), "<html><head></head><body><p></p></body></html>");
    assert_eq!(at(1).limits_hit().nodes as usize, "one<p>two".len());
}
