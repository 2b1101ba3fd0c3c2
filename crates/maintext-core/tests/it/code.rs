//! Code as Markdown.
use maintext_core::blocks::Blocks;
use maintext_core::dom::parse;
use maintext_core::render::{Content, RenderOptions, Tree};

/// Returns the Markdown of a whole page.
fn markdown(html: &str) -> String {
    let dom = parse(html, &Default::default());
    let blocks = Blocks::new(&dom);
    let mut keep = vec![false; dom.len()];
    blocks.leaves.iter().for_each(|n| keep[n.index()] = true);
    let content = Content {
        dom: &dom,
        blocks: &blocks,
        keep: &keep,
        base: None,
        posts: &[],
        roles: &[],
        title: None,
        options: RenderOptions::default(),
    };
    Tree::new(&content).markdown()
}

#[test]
fn lines_that_make_an_example_compile_are_left_out() {
    let html = "<pre class=playground><code class='language-rust edition2021'><span class=boring>#![allow(unused)]\n</span><span class=boring>fn main() {\n</span>let tide = 3;\n<span class=boring>}</span></code></pre>";
    assert_eq!(markdown(html), "```rust\nlet tide = 3;\n```\n");
    assert_eq!(markdown("<pre><span class=boring>a</span>\nb</pre>"), "```\na\nb\n```\n", "another system");
}

#[test]
fn code_that_shows_its_white_space_keeps_its_indentation() {
    let code = "<div><code style='white-space: pre'>&gt; ping\n  SEQ LEVEL\n    0 2.41</code></div>";
    assert_eq!(markdown(code), "```\n> ping\n  SEQ LEVEL\n    0 2.41\n```\n");
}

#[test]
fn line_numbers_are_left_out() {
    for html in [
        "<table class=highlighttable><tr><td class=linenos><div class=linenodiv><pre>1\n2\n3</pre></div><td class=code><pre>a\n\n  b</pre></table>",
        "<table class=rouge-table><tbody><tr><td class='rouge-gutter gl'><pre class=lineno>1\n2\n3\n</pre></td><td class=rouge-code><pre>a\n\n  b\n</pre></table>",
        "<pre><table><tr><td class=gutter><pre>1\n2\n3</pre><td><pre>a\n\n  b</pre></table></pre>",
        "<pre><code><span class=ln>1</span>a\n<span class=ln>2</span>\n<span class=ln>3</span>  b</code></pre>",
        "<pre><code><span><span style='-webkit-user-select:none;user-select:none'>1</span>a\n</span><span><span style='user-select:none'>2</span>\n</span>  b</code></pre>",
        "<pre><a id=L1 href=#L1>1</a>a\n<a id=L2 href=#L2>2</a>\n<a id=L3 href=#L3>3</a>  b</pre>",
        "<table><tr><td class=blob-num data-line-number=1></td><td class=blob-code>a</td></tr>\n<tr><td class=blob-num data-line-number=2></td><td class=blob-code>\n</td></tr>\n\
         <tr><td class=blob-num data-line-number=3></td><td class=blob-code>  b</td></tr></table>",
        "<table class=hljs-ln><tr><td class='hljs-ln-line hljs-ln-numbers' data-line-number=1><div></div></td><td class='hljs-ln-line hljs-ln-code'>a</td></tr>\
         <tr><td class=hljs-ln-numbers data-line-number=2></td><td class=hljs-ln-code> </td></tr><tr><td class=hljs-ln-numbers data-line-number=3></td><td class=hljs-ln-code>  b</td></tr></table>",
        "<div class=syntaxhighlighter><table><tr><td class=gutter><div class='line number1'>1</div><div class='line number2'>2</div><div class='line number3'>3</div></td>\
         <td class=code><div class=container><div class='line number1'><code>a</code></div><div class='line number2'>&nbsp;</div><div class='line number3'><code>&nbsp;&nbsp;b</code></div></div></td></tr></table></div>",
        "<pre><div class=row><span>7</span><div>a</div></div><div class=row><span>8</span><div></div></div><div class=row><span>9</span><div>  b</div></div></pre>",
        "<div class=fragment><div class=line><span class=lineno>    1</span>&#160;a</div>\n<div class=line><span class=lineno>    2</span>&#160;</div>\n<div class=line><span class=lineno>    3</span>&#160;  b</div>\n</div>",
        "<div class=CodeMirror-code><div><div class=CodeMirror-gutter-wrapper><div class=CodeMirror-linenumber>1</div></div><pre class=CodeMirror-line><span>a</span></pre></div>\
         <div><div class=CodeMirror-gutter-wrapper><div class=CodeMirror-linenumber>2</div></div><pre class=CodeMirror-line><span><span cm-text>\u{200b}</span></span></pre></div>\
         <div><div class=CodeMirror-gutter-wrapper><div class=CodeMirror-linenumber>3</div></div><pre class=CodeMirror-line><span>  b</span></pre></div></div>",
    ] {
        assert_eq!(markdown(html), "```\na\n\n  b\n```\n", "{html}");
    }
}

#[test]
fn the_lines_of_a_list_in_a_highlighter_are_code() {
    let html = "<div class=mw-geshi><div class='bash source-bash'><ol><li class=li1><div class=de1><span class=kw1>for</span> i <span class=kw1>in</span> *; \
        <span class=kw1>do</span></div></li><li class=li2><div class=de1>&nbsp; echo $i</div></li><li class=li1><div class=de1>done</div></li></ol></div></div>";
    assert!(markdown(html).contains("```\nfor i in *; do\n  echo $i\ndone\n```"), "{}", markdown(html));
}

#[test]
fn numbers_in_code_are_code() {
    for html in [
        "<pre><code>f(<span class='token number'>0</span>)\n<span class='token number'>7</span>\n</code></pre>",
        "<pre><code>f(<span class=number>0</span>)\n<span class=number>7</span>\n</code></pre>",
        "<pre><code>f(<span class=hljs-number>0</span>)\n<span class=hljs-number>7</span>\n</code></pre>",
        "<div class=highlight><pre>f(<span class=mi>0</span>)\n<span class=mi>7</span>\n</pre></div>",
    ] {
        assert!(markdown(html).contains("f(0)\n7"), "{html}: {}", markdown(html));
    }
}

#[test]
fn numbers_in_a_table_of_data_are_data() {
    let html =
        "<table><tr><td>1</td><td><code>EPERM</code></td></tr><tr><td>2</td><td><code>ENOENT</code></td></tr></table>";
    assert!(markdown(html).contains("| 1 | `EPERM` |"), "{}", markdown(html));
}

#[test]
fn lines_are_elements_or_breaks() {
    for html in [
        "<pre><code><span class=line>a</span><span class=line></span><span class=line>  b</span></code></pre>",
        "<pre><code><span class=line>a</span>\n<span class=line></span>\n<span class=line>  b</span></code></pre>",
        "<pre><div class=line>a</div>\n<div class=line></div>\n<div class=line>  b</div></pre>",
        "<pre class=prettyprint><ol class=linenums><li>a</li><li><br></li><li>  b</li></ol></pre>",
        "<pre>a<br><br>  b</pre>",
        "<p><code>a</code><br><br>\n<code>&nbsp; b</code></p>",
        "<code>a<br />\n<br />\n&nbsp; b</code>",
        "<div><code style='white-space: pre'>\n    a\n\n      b\n    </code></div>",
        "<div class=cm-content data-language=x><div class=cm-line>a</div><div class=cm-line><br></div><div class=cm-line>  b</div></div>",
        "<div class=view-lines><div class=view-line style='top:38px'>&nbsp;&nbsp;b</div><div class=view-line style='top:0px'>a</div><div style='top:19px'></div></div>",
        "<textarea readonly class=code>a\n\n  b\n</textarea>",
    ] {
        let read = markdown(html).replace("```x", "```");
        assert_eq!(read, "```\na\n\n  b\n```\n", "{html}");
    }
}

#[test]
fn spaces_between_elements_of_a_line_stay() {
    let html = "<code><b>import</b> <i>pond</i><br>\n<b>drop</b> <i>net</i></code>";
    assert_eq!(markdown(html), "```\nimport pond\ndrop net\n```\n");
}

#[test]
fn inline_code_stays_inline() {
    assert_eq!(markdown("<p>5<s><code>a<br>b</code></s></p>"), "5<del>`a`  \n`b`</del>\n");
    assert_eq!(markdown("<p>Call <code>a(\nb)</code> twice.</p>"), "Call `a( b)` twice.\n");
    assert_eq!(markdown("<p><code>a</code> and <code>b</code><br>x</p>"), "`a` and `b`  \nx\n");
}

#[test]
fn labels_and_buttons_of_code_are_left_out() {
    for html in [
        "<pre><div><div>bash</div><div><button>Copy code</button></div></div><code class='hljs language-bash'>ls\n</code></pre>",
        "<div class=code-header><span>bash</span><button>Copy</button></div><pre>ls</pre>",
        "<div><pre class=lang-bash>ls</pre><button class=btn-clipboard>Copy</button></div>",
        "<pre class=lang-bash><span class=select-none>$ </span>ls</pre>",
        "<pre class=lang-bash>ls<button>Run</button></pre>",
    ] {
        assert_eq!(markdown(html), "```bash\nls\n```\n", "{html}");
    }
    // A file name is content.
    assert!(markdown("<div class=code-header>src/main.rs</div><pre>fn</pre>").contains("src/main.rs"));
}

#[test]
fn white_space_and_fences_are_exact() {
    assert_eq!(markdown("<pre>\ta  \n\n\n  b\n</pre>"), "```\n\ta  \n\n\n  b\n```\n");
    assert_eq!(markdown("<pre>```\nx\n````</pre>"), "`````\n```\nx\n````\n`````\n");
}

#[test]
fn an_unclosed_pre_does_not_swallow_the_page() {
    let html = "<pre>a<br><div>b</div><h2>Title</h2><p>One.</p><p>Two.</p><ul><li>c</ul>";
    let dom = parse(html, &Default::default());
    assert!(Blocks::new(&dom).len() > 4);
}

#[test]
fn differences_have_their_signs() {
    let row = |kind: &str, sign: &str, code: &str| {
        format!(
            "<tr><td class='blob-num' data-line-number=7><td class='blob-code blob-code-{kind}'><span{sign}>{code}</span>"
        )
    };
    let table = |rows: &[String]| markdown(&format!("<table class=diff-table>{}</table>", rows.concat()));
    let (plus, minus, blank) = (" data-code-marker='+'", " data-code-marker='-'", " data-code-marker=' '");
    let marked = [
        row("context", blank, "a"),
        row("deletion", minus, "-b"),
        row("addition", plus, "+c"),
        row("context", blank, "  d"),
    ];
    assert_eq!(table(&marked), "```diff\n a\n--b\n++c\n   d\n```\n");
    // The signs are in the text of older pages.
    let written = [row("context", "", " a"), row("deletion", "", "-b"), row("addition", "", "+c")];
    assert_eq!(table(&written), "```diff\n a\n-b\n+c\n```\n");
    // Rows without a change are a file.
    assert!(!table(&[row("context", "", "a"), row("context", "", "b")]).contains("diff"));
    let type_marker = "<table><tr class=add-code><td class=lines-num data-line-number=1></td><td class=lines-type-marker>\
                       <span data-type-marker='+'></span></td><td class=lines-code><code>x</code></td></table>";
    assert_eq!(markdown(type_marker), "```diff\n+x\n```\n");
    let divs = "<div class='diff-grid code'><div class='diff-tr line_holder'><div class='diff-td diff-line-num'>3</div>\
                <div class='diff-td line_content old'>a</div><div class='diff-td diff-line-num'>3</div>\
                <div class='diff-td line_content new'>b</div></div></div>";
    assert_eq!(markdown(divs), "```diff\n-a\n+b\n```\n");
}
