//! Generates tag soup from a seed.
#![allow(dead_code)]

/// A small random number generator (xorshift64*), so that the same seed gives the same soup everywhere.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub fn below(&mut self, n: usize) -> usize {
        ((self.next() >> 33) as usize) % n
    }

    pub fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.below(from.len())]
    }
}

/// Omits tags that html5ever 0.40 does not treat as the standard requires, so that all other differences are found: `keygen` and
/// `search` are missing from its list of special elements, and so are the integration points of MathML and SVG (`mi`, `mo`,
/// `mn`, `ms`, `mtext`, `annotation-xml`, `foreignObject`, `desc`, SVG's `title`; `annotation-xml` also from its scope markers);
/// `isindex` is on it; a doctype does not end pending table text; a parse error (`</>`) counts as the
/// token after `<pre>` whose line feed is dropped; an `annotation-xml` with an encoding does not end the popping of foreign elements; "in table body" it does not look for a `thead` in table scope.
const TAGS: &str = "a a a b b b i i em font font nobr strong code u p p p p div div div span span table table table tr tr tr td td \
td th tbody tfoot caption colgroup col ul ol li li dl dt dd h1 h2 h3 form form button select option optgroup hr br \
img input textarea style script noscript iframe xmp plaintext pre listing html head body frameset frame noframes template \
template svg svg math math mglyph malignmark g path object applet marquee ruby rb rt rp rtc center address section article main \
nav menu details summary dialog fieldset figure blockquote base link meta area embed param source track wbr image noembed x-y big \
small s strike tt u sub sup var label video audio canvas";

/// Tags for soup with integration points: HTML start tags that do not depend on the stack, and end tags that no HTML element can
/// have.
const FOREIGN_STARTS: &[&str] = &[
    "svg",
    "math",
    "mi",
    "mo",
    "mn",
    "ms",
    "mtext",
    "annotation-xml",
    "foreignObject",
    "desc",
    "title",
    "g",
    "mglyph",
    "malignmark",
    "div",
    "span",
    "b",
    "i",
    "img",
    "br",
    "font",
    "table",
    "td",
    "x-y",
    "script",
    "style",
    "semantics",
    "html",
    "body",
    "head",
    "meta",
];
const FOREIGN_ENDS: &[&str] = &["svg", "math"];

const ATTRS: &[&str] = &[
    "",
    "",
    "",
    "",
    "",
    " class=a",
    " id='x'",
    " href=\"?a=1&amp;b=2&c\"",
    " type=hidden",
    " type=\"HIDDEN\"",
    " color=red",
    " size=1",
    " a=1 a=2",
    " xlink:href=#a",
    " xml:lang=en",
    " viewBox='0 0 1 1'",
    " definitionurl=u",
    " x=\"&lt;\r\n\0\"",
    " <",
    " =x",
    " y=",
    " checked/",
    "/",
    " style=a'b",
    " data-q=\"\u{e9}\u{4e2d}\"",
    " N\0M=1",
    " UPPER=Case",
    " color",
    " face=f",
];

const TEXTS: &[&str] = &[
    "x",
    "text",
    " ",
    "\n",
    "  \t",
    "a b",
    "\r\n",
    "\r",
    "\0",
    "a\0b",
    "&amp;",
    "&nbsp;",
    "&notit;",
    "&#x41;",
    "&#0;",
    "&#13;",
    "&lt",
    "&",
    "&#",
    "&x",
    "\u{4e2d}\u{6587}",
    "\u{e9}",
    "<",
    "< ",
    "</",
    "</ x>",
    "<3",
    "&NotEqualTilde;",
    "\u{c}",
    "]]>",
    "-->",
    "\u{FEFF}",
    "&#xD800;",
    "&#128;",
    "&amp",
    "&ampx=",
    "<!",
    "<?pi x?>",
    "\u{1F600}",
];

const DOCTYPES: &[&str] = &[
    "",
    "<!doctype html>",
    "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">",
    "<!doctype>",
    "<!doctype x system 'y'>",
    "<!doctype html system>",
    "<!DOCTYPE html PUBLIC '-//w3c//dtd xhtml 1.0 transitional//en' \"",
    " <!doctypehtml bogus>",
];

const OTHERS: &[&str] = &[
    "<!--c-->",
    "<!-->",
    "<!--->",
    "<!-- a -- b --!>",
    "<!--\0\r-->",
    "<![CDATA[x<y]]>",
    "<![CDATA[\0 ]]>",
    "<!-",
    "<!--",
    "<script><!--<script></script>--></script>",
    "<style></styl></style>",
    "<title>&amp;</tit></title>",
    "<textarea>\n\nx</textarea>",
    "<pre>\r\nx",
    "<xmp></x></xmp>",
    "<table><tr><td>",
    "<a><p><a>",
    "<b><i></b></i>",
];

/// Returns pieces of soup.
pub fn soup(rng: &mut Rng, length: usize) -> Vec<String> {
    let tags: Vec<&str> = TAGS.split_whitespace().collect();
    // Repeats some tags, so that they interact.
    let few: Vec<&str> = (0..6).map(|_| rng.pick(&tags)).collect();
    let doctype = rng.pick(DOCTYPES).to_string();
    let rest = (0..length).map(|_| {
        let from = if rng.below(3) == 0 { &tags } else { &few };
        match rng.below(20) {
            0..=8 => format!("<{}{}>", rng.pick(from), rng.pick(ATTRS)),
            9..=13 => format!("</{}>", rng.pick(from)),
            14..=17 => rng.pick(TEXTS).to_string(),
            18 => rng.pick(OTHERS).to_string(),
            _ => format!("<{}", rng.pick(from)),
        }
    });
    std::iter::once(doctype).chain(rest).collect()
}

/// Whether a shrunk case shows a known difference of html5ever that no choice of tags can avoid:
/// - "in table" it does not take a `template` for a node whose text is pending table text;
/// - in fragments it ignores an end tag in foreign content directly below the root, before the insertion mode's rules see it.
pub fn is_known(html: &str) -> bool {
    let has = |tags: &[&str]| tags.iter().any(|t| html.contains(t));
    let tables = ["<table", "<tbody", "<tfoot", "<tr", "<td", "<th", "<caption", "<col"];
    (has(&["<template"]) && has(&tables)) || (has(&["</form"]) && has(&["<svg", "<math"]))
}

/// Whether any text, not only from [`soup`], may show a known difference of html5ever, judging by the names and marks that the
/// difference requires.
pub fn may_show_known(html: &str) -> bool {
    let lower = html.to_ascii_lowercase();
    let names = [
        "annotation-xml",
        "isindex",
        "keygen",
        "search",
        "thead",
        "template",
        "foreignobject",
        "desc",
        "<mi",
        "<mo",
        "<mn",
        "<ms",
        "<mtext",
        "</>",
        "\u{FEFF}",
    ];
    let foreign = lower.contains("<svg") || lower.contains("<math");
    names.iter().any(|n| lower.contains(n))
        || (foreign && (lower.contains("form") || lower.contains("title")))
        || (lower.contains("<table") && lower.contains("<!doctype"))
}

/// Returns pieces of soup with MathML, SVG and their integration points.
pub fn foreign_soup(rng: &mut Rng, length: usize) -> Vec<String> {
    (0..length)
        .map(|_| match rng.below(20) {
            0..=10 => format!("<{}{}>", rng.pick(FOREIGN_STARTS), rng.pick(ATTRS)),
            11..=14 => format!("</{}>", rng.pick(FOREIGN_ENDS)),
            _ => rng.pick(TEXTS).to_string(),
        })
        .collect()
}

/// Removes pieces as long as the rest still fails.
pub fn shrink(mut pieces: Vec<String>, fails: impl Fn(&[String]) -> bool) -> Vec<String> {
    let mut size = pieces.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at + size <= pieces.len() {
            let mut fewer = pieces.clone();
            fewer.drain(at..at + size);
            if fails(&fewer) {
                pieces = fewer;
            } else {
                at += 1;
            }
        }
        size /= 2;
    }
    pieces
}
