//! Generated pages of formulas, code, tables and links: a CommonMark parser that knows no formulas makes no live HTML of their Markdown.
use maintext_core::dom::{self, NodeId};
use maintext_core::{Formats, Options, extract};
use pulldown_cmark::{Options as Extensions, Parser, html};

/// Parts of texts that are markup in some place.
const PARTS: &[&str] = &[
    "<script>alert(1)</script>",
    "</script><script>x</script>",
    "<script",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=x>",
    "[c](javascript:alert(1))",
    "![i](data:text/html,x)",
    "<javascript:x>",
    "[r]: javascript:x",
    "[r]",
    "<a href=javascript:x>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?x",
    "?>",
    "<details>",
    "<style>",
    "</code>",
    "</pre>",
    "<math>",
    "`",
    "``",
    "```",
    "~~~",
    "$",
    "$$",
    "\\(",
    "\\)",
    "\\[",
    "\\]",
    "|",
    "\\",
    "\\\\",
    "*",
    "_",
    "<",
    ">",
    "&lt;script&gt;",
    "&#60;img onerror=x&#62;",
    "a<b",
    "{",
    "}",
    "\\text{",
    "x^2",
    "\n",
    "\n\n",
    "\t",
    "    ",
    "- ",
    "1. ",
    "# ",
    "word",
    "words of it",
    "onclick=x",
    "\"",
    "'",
    "=",
    "(",
    ")",
    "javascript:alert(1)",
    "data:text/html,<script>x</script>",
    " javascript&colon;x",
    "vbscript:x",
    "https://e.org/",
    "]",
    "[",
    "](",
    "!",
];

/// Numbers that look random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }

    /// Returns a text of parts, as the source of a page writes it.
    fn text(&mut self) -> String {
        let parts: String = (0..1 + self.below(6)).map(|_| PARTS[self.below(PARTS.len())]).collect();
        parts
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
            .replace('"', "&quot;")
            .replace('\'', "&#39;")
    }

    fn block(&mut self) -> String {
        let [a, b, c] = [self.text(), self.text(), self.text()];
        match self.below(12) {
            0 => format!(
                "<p>Let <math><annotation encoding='application/x-tex'>{a}</annotation></math> be {b} and {c}.</p>"
            ),
            1 => format!("<math display=block><annotation encoding='application/x-tex'>{a}\n{b}</annotation></math>"),
            2 => format!("<p>Text with ${a}$ and $${b}$$ and \\({c}\\) in it.</p>"),
            3 => format!("<p><span class='math inline'>\\({a}\\)</span> {b} <script type='math/tex'>x</script></p>"),
            4 => format!("<pre><code class='language-{b}'>{a}\n{c}</code></pre>"),
            5 => format!("<p>Code <code>{a}</code> and <code>{b}</code>{c}</p>"),
            6 => format!("<table><tr><th>{a}<th>B</tr><tr><td>{b}<td>{c}</tr><tr><td>x<td>y</tr></table>"),
            7 => format!("<p><a href='{a}'>{b}</a> <a href='https://e.org/{b}' title='{c}'>{c}</a></p>"),
            8 => format!(
                "<p>Words <img src='{a}' alt='{b}'> <img src='https://e.org/{b}.jpg' alt='{c}' title='{a}'></p>"
            ),
            9 => format!("<h2>{a}</h2><ul><li>{b}<li>{c}</ul>"),
            10 => format!("<blockquote>{a}<p>{b}</blockquote><dl><dt>{c}<dd>{a}</dl>"),
            _ => format!("<p>{a} <b>{b}</b> <sup>{c}</sup> {a}</p>"),
        }
    }

    fn page(&mut self) -> String {
        let blocks: String = (0..3 + self.below(6)).map(|_| self.block()).collect();
        let title = self.text().replace('\n', " ");
        format!("<title>{title}</title><article><h1>{title}</h1><p>Some words of the text.</p>{blocks}</article>")
    }
}

/// Returns the first part of HTML that runs code.
fn live(html: &str) -> Option<String> {
    let dom = dom::parse(html, &Default::default());
    let is_live = |n: NodeId| {
        let name = dom.tag_name(n);
        let runs = |(name, value): (&str, &str)| {
            let value: String = value.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
            let value = value.to_ascii_lowercase();
            name.starts_with("on")
                || ["javascript:", "vbscript:", "data:text"].iter().any(|s| value.starts_with(s))
                    && matches!(name, "href" | "src")
        };
        matches!(name, "script" | "style" | "iframe" | "svg") || dom.attrs(n).any(runs)
    };
    dom.descendants(NodeId::ROOT)
        .find(|&n| is_live(n))
        .map(|n| format!("<{} {:?}>", dom.tag_name(n), dom.attrs(n).collect::<Vec<_>>()))
}

/// Extracts generated pages and reads their Markdown with and without formulas.
fn check(pages: u64) {
    let formats = Formats { markdown: true, html: true, ..Formats::NONE };
    for seed in 1..=pages {
        let source = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1).page();
        let page = extract(&source, &Options { formats, ..Options::default() }).unwrap();
        let markdown = page.markdown.unwrap();
        assert_eq!(live(&page.html.unwrap()), None, "HTML of page {seed}: {source}");
        let tables = Extensions::ENABLE_TABLES | Extensions::ENABLE_STRIKETHROUGH | Extensions::ENABLE_TASKLISTS;
        for extensions in [Extensions::empty(), tables, tables | Extensions::ENABLE_FOOTNOTES | Extensions::ENABLE_MATH]
        {
            let mut read = String::new();
            html::push_html(&mut read, Parser::new_ext(&markdown, extensions));
            assert_eq!(live(&read), None, "Markdown of page {seed}: {source}\n----\n{markdown}\n----\n{read}");
        }
    }
}

#[test]
fn live_html_is_found() {
    for html in
        ["<p><script>x", "<b onclick=x>", "<a href=' java\nscript:x'>", "<img src=data:text/html,x>", "<svg/onload=x>"]
    {
        assert!(live(html).is_some(), "{html}");
    }
    assert_eq!(live("<p>&lt;script> <a href=https://e.org/javascript:x>on</a> <code>&lt;img onerror=x></code>"), None);
}

#[test]
fn markdown_of_generated_pages_runs_no_code() {
    check(100);
}

#[test]
#[ignore = "takes minutes; nightly"]
fn markdown_of_many_generated_pages_runs_no_code() {
    check(3_000);
}
