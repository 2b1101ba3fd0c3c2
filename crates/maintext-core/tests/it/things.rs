//! Things from declarations in all three syntaxes, and from hostile ones.
use maintext_core::things::{Thing, Value};
use maintext_core::{Extractor, Options};

fn things(html: &str) -> Vec<Thing> {
    let options = Options { things: true, url: Some("https://shop.example/kettle".into()), ..Options::default() };
    Extractor::new(options).unwrap().extract(html).unwrap().things
}

fn check_kettle(kettle: &Thing, from: &str) {
    assert_eq!(kettle.kind, "Product");
    let cases = [
        ("name", "Kettle & Pot"),
        ("brand", "Steamworks"),
        ("sku", "K-1"),
        ("offers.price", "1299.50"),
        ("offers.currency", "EUR"),
        ("offers.availability", "InStock"),
        ("images", "https://shop.example/k.jpg"),
        ("rating.value", "4.5"),
    ];
    for (path, expected) in cases {
        assert_eq!(kettle.text(path), Some(expected), "{path}");
    }
    assert_eq!(kettle.get("review_count"), Some(&Value::Count(1204)));
    assert_eq!(kettle.get("mpn"), None);
    assert_eq!(kettle.sources["name"].from, from);
}

#[test]
fn the_same_product_in_three_syntaxes() {
    let json = r#"<script type="application/ld+json">{"@context": "https://schema.org", "@graph": [
        {"@type": "WebPage", "name": "Shop"},
        {"@type": ["Product", "Thing"], "name": "Kettle &amp; Pot", "brand": {"@type": "Brand", "name": "Steamworks"}, "sku": "K-1",
         "image": {"@id": "photo"}, "offers": {"@type": "Offer", "price": 1299.50, "priceCurrency": "EUR",
         "availability": "https://schema.org/InStock"}, "aggregateRating": {"ratingValue": "4.5", "reviewCount": "1,204"}},
        {"@id": "photo", "@type": "ImageObject", "contentUrl": "/k.jpg"}]}</script>"#;
    check_kettle(&things(json)[0], "json-ld");
    let microdata = r#"<div itemscope itemtype="https://schema.org/Product"><h1 itemprop=name>Kettle &amp; Pot</h1>
        <img itemprop=image src="/k.jpg"><p itemprop=brand itemscope itemtype="https://schema.org/Brand"><b itemprop=name>Steamworks</b></p>
        <span itemprop=sku>K-1</span><div itemprop=offers itemscope itemtype="https://schema.org/Offer">
        <span itemprop=price content="1299.50">1.299,50</span> <span itemprop=priceCurrency>€</span>
        <link itemprop=availability href="https://schema.org/InStock"></div>
        <p itemprop=aggregateRating itemscope><b itemprop=ratingValue>4,5</b> of <i itemprop=reviewCount>1.204</i></div>"#;
    check_kettle(&things(microdata)[0], "microdata");
    let rdfa = r#"<div vocab="https://schema.org/" typeof="Product"><h1 property=name>Kettle &amp; Pot</h1>
        <img property=image src="/k.jpg"><p property=brand typeof=Brand><b property=name>Steamworks</b></p>
        <span property=sku>K-1</span><div property=offers typeof=Offer>
        <span property=price content="1299.50">1.299,50</span> <span property=priceCurrency content="EUR">€</span>
        <link property=availability href="https://schema.org/InStock"></div>
        <p property=aggregateRating typeof=AggregateRating><b property=ratingValue>4,5</b> of <i property=reviewCount>1 204</i></div>"#;
    check_kettle(&things(rdfa)[0], "rdfa");
}

#[test]
fn no_field_holds_markup() {
    let html = r#"<script type="application/ld+json">{"@type": "Recipe", "name": "<b>Soup</b> &lt;3",
        "recipeInstructions": "<ol><li>Boil <i>water</i>.</li><li>Serve.</li></ol>", "recipeIngredient": ["1&nbsp;l water", "<p>salt</p>"]}</script>"#;
    let soup = &things(html)[0];
    assert_eq!(soup.text("name"), Some("Soup <3"));
    let texts = |lines: &[&str]| Some(Value::List(lines.iter().map(|l| Value::Text((*l).into())).collect()));
    assert_eq!(soup.get("instructions").cloned(), texts(&["Boil water.", "Serve."]));
    assert_eq!(soup.get("ingredients").cloned(), texts(&["1 l water", "salt"]));
}

#[test]
fn hostile_declarations_end_soon() {
    let timer = crate::counting::Timer::start();
    let script = |json: String| format!("<script type='application/ld+json'>{json}</script><p>Text.");
    let loop_ = r#"[{"@id": "a", "@type": "Product", "name": "a", "offers": {"@id": "b"}, "hasVariant": {"@id": "a"}},
        {"@id": "b", "@type": "Offer", "price": "1", "offers": {"@id": "a"}}]"#;
    assert_eq!(things(&script(loop_.into()))[0].text("offers.price"), Some("1"));
    let offers = vec![r#"{"@type":"Offer","price":"1"}"#; 100_000].join(",");
    let many = things(&script(format!(r#"{{"@type":"Product","name":"x","offers":[{offers}]}}"#)));
    assert!(matches!(many[0].get("offers"), Some(Value::List(o)) if o.len() <= 1_000));
    let digits =
        things(&script(format!(r#"{{"@type":"Product","name":"x","offers":{{"price":"{}"}}}}"#, "9".repeat(10_000))));
    assert_eq!(digits[0].get("offers.price"), None);
    let deep = format!("{}{{}}{}", r#"{"@type":"Product","hasVariant":"#.repeat(100_000), "}".repeat(100_000));
    things(&script(deep));
    things(&"<div itemscope itemtype=https://schema.org/Product itemprop=a>".repeat(100_000));
    let references = vec![r#"{"@id":"a"}"#; 30_000].join(",");
    things(&script(format!(r#"[{{"@id":"a","@type":"Recipe","name":"x","image":[{references}]}}]"#)));
    assert!(timer.seconds() < 30, "{} s", timer.seconds());
}
