//! The product of a page, where declarations lie or lack.
use maintext_core::things::Thing;
use maintext_core::{Extractor, Options};

fn products_at(url: &str, html: &str) -> Vec<Thing> {
    let options = Options { things: true, url: Some(url.into()), ..Options::default() };
    let things = Extractor::new(options).unwrap().extract(html).unwrap().things;
    things.into_iter().filter(|t| t.kind == "Product").collect()
}

/// A shop's page: menu, breadcrumb, heading, `buy` next to the button, a description and related products.
fn shop(head: &str, name: &str, buy: &str, rest: &str) -> String {
    format!(
        "<!doctype html><html lang=en><head><title>{name} | Teapot House</title>{head}</head><body><nav><a href=/>Home</a> <a \
         href=/tea>Tea</a> \
         <a href=/pots>Pots</a></nav><main class=product><h1>{name}</h1><div class=buybox>{buy}<form action=/cart><button>Add \
         to cart</button></form></div>\
         <div class=description><p>Made by hand in a small workshop, glazed twice and fired at a high temperature. It holds \
         enough tea for four cups \
         and keeps it warm for an hour.</p><p>The lid closes tightly, and the spout does not drip.</p></div>{rest}</main>\
         <footer><a href=/terms>Terms</a> <a href=/contact>Contact</a></footer></body></html>"
    )
}

fn check(url: &str, html: &str, expected: &[(&str, Option<&str>)]) {
    let products = products_at(url, html);
    let product = products.first().unwrap_or_else(|| panic!("no product: {html}"));
    for (path, value) in expected {
        assert_eq!(product.text(path), *value, "{path} of {product:?}");
    }
}

const RELATED: &str = "<section class=related><h2>You may also like</h2><ul><li class=tile><a href=/cup>Cup</a><span \
         class=price>$4.50</span></li>\
    <li class=tile><a href=/tray>Tray</a><span class=price>$18.00</span></li><li class=tile><a href=/bowl>Bowl</a><span \
         class=price>$12.00</span></li></ul></section>";

#[test]
fn a_page_without_declarations_is_read() {
    let buy = "<span class=price>$39.90</span><p class=stock>In stock</p><p>Brand: Kilnwright</p><p>SKU: TP-2041</p>";
    let html = shop("", "Blue teapot", buy, RELATED);
    check(
        "https://teapots.example.com/p/blue-teapot",
        &html,
        &[
            ("name", Some("Blue teapot")),
            ("offers.price", Some("39.90")),
            ("offers.currency", Some("USD")),
            ("offers.availability", Some("InStock")),
            ("brand", Some("Kilnwright")),
            ("sku", Some("TP-2041")),
        ],
    );
    let product = &products_at("https://teapots.example.com/p/blue-teapot", &html)[0];
    assert_eq!(product.sources["offers.price"].from, "text");
    assert!(product.sources["offers.price"].probability > 0.5);
}

#[test]
fn the_cards_of_other_products_give_no_price() {
    let card = |path: &str, price: &str| {
        format!(
            "<li class=product><a href=/p/{path}><h2>{path}</h2><span class=price>€{price}</span></a>\
             <a href='?add={path}' class=button>Add to cart</a></li>"
        )
    };
    let cards = format!(
        "<section><h2>Often bought together</h2><ul>{}{}</ul></section>",
        card("rake", "24.95"),
        card("basket", "31.50")
    );
    let head = "<script type=application/ld+json>{\"@type\":\"Product\",\"name\":\"Oak barrow\"}</script>";
    for (buy, price) in [("<p class=price>Price on request</p>", None), ("<p class=price>€189.00</p>", Some("189.00"))]
    {
        check("https://barn.example/p/barrow", &shop(head, "Oak barrow", buy, &cards), &[("offers.price", price)]);
    }
}

#[test]
fn a_price_without_a_button_does_not_say_that_it_is_in_stock() {
    let head = "<script type=application/ld+json>{\"@type\":\"Product\",\"name\":\"Kettle\",\"offers\":{\"price\":\"19.90\"}}</script>";
    let html = shop(head, "Kettle", "<p>€19.90</p>", "");
    let without = html.replace("<form action=/cart><button>Add to cart</button></form>", "");
    assert_ne!(html, without);
    check("https://tea.example/p/kettle", &html, &[("offers.availability", Some("InStock"))]);
    check("https://tea.example/p/kettle", &without, &[("offers.price", Some("19.90")), ("offers.availability", None)]);
}

#[test]
fn a_price_in_a_table_and_a_button_in_japanese_are_read() {
    let buy = "<table><tr><th>販売価格</th><td><b>39,900円</b>(税込)</td></tr><tr><th>重さ</th><td>900グラム</td></tr></table>";
    let html = shop("", "青い急須", buy, RELATED).replace("Add to cart", "かごに入れる").replace("lang=en", "lang=ja");
    check(
        "https://teapots.example.com/p/2041",
        &html,
        &[("offers.price", Some("39900")), ("offers.currency", Some("JPY"))],
    );
}

#[test]
fn related_products_are_not_the_product() {
    let item = |name: &str, price: &str, url: &str| {
        format!(
            r#"{{"@type":"Product","name":"{name}","sku":"TP-{}","url":"{url}","offers":{{"@type":"Offer","price":"{price}",
            "priceCurrency":"USD",
            "availability":"https://schema.org/InStock"}}}}"#,
            2040 + name.len()
        )
    };
    let head = format!(
        r#"<script type="application/ld+json">[{},{},{}]</script>"#,
        item("Cup", "4.50", "/cup"),
        item("Blue teapot", "39.90", "/p/blue-teapot"),
        item("Tray", "18.00", "/tray")
    );
    let html = shop(&head, "Blue teapot", "<span class=price>$39.90</span>", RELATED);
    check(
        "https://teapots.example.com/p/blue-teapot",
        &html,
        &[("name", Some("Blue teapot")), ("offers.price", Some("39.90")), ("sku", Some("TP-2051"))],
    );
}

#[test]
fn the_price_of_another_variant_is_not_the_price() {
    let head = r#"<script type="application/ld+json">{"@type":"Product","name":"Blue teapot","offers":[
        {"@type":"Offer","sku":"small","price":"29.90","priceCurrency":"EUR"},{"@type":"Offer","sku":"large","price":"49.90",
            "priceCurrency":"EUR"}]}</script>"#;
    let html = shop(head, "Blue teapot", "<p>Large</p><span class=price>€49.90</span><p>In stock</p>", "");
    check(
        "https://teapots.example.ie/p/blue-teapot",
        &html,
        &[("offers.price", Some("49.90")), ("offers.currency", Some("EUR"))],
    );
}

#[test]
fn a_struck_price_is_the_list_price() {
    let buy = "<span class=was><del>£60.00</del></span> <span class=price>£45.00</span><p>In stock</p>";
    let html = shop("", "Blue teapot", buy, "<p>SKU: TP-2041</p>");
    check(
        "https://teapots.example.co.uk/p/blue-teapot",
        &html,
        &[("offers.price", Some("45.00")), ("offers.list_price", Some("60.00")), ("offers.currency", Some("GBP"))],
    );
}

#[test]
fn a_price_of_the_class_regular_is_the_former_one_only_next_to_a_lower_one() {
    let url = "https://teapots.example.se/p/blue-teapot";
    let regular = "<div class=price__regular><span class='price-item price-item--regular'>1 299 kr</span></div>";
    let used = "<div><a href=/p/used>Used, in good condition: from <strong>850 kr</strong></a></div>";
    let html = shop("", "Blue teapot", &format!("{regular}{used}<p>SKU: TP-2041</p>"), "");
    check(url, &html, &[("offers.price", Some("1299")), ("offers.list_price", None)]);
    let sale = "<div class=price__sale><span class='price-item price-item--sale'>999 kr</span></div>";
    let html = shop("", "Blue teapot", &format!("{regular}{sale}<p>SKU: TP-2041</p>"), "");
    check(url, &html, &[("offers.price", Some("999")), ("offers.list_price", Some("1299"))]);
}

#[test]
fn broken_declarations_do_not_hide_the_product() {
    let head = r#"<script type="application/ld+json">{"@type":"Product","name":"Blue teapot","offers":{"price":"39.90",
            priceCurrency:"USD",,}</script>
        <script type="application/ld+json">{{{"</script>"#;
    let html = shop(head, "Blue teapot", "<span class=price>$39.90</span><p>In stock</p>", RELATED);
    check(
        "https://teapots.example.com/p/blue-teapot",
        &html,
        &[("offers.price", Some("39.90")), ("offers.currency", Some("USD"))],
    );
}

#[test]
fn prices_of_many_locales() {
    for (domain, lang, text, price, currency) in [
        ("de", "de", "1.299,00 €", "1299.00", "EUR"),
        ("in", "en-IN", "₹1,23,456", "123456", "INR"),
        ("pk", "en", "Rs 23,450", "23450", "PKR"),
        ("cz", "cs", "1 299 Kč", "1299", "CZK"),
        ("ch", "de-CH", "CHF 19.–", "19", "CHF"),
        ("jp", "ja", "¥12,800", "12800", "JPY"),
        ("cn", "zh-CN", "¥128.00", "128.00", "CNY"),
        ("ca", "en-CA", "$59.99", "59.99", "CAD"),
        ("se", "sv", "1 299 kr", "1299", "SEK"),
        ("com.br", "pt-BR", "R$ 1.759,99", "1759.99", "BRL"),
        ("pl", "pl", "49,99 zł", "49.99", "PLN"),
    ] {
        let buy = format!("<div class=price>{text}</div><p>SKU: TP-2041</p>");
        let html = shop("", "Blue teapot", &buy, "").replace("lang=en", &format!("lang={lang}"));
        check(
            &format!("https://teapots.example.{domain}/p/blue-teapot"),
            &html,
            &[("offers.price", Some(price)), ("offers.currency", Some(currency))],
        );
    }
}

#[test]
fn raised_cents_and_ranges() {
    let html = shop("", "Blue teapot", "<p class=price>173<sup>34</sup> Lei</p><p>SKU: TP-2041</p>", "");
    check(
        "https://teapots.example.ro/p/blue-teapot",
        &html,
        &[("offers.price", Some("173.34")), ("offers.currency", Some("RON"))],
    );
    let html = shop("", "Blue teapot", "<p class=price>$10.00 - $20.00</p><p>SKU: TP-2041</p>", "");
    check("https://teapots.example.com/p/blue-teapot", &html, &[("offers.price", Some("10.00"))]);
}

#[test]
fn what_is_sold_out_is_not_in_stock() {
    let head = r#"<script type="application/ld+json">{"@type":"Product","name":"Blue teapot","offers":{"price":"39.90",
            "priceCurrency":"USD",
        "availability":"https://schema.org/OutOfStock"}}</script>"#;
    let html = shop(head, "Blue teapot", "<span class=price>$39.90</span><p class=stock>Out of stock</p>", "")
        .replace("<button>Add to cart</button>", "<button disabled>Sold out</button>");
    check(
        "https://teapots.example.com/p/blue-teapot",
        &html,
        &[("offers.price", Some("39.90")), ("offers.availability", Some("OutOfStock"))],
    );
}

#[test]
fn specifications_are_properties() {
    let table = "<table><tr><th>Material</th><td>Stoneware</td></tr><tr><th>Volume</th><td>1.2 \
         l</td></tr><tr><th>EAN</th><td>4006381333931</td></tr></table>";
    let html = shop("", "Blue teapot", "<span class=price>$39.90</span><p>SKU: TP-2041</p>", table);
    let url = "https://teapots.example.com/p/blue-teapot";
    check(
        url,
        &html,
        &[
            ("gtin", Some("4006381333931")),
            ("properties.name", Some("Material")),
            ("properties.value", Some("Stoneware")),
        ],
    );
}

#[test]
fn articles_and_lists_are_no_products() {
    let article = "<html lang=en><title>How tea came to Europe</title><h1>How tea came to Europe</h1><p>In 1610 the first \
         chests reached Amsterdam. A pound \
        cost £3 then, more than a month's wage. By 1750 the price had fallen to a tenth.</p><p>Merchants sold it by the ounce, \
         and smugglers sold more \
        than they did.</p>";
    assert!(products_at("https://history.example.com/tea", article).is_empty());
    let tile =
        |n: usize| format!("<li class=tile><a href=/p/{n}>Pot number {n}</a><span class=price>${n}.50</span></li>");
    let tiles: String = (10..30).map(tile).collect();
    let list = format!("<html lang=en><title>Teapots</title><h1>Teapots</h1><ul>{tiles}</ul>");
    assert!(products_at("https://teapots.example.com/pots", &list).is_empty());
}

#[test]
fn threads_with_prices_sell_nothing() {
    let post = |n: usize| {
        format!(
            "<article class=post id=p{n}><div class=author>user{n}</div><time>2024-05-0{n}</time><div class=body><p>I paid ${n}9.90 for \
             mine and it still pours well after {n} years. Would you buy it again for that much?</p></div></article>"
        )
    };
    let posts: String = (1..9).map(post).collect();
    let thread =
        format!("<html lang=en><title>Best teapot?</title><h1>Best teapot?</h1><div class=thread>{posts}</div>");
    assert!(products_at("https://forum.example.com/thread/best-teapot-123", &thread).is_empty());
}

#[test]
fn a_declared_price_without_tax_gives_way_to_the_printed_one() {
    let head = "<meta property=og:type content=product><meta property=product:price:amount content=100.00>\
        <meta property=product:price:currency content=EUR>";
    let html = shop(head, "Blue teapot", "<span class=price>119,00 €</span><p>SKU: TP-2041</p>", "");
    check("https://teapots.example.de/p/blue-teapot", &html, &[("offers.price", Some("119.00"))]);
    let html = html.replace("119,00", "100,00");
    check("https://teapots.example.de/p/blue-teapot", &html, &[("offers.price", Some("100.00"))]);
}

#[test]
fn a_declared_price_that_is_struck_gives_way_to_the_lower_one() {
    let head = r#"<script type="application/ld+json">{"@type":"Product","name":"Blue teapot","offers":{"price":"39.90",
        "priceCurrency":"USD"}}</script>"#;
    let buy = "<p><s class=price>$39.90</s></p><p><span class=price>$29.90</span></p>";
    let url = "https://teapots.example.com/p/blue-teapot";
    let html = shop(head, "Blue teapot", buy, "");
    check(url, &html, &[("offers.price", Some("29.90")), ("offers.list_price", Some("39.90"))]);
    let html = html.replace("<s ", "<b ").replace("</s>", "</b>");
    check(url, &html, &[("offers.price", Some("39.90"))]);
}

#[test]
fn numbers_of_other_elements_are_no_part_of_a_price() {
    let head = "<meta property=og:type content=product><meta property=product:price:amount content=200>";
    let buy = "<div><span class=price>$200</span><span class=bids><span>2 bids</span></span></div><p>SKU: TP-2041</p>";
    let html = shop(head, "Blue teapot", buy, "");
    check("https://teapots.example.com/p/blue-teapot", &html, &[("offers.price", Some("200"))]);
}
