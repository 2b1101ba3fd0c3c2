use super::language::language;
use crate::dom::{NodeId, Tag, parse};

fn language_of(html: &str) -> Option<String> {
    let dom = parse(html, &Default::default());
    language(&dom, dom.find(NodeId::ROOT, Tag::PRE).unwrap())
}

#[test]
fn languages_are_read_from_the_markup_of_highlighters() {
    for (html, want) in [
        ("<pre><code class='hljs language-rust'>x</code></pre>", Some("rust")),
        ("<pre class='lang-c++ x'>x</pre>", Some("c++")),
        ("<div class='highlight highlight-source-shell'><pre>x</pre></div>", Some("shell")),
        ("<div class='language-bash highlighter-rouge'><div class=highlight><pre>x</pre></div></div>", Some("bash")),
        ("<pre class='brush: js; toolbar: false'>x</pre>", Some("js")),
        ("<pre class='brush:php'>x</pre>", Some("php")),
        ("<pre><code data-lang=go>x</code></pre>", Some("go")),
        ("<pre class='sourceCode python'><code>x</code></pre>", Some("python")),
        ("<pre><code class='hljs python'>x</code></pre>", Some("python")),
        ("<div class='highlight-python3 notranslate'><div class=highlight><pre>x</pre></div></div>", Some("python3")),
        ("<div class='highlight-default notranslate'><div class=highlight><pre>x</pre></div></div>", None),
        ("<figure class='highlight yaml'><table><tr><td class=code><pre>x</pre></table></figure>", Some("yaml")),
        ("<pre class=EnlighterJSRAW data-enlighter-language=kotlin>x</pre>", Some("kotlin")),
        ("<pre data-syntaxhighlighter-params='brush: java; gutter: false'>x</pre>", Some("java")),
        ("<div class='mw-highlight mw-highlight-lang-lua'><pre>x</pre></div>", Some("lua")),
        ("<pre class='src src-emacs-lisp'>x</pre>", Some("emacs-lisp")),
        ("<pre lang=python>x</pre>", Some("python")),
        ("<pre lang=en>x</pre>", None),
        ("<pre><code class='language-text'>x</code></pre>", None),
        ("<pre class='language-plaintext'>x</pre>", None),
        ("<div class=box><div class=head><span>Bash</span><button>Copy</button></div><pre>x</pre></div>", Some("bash")),
        ("<div class=box><div class=head>C++</div><pre>x</pre></div>", Some("cpp")),
        ("<div><p>Python</p><pre>x</pre></div>", None),
        ("<pre class='language-`x`'>x</pre>", None),
        ("<article class=language-en><section><div><div><pre>x</pre>", None),
        ("<pre>x</pre>", None),
    ] {
        assert_eq!(language_of(html).as_deref(), want, "{html}");
    }
}
