//! The language of a code block.
use crate::dom::{Dom, NodeId, Tag};

/// Returns the language that the page declares for a `<pre>`: on the element, on the `<code>` inside it, or on one of the two elements
/// around it that hold nothing else.
pub(super) fn language<'a>(dom: &'a Dom, pre: NodeId) -> Option<&'a str> {
    let code = dom.children(pre).find(|&c| dom.tag(c) == Tag::CODE);
    let around =
        dom.ancestors(pre).take(2).filter(|&a| matches!(dom.tag(a), Tag::DIV | Tag::FIGURE | Tag::SPAN | Tag::OTHER));
    code.into_iter().chain([pre]).chain(around).find_map(|n| of_element(dom, n))
}

fn of_element<'a>(dom: &'a Dom, n: NodeId) -> Option<&'a str> {
    let mut brush = false;
    for word in dom.attr(n, "class").unwrap_or("").split_whitespace() {
        // SyntaxHighlighter accepts both "brush: js" and "brush:js".
        let name = if std::mem::take(&mut brush) { Some(word) } else { prefixed(word) };
        if word == "brush:" {
            brush = true;
        } else if let Some(name) = name.map(|w| w.trim_end_matches(';')).filter(|w| is_name(w)) {
            return Some(name);
        }
    }
    ["data-lang", "data-language"].into_iter().find_map(|a| dom.attr(n, a)).map(str::trim).filter(|w| is_name(w))
}

fn prefixed(class: &str) -> Option<&str> {
    ["language-", "lang-", "highlight-source-", "brush:"].into_iter().find_map(|p| class.strip_prefix(p))
}

fn is_name(s: &str) -> bool {
    let plain = s.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'#' | b'-' | b'_' | b'.'));
    plain && !s.is_empty() && s.len() <= 30 && !matches!(s, "none" | "undefined" | "null")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_read_from_the_markup_of_highlighters() {
        for (html, want) in [
            ("<pre><code class='hljs language-rust'>x</code></pre>", Some("rust")),
            ("<pre class='lang-c++ x'>x</pre>", Some("c++")),
            ("<div class='highlight highlight-source-shell'><pre>x</pre></div>", Some("shell")),
            (
                "<div class='language-bash highlighter-rouge'><div class=highlight><pre>x</pre></div></div>",
                Some("bash"),
            ),
            ("<pre class='brush: js; toolbar: false'>x</pre>", Some("js")),
            ("<pre class='brush:php'>x</pre>", Some("php")),
            ("<pre><code data-lang=go>x</code></pre>", Some("go")),
            ("<pre class='language-`x`'>x</pre>", None),
            ("<article class=language-en><section><div><div><pre>x</pre>", None),
            ("<pre>x</pre>", None),
        ] {
            let dom = crate::dom::parse(html, &Default::default());
            let pre = dom.find(NodeId::ROOT, Tag::PRE).unwrap();
            assert_eq!(language(&dom, pre), want, "{html}");
        }
    }
}
