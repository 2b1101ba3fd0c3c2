//! Recipes from declarations that are broken in the usual ways, from the visible page in several languages, and from hostile pages.
use maintext_core::things::{Thing, Value};
use maintext_core::{Extractor, Options};

fn things(html: &str) -> Vec<Thing> {
    let options = Options { things: true, url: Some("https://kitchen.example/soup".into()), ..Options::default() };
    Extractor::new(options).unwrap().extract(html).unwrap().things
}

fn recipe(html: &str) -> Thing {
    things(html).into_iter().find(|t| t.kind == "Recipe").expect("a recipe")
}

fn declared(json: &str) -> Thing {
    recipe(&format!(
        "<script type='application/ld+json'>{{\"@type\": \"Recipe\", \"name\": \"Soup\", {json}}}</script><h1>Soup</h1>"
    ))
}

/// Returns the texts of a list.
fn lines(thing: &Thing, field: &str) -> Vec<String> {
    let Some(Value::List(values)) = thing.get(field) else { return Vec::new() };
    let text = |v: &Value| match v {
        Value::Text(t) => t.clone(),
        other => panic!("{other:?}"),
    };
    values.iter().map(text).collect()
}

/// Returns the parts of a field: their names and lines.
fn parts(thing: &Thing, field: &str, of: &str) -> Vec<(String, Vec<String>)> {
    let Some(Value::List(values)) = thing.get(field) else { return Vec::new() };
    let part = |v: &Value| {
        let object = serde_json::to_value(v).unwrap();
        let texts = object[of].as_array().unwrap().iter().map(|t| t.as_str().unwrap().to_owned()).collect();
        (object["name"].as_str().unwrap_or("").to_owned(), texts)
    };
    values.iter().map(part).collect()
}

#[test]
fn all_fields_of_a_declared_recipe() {
    let soup = declared(
        r#""author": {"@type": "Person", "name": "Ada Cook"}, "image": ["/a.jpg", {"url": "/b.jpg"}], "recipeYield": "4 servings",
        "prepTime": "PT10M", "cookTime": "PT0H50M", "totalTime": "P0DT1H", "recipeCategory": ["Dinner"], "recipeCuisine": "French",
        "keywords": "soup, winter", "aggregateRating": {"ratingValue": 4.5, "ratingCount": "12"},
        "nutrition": {"@type": "NutritionInformation", "calories": "120 kcal"}, "recipeIngredient": ["1 l water"],
        "recipeInstructions": [{"@type": "HowToStep", "text": "Boil the water."}]"#,
    );
    let cases = [
        ("author", "Ada Cook"),
        ("images", "https://kitchen.example/a.jpg"),
        ("yield", "4 servings"),
        ("prep_time", "PT10M"),
        ("cook_time", "PT50M"),
        ("total_time", "PT1H"),
        ("category", "Dinner"),
        ("cuisine", "French"),
        ("rating.value", "4.5"),
        ("nutrition.calories", "120 kcal"),
        ("ingredients", "1 l water"),
        ("instructions", "Boil the water."),
    ];
    for (path, expected) in cases {
        assert_eq!(soup.text(path), Some(expected), "{path}");
    }
    assert_eq!(soup.get("review_count"), Some(&Value::Count(12)));
    assert_eq!(soup.sources["ingredients"].from, "json-ld");
    assert_eq!(soup.get("sections"), None);
    let order: Vec<_> = soup.fields.iter().map(|f| f.0).collect();
    let at = |name: &str| order.iter().position(|o| *o == name);
    assert!(at("ingredients") < at("instructions") && at("instructions") < at("nutrition"), "{order:?}");
}

#[test]
fn instructions_in_all_their_forms() {
    let expected = ["Boil the water.", "Add salt."];
    let forms = [
        r#""Boil the water.\nAdd salt.""#,
        r#""1. Boil the water. 2. Add salt.""#,
        r#""Boil the water.Add salt.""#,
        r#""<p>Boil the water.</p><p>Add salt.</p>""#,
        r#""<ol><li>Boil the <b>water</b>.</li><li>Add salt.</li></ol>""#,
        r#"["Boil the water.", "Add salt."]"#,
        r#"[["Boil the water.", "Add salt."]]"#,
        r#"["1. Boil the water.", "2) Add salt."]"#,
        r#"["Step 1", "Boil the water.", "Step 2", "Add salt.", "Advertisement"]"#,
        r#"["Step 1: Boil the water.", "Schritt 2. Add salt."]"#,
        r#"["1 Boil the water.", "2 Add salt."]"#,
        r#"[{"@type": "HowToStep", "text": "Boil the water."}, {"@type": "HowToStep", "text": "Add salt."}]"#,
        r#"[{"@type": "HowToStep", "name": "Boil the…", "text": "Boil the water."}, {"@type": "HowToStep", "name": "Add salt."}]"#,
        r#"[{"@type": "HowToStep", "name": "Step 1", "text": "Boil the&nbsp;water."},
            {"@type": "HowToStep", "name": "Soup step 2", "text": "Add salt."}]"#,
        r#"{"@type": "ItemList", "itemListElement": [{"@type": "ListItem", "text": "Boil the water."}, {"text": "Add salt."}]}"#,
        r#"[{"@type": "HowToStep", "itemListElement": [{"@type": "HowToDirection", "text": "Boil the water."}]}, "Add salt."]"#,
    ];
    let read = |form: &str| lines(&declared(&format!(r#""recipeInstructions": {form}"#)), "instructions");
    let wrong: Vec<_> = forms.iter().map(|f| (f, read(f))).filter(|(_, found)| found != &expected).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let twice = r#"["Boil the water.", "Add salt.", "Boil the water.", "Add salt."]"#;
    assert_eq!(lines(&declared(&format!(r#""recipeInstructions": {twice}"#)), "instructions"), expected);
}

#[test]
fn sections_and_groups_are_apart() {
    let cake = declared(
        r#""recipeIngredient": ["For the dough:", "200 g flour", "1 egg", "For the icing", "50 g sugar", "1 egg"],
        "recipeInstructions": [
            {"@type": "HowToSection", "name": "Dough", "itemListElement": [
                {"@type": "HowToStep", "name": "Mix", "text": "Stir flour and egg."}]},
            {"@type": "HowToSection", "name": "Icing", "itemListElement": {"@type": "HowToStep", "text": "Melt the sugar."}}]"#,
    );
    assert_eq!(lines(&cake, "ingredients"), ["200 g flour", "1 egg", "50 g sugar", "1 egg"]);
    let groups = parts(&cake, "ingredient_groups", "ingredients");
    assert_eq!(groups[0], ("For the dough".into(), vec!["200 g flour".into(), "1 egg".into()]));
    assert_eq!(groups[1].0, "For the icing");
    // The flat list holds the names of sections and steps, as a reader of the page sees them.
    assert_eq!(lines(&cake, "instructions"), ["Dough", "Mix", "Stir flour and egg.", "Icing", "Melt the sugar."]);
    let sections = parts(&cake, "sections", "steps");
    assert_eq!(sections[0], ("Dough".into(), vec!["Mix".into(), "Stir flour and egg.".into()]));
    assert_eq!(sections[1], ("Icing".into(), vec!["Melt the sugar.".into()]));
}

#[test]
fn ingredients_are_as_printed() {
    let soup = declared(
        r#""recipeIngredient": ["1 l water ((cold))", "▢ 2 onions , chopped", "- salt", "&frac12; tsp pepper", "<b>1</b> leek",
        {"@type": "PropertyValue", "name": "butter", "value": "20", "unitText": "g"}]"#,
    );
    assert_eq!(
        lines(&soup, "ingredients"),
        ["1 l water (cold)", "2 onions, chopped", "salt", "½ tsp pepper", "1 leek", "20 g butter"]
    );
}

#[test]
fn microdata_on_items_lists_and_rows() {
    let head = "<div itemscope itemtype='http://schema.org/Recipe'><h1 itemprop=name>Soup</h1>";
    let steps = "<ol itemprop=recipeInstructions><li>Boil the water.</li><li>Add salt.</li></ol></div>";
    let forms = [
        "<ul><li itemprop=recipeIngredient><span>1 l</span> <div>water</div></li><li itemprop=recipeIngredient>salt</li></ul>",
        "<ul itemprop=ingredients><li>1 l water</li><li>salt</li></ul>",
        "<p><span itemprop=ingredients>1 l water</span>, <span itemprop=ingredients>salt</span></p>",
    ];
    for form in forms {
        let soup = recipe(&format!("{head}{form}{steps}"));
        assert_eq!(lines(&soup, "ingredients"), ["1 l water", "salt"], "{form}");
        assert_eq!(lines(&soup, "instructions"), ["Boil the water.", "Add salt."], "{form}");
        assert_eq!(soup.sources["ingredients"].from, "microdata");
    }
}

/// A page without declarations, in several languages and forms of lists.
#[test]
fn the_visible_page_in_several_languages() {
    let pages = [
        (
            "Zutaten für 4 Personen",
            "Zubereitung",
            ["500 g Kartoffeln", "2 EL Öl", "Salz"],
            ["Kartoffeln schälen.", "In Öl braten."],
        ),
        (
            "Ingrédients",
            "Préparation",
            ["500 g de pommes de terre", "2 c. à s. d'huile", "sel"],
            ["Éplucher les pommes de terre.", "Cuire."],
        ),
        (
            "Ингредиенты:",
            "Приготовление",
            ["500 г картофеля", "2 ст. л. масла", "соль"],
            ["Очистить картофель.", "Жарить в масле."],
        ),
        (
            "Υλικά",
            "Εκτέλεση",
            ["500 γρ. πατάτες", "2 κ.σ. λάδι", "αλάτι"],
            ["Καθαρίζουμε τις πατάτες.", "Τηγανίζουμε."],
        ),
        (
            "材料(2人分)",
            "作り方",
            ["じゃがいも 2個", "油 大さじ2", "塩 少々"],
            ["じゃがいもの皮をむく。", "油で炒める。"],
        ),
        (
            "Malzemeler",
            "Hazırlanışı",
            ["500 gr patates", "2 kaşık yağ", "tuz"],
            ["Patatesleri soyun.", "Yağda kızartın."],
        ),
    ];
    for (of, how, ingredients, steps) in pages {
        let items = |tag: &str, of: &[&str]| of.iter().map(|l| format!("<{tag}>{l}</{tag}>")).collect::<String>();
        let rows: String = ingredients.iter().map(|l| format!("<tr><td>{l}</td></tr>")).collect();
        let forms = [
            format!(
                "<h2>{of}</h2><ul>{}</ul><h2>{how}</h2><ol>{}</ol>",
                items("li", &ingredients),
                items("li", &steps)
            ),
            format!("<h3>{of}</h3><table>{rows}</table><h3>{how}</h3>{}", items("p", &steps)),
            format!(
                "<div><b>{of}</b><br><br>{}</div><div><b>{how}</b><br><br>{}</div>",
                ingredients.join("<br>"),
                steps.join("<br>")
            ),
        ];
        for body in forms {
            let page = format!(
                "<title>Pan</title><article><h1>Pan</h1><p>My aunt made this dish every week.</p>{body}</article>\
                 <footer><h2>News</h2><p>More.</p></footer>"
            );
            let pan = recipe(&page);
            assert_eq!(lines(&pan, "ingredients"), ingredients, "{body}");
            assert_eq!(lines(&pan, "instructions"), steps, "{body}");
            assert_eq!(pan.sources["ingredients"].from, "text");
            assert_eq!(pan.text("name"), Some("Pan"));
        }
    }
}

#[test]
fn printed_lists_replace_glued_and_cut_declarations() {
    let body = "<h1>Soup</h1><h2>Ingredients</h2><ul><li>1 l water</li><li>2 onions</li><li>1 tsp salt</li><li>200 g cream</li></ul>\
        <h2>Method</h2><ol><li>Boil the water with the onions.</li><li>Add salt, then cream.</li><li>Serve in deep plates.</li></ol>";
    let page = |json: &str| {
        recipe(&format!(
            "<script type='application/ld+json'>{{\"@type\":\"Recipe\",\"name\":\"Soup\",{json}}}</script>{body}"
        ))
    };
    let printed = ["1 l water", "2 onions", "1 tsp salt", "200 g cream"];
    let steps = ["Boil the water with the onions.", "Add salt, then cream.", "Serve in deep plates."];
    for ingredients in [
        "\"1 l water 2 onions 1 tsp salt 200 g cream\"",
        "[\"1 l water\", \"2 onions\"]",
        "[\"water\", \"onions\", \"salt\", \"cream\"]",
    ] {
        let soup = page(&format!(r#""recipeIngredient": {ingredients}, "recipeInstructions": "{}""#, steps.join(" ")));
        assert_eq!(lines(&soup, "ingredients"), printed, "{ingredients}");
        assert_eq!(lines(&soup, "instructions"), steps);
        assert_eq!(soup.sources["instructions"].from, "text");
    }
    // A complete declaration stands.
    let own = page(
        r#""recipeIngredient": ["1 litre of water", "2 onions", "1 teaspoon salt", "200 g cream"],
        "recipeInstructions": ["Boil.", "Add.", "Serve."]"#,
    );
    assert_eq!(lines(&own, "ingredients")[0], "1 litre of water");
    assert_eq!(lines(&own, "instructions"), ["Boil.", "Add.", "Serve."]);
}

#[test]
fn what_stands_amid_printed_ingredients_is_left_out() {
    let steps = "<h2>Recipe</h2><ol><li>Boil the water with the onions.</li><li>Add salt and serve.</li></ol>";
    let lists = [
        "<ul><li>2</li><li>4</li><li>1 l water</li><li><a href=/n>Subscribe to our letter</a></li><li>2 onions (red)</li>\
         <li>salt</li><li>Do you want to save this list?</li></ul>",
        // The list twice, once with its spans glued.
        "<ul><li>1 l water</li><li>2 onions<i>(red)</i></li><li>salt</li></ul><ul><li>1 l water</li><li>2 onions (red)</li><li>salt</li></ul>",
        "<ul><li><span>1 l</span><span>water</span></li><li><span>2</span><b class=n>onions</b><span>(red)</span></li><li>salt</li></ul>",
    ];
    for list in lists {
        let soup = recipe(&format!("<title>Soup</title><h1>Soup</h1><div><h2>Ingredients</h2>{list}</div>{steps}"));
        assert_eq!(lines(&soup, "ingredients"), ["1 l water", "2 onions (red)", "salt"], "{list}");
        assert_eq!(lines(&soup, "instructions").len(), 2);
    }
}

#[test]
fn lists_for_more_people_do_not_replace_the_declared_one() {
    let list = |n: u32| format!("<ul><li>{n} l water</li><li>{} onions</li><li>{n} tsp salt</li></ul>", 2 * n);
    let soup = recipe(&format!(
        "<script type='application/ld+json'>{{\"@type\": \"Recipe\", \"name\": \"Soup\",
         \"recipeIngredient\": [\"1 l water\", \"2 onions\", \"1 tsp salt\"]}}</script>
         <h1>Soup</h1><h2>Ingredients</h2>{}{}{}",
        list(1),
        list(2),
        list(3)
    ));
    assert_eq!(lines(&soup, "ingredients"), ["1 l water", "2 onions", "1 tsp salt"]);
}

#[test]
fn printed_units_replace_those_of_templates() {
    let cases = [
        (["400g flour", "20ml milk", "salt"], ["400 g flour", "20 ml milk", "salt"], true),
        (["1 cup(s) flour", "2 clove(s) garlic", "salt"], ["1 cup flour", "2 cloves garlic", "salt"], true),
        // The declaration is the better one.
        (["400 g flour", "20 ml milk", "salt"], ["400g flour", "20ml milk", "salt"], false),
        (["1 cup flour", "2 cloves garlic", "salt"], ["1 cup(s) flour", "2 clove(s) garlic", "salt"], false),
    ];
    for (own, printed, is_replaced) in cases {
        let items: String = printed.iter().map(|l| format!("<li>{l}</li>")).collect();
        let dough = recipe(&format!(
            "<script type='application/ld+json'>{}</script><h1>Dough</h1><h2>Ingredients</h2><ul>{items}</ul>",
            serde_json::json!({"@type": "Recipe", "name": "Dough", "recipeIngredient": own})
        ));
        assert_eq!(lines(&dough, "ingredients"), if is_replaced { printed } else { own });
        assert_eq!(dough.sources["ingredients"].from, if is_replaced { "text" } else { "json-ld" });
    }
}

#[test]
fn pages_that_are_not_recipes_get_none() {
    let pages = [
        "<h1>Shampoo</h1><h2>Ingredients</h2><p>Aqua, sodium laureth sulfate, parfum.</p><h2>Reviews</h2><p>It is fine.</p>",
        // Lists with numbers and sentences, which no heading names.
        "<h1>Camera</h1><h2>What you need</h2><p>Light.</p><h2>In the box</h2><ul><li>1 battery, 1900 mAh<li>2 lenses<li>24 filters</ul>\
         <h2>Features</h2><ol><li>It records films without any noise.<li>It is light enough for a long walk.<li>It charges over night.</ol>",
        "<h1>Best tools of 2025</h1><h2>Payroll</h2><ul><li>$50 a month<li>$8 for each person<li>30 days free</ul>\
         <h2>How to make a choice</h2><p>Ask your team what it needs.</p><p>Compare the prices of three tools.</p>",
        "<h1>Install</h1><h2>Instructions</h2><ol><li>Download the file.</li><li>Run it.</li></ol>",
        "<h1>Recipes</h1><ul><li><a href=/a>10 soups</a></li><li><a href=/b>20 cakes</a></li><li><a href=/c>5 pies</a></li></ul>",
    ];
    for page in pages {
        assert!(things(page).iter().all(|t| t.kind != "Recipe"), "{page}");
    }
}

#[test]
fn hostile_recipes_end_soon() {
    let timer = crate::counting::Timer::start();
    let script = |json: String| {
        format!("<script type='application/ld+json'>{{\"@type\":\"Recipe\",\"name\":\"x\",{json}}}</script><p>Text.")
    };
    let many = vec!["\"1 cup flour\""; 4_000].join(",");
    let flour = recipe(&script(format!("\"recipeIngredient\":[{many}]")));
    assert!((1..=1_000).contains(&lines(&flour, "ingredients").len()));
    let deep = format!(
        "{}\"Boil.\"{}",
        "{\"@type\":\"HowToSection\",\"name\":\"s\",\"itemListElement\":[".repeat(5_000),
        "]}".repeat(5_000)
    );
    things(&script(format!("\"recipeInstructions\":[{deep}]")));
    let wide =
        vec![r#"{"@type":"HowToSection","name":"s","itemListElement":[{"@id":"a"},{"@id":"a"}]}"#; 2_000].join(",");
    let looped = format!(
        "<script type='application/ld+json'>[{{\"@type\":\"Recipe\",\"name\":\"x\",\"recipeInstructions\":{{\"@id\":\"a\"}}}},\
        {{\"@id\":\"a\",\"@type\":\"HowToSection\",\"name\":\"a\",\"itemListElement\":[{wide}]}}]</script>"
    );
    things(&looped);
    let numbers: String = (1..5_000).map(|i| format!("{}. Stir. ", i % 100)).collect();
    things(&script(format!("\"recipeInstructions\":\"{numbers}\"")));
    let visible = format!(
        "<h2>Ingredients</h2><ul>{}</ul><h2>Method</h2><ol>{}</ol>",
        "<li>1 cup flour".repeat(4_000),
        "<li>Stir it well.".repeat(4_000)
    );
    things(&visible);
    things(&"<div class='ingredients steps'><h2>Ingredients</h2><p>1 cup<h3>Method</h3><p>Stir it.".repeat(2_000));
    things(&"<ul class=ingredient><li>".repeat(8_000));
    things(&"<div itemscope itemtype=https://schema.org/Recipe><div itemprop=recipeInstructions><p>a".repeat(2_000));
    things(&format!(
        "<div itemscope itemtype=https://schema.org/Recipe>{}",
        "<b itemprop=recipeIngredient>1 cup <p>".repeat(8_000)
    ));
    assert!(timer.seconds() < 60, "{} s", timer.seconds());
}
