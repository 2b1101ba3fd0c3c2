//! Drawings as MathJax 3.2, MathJax 2.7 and KaTeX 0.16 make them, without measures that do not matter.
use crate::dom::{NodeId, Tag, parse};
use crate::markup::math::mathml;

fn tex(ml: &str) -> String {
    let dom = parse(ml, &Default::default());
    dom.find(NodeId::ROOT, Tag::MATH).map_or(String::new(), |math| mathml::to_tex(&dom, math))
}

fn mathjax(html: &str) -> String {
    let dom = parse(html, &Default::default());
    let body = dom.find(NodeId::ROOT, Tag::BODY).unwrap();
    tex(&super::mathjax::to_mathml(&dom, dom.first_child(body).unwrap()))
}

fn katex(html: &str) -> String {
    let html = format!("<span class=katex-html>{html}</span>");
    let dom = parse(&html, &Default::default());
    let body = dom.find(NodeId::ROOT, Tag::BODY).unwrap();
    tex(&super::katex::to_mathml(&dom, dom.first_child(body).unwrap()))
}

/// Returns a stack of KaTeX, each entry with its height.
fn vlist(entries: &[(&str, &str)]) -> String {
    let entry = |(top, inner): &(&str, &str)| {
        format!("<span style=\"top:{top}em;\"><span class=pstrut style=\"height:3em;\"></span>{inner}</span>")
    };
    let entries: String = entries.iter().map(entry).collect();
    format!(
        "<span class=\"vlist-t vlist-t2\"><span class=vlist-r><span class=vlist>{entries}</span><span class=vlist-s>\u{200b}</span>\
         </span><span class=vlist-r><span class=vlist><span></span></span></span></span>"
    )
}

#[test]
fn code_points_are_in_classes() {
    let x = "<mjx-mi class=mjx-i><mjx-c class=\"mjx-c1D465 TEX-I\"></mjx-c></mjx-mi>";
    let two = "<mjx-mn class=mjx-n size=s><mjx-c class=mjx-c32></mjx-c></mjx-mn>";
    let three = "<mjx-mn class=mjx-n size=s><mjx-c class=mjx-c33></mjx-c></mjx-mn>";
    let of = |inner: &str| mathjax(&format!("<mjx-container><mjx-math>{inner}</mjx-math></mjx-container>"));
    assert_eq!(of(&format!("<mjx-msup>{x}<mjx-script>{two}</mjx-script></mjx-msup>")), "x^{2}");
    assert_eq!(of(&format!("<mjx-msub>{x}<mjx-script>{two}</mjx-script></mjx-msub>")), "x_{2}");
    let both = format!("<mjx-script>{two}<mjx-spacer></mjx-spacer>{three}</mjx-script>");
    assert_eq!(of(&format!("<mjx-msubsup>{x}{both}</mjx-msubsup>")), "x_{3}^{2}");
    // Version 4 also writes the character as text.
    assert_eq!(of(&x.replace("></mjx-c>", ">𝑥</mjx-c>")), "x");
    let surd = "<mjx-surd><mjx-mo><mjx-c class=mjx-c221A></mjx-c></mjx-mo></mjx-surd>";
    let sqrt = format!("<mjx-sqrt>{surd}<mjx-box>{x}</mjx-box></mjx-sqrt>");
    assert_eq!(of(&format!("<mjx-msqrt>{sqrt}</mjx-msqrt>")), "\\sqrt{x}");
    assert_eq!(of(&format!("<mjx-mroot><mjx-root>{three}</mjx-root>{sqrt}</mjx-mroot>")), "\\sqrt[3]{x}");
    assert_eq!(of("<mjx-mi class=mjx-n><mjx-c class=mjx-c64></mjx-c></mjx-mi>"), "\\mathrm{d}");
    assert_eq!(of("<mjx-mi class=mjx-i><mjx-c class=mjx-cZZ></mjx-c></mjx-mi>"), "");
}

#[test]
fn svg_orders_by_height() {
    let g = |name: &str, y: i32, inner: &str| {
        format!("<g data-mml-node=\"{name}\" transform=\"translate(9,{y}) scale(0.707)\">{inner}</g>")
    };
    let c = |code: &str| format!("<path data-c=\"{code}\" d=\"M0\"></path>");
    let of =
        |inner: &str| mathjax(&format!("<mjx-container><svg><g data-mml-node=math>{inner}</g></svg></mjx-container>"));
    let sum = g("mo", 0, &c("2211"));
    let (n, i) = (g("mi", 1150, &c("1D45B")), g("mi", -1087, &c("1D456")));
    assert_eq!(of(&g("munderover", 0, &format!("{sum}{i}{n}"))), "\\sum_{i}^{n}");
    assert_eq!(of(&g("munderover", 0, &format!("{sum}{n}{i}"))), "\\sum_{i}^{n}");
    let line = "<rect width=9 height=60></rect>";
    assert_eq!(of(&g("mfrac", 0, &format!("{n}{i}{line}"))), "\\frac{n}{i}");
    let paren = |pieces: &[&str]| g("mo", 0, &pieces.iter().map(|p| c(p)).collect::<String>());
    let binom = g("mfrac", 0, &format!("{n}{i}"));
    let (open, close) = (paren(&["239B", "239D", "239C"]), paren(&["239E", "23A0"]));
    assert_eq!(of(&g("mrow", 0, &format!("{open}{binom}{close}"))), "\\binom{n}{i}");
}

#[test]
fn version_two_has_text() {
    let char =
        |c: &str, font: &str| format!("<span class=mjx-mi><span class=\"mjx-char MJXc-TeX-{font}\">{c}</span></span>");
    let (a, r) = (char("a", "math-I"), char("R", "ams-R"));
    let of = |inner: &str| mathjax(&format!("<span class=mjx-chtml><span class=mjx-math>{inner}</span></span>"));
    assert_eq!(of(&r), "\\mathbb{R}");
    let fraction = format!(
        "<span class=mjx-mfrac><span class=\"mjx-box MJXc-stacked\"><span class=mjx-numerator>{a}</span><span class=mjx-denominator>{r}</span>\
         <span class=mjx-line></span></span><span class=mjx-vsize></span></span>"
    );
    assert_eq!(of(&fraction), "\\frac{a}{\\mathbb{R}}");
    let over = format!(
        "<span class=mjx-mover><span class=mjx-stack><span class=mjx-over><span class=mjx-mo><span class=mjx-char>^</span></span></span>\
         <span class=mjx-op>{a}</span></span></span>"
    );
    assert_eq!(of(&over), "\\hat{a}");
}

#[test]
fn katex_stacks_by_height() {
    let small = |c: &str| {
        format!("<span class=\"sizing reset-size6 size3 mtight\"><span class=\"mord mtight\">{c}</span></span>")
    };
    let x = "<span class=\"mord mathnormal\">x</span>";
    let indices =
        |entries: &[(&str, &str)]| format!("<span class=mord>{x}<span class=msupsub>{}</span></span>", vlist(entries));
    assert_eq!(katex(&indices(&[("-3.36", &small("2"))])), "x^{2}");
    assert_eq!(katex(&indices(&[("-2.75", &small("2"))])), "x_{2}");
    assert_eq!(katex(&indices(&[("-2.7", &small("1")), ("-3.4", &small("2"))])), "x_{1}^{2}");
    let line = "<span class=frac-line></span>";
    let fraction =
        |line| vlist(&[("-2.3", "<span class=mord>3</span>"), ("-3.2", line), ("-3.7", "<span class=mord>4</span>")]);
    assert_eq!(katex(&format!("<span class=mfrac>{}</span>", fraction(line))), "\\frac{4}{3}");
    let sum = "<span><span class=\"mop op-symbol large-op\">∑</span></span>";
    let limits = vlist(&[("-1.8", &small("1")), ("-3", sum), ("-4.3", &small("9"))]);
    assert_eq!(katex(&format!("<span class=\"mop op-limits\">{limits}</span>{x}")), "\\sum_{1}^{9}x");
    let root = vlist(&[("-3", x), ("-2.7", "<span class=hide-tail><svg></svg></span>")]);
    assert_eq!(katex(&format!("<span class=\"mord sqrt\">{root}</span>")), "\\sqrt{x}");
    // A part of a construct that is not known keeps its text.
    assert_eq!(katex(&format!("<span class=\"mord new\">{}</span>", vlist(&[("-3", x), ("-2", x)]))), "xx");
    assert_eq!(katex("<span class=mop>lo<span style=\"margin-right:.01em\">g</span></span>"), "\\log");
}

#[test]
fn katex_tables_are_columns() {
    let cell = |c: &str| format!("<span class=mord><span class=\"mord mathnormal\">{c}</span></span>");
    let column = |a, b| format!("<span class=col-align-c>{}</span>", vlist(&[("-3.6", &cell(a)), ("-2.4", &cell(b))]));
    let table = format!("<span class=mord><span class=mtable>{}{}</span></span>", column("a", "c"), column("b", "d"));
    assert_eq!(katex(&table), "\\begin{matrix} a & b \\\\ c & d \\end{matrix}");
    let tag =
        "<span class=tag><span class=strut></span><span class=\"mord text\">(<span class=mord>7</span>)</span></span>";
    assert_eq!(katex(&format!("<span class=base>{}</span>{tag}", cell("x"))), "x \\tag{7}");
    let tags = vlist(&[("-3.6", "<span class=\"mord text\">(1)</span>"), ("-2.4", "<span class=eqn-num></span>")]);
    let numbered = katex(&format!("<span class=base>{table}</span><span class=tag>{tags}</span>"));
    assert_eq!(numbered, "\\begin{align*} a & b \\tag{1} \\\\ c & d \\end{align*}");
}

#[test]
fn deep_drawings_are_left_out() {
    let deep = "<mjx-mrow>".repeat(5_000);
    assert_eq!(mathjax(&format!("<mjx-container>{deep}x")), "");
    let deep = "<span class=mord>".repeat(5_000);
    assert_eq!(katex(&format!("{deep}x")), "");
}
