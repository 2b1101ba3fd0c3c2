//! Tests tree construction, mode by mode, on our own snippets; `tests/html5lib.rs` runs the standard's.

use maintext_html::{Context, Document, ParseOptions};

/// Returns the tree as HTML, which shows everything these tests check.
fn html(input: &str) -> String {
    Document::parse(input, &ParseOptions::default()).to_html()
}

fn body(input: &str) -> String {
    let doc = Document::parse(input, &ParseOptions::default());
    doc.body().map_or("no body".to_string(), |b| doc.inner_html(b))
}

fn fragment(context: &str, input: &str) -> String {
    Document::parse_fragment(input, &Context::html(context), &ParseOptions::default()).to_html()
}

#[track_caller]
fn check(cases: &[(&str, &str)], parse: impl Fn(&str) -> String) {
    for (input, expected) in cases {
        assert_eq!(parse(input), *expected, "from {input}");
    }
}

#[test]
fn initial_and_before_html() {
    check(
        &[
            ("", "<html><head></head><body></body></html>"),
            (" \n<!--a--> <!doctype html>", "<!--a--><!DOCTYPE html><html><head></head><body></body></html>"),
            ("<!doctype html><!--b-->x", "<!DOCTYPE html><!--b--><html><head></head><body>x</body></html>"),
            ("</p></html lang=x>", "<html><head></head><body></body></html>"),
            ("<html lang=de><html lang=en id=a>", "<html lang=\"de\" id=\"a\"><head></head><body></body></html>"),
            ("\u{FEFF}<!doctype html>", "<!DOCTYPE html><html><head></head><body></body></html>"),
        ],
        html,
    );
}

#[test]
fn before_head_in_head_and_after_head() {
    check(
        &[
            ("<head><title>a &lt; b</title>", "<html><head><title>a &lt; b</title></head><body></body></html>"),
            (" <meta charset=x> x", "<html><head><meta charset=\"x\"> </head><body>x</body></html>"),
            ("<style>a > b</style><p>", "<html><head><style>a > b</style></head><body><p></p></body></html>"),
            ("<head></head> <title>t</title>", "<html><head><title>t</title></head> <body></body></html>"),
            ("<head><head></p></head></head>", "<html><head></head><body></body></html>"),
            ("<noscript><link><p>x", "<html><head><noscript><link></noscript></head><body><p>x</p></body></html>"),
            ("<noscript></br>", "<html><head><noscript></noscript></head><body><br></body></html>"),
            ("<head></head></br>", "<html><head></head><body><br></body></html>"),
            ("<base><script>1<2</script>x", "<html><head><base><script>1<2</script></head><body>x</body></html>"),
            ("<body class=a><body class=b id=c>", "<html><head></head><body class=\"a\" id=\"c\"></body></html>"),
        ],
        html,
    );
}

#[test]
fn in_body_paragraphs_headings_and_lists() {
    check(
        &[
            ("<p>a<p>b", "<p>a</p><p>b</p>"),
            ("<p>a<div>b</p>c", "<p>a</p><div>b<p></p>c</div>"),
            ("<h1>a<h2>b</h3>c", "<h1>a</h1><h2>b</h2>c"),
            ("<ul><li>a<li>b<ul><li>c</ul><li>d</ul>", "<ul><li>a</li><li>b<ul><li>c</li></ul></li><li>d</li></ul>"),
            ("<li><div><li>", "<li><div></div></li><li></li>"),
            ("<li><section><li>", "<li><section><li></li></section></li>"),
            ("<dl><dt>a<dd>b<p>c<dt>d</dl>", "<dl><dt>a</dt><dd>b<p>c</p></dd><dt>d</dt></dl>"),
            ("</br></p>", "<br><p></p>"),
            ("<pre>\n\na</pre><listing>\nb", "<pre>\na</pre><listing>b</listing>"),
            ("<button><p><button>x", "<button><p></p></button><button>x</button>"),
            ("<p><button></p>x", "<p><button><p></p>x</button></p>"),
            ("a<plaintext></p>&amp;", "a<plaintext></p>&amp;</plaintext>"),
            ("<form><form id=b><div></form>x", "<form><div>x</div></form>"),
            ("<image src=a><input type=hidden>", "<img src=\"a\"><input type=\"hidden\">"),
            ("<ruby>a<rt>b<rp>c<rb>d", "<ruby>a<rt>b</rt><rp>c</rp><rb>d</rb></ruby>"),
            ("<textarea>\n<b>&amp;</textarea>", "<textarea>&lt;b&gt;&amp;</textarea>"),
            ("<object><p></object>x", "<object><p></p></object>x"),
            ("<x-y><div></x-y>z", "<x-y><div>z</div></x-y>"),
            ("<x-y><span></x-y>z", "<x-y><span></span></x-y>z"),
        ],
        body,
    );
}

#[test]
fn adoption_agency_and_reconstruction() {
    check(
        &[
            ("<b>1<i>2</b>3</i>4", "<b>1<i>2</i></b><i>3</i>4"),
            ("<a>1<p>2</a>3</p>", "<a>1</a><p><a>2</a>3</p>"),
            ("<a>1<a>2", "<a>1</a><a>2</a>"),
            ("<a href=x><div><a href=y>z", "<a href=\"x\"></a><div><a href=\"x\"></a><a href=\"y\">z</a></div>"),
            ("<p><b>1<p>2", "<p><b>1</b></p><p><b>2</b></p>"),
            ("<b><b><b><b><p></p></b></b></b></b>x", "<b><b><b><b><p></p></b></b></b></b>x"),
            ("<p><i><i><i><i><p>x", "<p><i><i><i><i></i></i></i></i></p><p><i><i><i>x</i></i></i></p>"),
            ("<nobr>a<nobr>b", "<nobr>a</nobr><nobr>b</nobr>"),
            ("<b><button>x</b>y", "<b></b><button><b>x</b>y</button>"),
            ("<b><marquee>x</b></marquee>y", "<b><marquee>x</marquee>y</b>"),
            ("</b>x</i>", "x"),
        ],
        body,
    );
}

#[test]
fn tables_and_foster_parenting() {
    check(
        &[
            ("<table><td>1<td>2", "<table><tbody><tr><td>1</td><td>2</td></tr></tbody></table>"),
            ("<table>x<tr>y<td>z", "xy<table><tbody><tr><td>z</td></tr></tbody></table>"),
            ("<table> <tr> </table>", "<table> <tbody><tr> </tr></tbody></table>"),
            ("<table><b>x<tr><td>y", "<b>x</b><table><tbody><tr><td>y</td></tr></tbody></table>"),
            ("<table><caption>a<td>b", "<table><caption>a</caption><tbody><tr><td>b</td></tr></tbody></table>"),
            ("<table><col><td>", "<table><colgroup><col></colgroup><tbody><tr><td></td></tr></tbody></table>"),
            ("<table><colgroup> <col>x", "x<table><colgroup> <col></colgroup></table>"),
            ("<table><thead><tfoot></thead><th>", "<table><thead></thead><tfoot><tr><th></th></tr></tfoot></table>"),
            (
                "<table><td><table><td>x</table>y</table>z",
                "<table><tbody><tr><td><table><tbody><tr><td>x</td></tr></tbody></table>y</td></tr></tbody></table>z",
            ),
            ("<table><table>x", "<table></table>x<table></table>"),
            ("<table><input type=hidden><input>", "<input><table><input type=\"hidden\"></table>"),
            ("<table><form><tr><td></form>x", "<table><form></form><tbody><tr><td>x</td></tr></tbody></table>"),
            (
                "<table><tr></body></td></caption><td>x</tr></tbody>y",
                "y<table><tbody><tr><td>x</td></tr></tbody></table>",
            ),
            ("<table><script>a</script><style>b</style>", "<table><script>a</script><style>b</style></table>"),
            ("<p><table>", "<p><table></table></p>"),
            ("<td>x<tr>", "x"),
        ],
        body,
    );
    assert_eq!(body("<!doctype html><p><table>"), "<p></p><table></table>");
}

#[test]
fn select_option_and_selectedcontent() {
    check(
        &[
            (
                "<select><option>a<option>b<optgroup><option>c</select>d",
                "<select><option>a</option><option>b</option><optgroup><option>c</option></optgroup></select>d",
            ),
            ("<select><div><b>x</b></div></select>", "<select><div><b>x</b></div></select>"),
            ("<select><select>x", "<select></select>x"),
            ("<select><input>", "<select></select><input>"),
            ("<select><option>a<hr><option>b", "<select><option>a</option><hr><option>b</option></select>"),
            ("<option><option>x", "<option></option><option>x</option>"),
            (
                "<select><button><selectedcontent></button><option>a<option selected>b<i>c</i></select>",
                "<select><button><selectedcontent>b<i>c</i></selectedcontent></button><option>a</option>\
              <option selected=\"\">b<i>c</i></option></select>",
            ),
            (
                "<select multiple><selectedcontent></selectedcontent><option selected>b</select>",
                "<select multiple=\"\"><selectedcontent></selectedcontent><option selected=\"\">b</option></select>",
            ),
        ],
        body,
    );
}

#[test]
fn templates() {
    check(
        &[
            ("<template><td>x</template>y", "y"),
            ("<div><template><p>x</div></template>y", "<div><template><p>x</p></template>y</div>"),
            ("<div><template><tr><td>x</template>", "<div><template><tr><td>x</td></tr></template></div>"),
            (
                "<table><template><tr></template><td>x",
                "<table><template><tr></tr></template><tbody><tr><td>x</td></tr></tbody></table>",
            ),
            ("<div><template><col></col></template>", "<div><template><col></template></div>"),
            (
                "<div><template><template>a</template>b</template>",
                "<div><template><template>a</template>b</template></div>",
            ),
            ("</template>x", "x"),
        ],
        body,
    );
    assert_eq!(html("<template>"), "<html><head><template></template></head><body></body></html>");
}

#[test]
fn framesets() {
    check(
        &[
            (
                "<frameset> <frame>x</frameset> y<noframes>z</noframes></html> ",
                "<html><head></head><frameset> <frame></frameset> <noframes>z</noframes> </html>",
            ),
            ("<p><frameset>", "<html><head></head><frameset></frameset></html>"),
            ("x<frameset>", "<html><head></head><body>x</body></html>"),
        ],
        html,
    );
}

#[test]
fn after_body() {
    check(
        &[
            ("<body>a</body><!--c--> b", "<html><head></head><body>a b</body><!--c--></html>"),
            ("<body>a</body></html><!--c-->", "<html><head></head><body>a</body></html><!--c-->"),
            ("<body>a</body></html><p>b", "<html><head></head><body>a<p>b</p></body></html>"),
        ],
        html,
    );
}

#[test]
fn foreign_content() {
    check(
        &[
            ("<svg viewbox=1><lineargradient/>x</svg>", "<svg viewBox=\"1\"><linearGradient></linearGradient>x</svg>"),
            ("<svg><p>x", "<svg></svg><p>x</p>"),
            (
                "<svg><foreignobject><p>x</p></foreignobject><g/>",
                "<svg><foreignObject><p>x</p></foreignObject><g></g></svg>",
            ),
            (
                "<svg><desc><table><td>x</desc>",
                "<svg><desc><table><tbody><tr><td>x</td></tr></tbody></table></desc></svg>",
            ),
            ("<math definitionurl=u><mi><b>x</math>y", "<math definitionURL=\"u\"><mi><b>xy</b></mi></math>"),
            (
                "<math><annotation-xml encoding=text/html><p>x</p></annotation-xml><annotation-xml><p>y",
                "<math><annotation-xml encoding=\"text/html\"><p>x</p></annotation-xml><annotation-xml></annotation-xml>\
              </math><p>y</p>",
            ),
            ("<svg><![CDATA[a<b]]>c", "<svg>a&lt;bc</svg>"),
            ("x<![CDATA[a]]>", "x<!--[CDATA[a]]-->"),
            ("<svg><font></font><font color=x>y", "<svg><font></font></svg><font color=\"x\">y</font>"),
            ("<svg><title><i>a</title>b", "<svg><title><i>ab</i></title></svg>"),
            ("<svg></p></svg>x", "<svg></svg><p></p>x"),
            ("<svg>a\0b", "<svg>a\u{FFFD}b</svg>"),
        ],
        body,
    );
}

#[test]
fn text_references_and_newlines() {
    check(
        &[
            ("a&amp;b&lt;c&notit;&#x41;&#65;&#0;&#128;", "a&amp;b&lt;c¬it;AA\u{FFFD}€"),
            ("a\r\nb\rc", "a\nb\nc"),
            ("a\0b", "ab"),
            ("1 < 2 </ 3> &x; & y", "1 &lt; 2 <!-- 3--> &amp;x; &amp; y"),
            ("<p title='&amp;&quot;&ampx&amp;='>", "<p title=\"&amp;&quot;&amp;ampx&amp;=\"></p>"),
            ("a<!-->b<!--->c<!--d--!>e<!--f", "a<!---->b<!---->c<!--d-->e<!--f-->"),
            ("<script><!--<script></script>--></script>x", "<script><!--<script></script>--></script>x"),
        ],
        |input| {
            let whole = html(&format!("<body>{input}"));
            whole["<html><head></head><body>".len()..whole.len() - "</body></html>".len()].to_string()
        },
    );
}

#[test]
fn fragments() {
    assert_eq!(fragment("div", "<p>a<td>b"), "<p>ab</p>");
    assert_eq!(fragment("tr", "<td>a<tr>b"), "<td>a</td>b");
    assert_eq!(fragment("tbody", "<td>a"), "<tr><td>a</td></tr>");
    assert_eq!(fragment("colgroup", "a <col>b"), " <col>");
    assert_eq!(fragment("title", "<b>&amp;</title>"), "&lt;b&gt;&amp;&lt;/title&gt;");
    assert_eq!(fragment("script", "<b>&amp;"), "&lt;b&gt;&amp;amp;");
    assert_eq!(fragment("html", "<p>a"), "<head></head><body><p>a</p></body>");
    assert_eq!(fragment("template", "<td>a"), "<td>a</td>");
    assert_eq!(fragment("select", "<option>a<div>b"), "<option>a<div>b</div></option>");
    let svg = Document::parse_fragment("<g/>x<p>y", &Context::svg("svg"), &ParseOptions::default());
    assert_eq!(svg.to_html(), "<g></g>x<p>y</p>");
}
