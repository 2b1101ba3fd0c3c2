//! Every field of the types that pages declare most seldom, in JSON-LD, microdata and RDFa, and the results of wrong and hostile values.
use maintext_core::things::{Thing, Value};
use maintext_core::{Extractor, Options};
use serde_json::{Value as Json, json};
use std::fmt::Write as _;

const PAGE: &str = "https://moss.example/page";

fn things(html: &str) -> Vec<Thing> {
    let options = Options { things: true, url: Some(PAGE.into()), ..Options::default() };
    Extractor::new(options).unwrap().extract(html).unwrap().things
}

/// Returns a page that is named for the declared object.
fn page(name: &str, declaration: &str) -> String {
    format!("<title>{name}</title>{declaration}<h1>{name}</h1><p>A page about {name}.</p>")
}

fn script(json: &Json) -> String {
    format!("<script type='application/ld+json'>{json}</script>")
}

/// Writes an object as microdata or RDFa.
fn markup(json: &Json, property: Option<&str>, rdfa: bool, out: &mut String) {
    let name = if rdfa { "property" } else { "itemprop" };
    let own = property.map_or(String::new(), |p| format!(" {name}='{p}'"));
    match json {
        Json::Object(members) => {
            let kind = members.get("@type").and_then(Json::as_str).unwrap_or("Thing");
            let kind = if rdfa {
                format!("vocab='https://schema.org/' typeof='{kind}'")
            } else {
                format!("itemscope itemtype='https://schema.org/{kind}'")
            };
            let _ = write!(out, "<div{own} {kind}>");
            members.iter().filter(|m| m.0 != "@type").for_each(|(k, v)| markup(v, Some(k), rdfa, out));
            out.push_str("</div>");
        }
        Json::Array(values) => values.iter().for_each(|v| markup(v, property, rdfa, out)),
        Json::String(text) if text.starts_with("http") || text.starts_with('/') => {
            let _ = write!(out, "<link{own} href='{text}'>");
        }
        Json::String(text) => {
            let _ = write!(out, "<span{own}>{text}</span>");
        }
        other => {
            let _ = write!(out, "<meta{own} content='{other}'>");
        }
    }
}

/// Checks all fields of an object in the three syntaxes. `expected` holds the fields in the order of the output.
fn check(declared: &Json, expected: &[(&str, Json)]) {
    let kind = declared["@type"].as_str().unwrap();
    let name = declared["name"].as_str().unwrap();
    let (mut microdata, mut rdfa) = (String::new(), String::new());
    markup(declared, None, false, &mut microdata);
    markup(declared, None, true, &mut rdfa);
    for (from, declaration) in [("json-ld", script(declared)), ("microdata", microdata), ("rdfa", rdfa)] {
        let found = things(&page(name, &declaration));
        let thing = found.iter().find(|t| t.kind == kind).unwrap_or_else(|| panic!("{kind} {from}: {found:?}"));
        let fields: Vec<(&str, Json)> =
            thing.fields.iter().map(|(name, v)| (*name, serde_json::to_value(v).unwrap())).collect();
        assert_eq!(fields, expected, "{kind} {from}");
        assert!(expected.iter().all(|(name, _)| thing.sources[*name].from == from), "{:?}", thing.sources);
    }
}

fn rating() -> Json {
    json!({"@type": "AggregateRating", "ratingValue": 4.5, "bestRating": "5", "worstRating": 1, "reviewCount": "1,204"})
}

fn rated() -> [(&'static str, Json); 2] {
    [("rating", json!({"value": "4.5", "best": "5", "worst": "1"})), ("review_count", json!(1204))]
}

fn offer() -> Json {
    json!({"@type": "Offer", "price": 19.5, "priceCurrency": "EUR", "availability": "https://schema.org/InStock",
        "priceValidUntil": "2027-01-31", "seller": {"@type": "Organization", "name": "Moss & Sons"}, "url": "/buy"})
}

fn offered() -> Json {
    json!([{"price": "19.5", "currency": "EUR", "availability": "InStock", "seller": "Moss & Sons", "valid_until": "2027-01-31",
        "url": "https://moss.example/buy"}])
}

#[test]
fn a_course() {
    let [rating_, count] = rated();
    check(
        &json!({"@type": "Course", "name": "Bread at home", "description": "Six evenings with dough.",
            "provider": {"@type": "Organization", "name": "School of Bakers"}, "courseCode": "B-101", "inLanguage": "en",
            "offers": offer(), "aggregateRating": rating(), "image": ["/dough.jpg", "https://cdn.example/oven.jpg"], "url": "/bread"}),
        &[
            ("name", json!("Bread at home")),
            ("description", json!("Six evenings with dough.")),
            ("provider", json!("School of Bakers")),
            ("id", json!("B-101")),
            ("language", json!("en")),
            ("offers", offered()),
            rating_,
            count,
            ("images", json!(["https://moss.example/dough.jpg", "https://cdn.example/oven.jpg"])),
            ("url", json!("https://moss.example/bread")),
        ],
    );
}

#[test]
fn a_book() {
    let [rating_, count] = rated();
    check(
        &json!({"@type": "Book", "name": "The tides", "author": [{"@type": "Person", "name": "Ada Moss"}, "Bo Fern"],
            "isbn": "9783161484100", "publisher": {"@type": "Organization", "name": "Fern Press"}, "datePublished": "2024-05-17",
            "inLanguage": "en", "numberOfPages": 312, "bookFormat": "https://schema.org/Hardcover", "genre": ["Novel", "Sea"],
            "description": "A year on the coast.", "image": "/tides.jpg", "offers": offer(), "aggregateRating": rating(),
            "url": "https://moss.example/tides"}),
        &[
            ("name", json!("The tides")),
            ("author", json!(["Ada Moss", "Bo Fern"])),
            ("isbn", json!("9783161484100")),
            ("publisher", json!("Fern Press")),
            ("date", json!("2024-05-17")),
            ("language", json!("en")),
            ("pages", json!(312)),
            ("format", json!("Hardcover")),
            ("genre", json!(["Novel", "Sea"])),
            ("description", json!("A year on the coast.")),
            ("images", json!(["https://moss.example/tides.jpg"])),
            ("offers", offered()),
            rating_,
            count,
            ("url", json!("https://moss.example/tides")),
        ],
    );
}

#[test]
fn a_movie() {
    let [rating_, count] = rated();
    check(
        &json!({"@type": "Movie", "name": "Low water", "datePublished": "2025-03-01", "duration": "PT1H52M",
            "director": {"@type": "Person", "name": "Cy Reed"},
            "actor": [{"@type": "Person", "name": "Di Sand"}, {"@type": "Person", "name": "Ed Shell"}], "genre": ["Drama"],
            "description": "Two sisters wait for a ship.", "image": "/water.jpg", "aggregateRating": rating(), "url": "/water"}),
        &[
            ("name", json!("Low water")),
            ("date", json!("2025-03-01")),
            ("duration", json!("PT1H52M")),
            ("director", json!(["Cy Reed"])),
            ("actors", json!(["Di Sand", "Ed Shell"])),
            ("genre", json!(["Drama"])),
            ("description", json!("Two sisters wait for a ship.")),
            ("images", json!(["https://moss.example/water.jpg"])),
            rating_,
            count,
            ("url", json!("https://moss.example/water")),
        ],
    );
}

#[test]
fn a_review() {
    check(
        &json!({"@type": "Review", "name": "A kettle that lasts", "author": {"@type": "Person", "name": "Ada Moss"},
            "datePublished": "2025-11-02", "itemReviewed": {"@type": "Thing", "name": "Kettle K-1"},
            "reviewRating": {"@type": "Rating", "ratingValue": "4", "bestRating": 5}, "reviewBody": "It boils fast.", "url": "/kettle"}),
        &[
            ("name", json!("A kettle that lasts")),
            ("author", json!("Ada Moss")),
            ("date", json!("2025-11-02")),
            ("item", json!("Kettle K-1")),
            ("rating", json!({"value": "4", "best": "5"})),
            ("text", json!("It boils fast.")),
            ("url", json!("https://moss.example/kettle")),
        ],
    );
}

#[test]
fn a_dataset() {
    check(
        &json!({"@type": "Dataset", "name": "Tides of 2024", "description": "Heights by the hour.",
            "creator": [{"@type": "Organization", "name": "Harbour Office"}], "publisher": {"@type": "Organization", "name": "City"},
            "datePublished": "2025-01-02", "dateModified": "2025-02-03", "license": "CC BY 4.0", "keywords": ["tide", "sea"],
            "identifier": "tides-2024", "distribution": [{"@type": "DataDownload", "contentUrl": "/tides.csv"}], "url": "/tides"}),
        &[
            ("name", json!("Tides of 2024")),
            ("description", json!("Heights by the hour.")),
            ("author", json!(["Harbour Office"])),
            ("publisher", json!("City")),
            ("date", json!("2025-01-02")),
            ("date_modified", json!("2025-02-03")),
            ("license", json!("CC BY 4.0")),
            ("keywords", json!(["tide", "sea"])),
            ("id", json!("tides-2024")),
            ("downloads", json!(["https://moss.example/tides.csv"])),
            ("url", json!("https://moss.example/tides")),
        ],
    );
}

#[test]
fn a_program() {
    let [rating_, count] = rated();
    check(
        &json!({"@type": "SoftwareApplication", "name": "Tide clock", "description": "Shows the next high water.",
            "author": {"@type": "Person", "name": "Ada Moss"}, "applicationCategory": "Weather", "operatingSystem": "Linux",
            "softwareVersion": "2.1", "screenshot": "/clock.png", "offers": offer(), "aggregateRating": rating(), "url": "/clock"}),
        &[
            ("name", json!("Tide clock")),
            ("description", json!("Shows the next high water.")),
            ("author", json!(["Ada Moss"])),
            ("category", json!("Weather")),
            ("operating_system", json!("Linux")),
            ("version", json!("2.1")),
            ("images", json!(["https://moss.example/clock.png"])),
            ("offers", offered()),
            rating_,
            count,
            ("url", json!("https://moss.example/clock")),
        ],
    );
}

fn address() -> Json {
    json!({"@type": "PostalAddress", "streetAddress": "Quay 3", "addressLocality": "Husum", "addressRegion": "SH",
        "postalCode": "25813", "addressCountry": {"@type": "Country", "name": "DE"}})
}

fn read_address() -> Json {
    json!({"street": "Quay 3", "locality": "Husum", "region": "SH", "postal_code": "25813", "country": "DE"})
}

#[test]
fn a_business() {
    let [rating_, count] = rated();
    check(
        &json!({"@type": "LocalBusiness", "name": "Quay bakery", "description": "Bread since 1920.", "image": "/shop.jpg",
            "address": address(), "geo": {"@type": "GeoCoordinates", "latitude": "54.47", "longitude": 9.05},
            "telephone": "+49 4841 1234", "email": "bread@moss.example", "openingHours": ["Mo-Fr 06:00-18:00", "Sa 06:00-12:00"],
            "priceRange": "€€", "servesCuisine": "Bread", "aggregateRating": rating(),
            "review": {"@type": "Review", "author": {"@type": "Person", "name": "Bo Fern"}, "reviewBody": "Good rye."},
            "sameAs": ["https://social.example/quay"], "url": "/bakery"}),
        &[
            ("name", json!("Quay bakery")),
            ("description", json!("Bread since 1920.")),
            ("images", json!(["https://moss.example/shop.jpg"])),
            ("address", read_address()),
            ("latitude", json!("54.47")),
            ("longitude", json!("9.05")),
            ("telephone", json!("+49 4841 1234")),
            ("email", json!("bread@moss.example")),
            ("opening_hours", json!(["Mo-Fr 06:00-18:00", "Sa 06:00-12:00"])),
            ("price_range", json!("€€")),
            ("cuisine", json!(["Bread"])),
            rating_,
            count,
            ("reviews", json!([{"author": "Bo Fern", "text": "Good rye."}])),
            ("same_as", json!(["https://social.example/quay"])),
            ("url", json!("https://moss.example/bakery")),
        ],
    );
}

#[test]
fn a_person_and_an_organisation() {
    check(
        &json!({"@type": "Person", "name": "Ada Moss", "jobTitle": "Baker", "worksFor": {"@type": "Organization", "name": "Quay bakery"},
            "description": "Bakes rye.", "image": "/ada.jpg", "email": "mailto:ada@moss.example", "telephone": "+49 4841 1234",
            "sameAs": "https://social.example/ada", "url": PAGE}),
        &[
            ("name", json!("Ada Moss")),
            ("job_title", json!("Baker")),
            ("organization", json!("Quay bakery")),
            ("description", json!("Bakes rye.")),
            ("images", json!(["https://moss.example/ada.jpg"])),
            ("email", json!("ada@moss.example")),
            ("telephone", json!("+49 4841 1234")),
            ("same_as", json!(["https://social.example/ada"])),
            ("url", json!(PAGE)),
        ],
    );
    check(
        &json!({"@type": "Organization", "name": "Friends of the sea", "description": "We count seals.", "logo": "/seal.png",
            "address": address(), "email": "seals@moss.example", "telephone": "+49 4841 99", "sameAs": "https://social.example/seals",
            "url": "/friends"}),
        &[
            ("name", json!("Friends of the sea")),
            ("description", json!("We count seals.")),
            ("images", json!(["https://moss.example/seal.png"])),
            ("address", read_address()),
            ("email", json!("seals@moss.example")),
            ("telephone", json!("+49 4841 99")),
            ("same_as", json!(["https://social.example/seals"])),
            ("url", json!("https://moss.example/friends")),
        ],
    );
}

#[test]
fn two_declarations_of_one_thing_are_one_in_order() {
    // The last fields in JSON-LD, the first ones in microdata.
    let last = script(&json!({"@type": "Movie", "name": "Low water", "genre": "Drama", "url": "/water"}));
    let mut first = String::new();
    markup(
        &json!({"@type": "Movie", "name": "Low water", "datePublished": "2025-03-01", "director": "Cy Reed"}),
        None,
        false,
        &mut first,
    );
    let found = things(&page("Low water", &(last + &first)));
    assert_eq!(found.len(), 1, "{found:?}");
    let order: Vec<_> = found[0].fields.iter().map(|f| f.0).collect();
    assert_eq!(order, ["name", "date", "director", "genre", "url"]);
    assert_eq!((found[0].sources["genre"].from, found[0].sources["director"].from), ("json-ld", "microdata"));
}

#[test]
fn values_of_wrong_types_are_read_or_left_out() {
    let book = |member: Json| {
        let mut book = json!({"@type": "Book", "name": "The tides"});
        book.as_object_mut().unwrap().extend(member.as_object().unwrap().clone());
        things(&page("The tides", &script(&book))).into_iter().find(|t| t.kind == "Book").unwrap()
    };
    // Numbers and nested lists where texts are expected.
    assert_eq!(book(json!({"isbn": 9_783_161_484_100_u64})).text("isbn"), Some("9783161484100"));
    assert_eq!(book(json!({"genre": [["Novel"], [["Sea"]]]})).get("genre").cloned(), {
        Some(Value::List(vec![Value::Text("Novel".into()), Value::Text("Sea".into())]))
    });
    assert_eq!(book(json!({"numberOfPages": "312"})).get("pages"), Some(&Value::Count(312)));
    assert_eq!(book(json!({"offers": {"price": "1.299,50 €"}})).text("offers.price"), Some("1299.50"));
    assert_eq!(book(json!({"publisher": {"name": {"@value": "Fern Press"}}})).text("publisher"), Some("Fern Press"));
    // Invalid values of a field are absent.
    let digits = "9".repeat(10_000);
    let wrong = [
        ("isbn", json!(null), "isbn"),
        ("isbn", json!({}), "isbn"),
        ("isbn", json!([[], [[]]]), "isbn"),
        ("isbn", json!("   "), "isbn"),
        ("datePublished", json!("soon"), "date"),
        ("datePublished", json!(true), "date"),
        ("datePublished", json!("2024-13-45"), "date"),
        ("numberOfPages", json!("many"), "pages"),
        ("numberOfPages", json!(-3), "pages"),
        ("numberOfPages", json!(digits), "pages"),
        ("bookFormat", json!("<b>"), "format"),
        ("image", json!("javascript:alert(1)"), "images"),
        ("image", json!("data:image/png;base64,AAAA"), "images"),
        ("image", json!({"@type": "ImageObject"}), "images"),
        ("offers", json!({"price": digits}), "offers"),
        ("offers", json!({"price": "call us", "priceCurrency": "money"}), "offers"),
        ("offers", json!([null, [], {}]), "offers"),
        ("aggregateRating", json!({"ratingValue": "very good"}), "rating"),
        ("aggregateRating", json!({"reviewCount": "a few"}), "review_count"),
        ("url", json!("mailto:a@moss.example"), "url"),
    ];
    for (property, value, field) in wrong {
        let found = book(json!({property: value}));
        assert_eq!(found.get(field), None, "{property}");
        assert!(!found.sources.contains_key(field), "{property}");
    }
}

/// Properties of all types.
const PROPERTIES: &str = "description author creator provider courseCode inLanguage offers aggregateRating image url isbn publisher \
    datePublished numberOfPages bookFormat genre duration director actor license keywords identifier distribution dateModified \
    applicationCategory operatingSystem softwareVersion screenshot jobTitle worksFor email telephone sameAs address geo openingHours \
    priceRange servesCuisine review reviewRating reviewBody itemReviewed startDate endDate location organizer performer \
    hiringOrganization jobLocation baseSalary employmentType datePosted acceptedAnswer suggestedAnswer mainEntity text upvoteCount \
    uploadDate embedUrl contentUrl partOfSeries episodeNumber transcript recipeIngredient recipeInstructions recipeYield prepTime \
    nutrition brand sku gtin13 mpn hasVariant additionalProperty";

const TYPES: [&str; 17] = [
    "Product",
    "Recipe",
    "Event",
    "JobPosting",
    "FAQPage",
    "Question",
    "VideoObject",
    "PodcastEpisode",
    "Review",
    "LocalBusiness",
    "Person",
    "Organization",
    "Dataset",
    "SoftwareApplication",
    "Course",
    "Book",
    "Movie",
];

/// Calls `each` with all texts of a JSON value.
fn texts(json: &Json, each: &mut impl FnMut(&str)) {
    match json {
        Json::String(text) => each(text),
        Json::Array(values) => values.iter().for_each(|v| texts(v, each)),
        Json::Object(members) => members.values().for_each(|v| texts(v, each)),
        _ => {}
    }
}

#[test]
fn no_type_lets_markup_or_endless_values_through() {
    let timer = crate::counting::Timer::start();
    let hostile = [
        json!("<p>Low <b>water</b></p><script>alert(1)</script><style>p{}</style>"),
        json!("&lt;img src=x onerror=alert(1)&gt;"),
        json!("9".repeat(10_000)),
        json!({"@id": "#self"}),
        json!([[["Low"]], null, true, 7, {"name": "<i>water</i>"}]),
        json!({"@type": "Thing", "name": {"@id": "#self"}, "price": "1e999", "text": null}),
        json!("x".repeat(25_000)),
    ];
    let mut read = 0;
    for kind in TYPES {
        for (v, value) in hostile.iter().enumerate() {
            let mut object =
                json!({"@context": "https://schema.org", "@type": kind, "@id": "#self", "name": "Low water"});
            for property in PROPERTIES.split_whitespace() {
                object[property] = value.clone();
            }
            for thing in things(&page("Low water", &script(&object))) {
                read += usize::from(thing.kind == kind);
                texts(&serde_json::to_value(&thing).unwrap(), &mut |text| {
                    let is_markup =
                        text.contains("</") || text.contains("<b>") || text.contains("<i>") || text.contains("{}");
                    assert!(!is_markup, "{kind} {v}: {text}");
                    assert!(!text.is_empty() && text.len() <= 20_000, "{kind} {v}: {} bytes", text.len());
                });
                for price in ["offers.price", "salary.min", "rating.value", "latitude"] {
                    let length = thing.text(price).map_or(0, str::len);
                    assert!(length < 20, "{kind} {v}: {price} of {length} digits");
                }
            }
        }
    }
    // The pages are named for the object, so nearly all of them give it.
    assert!(read > TYPES.len() * hostile.len() * 2 / 3, "{read}");
    assert!(timer.seconds() < 60, "{} s", timer.seconds());
}
