//! Things that pages show without declaring them, and declarations that do not describe the page.
use maintext_core::things::{Thing, Value};
use maintext_core::{Extractor, Options};

fn things_at(url: &str, html: &str) -> Vec<Thing> {
    let options = Options { things: true, url: Some(url.into()), ..Options::default() };
    Extractor::new(options).unwrap().extract(html).unwrap().things
}

fn of<'a>(things: &'a [Thing], kind: &str) -> &'a Thing {
    things.iter().find(|t| t.kind == kind).unwrap_or_else(|| panic!("no {kind} in {things:?}"))
}

fn kinds(things: &[Thing]) -> Vec<&str> {
    things.iter().map(|t| &t.kind[..]).collect()
}

/// The questions with their answers, one a line.
fn questions(things: &[Thing]) -> Vec<String> {
    let Some(Value::List(values)) = of(things, "FAQPage").get("questions") else { panic!("no questions") };
    let line = |v: &Value| {
        let v = serde_json::to_value(v).unwrap();
        format!("{} | {}", v["name"].as_str().unwrap(), v["accepted_answer"]["text"].as_str().unwrap_or("-"))
    };
    values.iter().map(line).collect()
}

#[test]
fn details_with_questions() {
    let html = "<title>Kettles</title><nav><a href=/>Home</a></nav><main><h1>The quiet kettle</h1>
        <p>It holds two litres, and it whistles only when you ask it to. The handle stays cool on every stove that we tried.</p>
        <h2>Good to know</h2>
        <details class=item><summary>Does it work on induction?</summary><p>Yes, on all plates.</p></details>
        <details class=item><summary>How do I clean it?</summary><p>With vinegar.</p><ul><li>Once a month</li></ul></details>
        <details class=item><summary>Can I return it?</summary><p>Within 30 days.</p></details>
        <h2>More kettles</h2><p>See our other models, which boil faster and weigh less.</p></main>";
    let expected = [
        "Does it work on induction? | Yes, on all plates.",
        "How do I clean it? | With vinegar. Once a month",
        "Can I return it? | Within 30 days.",
    ];
    assert_eq!(questions(&things_at("https://shop.example/kettle", html)), expected);
}

#[test]
fn headings_below_an_announcement_in_russian() {
    let html = "<html lang=ru><title>Доставка</title><h1>Доставка мебели</h1>
        <p>Мы доставляем мебель по всей области и собираем её у вас дома в удобное для вас время.</p>
        <h2>Частые вопросы</h2><h3>Сколько стоит доставка?</h3><p>Доставка бесплатна.</p>
        <h3>Можно ли вернуть товар?</h3><p>Да, в течение двух недель.</p><h3>Условия оплаты</h3><p>Картой или наличными.</p>
        <h2>Контакты</h2><p>Звоните нам каждый день.</p>";
    let found = questions(&things_at("https://mebel.example/dostavka", html));
    assert_eq!(
        found,
        [
            "Сколько стоит доставка? | Доставка бесплатна.",
            "Можно ли вернуть товар? | Да, в течение двух недель.",
            "Условия оплаты | Картой или наличными."
        ]
    );
}

#[test]
fn terms_in_japanese() {
    let html = "<html lang=ja><title>よくある質問</title><h1>よくある質問</h1><dl><dt>送料はいくらですか？</dt><dd>全国一律500円です。</dd>
        <dt>返品できますか？</dt><dd>到着後7日以内であれば可能です。</dd></dl>";
    let found = questions(&things_at("https://mise.example/faq", html));
    assert_eq!(
        found,
        ["送料はいくらですか？ | 全国一律500円です。", "返品できますか？ | 到着後7日以内であれば可能です。"]
    );
}

#[test]
fn articles_and_interviews_are_no_lists_of_questions() {
    let part = "<p>The river rose for three days, and nobody in the valley could say why it stopped on the fourth morning.</p>";
    let article = format!(
        "<title>The flood</title><article><h1>The flood</h1>{part}<h2>Why did it rain so long?</h2>{part}
        <h2>Who paid for the dam?</h2>{part}<h2>What happens next?</h2>{part}</article>"
    );
    assert!(!kinds(&things_at("https://paper.example/flood", &article)).contains(&"FAQPage"));
    let buttons = "<title>Desk</title><h1>Desk</h1><p>A desk with many parts, each of which you may choose.</p>"
        .to_owned()
        + &"<button>How do I choose?</button><p>Take the one that fits.</p>".repeat(5);
    assert!(!kinds(&things_at("https://shop.example/desk", &buttons)).contains(&"FAQPage"));
}

#[test]
fn a_report_is_not_an_event() {
    let html = "<title>Fair closes</title><article><h1>Fair closes after a record year</h1><p>Published 3 May 2025, 10:00</p>
        <p>The fair closed its gates on Sunday. Forty thousand people came, more than ever before, and most of them stayed late.</p></article>";
    assert_eq!(kinds(&things_at("https://paper.example/events/fair-closes", html)), [] as [&str; 0]);
}

#[test]
fn an_episode_with_its_transcript() {
    let said = "We walk along the dike and ask the keeper about the winter of the great flood. ".repeat(4);
    let html = format!(
        "<html lang=de><title>Folge 12: Am Deich</title><main><h1>Folge 12: Am Deich</h1><audio controls><source src='/f12.mp3'></audio>
        <p>Folge laden (Dauer: 1:04:00 — 30 MB)</p><p>Wir gehen mit der Kamera den Deich entlang und reden über den Winter der großen Flut.</p>
        <h2>Transkript</h2><p>{said}</p><p>{said}</p><h2>Links</h2><p>Mehr über den Deich steht in der Zeitung.</p></main>"
    );
    let things = things_at("https://deich.example/folge-12", &html);
    let episode = of(&things, "PodcastEpisode");
    assert_eq!(episode.text("media"), Some("https://deich.example/f12.mp3"));
    assert_eq!(episode.text("duration"), Some("PT1H4M"));
    let transcript = episode.text("transcript").unwrap();
    assert!(transcript.starts_with("We walk along") && !transcript.contains("Zeitung"), "{transcript}");
}

#[test]
fn a_clip_in_a_report_is_not_its_main_thing() {
    let html = "<title>Lock reopens</title><article><h1>The old lock reopens</h1><p>After two years of work the lock is open again, and the
        first boats passed on Monday.</p><iframe src='https://www.youtube.com/embed/abcdefghijk'></iframe><p>The town paid for the gates, the
        county for the walls.</p></article>";
    assert_eq!(kinds(&things_at("https://paper.example/lock", html)), [] as [&str; 0]);
}

#[test]
fn a_declared_question_gets_the_answers_that_the_page_shows() {
    let post = |author: &str, date: &str, class: &str, text: &str| {
        format!(
            "<div class='post {class}'><div class=head><a class=author href='/u/{author}'>{author}</a> <time datetime='{date}'>{date}</time></div>
            <div class=body><p>{text}</p></div></div>"
        )
    };
    let declared = r#"<script type="application/ld+json">{"@type": "QAPage", "mainEntity": {"@type": "Question",
        "name": "¿Cómo afilo un cuchillo?", "author": {"@type": "Person", "name": "marta"}}}</script>"#;
    let html = format!(
        "<html lang=es><title>¿Cómo afilo un cuchillo?</title>{declared}<main><h1>¿Cómo afilo un cuchillo?</h1>{}{}{}</main>",
        post(
            "marta",
            "2025-02-01T10:00:00Z",
            "",
            "Tengo un cuchillo viejo que ya no corta nada, y no quiero comprar otro. ¿Qué piedra me recomendáis?"
        ),
        post(
            "luis",
            "2025-02-01T11:00:00Z",
            "",
            "Yo lo llevo a un taller del barrio, que lo hace por poco dinero y en un par de días."
        ),
        post(
            "irene",
            "2025-02-02T09:30:00Z",
            "accepted-answer",
            "Usa una piedra de grano mil y mantén siempre el mismo ángulo, sin prisa y con agua."
        )
    );
    let things = things_at("https://foro.example/preguntas/77", &html);
    let question = of(&things, "Question");
    assert_eq!(question.text("author"), Some("marta"));
    assert_eq!(question.text("accepted_answer.author"), Some("irene"));
    assert_eq!(question.text("answers.author"), Some("luis"));
}

#[test]
fn declarations_are_checked_merged_and_ordered() {
    let html = r#"<title>Night of lights</title><script type="application/ld+json">[
        {"@type": "Organization", "name": "Town hall", "url": "https://town.example/"},
        {"@type": "WebSite", "name": "Town"},
        {"@type": "Event", "name": "Night of lights", "startDate": "2025-05-13T18:00", "endDate": "2025-05-13T06:00", "performer": "Organization",
         "location": {"@type": "Place", "name": "Harbour", "address": "Quay 1, Town"}}]</script>
        <main itemscope itemtype="https://schema.org/Event"><h1 itemprop=name>Night of lights</h1>
        <time itemprop=startDate datetime="2025-05-13">13 May</time><p itemprop=organizer>Harbour club</p></main>"#;
    let things = things_at("https://town.example/lights", html);
    assert_eq!(kinds(&things), ["Event"]);
    let event = &things[0];
    assert_eq!(event.text("start"), Some("2025-05-13T18:00"));
    assert_eq!(event.get("end"), None);
    assert_eq!(event.get("performers"), None);
    assert_eq!(event.text("organizer"), Some("Harbour club"));
    assert_eq!(event.sources["organizer"].from, "microdata");
    assert_eq!(event.text("place.address.street"), Some("Quay 1, Town"));
}

#[test]
fn events_on_a_list_stay_several_and_related_ones_are_left_out() {
    let event = |n: u32| {
        format!(
            r#"{{"@type": "Event", "name": "Walk {n}", "startDate": "2025-06-0{n}", "url": "https://town.example/walk-{n}"}}"#
        )
    };
    let events = (1..=3).map(event).collect::<Vec<_>>().join(",");
    let list = format!(
        r#"<title>Walks</title><h1>Walks</h1><script type="application/ld+json">[{events}]</script><p>All our walks.</p>"#
    );
    assert_eq!(kinds(&things_at("https://town.example/walks", &list)), ["Event"; 3]);
    let article = format!(
        r#"<title>The mayor resigns</title><h1>The mayor resigns</h1><script type="application/ld+json">[
        {{"@type": "NewsArticle", "headline": "The mayor resigns"}},{events}]</script><p>She said so on Monday.</p>"#
    );
    assert_eq!(kinds(&things_at("https://town.example/mayor", &article)), [] as [&str; 0]);
}

#[test]
fn a_page_about_a_person_keeps_the_person() {
    let html = r#"<title>Ada Berg</title><h1>Ada Berg</h1><script type="application/ld+json">[
        {"@type": "Organization", "name": "Institute"}, {"@type": "Person", "name": "Ada Berg", "jobTitle": "Glaciologist", "email": "mailto:ada@institute.example"}]</script>
        <p>Ada Berg measures glaciers in summer and teaches in winter.</p>"#;
    let things = things_at("https://institute.example/people/ada-berg", html);
    assert_eq!(kinds(&things), ["Person"]);
    assert_eq!(things[0].text("job_title"), Some("Glaciologist"));
    assert_eq!(things[0].text("email"), Some("ada@institute.example"));
}

#[test]
fn a_button_that_buys_does_not_make_a_page_a_product() {
    let report = "<title>Snow report</title><main><h1>Snow report</h1><p>Buy your day ticket online and save.</p>
        <a href=/tickets class=button>Buy now</a><table><tr><td>North lift<td>Open<tr><td>South lift<td>Closed</table></main>";
    assert!(!kinds(&things_at("https://ski.example/snow-report", report)).contains(&"Product"));
    let kettle = "<meta property=og:type content=product><title>Kettle</title><main class=product><h1>Kettle</h1>
        <p class=price>$19.90</p><button>Add to cart</button><p>SKU: K-100-20</p><p>In stock</p>
        <p>It holds two litres and switches itself off.</p></main>";
    assert_eq!(
        of(&things_at("https://shop.example/product/kettle-100", kettle), "Product").text("name"),
        Some("Kettle")
    );
}
