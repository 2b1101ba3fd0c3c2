//! Things as the command writes them: they conform to `docs/things.schema.json`.
use crate::command::{Folder, maintext, maintext_on};
use serde_json::Value;
use std::path::Path;

/// One thing of each type with most of its fields, in JSON-LD, and some in markup.
const PAGE: &str = r#"<title>All</title><script type="application/ld+json">[
    {"@type": "Product", "name": "Kettle <b>one</b>", "brand": {"name": "Steamworks"}, "sku": 12, "gtin13": "4006381333931", "image": "/k.jpg",
     "offers": {"@type": "AggregateOffer", "lowPrice": "1.299,00", "priceCurrency": "€", "availability": "https://schema.org/InStock",
                "priceValidUntil": "2027-01-31"},
     "additionalProperty": [{"name": "Weight", "value": 3.5}], "aggregateRating": {"ratingValue": "4,5", "reviewCount": "1.204"},
     "review": [{"author": "Ada", "reviewRating": {"ratingValue": 5}, "reviewBody": "Good", "datePublished": "2026-02-03T10:00:00Z"}]},
    {"@type": "Recipe", "name": "Soup", "recipeIngredient": ["1 l water", "salt"], "recipeInstructions": [{"@type": "HowToStep", "text": "Boil."}],
     "totalTime": "PT1H30M", "prepTime": "90 min", "recipeYield": 4, "nutrition": {"calories": "120 kcal"}, "keywords": "hot, quick"},
    {"@type": "MusicEvent", "name": "Concert", "startDate": "2027-05-02T19:00+02:00", "endDate": "2027-05", "eventStatus": "EventScheduled",
     "location": {"name": "Quay", "address": {"streetAddress": "1 Quay Street", "addressCountry": "NO"}, "geo": {"latitude": 59.91}}},
    {"@type": "JobPosting", "title": "Baker", "hiringOrganization": {"name": "Old Mill"}, "jobLocationType": "TELECOMMUTE",
     "baseSalary": {"currency": "GBP", "value": {"minValue": 20000, "maxValue": 30000, "unitText": "YEAR"}}, "datePosted": "2026"},
    {"@type": "Question", "name": "Why?", "answerCount": 2, "acceptedAnswer": {"text": "Because.", "upvoteCount": 3}},
    {"@type": "VideoObject", "name": "Film", "duration": "PT4M5S", "embedUrl": "https://v.example/1", "uploadDate": "2026-01-02"},
    {"@type": "Movie", "name": "Rivers", "director": [{"name": "Ada"}], "datePublished": "1999"},
    {"@type": "Book", "name": "On rivers", "numberOfPages": 96, "bookFormat": "https://schema.org/Hardcover"}]</script>
    <div itemscope itemtype="https://schema.org/Restaurant"><h1 itemprop=name>The Quay</h1><i itemprop=priceRange>££</i>
    <a itemprop=url href="/quay">here</a></div>"#;

fn check(json: &str, name: &str) -> Vec<String> {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/things.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    let page: Value = serde_json::from_str(json).unwrap();
    for thing in page["things"].as_array().unwrap() {
        let kind = thing["type"].as_str().unwrap();
        let of_kind = serde_json::json!({"$ref": format!("#/$defs/{kind}"), "$defs": schema["$defs"]});
        let check = jsonschema::validator_for(&of_kind).unwrap();
        let errors: Vec<String> = check.iter_errors(thing).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{name}: {kind}: {errors:?}");
        let fields = thing.as_object().unwrap().keys().filter(|k| !["type", "sources"].contains(&&k[..]));
        // `offers.price` is a source of a part.
        let sources = thing["sources"].as_object().unwrap().keys().filter(|k| !k.contains('.'));
        assert!(fields.eq(sources), "{name}: {kind} has fields without sources");
    }
    page["things"].as_array().unwrap().iter().map(|t| t["type"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn things_conform_to_their_schema() {
    let args = ["extract", "-f", "json", "--things", "--url", "https://e.org/a"];
    let mut kinds = check(&maintext_on(PAGE.as_bytes(), &args).good(), "all types");
    let expected =
        ["Book", "Event", "JobPosting", "LocalBusiness", "Movie", "Product", "Question", "Recipe", "VideoObject"];
    kinds.sort();
    assert_eq!(kinds, expected);
}

#[test]
fn things_of_all_test_pages_conform_to_their_schema() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let folder = Folder::new("schema-of-things");
    let out = folder.path("out.jsonl");
    maintext(&["batch", "-q", pages.to_str().unwrap(), "-o", &out, "--fields", "id,things"]).good();
    let rows = std::fs::read_to_string(out).unwrap();
    assert!(rows.lines().count() > 5);
    for row in rows.lines() {
        check(row, row);
    }
}
