//! Objects by the caller's schema: names of things and of the page, paths, selectors, types, and missing values.
use maintext_core::schema::Schema;
use maintext_core::{Extractor, Options, Page};

const SHOP: &str = r#"<title>Kettle - Harbour Shop</title><script type="application/ld+json">[
    {"@type": "Organization", "name": "Harbour Shop", "email": "post@shop.example"},
    {"@type": "Product", "name": "Kettle", "brand": {"name": "Steamworks"}, "image": ["/a.jpg", "/b.jpg"], "sku": "K-1",
     "offers": [{"price": "1299.50", "priceCurrency": "EUR", "availability": "https://schema.org/InStock"},
                {"price": "1499", "priceCurrency": "EUR"}],
     "aggregateRating": {"ratingValue": 4.5, "reviewCount": 12}}]</script>
    <h1 class=name>Kettle</h1><b class=price>1.299,50 €</b><p>It boils a litre of water in three minutes, and then it whistles until somebody comes.</p>
    <table id=spec><tr><th>Weight<td>1,2 kg<tr><th>Colour<td>red<tr><td colspan=2>more soon</table>
    <ul class=more><li><a href="/pot">Pot</a> <b>19,90 €</b><li><a href="/pan">Pan</a> <b>on request</b></ul><i class=sale>Sale</i>"#;

fn page(schema: &str, html: &str) -> Page {
    let schema = Schema::parse(schema).unwrap_or_else(|e| panic!("{e}"));
    let options =
        Options { schema: Some(schema), url: Some("https://shop.example/kettle".into()), ..Options::default() };
    Extractor::new(options).unwrap().extract(html).unwrap()
}

fn data(properties: &str) -> String {
    page(&format!(r#"{{"type": "object", "properties": {properties}}}"#), SHOP).data.unwrap()
}

#[test]
fn properties_find_things_fields_and_the_page_by_name() {
    let found = data(
        r#"{"title": {"type": "string"}, "price": {"type": "number"}, "priceCurrency": {"type": "string"}, "brand": {"type": "string"},
            "image_url": {"type": "string", "x-maintext": "Product.images"}, "reviewCount": {"type": "integer"},
            "availability": {"enum": ["in stock", "sold out"]}, "mpn": {"type": "string"}, "hostname": {"type": "string"},
            "name": {"type": "string"}, "colour_of_the_lid": {"type": "string"}}"#,
    );
    assert_eq!(
        found,
        r#"{"title":"Kettle","price":1299.5,"priceCurrency":"EUR","brand":"Steamworks","image_url":"https://shop.example/a.jpg","#.to_owned()
            + r#""reviewCount":12,"availability":"in stock","hostname":"shop.example","name":"Kettle"}"#
    );
}

#[test]
fn objects_and_lists_follow_the_things() {
    let found = data(
        r#"{"product": {"type": "object", "properties": {"name": {"type": "string"}, "brand": {"type": "object", "properties": {
                "name": {"type": "string"}}}, "offers": {"type": "array", "items": {"type": "object", "properties": {
                "price": {"type": "number"}, "availability": {"type": "string"}}, "required": ["price"]}}}},
            "prices": {"type": "array", "items": {"type": "number"}, "x-maintext": "Product.offers.price"},
            "best": {"type": "object", "properties": {"price": {"type": "string"}}, "x-maintext": "Product.offers"},
            "grouped": {"type": "object", "properties": {"sku": {"type": "string"}}},
            "rating": {}}"#,
    );
    assert_eq!(
        found,
        r#"{"product":{"name":"Kettle","brand":{"name":"Steamworks"},"offers":[{"price":1299.5,"availability":"InStock"},{"price":1499}]},"#
            .to_owned()
            + r#""prices":[1299.5,1499],"best":{"price":"1299.50"},"grouped":{"sku":"K-1"},"rating":{"value":"4.5"}}"#
    );
}

#[test]
fn selectors_find_elements_and_apply_inside_items() {
    let found = data(
        r##"{"heading": {"type": "string", "x-selector": "h1.name"}, "on_sale": {"type": "boolean", "x-selector": ".sale"},
            "sold_out": {"type": "boolean", "x-selector": ".sold-out"},
            "specs": {"type": "array", "x-selector": "#spec tr", "items": {"type": "object", "required": ["key"], "properties": {
                "key": {"type": "string", "x-selector": "th"}, "value": {"type": "string", "x-selector": "td"}}}},
            "more": {"type": "array", "x-selector": ".more li", "items": {"type": "object", "properties": {
                "text": {"type": "string"}, "price": {"type": "number", "x-selector": "b"},
                "url": {"type": "string", "format": "uri", "x-selector": "a"}, "path": {"type": "string", "x-selector": "a", "x-attribute": "HREF"}}}},
            "links": {"type": "array", "x-selector": ".more a", "items": {"type": "string", "x-attribute": "href"}},
            "names": {"type": "array", "items": {"type": "string", "x-selector": ".more a"}}}"##,
    );
    assert_eq!(
        found,
        r#"{"heading":"Kettle","on_sale":true,"sold_out":false,"specs":[{"key":"Weight","value":"1,2 kg"},{"key":"Colour","value":"red"}],"#.to_owned()
            + r#""more":[{"text":"Pot 19,90 €","price":19.9,"url":"https://shop.example/pot","path":"https://shop.example/pot"},"#
            + r#"{"text":"Pan on request","url":"https://shop.example/pan","path":"https://shop.example/pan"}],"#
            + r#""links":["https://shop.example/pot","https://shop.example/pan"],"names":["Pot","Pan"]}"#
    );
}

/// The form of schemas that Pydantic writes.
#[test]
fn references_titles_and_nullable_properties() {
    let schema = r##"{"$defs": {"Offer": {"title": "Offer", "type": "object", "properties": {"price": {"type": "number"},
            "high_price": {"anyOf": [{"type": "number"}, {"type": "null"}]}}, "required": ["price", "high_price"]}},
        "title": "Product", "type": "object", "required": ["name", "offers", "gtin"], "properties": {
            "name": {"title": "Name", "type": "string"}, "gtin": {"type": ["string", "null"]},
            "offers": {"title": "Offers", "type": "array", "items": {"$ref": "#/$defs/Offer"}}}}"##;
    let expected = r#"{"name":"Kettle","gtin":null,"offers":[{"price":1299.5,"high_price":null},{"price":1499,"high_price":null}]}"#;
    assert_eq!(page(schema, SHOP).data.unwrap(), expected);
    let list = r##"{"$defs": {"Product": {"title": "Product", "type": "object", "properties": {"name": {"type": "string"}}}},
        "type": "object", "properties": {"all": {"type": "array", "items": {"$ref": "#/$defs/Product"}}}}"##;
    assert_eq!(page(list, SHOP).data.unwrap(), r#"{"all":[{"name":"Kettle"}]}"#);
    let circle = r##"{"type": "object", "properties": {"name": {"type": "string"}, "self": {"$ref": "#"}}}"##;
    assert!(page(circle, SHOP).data.unwrap().len() < 1000);
    let members = r##"{"$ref": "#"}, "##.repeat(50) + "{}";
    let choices = format!(
        r##"{{"type": "object", "properties": {{"sku": {{"anyOf": [{members}]}}, "a": {{"$ref": "#/properties/a/items"}}}}}}"##
    );
    assert!(Schema::parse(&choices).is_err(), "no such place");
    let lists =
        r##"{"type": "object", "properties": {"sku": {"type": "array", "items": {"$ref": "#/properties/sku"}}}}"##;
    assert_eq!(page(lists, SHOP).data.unwrap(), "{}");
    let choices = format!(r#"{{"anyOf": [{members}], "properties": {{"sku": {{"anyOf": [{members}]}}}}}}"#);
    assert!(page(&choices, SHOP).data.is_some());
}

#[test]
fn a_missing_required_property_is_named() {
    let schema = r#"{"type": "object", "required": ["name", "gtin", "offer"], "properties": {"name": {"type": "string"},
        "gtin": {"type": "string"}, "offer": {"type": "object", "x-maintext": "Product.offers", "required": ["price", "seller"],
        "properties": {"price": {"type": "number"}, "seller": {"type": "string"}}}}}"#;
    let page = page(schema, SHOP);
    assert_eq!(page.data, None);
    let warnings: Vec<&str> = page.warnings.iter().map(|w| &w.message[..]).collect();
    assert_eq!(
        warnings,
        ["no value for the required property 'gtin'", "no value for the required property 'offer.seller'"]
    );
    assert_eq!(page.warnings[0].code.as_str(), "missing_property");
}

#[test]
fn wrong_schemas_are_refused_with_their_place() {
    let cases = [
        ("[", "invalid JSON"),
        (r#"{"type": "string"}"#, "does not describe an object"),
        (r#"{"properties": {"a": {"type": "money"}}}"#, "properties.a: unknown type 'money'"),
        (r#"{"properties": {"a": {"x-selector": "p >"}}}"#, "properties.a: selector 'p >', column 4"),
        (r#"{"properties": {"a": {"x-selector": 1}}}"#, "properties.a: 'x-selector' is not a string"),
        (
            r#"{"properties": {"a": {"x-maintext": "Product.cost"}}}"#,
            "no field 'cost' in 'Product.cost'; the fields there are: name, brand",
        ),
        (r#"{"properties": {"a": {"x-maintext": "Produkt.name"}}}"#, "no type 'Produkt'; the types are: "),
        (r#"{"properties": {"a": {"x-maintext": "title", "x-selector": "p"}}}"#, "excludes"),
        (r##"{"properties": {"a": {"$ref": "other.json"}}}"##, "expected a place in this schema"),
        (r#"{"properties": {"a": {}}, "required": ["b"]}"#, "'b' is not among the properties"),
        (r#"{"properties": {"a": {"allOf": [{}, {}]}}}"#, "'allOf' of several"),
    ];
    for (schema, expected) in cases {
        let error = Schema::parse(schema).expect_err(schema).to_string();
        assert!(error.contains(expected), "{schema}: {error}");
    }
    let deep = r#"{"properties":{"a":"#.repeat(100) + "{}" + &"}}".repeat(100);
    assert!(Schema::parse(&deep).is_err());
}

#[test]
fn hostile_pages_take_linear_time() {
    let schema = r#"{"type": "object", "properties": {"all": {"type": "array", "x-selector": "div", "items": {"type": "object",
        "properties": {"text": {"type": "string"}, "inner": {"type": "array", "x-selector": "b", "items": {"type": "string"}}}}}}}"#;
    for html in [
        "<div><b>x</b>".repeat(20_000),
        "<div>".repeat(500) + &"<b>word</b> ".repeat(20_000),
        "<b>".repeat(20_000) + "<div>",
    ] {
        let timer = crate::counting::Timer::start();
        let page = page(schema, &html);
        assert!(page.data.is_some());
        assert!(timer.seconds() < 20, "{} s {}", timer.seconds(), &html[..20]);
    }
}
