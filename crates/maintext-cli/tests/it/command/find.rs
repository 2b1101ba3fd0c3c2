//! Tests of `extract --find` and `extract --since`.
use crate::command::{Folder, maintext};
use serde_json::Value;

const GUIDE: &str = "<html lang=en><head><title>Guide</title></head><body><nav><a href=/>Home</a></nav><article><h1>Guide</h1>
<p>The ferry leaves at nine, and it returns in the evening. Nobody has to book, as there is room for all. Bring a coat, since the deck is cold.</p>
<h2>Prices</h2><p>Tickets are sold on board, and cards are accepted. An adult pays four pounds, and a child pays two pounds for both ways.</p>
<h2>Dogs</h2><p>They are welcome on the lower deck, and they travel free of charge. Keep them on a lead at all times.</p></article></body></html>";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn passages_have_a_place_a_score_and_a_link() {
    let folder = Folder::new("find-page");
    let page = folder.write("guide.html", GUIDE);
    let find = |more: &[&str]| {
        let args = ["extract", "--find", "What does a ticket cost?", "--url", "https://e.org/guide", "--size", "30"];
        maintext(&[&args[..], more, &[&page]].concat()).good()
    };
    let text = find(&[]);
    assert!(text.starts_with("1. Guide > Prices (score "), "{text}");
    let score = json(&find(&["-f", "json"]))["passages"][0]["score"].as_f64().unwrap();
    assert!(text.contains(&format!("(score {score:.2}, ")), "the format changes the score {score}: {text}");
    assert!(text.contains("\n   https://e.org/guide#:~:text=Tickets%20are%20sold%20on,"), "{text}");
    let markdown = find(&["-f", "markdown", "--find-limit", "1"]);
    assert!(markdown.starts_with("**1. [Guide > Prices](https://e.org/guide#:~:text="), "{markdown}");
    let found = json(&find(&["-f", "json", "--find-tokens", "12"]));
    assert_eq!((&found["passages"][0]["cut"], &found["pages"]), (&true.into(), &1.into()), "{found}");
    assert!(found["tokens"].as_u64().unwrap() <= 12, "{found}");
    let out = folder.path("answer.json");
    assert_eq!(find(&["-f", "json", "--compact", "-o", &out]), "");
    assert_eq!(json(&folder.read("answer.json"))["question"], "What does a ticket cost?");
}

#[test]
fn several_inputs_and_earlier_results_are_searched_together() {
    let folder = Folder::new("find-rows");
    let page = folder.write("guide.html", GUIDE);
    let other = folder.write("other.html", GUIDE.replace("Dogs", "Cats").replace("They are", "Cats are"));
    let result = folder.path("guide.json");
    maintext(&["extract", "-f", "json", "-o", &result, &page]).good();
    for (name, more) in
        [("a.jsonl", &[][..]), ("b.parquet", &[]), ("c.jsonl.zst", &["--rows", "chunks", "--size", "30"])]
    {
        let rows = folder.path(name);
        assert_eq!(maintext(&[&["batch", &page, "-o", &rows], more].concat()).status, Some(0));
        let found = maintext(&["extract", "--find", "Are dogs welcome?", "--size", "30", "-f", "json", &rows, &other]);
        let found = json(&found.good());
        assert!(found["passages"][0]["text"].as_str().unwrap().contains("They are welcome"), "{name} {found}");
    }
    let found = json(&maintext(&["extract", "--find", "dogs", "--size", "30", "-f", "json", &result]).good());
    assert_eq!(found["passages"][0]["headings"][1], "Dogs", "{found}");
    // The index of a folder names the files that hold the pages.
    std::fs::create_dir_all(folder.path("site")).unwrap();
    folder.write("site/guide.md", "# Guide\n\nDogs are welcome on the lower deck.\n");
    let index = folder.write("site/index.jsonl", "{\"id\": \"https://e.org/guide\", \"file\": \"guide.md\"}\n");
    let found = json(&maintext(&["extract", "--find", "dogs", "-f", "json", &index]).good());
    assert_eq!(found["passages"][0]["id"], "https://e.org/guide", "{found}");
    let outside = folder.write("site/outside.jsonl", "{\"id\": \"x\", \"file\": \"../guide.html\"}\n");
    let run = maintext(&["extract", "--find", "dogs", &outside]);
    assert!(run.status == Some(1) && run.stderr.contains("'../guide.html' is not a file of this folder"), "{run:?}");
    let broken =
        folder.write("broken.jsonl", "{\"text\": \"Dogs sleep.\"}\n[1]\n{\"id\": \"x\", \"error\": \"gone\"}\n");
    let run = maintext(&["extract", "--find", "dogs", &broken]);
    assert_eq!(run.status, Some(1), "{run:?}");
    assert!(run.stdout.contains("Dogs sleep.") && run.stderr.contains("line 2: not a result"), "{run:?}");
    assert!(run.stderr.contains("x: the row holds no page: gone"), "{run:?}");
}

#[test]
fn flags_that_cannot_have_an_effect_are_refused() {
    let folder = Folder::new("find-flags");
    let page = folder.write("guide.html", GUIDE);
    for (args, part) in [
        (&["--find", "?"][..], "--find: the question holds no word"),
        (&["--find", "a", "-f", "html"], "--find writes -f text, markdown or json"),
        (&["--find-tokens", "3"], "--find-tokens has no effect without --find"),
        (&["--size", "3"], "--size has no effect without --chunks or --find"),
        (&["--since", "none.html"], "--since: none.html: no such file"),
        (&["--since", &page, "-f", "html"], "--since writes changes as -f text"),
    ] {
        let run = maintext(&[&["extract"], args, &[&page]].concat());
        assert_eq!(run.status, Some(2), "{args:?} {run:?}");
        assert!(run.stderr.contains(part), "{args:?} {run:?}");
    }
}

#[test]
fn changes_since_an_earlier_page_or_result() {
    let folder = Folder::new("since-file");
    let before = folder.write("before.html", GUIDE);
    let after =
        GUIDE.replace("at nine", "at ten").replace(">Home<", ">Start<").replace("<h2>Dogs</h2>", "<h2>Cats</h2>");
    let after = folder.write("after.html", &after);
    let result = folder.path("before.json");
    maintext(&["extract", "-f", "json", "-o", &result, &before]).good();
    for since in [&before, &result] {
        let text = maintext(&["extract", "--since", since, &after]).good();
        let lines: Vec<String> = text.lines().map(|l| l.chars().take(27).collect()).collect();
        assert_eq!(lines, ["- The ferry leaves at nine,", "+ The ferry leaves at ten, ", "- Dogs", "+ Cats"], "{text}");
        let found = json(&maintext(&["extract", "--since", since, "-f", "json", &after]).good());
        assert_eq!((&found["edited"], &found["new"], &found["gone"]), (&1.into(), &1.into(), &1.into()), "{found}");
        assert_eq!(maintext(&["extract", "--since", since, &before]).good(), "not changed\n");
    }
    let lines = folder.write("lines.txt", "One.\nTwo is here.\n");
    let longer = folder.write("longer.html", "<p>One.</p><p>Two is here.</p><p>Three more.</p>");
    assert_eq!(maintext(&["extract", "--since", &lines, &longer]).good(), "+ Three more.\n");
}
