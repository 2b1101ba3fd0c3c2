//! Hostile pages: each kind is a function from a size in bytes to a page of about that size.
#![allow(dead_code)]

#[path = "../../../../maintext-html/tests/it/support/pieces.rs"]
mod pieces;

use maintext_core::{Choice, Favor, Method, View};
use pieces::{numbered, repeat};

/// Keeps all blocks, so that the rendered content does not depend on a model, whose decisions may change with the size.
pub struct KeepsAll;

impl Method for KeepsAll {
    fn name(&self) -> &'static str {
        "all"
    }
    fn judge(&self, page: &View<'_>, _: Favor) -> Choice {
        Choice::of(vec![true; page.blocks.len()])
    }
}

/// A kind of hostile page.
pub struct Hostile {
    /// The attack.
    pub name: &'static str,
    /// Makes a page of at least this many bytes.
    pub make: fn(usize) -> Vec<u8>,
}

fn nested(open: &str, close: &str, size: usize) -> String {
    let count = size / (open.len() + close.len()) + 1;
    open.repeat(count) + "Some words at the very bottom of it all." + &close.repeat(count)
}

/// Returns an article with something in its head.
fn with_head(head: &str) -> String {
    format!("<!doctype html><title>A walk</title>{head}<body><h1>A walk</h1><p>{SENTENCE}</p>")
}

/// Returns a page with a style sheet.
fn style(css: &str, body: &str) -> String {
    format!("<style>{css}</style><div>{SENTENCE}</div>{body}")
}

fn json_ld(json: &str) -> String {
    with_head(&format!("<script type='application/ld+json'>{json}</script>"))
}

/// Returns `inner` below nested lists as deep as the parser goes.
fn deep(inner: &str) -> String {
    "<div>".repeat(490) + inner
}

/// Returns all bytes in an order that is invalid in every encoding, with markup between, declared as `charset`.
fn broken(charset: &str, size: usize) -> Vec<u8> {
    let mut page = format!("<meta charset={charset}><p>").into_bytes();
    let mut state = 0x2545_f491_u32;
    while page.len() < size {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        match state >> 28 {
            0 => page.extend(b"<p>"),
            1 => page.extend([0x1b, b'$', b'B']),
            2 => page.push(0),
            _ => page.push((state >> 16) as u8),
        }
    }
    page
}

const SENTENCE: &str = "The path leads along the river, past the old mill, and up to the ridge.";

macro_rules! hostile {
    ($($name:literal => |$size:ident| $make:expr,)*) => {
        /// All kinds.
        pub const ALL: &[Hostile] = &[$(Hostile { name: $name, make: |$size| { let _ = $size; Vec::from($make) } },)*];
    };
}

hostile! {
    // Nesting.
    "nested div" => |n| nested("<div>", "</div>", n),
    "nested div with text on each level" => |n| nested("<div>one two three", "</div>", n),
    "nested span" => |n| nested("<span>x", "</span>", n),
    "nested section and article" => |n| nested("<section><article>", "</article></section>", n),
    "nested lists" => |n| repeat("<ul><li>one two", n),
    "nested quotes" => |n| nested("<blockquote>x", "</blockquote>", n),
    "nested tables" => |n| repeat("<table><tr><td>x", n),
    "nested definition lists" => |n| repeat("<dl><dt>x<dd>y", n),
    "nested details" => |n| repeat("<details><summary>x</summary>y", n),
    "nested figures" => |n| repeat("<figure><img src=a.png><figcaption>x", n),
    "nested pre and code" => |n| repeat("<pre><code>x\n", n),
    "nested noscript and template" => |n| repeat("<noscript><template>x", n),
    "nested svg and foreignObject" => |n| repeat("<svg><foreignObject><p>x", n),
    "nested math" => |n| repeat("<math><mrow><msup><mi>x</mi>", n),
    "a wide page at the bottom of a deep one" => |n| deep(&repeat("<p>One or two words.</p>", n)),
    "wide and deep lists" => |n| deep(&numbered("<li><a href=/p/#>Entry #</a></li>", n)),
    "deep inline markup in every paragraph" => |n| repeat(&format!("<p>{}x{}", "<b><i><em>".repeat(40), "</em></i></b>".repeat(40)), n),
    // Mis-nesting.
    "adoption agency: a and p" => |n| repeat("<a><p>x", n),
    "adoption agency: closed out of order" => |n| repeat("<b><i><a><p>x</b></i></a></p>", n),
    "adoption agency: many fonts" => |n| numbered("<font size=#>x", n / 2) + &repeat("<p>x</p>", n / 2),
    "overlapping links" => |n| numbered("<a href=/a/#>one <b>two", n),
    "links around blocks" => |n| numbered("<a href=/a/#><div>one two</a></div>", n),
    "foster-parented text" => |n| "<table>".to_string() + &repeat("x<tr>y<td>z</td>", n),
    "foster-parented links" => |n| "<table>".to_string() + &numbered("<a href=/#>x<tr>", n),
    "end tags of nothing" => |n| repeat("</p>x</br></div>", n),
    "forms and selects" => |n| repeat("<form><select><option>x<optgroup><input><button>y", n),
    // Attributes and names.
    "attributes on one tag" => |n| format!("<p {}>{SENTENCE}", numbered("a#=b ", n)),
    "classes on one tag" => |n| format!("<p class='{}'>{SENTENCE}", numbered("c# ", n)),
    "a class for each paragraph" => |n| numbered("<p class='c# d#' id=e#>one two three", n),
    "a data attribute name for each tag" => |n| numbered("<p data-x#=1>one", n),
    "one long class" => |n| format!("<div class={}><p>{SENTENCE}", repeat("a-b_c", n)),
    "new tag names" => |n| numbered("<t-#>one two</t-#>", n),
    "long style attributes" => |n| format!("<p style='{}'>x", repeat("display:block;", n)),
    "srcset without end" => |n| format!("<p>{SENTENCE}<img src=a srcset='{}'>", numbered("/i/#.png #w, ", n)),
    "data address without end" => |n| format!("<p>{SENTENCE}<img src='data:image/png;base64,{}'>", repeat("AAAA", n)),
    "address without end" => |n| format!("<p>{SENTENCE}<a href='/{}'>x</a>", repeat("../a/", n)),
    // Tables.
    "a table of many rows" => |n| format!("<table>{}", numbered("<tr><td>#<td>word<td>3.5", n)),
    "a table of many columns" => |n| format!("<table><tr>{}", numbered("<td>#", n)),
    "a table of huge spans" => |n| format!("<table>{}", repeat("<tr><td colspan=1000 rowspan=65534>x<td>y", n)),
    "tables of one wide row and many short ones" => |n| format!("<table><tr>{}{}", repeat("<td>x", n / 2), repeat("<tr><td>y", n / 2)),
    "a table with lists in its cells" => |n| format!("<table>{}", repeat("<tr><td><ul><li>x<li>y</ul><td><p>z<p>w", n)),
    "many tables" => |n| repeat("<table><tr><th>a<th>b<tr><td>1<td>2</table>", n),
    "captions and column groups" => |n| format!("<table>{}", repeat("<caption>x</caption><colgroup><col span=1000>", n)),
    // JSON-LD and other metadata.
    "JSON-LD: nested arrays" => |n| json_ld(&repeat("[", n)),
    "JSON-LD: nested objects" => |n| json_ld(&repeat(r#"{"@graph":"#, n)),
    "JSON-LD: nested authors" => |n| json_ld(&repeat(r#"{"@type":"Article","author":"#, n)),
    "JSON-LD: a cycle of references" => |n| json_ld(r##"[{"@id":"#a","@type":"Article","headline":"x","author":{"@id":"#b"},"mainEntity":{"@id":"#a"}},{"@id":"#b","@type":"Person","name":"Ann Lee","worksFor":{"@id":"#a"},"author":{"@id":"#b"}}]"##),
    "JSON-LD: references among many" => |n| json_ld(&format!("[{}1]", numbered(r##"{"@id":"id#","@type":"Article","author":[{"@id":"id1#"},{"@id":"id#"}],"isPartOf":{"@id":"id0"}},"##, n))),
    "JSON-LD: one object that all refer to" => |n| json_ld(&format!(r##"[{{"@id":"x","@type":"Person","name":["{}"]}},{}1]"##, repeat("Ann Lee\",\"", n / 2), repeat(r##"{"@type":"Article","author":{"@id":"x"}},"##, n / 2))),
    "JSON-LD: one object of many keys that all refer to" => |n| json_ld(&format!(r##"[{{"@id":"x",{}"name":"Ann Lee"}},{}1]"##, numbered("\"k#\":1,", n / 2), repeat(r##"{"@type":"Article","author":{"@id":"x"}},"##, n / 2))),
    "JSON-LD: many articles" => |n| json_ld(&format!("[{}1]", numbered(r#"{"@type":"NewsArticle","headline":"Story #","datePublished":"2024-01-01","author":{"name":"Ann Lee"}},"#, n))),
    "JSON-LD: many authors" => |n| json_ld(&format!(r#"{{"@type":"Article","author":[{}"x"]}}"#, numbered(r#"{"@type":"Person","name":"Ann Lee #"},"#, n))),
    "names and dates: all in one block" => |n| with_head("") + &repeat("<span class=author>By Jane Doe</span><time datetime=2021-03-12>12 March</time>", n),
    "script: Markdown with brackets that stay open" => |n| format!("<div id=root></div><script>x={{\"body\":\"# Head\\n\\n{SENTENCE}{}\"}}</script>", repeat("abcd [efgh [a](b", n)),
    "script: members that name one long text" => |n| format!("<div id=root></div><script>x=[{{{}}},\"{}\"]</script>", repeat("\"k\":1,", n / 2), repeat(SENTENCE, n / 2)),
    "JSON-LD: one long string" => |n| json_ld(&format!(r#"{{"@type":"Article","articleBody":"{}"}}"#, repeat(r"one \u00e9 \n two ", n))),
    "JSON-LD: many keys" => |n| json_ld(&format!("{{{}\"x\":1}}", numbered("\"k#\":1,", n))),
    "JSON-LD: a long key over many values" => |n| json_ld(&format!(r#"{{"{}":[{}[]]}}"#, repeat("k", n / 2), repeat("[],", n / 2))),
    "JSON-LD: many scripts" => |n| with_head(&numbered(r#"<script type='application/ld+json'>{"@type":"Article","headline":"Story #"}</script>"#, n)),
    "meta elements" => |n| with_head(&numbered("<meta property='article:tag' content='tag #'><meta name=author content='Ann Lee #'>", n)),
    "link elements" => |n| with_head(&numbered("<link rel=next href=/p/#><link rel=canonical href=/c/#>", n)),
    "microdata, nested" => |n| repeat("<div itemscope itemtype='https://schema.org/Article'><span itemprop=author>x</span>", n),
    "microdata, flat" => |n| numbered("<p itemscope itemtype='https://schema.org/Person'><b itemprop=name>Ann Lee #</b>", n),
    "base elements" => |n| with_head(&numbered("<base href=/b/#/>", n)),
    "titles and headings" => |n| numbered("<title>Walk # - Site</title><h1>Walk #</h1>", n),
    "one long title" => |n| format!("<title>{}</title><h1>{}</h1><p>{SENTENCE}", repeat("walk - ", n / 2), repeat("walk | ", n / 2)),
    "bylines" => |n| numbered("<p class=byline>By <a rel=author href=/a/#>Ann Lee</a> and Bob Ray</p>", n),
    "one long byline" => |n| format!("<p class=byline>By {}", repeat("Ann Lee, Bob Ray and ", n)),
    "dates" => |n| numbered("<time datetime=2024-05-01>1 May 2024</time><p>Posted on May 3, 2023, 14 #.", n),
    "one line of numbers" => |n| format!("<p>{}", repeat("12.04.2011 2024-05-01T10:11 3 hours ago ", n)),
    // Lists, threads, links.
    "entries of a list" => |n| numbered("<article class=post><h2><a href=/s/#>What happened on day # of the year</a></h2><p>Some words about it.</article>", n),
    "links in one paragraph" => |n| format!("<p>{}", numbered("<a href=/s/#>Story #</a> ", n)),
    "numbered pages" => |n| format!("<div class=pagination>{}</div>", numbered("<a href='?page=#'>#</a>", n)),
    "links to equal addresses" => |n| repeat("<li><a href=/same>Same title here</a>", n),
    "comments" => |n| numbered("<div class=comment id=c#><b class=author>Ann #</b><time>2024-05-01</time><p>I think that # is right.</div>", n),
    "comments in comments" => |n| numbered("<div class=comment id=c#><b class=author>Ann #</b><p>I think that # is right.", n),
    "comments in comments, answered again and again" => |n| repeat(&format!("{}{}", numbered("<div class=comment><b class=author>Ann #</b><p>Yes to #.", 4000), "</div>".repeat(400)), n),
    "footnotes" => |n| (numbered("<p>Text<sup id=r#><a href=HASHf#>[#]</a></sup>", n / 2) + &numbered("<li id=f#>Note # <a href=HASHr#>back</a>", n / 2)).replace("HASH", "#"),
    "anchors to one place" => |n| format!("<p id=x>y{}", repeat("<a href=#x>z</a> ", n)),
    "menus" => |n| repeat("<nav><ul><li><a href=/>Home</a><li><a href=/about>About</a></ul></nav>", n),
    // Text.
    "one long word" => |n| format!("<p>{}", repeat("a", n)),
    "one long paragraph" => |n| format!("<p>{}", repeat(SENTENCE, n)),
    "one long paragraph in Chinese" => |n| format!("<p>{}", repeat("山路沿着河流向上，经过老磨坊。", n)),
    "many paragraphs" => |n| format!("<article>{}", repeat(&format!("<p>{SENTENCE}"), n)),
    "words in elements of their own" => |n| repeat("<b>a</b> <i>b</i> ", n),
    "line breaks" => |n| repeat("x<br>", n),
    "white space" => |n| format!("<p>x{}y", repeat(" \n\t", n)),
    "markup characters of Markdown" => |n| format!("<p>{}", repeat("*_`[]()#>+-|~\\ ", n)),
    "backquotes in code" => |n| format!("<p>x <code>{}</code><pre>{}</pre>", repeat("` `` ", n / 2), repeat("```\n~~~~\n", n / 2)),
    "growing runs of backquotes" => |n| { let mut s = "<p>".to_string(); let mut i = 1; while s.len() < n { s += "<code>"; s += &"`".repeat(i); s += "</code> "; i += 1; } s },
    "preformatted lines" => |n| format!("<pre>{}", repeat("let x = 1;\n  y;\n", n)),
    "headings of all levels" => |n| repeat("<h1>a</h1><h4>b</h4><h2>c</h2><h6>d</h6>", n),
    "rules and images" => |n| numbered("<hr><img src=/i/#.png alt='picture #'>", n),
    "formulas" => |n| repeat("<p>x <math><mfrac><mi>a</mi><mi>b</mi></mfrac></math>", n),
    "hidden text" => |n| repeat("<p hidden>x<p style='display:none'>y<dialog>z</dialog>", n),
    "soft hyphens and joiners" => |n| format!("<p>{}", repeat("a\u{ad}b\u{200d}c\u{feff}", n)),
    "both directions" => |n| format!("<p>{}", repeat("\u{202e}abc\u{202c}שלום ", n)),
    "combining marks" => |n| format!("<p>a{}", repeat("\u{301}", n)),
    // Scripts.
    "prose in a script" => |n| format!("<div id=app></div><script>window.S={{\"text\":\"{}\"}}</script>", repeat(&format!("{SENTENCE} "), n)),
    "quotes in a script" => |n| format!("<div id=app></div><script>{}</script>", repeat("\"'\\\"`", n)),
    "nested braces in a script" => |n| format!("<div id=app></div><script>x={}</script>", repeat("{\"a\":[", n)),
    "many scripts" => |n| repeat("<script>var a=\"one two\";</script>", n),
    "styles" => |n| repeat("<style>a{b:c}</style>", n),
    // Style sheets and names, of which one part applies to many elements.
    "a class that an element repeats, for many declarations" => |n| style(&format!(".a{{{}display:none}}", repeat("top:0;", n / 2)), &format!("<p class='{}'>x", repeat("a ", n / 2))),
    "many declarations for many elements" => |n| style(&format!(".a{{{}display:none}}", repeat("top:0;", n / 2)), &repeat("<p class=a>x", n / 2)),
    "escaped declarations for many elements" => |n| style(&format!(".a{{{}}}", repeat("\\64 isplay:none;", n / 2)), &repeat("<p class=a>x", n / 2)),
    "many declarations for many classes of an element" => |n| style(&format!("{}p{{top:0;left:0;width:0;opacity:1;display:none}}", numbered(".a#,", n / 2)), &format!("<p class='{}'>x", numbered("a# ", n / 2))),
    "a selector that repeats a class" => |n| style(&format!("p{}{{display:none}}", repeat(".a", n / 2)), &repeat("<p class=a>x", n / 2)),
    "a selector of many classes" => |n| style(&format!("p{}.b{{display:none}}", numbered(".a#", n / 4)), &(format!("<p class='{}'>x", numbered("a# ", n / 4)) + &repeat("<p class=b>x", n / 2))),
    "a selector that repeats what it excludes" => |n| style(&format!("p:not({}.b){{display:none}}", repeat(".a,", n / 2)), &repeat("<p class=c>x", n / 2)),
    "a selector that excludes many classes" => |n| style(&format!("p:not({}.b){{display:none}}", numbered(".a#,", n / 2)), &repeat("<p class=c>x", n / 2)),
    "selectors in brackets in brackets" => |n| style(&format!("p{}.a{}{{display:none}}", repeat(":not(", n / 2), repeat(")", n / 12)), "<p class=a>x"),
    "a long list of selectors" => |n| style(&format!("{}p{{display:none}}", repeat("p,", n)), "<p>x"),
    "descending selectors" => |n| style(&numbered(".a .b .a .b .a .c# .x,.d# .x{display:none}", n / 8), &format!("{}{}", repeat("<div class='a b'>", n / 8), repeat("<p class=x>x", n / 2))),
    "a selector of many siblings" => |n| style(&format!("{}.a{{display:none}}", repeat("p+", n / 2)), &repeat("<p class=a>x", n / 2)),
    "rules for many elements" => |n| style(&repeat(".a{display:none}", n / 2), &repeat("<p class=a>x", n / 2)),
    "a long class that a selector asks for" => |n| style(".x p{display:none}", &format!("<div class='{}'>{}", numbered("a# ", n / 2), repeat("<p>x", n / 2))),
    "a long attribute that a selector asks for" => |n| style("div[data-x*=xyz] p{display:none}", &format!("<div data-x='{}'>{}", repeat("abcdef ", n / 2), repeat("<p>x", n / 2))),
    "blocks in blocks of a style sheet" => |n| style(&format!("{}.a{{display:none}}", repeat("@media all{", n)), "<p class=a>x"),
    "a long class above hidden elements" => |n| format!("<div class='{}'>{}", repeat("xyzzy-", n / 2), repeat("<p hidden>x</p>", n / 2)),
    "a long id above hidden elements" => |n| format!("<div id='{}'>{}", repeat("xyzzy-", n / 2), repeat("<p hidden>x</p>", n / 2)),
    "a long class above code" => |n| format!("<table><tr><td class='{}'>{}", repeat("abcdefg ", n / 2), repeat("<pre>x</pre>", n / 2)),
    "a long class above code in a shadow tree" => |n| format!("<x-a class='{}'><template shadowrootmode=open>{}</template></x-a>", repeat("abcdefg ", n / 2), repeat("<pre>x</pre>", n / 2)),
    "hidden elements whose ids a script may name" => |n| format!("<script>{}</script>{}", repeat("a", n / 2), numbered("<p hidden id=aaaaaa#>x</p>", n / 2)),
    "popovers" => |n| repeat("<div popover>x</div>", n),
    "drawings of formulas in each other" => |n| repeat("<mjx-container>", n / 4) + &repeat("<hr>", n),
    // Characters.
    "entities" => |n| format!("<p>{}", repeat("&amp;&lt;&#65;&notit;&nosuch; ", n)),
    "escaped tags" => |n| format!("<p>{}", repeat("&lt;p&gt;x&lt;/p&gt; ", n)),
    "lone surrogates in references" => |n| format!("<p>{}", repeat("&#xD800;&#xDFFF;&#55296; ", n)),
    "references beyond Unicode" => |n| format!("<p>{}", repeat("&#x110000;&#99999999999;&#0; ", n)),
    "NULs" => |n| format!("<p>{}", repeat("x\0\0", n)),
    "NULs in tags" => |n| repeat("<p\0 a\0=\0>x\0", n),
    "controls" => |n| format!("<p>{}", repeat("\u{1}\u{8}\u{b}\u{c}\u{1f}\u{7f}\u{85}x", n)),
    "comments of the page" => |n| repeat("<!-- x -->y", n),
    "XML declarations and CDATA" => |n| repeat("<?xml version='1.0'?><![CDATA[x]]>", n),
    // Bytes.
    "broken UTF-8" => |n| broken("utf-8", n),
    "broken UTF-16" => |n| [&b"\xff\xfe"[..], &broken("utf-16le", n)].concat(),
    "broken UTF-16, the other way" => |n| [&b"\xfe\xff"[..], &broken("utf-16be", n)].concat(),
    "broken GBK" => |n| broken("gbk", n),
    "broken GB 18030" => |n| broken("gb18030", n),
    "broken Big5" => |n| broken("big5", n),
    "broken Shift_JIS" => |n| broken("shift_jis", n),
    "broken EUC-JP" => |n| broken("euc-jp", n),
    "broken ISO-2022-JP" => |n| broken("iso-2022-jp", n),
    "broken EUC-KR" => |n| broken("euc-kr", n),
    "broken KOI8-R" => |n| broken("koi8-r", n),
    "broken windows-1252" => |n| broken("windows-1252", n),
    "broken windows-1255" => |n| broken("windows-1255", n),
    "broken x-user-defined" => |n| broken("x-user-defined", n),
    "the replacement encoding" => |n| broken("iso-2022-kr", n),
    "an encoding that does not exist" => |n| broken("nonsense", n),
    "declarations of encodings" => |n| repeat("<meta charset=gbk><meta http-equiv=content-type content='text/html; charset=big5'>", n),
}
