use super::*;

const PAGE: &str = "<html><head><title>A walk | The Paper</title><meta property='og:title' content='A walk'></head><body>
    <div id=top class=' head  wide'><h1>A <i>walk</i></h1><p class=by>By <a rel=author href=/jane>Jane Doe</a><br>17 May</p></div>
    <div class=story-body><p>One</p><p class='ad big'>Buy</p><p>Two</p><hr class=end><p>More</p><p>Last</p></div>
    <ul><li><a href='?p=1'>1</a><li><a class=next href='?p=2'>Next page</a></ul></body></html>";

fn texts_on(html: &str, xpath: &str) -> Vec<String> {
    let dom = crate::dom::parse(html, &Default::default());
    let paths = Paths::new(&dom);
    let found = paths.texts(&XPath::parse(xpath).unwrap_or_else(|e| panic!("{xpath}: {e}")));
    assert!(!paths.is_cut(), "{xpath}");
    found.iter().map(|t| t.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

fn texts(xpath: &str) -> Vec<String> {
    texts_on(PAGE, xpath)
}

#[test]
fn paths_and_predicates() {
    for (xpath, expected) in [
        ("//h1", &["A walk"][..]),
        ("/html/head/title", &["A walk | The Paper"]),
        ("//div[@id='top']//a", &["Jane Doe"]),
        ("//div[@class='story-body']/p", &["One", "Buy", "Two", "More", "Last"]),
        ("//div[contains(@class, 'story')]/p[2]", &["Buy"]),
        ("//div[contains(concat(' ', normalize-space(@class), ' '), ' wide ')]/h1", &["A walk"]),
        ("//div[contains(concat(' ', normalize-space(@class), ' '), ' wid ')]", &[]),
        ("//meta[@property=\"og:title\"]/@content", &["A walk"]),
        ("//p[@class='by'] | //h1", &["A walk", "By Jane Doe17 May"]),
        ("//p[@class='by']/text()[preceding-sibling::br]", &["17 May"]),
        ("//hr/following-sibling::p", &["More", "Last"]),
        ("//hr/following-sibling::*[1]", &["More"]),
        ("//hr/preceding-sibling::p[1]", &["Two"]),
        ("(//p)[last()]", &["Last"]),
        ("(//p)[1]/a", &["Jane Doe"]),
        ("//p[last()]", &["By Jane Doe17 May", "Last"]),
        ("//p[position() > 3]", &["More", "Last"]),
        ("//a[@rel='author' or @class='next']", &["Jane Doe", "Next page"]),
        ("//p[not(@class)][starts-with(., 'T')]", &["Two"]),
        ("//a[contains(text(), 'Next page')]/@href", &["?p=2"]),
        ("//a[.='1']/parent::li/following-sibling::li/a", &["Next page"]),
        ("//i/ancestor::div/@id", &["top"]),
        ("//i/../../p/a", &["Jane Doe"]),
        ("id('top')/h1", &["A walk"]),
        ("//div[.//hr]/p[1]", &["One"]),
        ("//DIV[@ID='top']/H1", &["A walk"]),
        ("//*[self::h1 or self::hr]", &["A walk"]),
        ("//h1/following::p[1]", &["By Jane Doe17 May"]),
        ("//hr/preceding::a", &["Jane Doe"]),
        ("//li[2]/preceding::p[1]", &["Last"]),
        ("//comment()", &[]),
        ("//p[count(preceding-sibling::p) = 1 and @class != 'by']", &["Buy"]),
    ] {
        assert_eq!(texts(xpath), expected, "{xpath}");
    }
}

#[test]
fn values_that_are_not_nodes() {
    for (xpath, expected) in [
        ("substring-before(//title, ' | ')", "A walk"),
        ("substring-after(//title, '| ')", "The Paper"),
        ("concat(//li[1]/a/@href, '&all=', 1 + 1)", "?p=1&all=2"),
        ("normalize-space(//h1)", "A walk"),
        ("string(//a/@href)", "/jane"),
        ("count(//p)", "6"),
        ("translate(//h1/i, 'kw', 'K')", "alK"),
        ("substring('12345', 2, 3)", "234"),
        ("substring('12345', 0)", "12345"),
        ("string-length('héé') * 2 - 1", "5"),
        ("7 mod 2 + 6 div 4", "2.5"),
        ("-(2) + round(2.5)", "1"),
        ("name(//*[@rel])", "a"),
        ("sum(//li/a[.=1])", "1"),
    ] {
        assert_eq!(texts(xpath), [expected], "{xpath}");
    }
    let dom = crate::dom::parse(PAGE, &Default::default());
    let paths = Paths::new(&dom);
    let holds = |xpath: &str| paths.holds(&XPath::parse(xpath).unwrap());
    assert!(holds("//p = 'Two'") && holds("//p != 'Two'") && !holds("//p = 'Three'") && holds("//li/a >= 1"));
    assert!(
        holds("//h1 = //meta/@content") && !holds("//hr = //p") && holds("not(//video)") && holds("2 > 1 = true()")
    );
    let next = XPath::parse("//a[@class='next'] | //li/@x").unwrap();
    assert_eq!(paths.addresses(&next), ["?p=2"]);
    assert_eq!(paths.nodes(&XPath::parse("string(//p)").unwrap()), []);
}

#[test]
fn errors_have_a_place() {
    for (xpath, expected) in [
        ("//div[@class='a'", "column 17: expected ']'"),
        ("//div[@class='a]", "column 14: the text that begins with ' has no end"),
        ("", "column 1: expected the name of an element"),
        ("//", "column 3: expected the name of an element"),
        ("//p]", "column 4: expected an operator or the end"),
        ("//p[matches(., 'x')]", "column 5: there is no function 'matches'"),
        ("//p[contains(.)]", "column 5: contains() takes 2 arguments, not 1"),
        ("//p/next::a", "column 5: expected the name of an axis"),
        ("//p[$x]", "column 5: '$' is not expected here"),
        ("//p | 'x'", "column 5: expected nodes on both sides of '|'"),
        ("'x'/p", "column 1: expected nodes before '[' or '/'"),
        ("count('x')", "column 1: count() takes nodes"),
        ("1.2.3", "column 1: '1.2.3' is not a number"),
    ] {
        assert_eq!(XPath::parse(xpath).unwrap_err().to_string(), expected, "{xpath}");
    }
    let deep = format!("{}1{}", "(".repeat(5000), ")".repeat(5000 - 1));
    assert!(XPath::parse(&deep[..9000]).unwrap_err().message.contains("inside each other"));
    assert!(XPath::parse(&"1+".repeat(4000)).unwrap_err().message.contains("operators"));
    assert!(XPath::parse(&"a".repeat(20_000)).unwrap_err().message.contains("more than the 10000"));
}

#[test]
fn the_work_for_a_page_is_bounded() {
    for (html, xpath) in [
        ("<div>".repeat(400) + &"<p>x</p>".repeat(1000), "//div//div//div//p[last()]"),
        ("<p>x</p>".repeat(1500), "//p/following-sibling::p[last()]"),
        ("<p>x</p>".repeat(1500), "//p[following::p[following::p[following::b]]]"),
        ("<div>".repeat(400) + &"word ".repeat(10_000), "//div[contains(., 'none')]"),
        ("<p>x</p>".repeat(1500), "//p[//p[//p[. = 'y']]]"),
    ] {
        let dom = crate::dom::parse(&html, &Default::default());
        let paths = Paths::new(&dom);
        let before = dom.work();
        paths.nodes(&XPath::parse(xpath).unwrap());
        let most = 4 * (BASE_UNITS + UNITS_PER_NODE * dom.len() as u64);
        assert!(dom.work() - before < most, "{xpath}: {} of {most}", dom.work() - before);
    }
    // What needs no second walk is not cut.
    let html = "<div>".repeat(300) + &"<p>x</p>".repeat(1500);
    for xpath in ["//div//p", "//p/following-sibling::p", "//p/ancestor::div", "//p/following::p", "//p[1] | //p"] {
        let dom = crate::dom::parse(&html, &Default::default());
        let paths = Paths::new(&dom);
        assert!(paths.nodes(&XPath::parse(xpath).unwrap()).len() > 290 && !paths.is_cut(), "{xpath}");
    }
}
