use super::*;

fn tex(mathml: &str) -> String {
    let html = format!("<math>{mathml}</math>");
    let dom = crate::dom::parse(&html, &Default::default());
    source(&dom, dom.find(NodeId::ROOT, Tag::MATH).unwrap())
}

#[test]
fn the_annotation_is_the_source() {
    let katex =
        "<semantics><mrow><mi>E</mi></mrow><annotation encoding='application/x-tex'>E = mc^2</annotation></semantics>";
    assert_eq!(tex(katex), "E = mc^2");
    let wiki =
        "<semantics><mi>x</mi><annotation encoding='application/x-tex'>{\\displaystyle x_{1}}</annotation></semantics>";
    assert_eq!(tex(wiki), "x_{1}");
}

#[test]
fn an_empty_formula_has_no_source() {
    assert_eq!(tex(""), "");
    assert_eq!(tex("<mrow> </mrow>"), "");
}

/// Presentation MathML and its TeX.
const CONVERSIONS: &[(&str, &str)] = &[
    ("<mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><mi>b</mi></mfrac>", "\\frac{a+1}{b}"),
    ("<msqrt><mi>x</mi></msqrt><mo>=</mo><msubsup><mi>y</mi><mn>1</mn><mn>2</mn></msubsup>", "\\sqrt{x}=y_{1}^{2}"),
    ("<mroot><mn>8</mn><mn>3</mn></mroot>", "\\sqrt[3]{8}"),
    ("<mi>sin</mi><mo>\u{2061}</mo><mi>x</mi>", "\\sin x"),
    ("<mi>α</mi><mo>≤</mo><mi>x</mi><mo>→</mo><mi mathvariant='normal'>∞</mi>", "\\alpha\\leq x\\rightarrow\\infty"),
    ("<mover><mi>F</mi><mo stretchy='false'>→</mo></mover>", "\\vec{F}"),
    ("<mover><mi>θ</mi><mo>^</mo></mover><mover><mi>a</mi><mo>˙</mo></mover>", "\\hat{\\theta}\\dot{a}"),
    ("<mover><mrow><mi>A</mi><mi>B</mi></mrow><mo>¯</mo></mover>", "\\overline{AB}"),
    ("<mover accent='true'><mi>x</mi><mo>¯</mo></mover>", "\\bar{x}"),
    ("<mover><mrow><mi>A</mi><mi>B</mi></mrow><mo>⏞</mo></mover>", "\\overbrace{AB}"),
    ("<mover><mo>=</mo><mtext>def</mtext></mover>", "\\overset{\\text{def}}{=}"),
    (
        "<munderover><mo>∑</mo><mrow><mi>k</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><msub><mi>a</mi><mi>k</mi></msub>",
        "\\sum_{k=1}^{n}a_{k}",
    ),
    ("<munder><mi>lim</mi><mrow><mi>x</mi><mo>→</mo><mn>0</mn></mrow></munder>", "\\lim_{x\\rightarrow0}"),
    ("<msup><mi>f</mi><mo>′</mo></msup><mo stretchy='false'>(</mo><mi>x</mi><mo stretchy='false'>)</mo>", "f'(x)"),
    ("<msup><mrow><mi>a</mi><mi>b</mi></mrow><mn>2</mn></msup>", "{ab}^{2}"),
    ("<mrow><mo>(</mo><mfrac><mi>a</mi><mi>b</mi></mfrac><mo>)</mo></mrow>", "\\left(\\frac{a}{b}\\right)"),
    (
        "<msup><mrow><mo>(</mo><mfrac><mi>a</mi><mi>b</mi></mfrac><mo>)</mo></mrow><mn>2</mn></msup>",
        "\\left(\\frac{a}{b}\\right)^{2}",
    ),
    (
        "<mrow><mo>(</mo><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mi>c</mi></mtd><mtd><mi>d</mi></mtd></mtr></mtable><mo>)</mo></mrow>",
        "\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}",
    ),
    (
        "<mrow><mo>{</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mi>x</mi><mo>&gt;</mo><mn>0</mn></mtd></mtr><mtr><mtd><mn>0</mn></mtd><mtd><mtext>otherwise</mtext></mtd></mtr></mtable></mrow>",
        "\\begin{cases} 1 & x>0 \\\\ 0 & \\text{otherwise} \\end{cases}",
    ),
    (
        "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd></mtr></mtable>",
        "\\begin{matrix} 1 & 2 \\\\ 3 \\end{matrix}",
    ),
    (
        "<mtable columnalign='right left' displaystyle='true'><mtr><mtd><mi>a</mi></mtd><mtd><mi/><mo>=</mo><mi>b</mi></mtd></mtr></mtable>",
        "\\begin{aligned} a & =b \\end{aligned}",
    ),
    ("<mi mathvariant='double-struck'>R</mi><mi>ℝ</mi><mi>𝐀</mi>", "\\mathbb{R}\\mathbb{R}\\mathbf{A}"),
    ("<mi mathvariant='bold'>v</mi><mi mathvariant='script'>L</mi>", "\\mathbf{v}\\mathcal{L}"),
    ("<mi>softmax</mi><mo>(</mo><mi>x</mi><mo>)</mo>", "\\mathrm{softmax}(x)"),
    ("<mi>x</mi><mspace width='1em'/><mtext>for all&nbsp;</mtext><mi>n</mi>", "x\\quad\\text{for all }n"),
    ("<mi>x</mi><mphantom><mi>y</mi></mphantom><mo>=</mo><mn>50</mn><mo>%</mo>", "x=50\\%"),
    ("<mmultiscripts><mi>C</mi><mi>k</mi><none/><mprescripts/><none/><mi>n</mi></mmultiscripts>", "{}^{n}C_{k}"),
    ("<mrow><mo>(</mo><mfrac linethickness='0'><mi>n</mi><mi>k</mi></mfrac><mo>)</mo></mrow>", "\\binom{n}{k}"),
    ("<mfenced open='[' close=')'><mn>0</mn><mn>1</mn></mfenced>", "[0,1)"),
    ("<menclose notation='updiagonalstrike'><mi>x</mi></menclose>", "\\cancel{x}"),
    ("<mover><mo>→</mo><mi>f</mi></mover>", "\\xrightarrow{f}"),
    ("<mrow><mo>|</mo><mi>x</mi><mo>|</mo></mrow><mo>∈</mo><mo>{</mo><mn>1</mn><mo>}</mo>", "|x|\\in\\{1\\}"),
];

#[test]
fn mathml_without_source_is_written_in_tex() {
    for (mathml, want) in CONVERSIONS {
        assert_eq!(tex(mathml), *want, "{mathml}");
    }
}

#[test]
fn a_formula_and_the_image_that_replaces_it_are_one() {
    let count = |html: &str| {
        let dom = crate::dom::parse(html, &Default::default());
        crate::blocks::Blocks::new(&dom).blocks.iter().map(|b| b.words).sum::<u32>()
    };
    let image = "<img alt='x^2' src='https://latex.codecogs.com/gif.latex?x%5E2'>";
    let late = "<img class=lazyload alt='x^2' src='data:image/gif;base64,R0' data-src='https://latex.codecogs.com/gif.latex?x%5E2'>";
    let other =
        "<img class=lazyload src='data:image/gif;base64,R0' data-src='https://latex.codecogs.com/gif.latex?y%5E2'>";
    let one = count(&format!("<p>a {image} b"));
    assert!(one > 2);
    assert_eq!(count(&format!("<p>a {late} b")), one);
    for twins in [
        format!("{late}<noscript>{image}</noscript>"),
        format!("<noscript>{image}</noscript>{late}"),
        format!("{late} {image}"),
        format!("{image}{late}"),
    ] {
        assert_eq!(count(&format!("<p>a {twins} b")), one, "{twins}");
    }
    for two in [format!("{image} {image}"), format!("{image} {other}"), format!("{image} and {late}")] {
        assert!(count(&format!("<p>a {two} b")) > one, "{two}");
    }
}
