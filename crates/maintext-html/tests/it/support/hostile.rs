//! Input that slows parsers down: each kind is a function from a size in bytes to an input of at least that size.
#![allow(dead_code)]

#[path = "pieces.rs"]
mod pieces;

use pieces::{numbered, repeat};

/// A kind of hostile input.
pub struct Hostile {
    pub name: &'static str,
    pub make: fn(usize) -> String,
}

/// Repeats `first` for half of the size, then `second`.
fn halves(first: &str, second: &str, size: usize) -> String {
    repeat(first, size / 2) + &repeat(second, size / 2)
}

fn nested(open: &str, close: &str, size: usize) -> String {
    let count = size / (open.len() + close.len()) + 1;
    open.repeat(count) + &close.repeat(count)
}

macro_rules! hostile {
    ($($name:literal => |$size:ident| $make:expr,)*) => {
        /// All kinds.
        pub const ALL: &[Hostile] = &[$(Hostile { name: $name, make: |$size| $make },)*];
    };
}

hostile! {
    "nested div" => |n| nested("<div>", "</div>", n),
    "unclosed div" => |n| repeat("<div>", n),
    "unclosed div, text and stray end tags" => |n| halves("<div>", "x</span></p></x-y>", n),
    "nested b" => |n| nested("<b>", "</b>", n),
    "nested b with attributes" => |n| numbered("<b id=#>", n),
    "nested i and p" => |n| repeat("<i><p>", n),
    "a and p" => |n| repeat("<a><p>", n),
    "a and div" => |n| repeat("<a href=x><div>", n),
    "b and div, then /b" => |n| halves("<b><div>", "</b>", n),
    "b many, div many, then /b" => |n| repeat("<b id=1><b id=2><b>", n / 3) + &repeat("<div>", n / 3) + &repeat("</b>", n / 3),
    "b, i, a, p closed out of order" => |n| repeat("<b><i><a><p></b></i></a></p>", n),
    "nobr" => |n| repeat("<nobr><div>", n),
    "open fonts" => |n| numbered("<font size=#>", n),
    "open fonts, then p" => |n| numbered("<font size=#>", n / 2) + &repeat("<p>x</p>", n / 2),
    "open fonts in an object, then fonts in turns" => |n| format!("<object>{}</object>", numbered("<font size=#>", n / 2))
        + &repeat(&format!("<object>{}</object>", numbered("<font size=#>", 1200)), n / 2),
    "fonts closed by p, then p" => |n| "<p>".to_string() + &numbered("<font size=#>", n / 2) + &repeat("</p><p>x", n / 2),
    "open fonts, then a" => |n| numbered("<font size=#>", n / 2) + &repeat("<a>x</a>", n / 2),
    "unclosed tables" => |n| repeat("<table><tr><td>", n),
    "table in table" => |n| repeat("<table>", n),
    "table with text" => |n| repeat("<table>x", n),
    "foster-parented text in turns" => |n| "<table>".to_string() + &repeat("x<tr>y<td>z</td>", n),
    "foster-parented b" => |n| "<table>".to_string() + &repeat("<b>x<tr>", n),
    "nested lists" => |n| repeat("<ul><li>", n),
    "li in div" => |n| repeat("<li><div>", n),
    "unclosed div, then li" => |n| halves("<div>", "<li>", n),
    "dd and dt" => |n| repeat("<dd><span><dt>", n),
    "select, option, optgroup" => |n| repeat("<select><option><optgroup><option>x<div>", n),
    "select with selectedcontent" => |n| "<select><button><selectedcontent></button>".to_string()
        + &repeat("<option selected>x<div>y</div>", n),
    "options nested in a select with selectedcontent" => |n| "<select><button><selectedcontent></button>".to_string()
        + &repeat("<option selected><div>", n),
    "nested svg" => |n| repeat("<svg>", n),
    "nested g, then stray end tags" => |n| "<svg>".to_string() + &halves("<g>", "</x>", n),
    "nested math" => |n| repeat("<math><mi>", n),
    "svg, desc and div" => |n| repeat("<svg><desc><div>", n),
    "templates" => |n| repeat("<template>", n),
    "templates with cells" => |n| repeat("<template><td>", n),
    "form in form" => |n| repeat("<form><div></form>", n),
    "deep, then forms" => |n| halves("<div>", "<form></form>", n),
    "buttons" => |n| repeat("<button><b>", n),
    "headings" => |n| repeat("<h1><span></h2>", n),
    "ruby" => |n| repeat("<ruby><rb><rt><rtc><rp>", n),
    "objects" => |n| repeat("<object><b>", n),
    "/p" => |n| repeat("</p>", n),
    "/br" => |n| repeat("</br>", n),
    "/body and text" => |n| repeat("</body>x", n),
    "/html and comments" => |n| repeat("</html><!---->", n),
    "body tags with new attributes" => |n| numbered("<body a#>", n),
    "html tags with new attributes" => |n| numbered("<html a#>", n),
    "attributes on one tag" => |n| format!("<p {}>", numbered("a# ", n)),
    "attributes on one tag, few letters" => |n| format!("<p {}>", repeat("a b c d e f g h i j k l ", n)),
    "attribute values with references" => |n| format!("<p a='{}'>", repeat("&amp;", n)),
    "attributes of one b, then p" => |n| format!("<p><b {}>", numbered("a# ", n / 2)) + &repeat("</p><p>x", n / 2),
    "equal b with many attributes" => |n| repeat(&format!("<b {}>", numbered("a# ", 300)), n),
    "new tag names" => |n| numbered("<t#>", n),
    "new tag names closed" => |n| numbered("<t#></t#>", n),
    "one long tag name" => |n| format!("<{}>", repeat("x", n)),
    "NULs" => |n| repeat("\0", n),
    "NULs and text" => |n| repeat("x\0", n),
    "NULs in foreign text" => |n| "<svg>".to_string() + &repeat("x\0", n),
    "NULs in a script" => |n| "<script>".to_string() + &repeat("x\0", n),
    "carriage returns" => |n| repeat("\r\nx\r", n),
    "carriage returns in a comment" => |n| "<!--".to_string() + &repeat("\r", n),
    "character references" => |n| repeat("&amp;&#65;&notit;", n),
    "ampersands" => |n| repeat("&", n),
    "ampersands and letters" => |n| repeat("&CounterClockwiseContourIntegra", n),
    "less-than signs" => |n| repeat("<", n),
    "less-than signs in a title" => |n| "<title>".to_string() + &repeat("</titl<", n),
    "script that never ends" => |n| "<script>".to_string() + &repeat("<!--<script></script", n),
    "script with comments" => |n| "<script>".to_string() + &repeat("<!--<script>-->", n),
    "comment that never ends" => |n| "<!--".to_string() + &repeat("--!>-".trim_end_matches('-').trim_end_matches('>'), n),
    "greater-than signs in a comment" => |n| "<!--".to_string() + &repeat("->", n),
    "comments" => |n| repeat("<!-->", n),
    "bogus comments" => |n| repeat("<?x></1>", n),
    "doctypes" => |n| repeat("<!doctype html public '' ''>", n),
    "CDATA" => |n| "<svg>".to_string() + &repeat("<![CDATA[x]]>", n),
    "frames" => |n| "<frameset>".to_string() + &repeat(" <frameset><frame>x", n),
    "text pieces around ignored tags" => |n| repeat("x</x-y>", n),
    "text pieces with references around ignored tags" => |n| repeat("&amp;</x-y>y</x-y>", n),
    "pre and line feeds" => |n| repeat("<pre>\n\n", n),
    "style after head" => |n| "<head></head>".to_string() + &repeat("<style></style>", n),
}
