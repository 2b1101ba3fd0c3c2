//! Tests of `maintext batch --sites`.
use crate::command::batch::{lines, records};
use crate::command::{Folder, maintext};
use serde_json::{Value, json};

const SENTENCES: [&str; 6] = [
    "The ferry leaves the island at nine, and comes back in the evening with the last of the carts.",
    "A keeper counts the seals on the northern rocks every spring, before the pups are born.",
    "In the winter of the great ice, people walked across the bay and carried the post by hand.",
    "The school moved into the old net loft, which has thick walls and a view of the harbour.",
    "Two boats were built this year, the first since the yard changed its owner.",
    "Nobody remembers who planted the orchard behind the chapel, but its pears win prizes.",
];
const APPEAL: &str = "We are a small paper that lives from its readers, and every letter that we print costs us money.";

/// A page whose last passage could be content: only the other pages of the host show that it is not.
fn page(host: &str, i: usize) -> Value {
    let (text, more) = (SENTENCES[i % 6], SENTENCES[(i + 1) % 6]);
    let html = format!(
        "<script></script><nav><a href=/>Home</a></nav><h1>Part {i}</h1><div class=a><p>{text}</p><p>Then: {more}</p></div>\
         <div class=about><p>{APPEAL} <a href=/about>More about us</a></p></div>"
    );
    json!({"id": format!("{host}-{i}"), "url": format!("https://{host}/{i}"), "html": html})
}

#[test]
fn text_that_the_pages_of_a_host_share_is_dropped() {
    let folder = Folder::new("batch-sites");
    let mut pages: Vec<Value> = (0..6).map(|i| page(if i == 3 { "www.paper.test" } else { "paper.test" }, i)).collect();
    // A host of two pages, and a page without an address.
    pages.extend((0..2).map(|i| page("two.test", i)));
    pages.push(json!({"id": "none", "html": page("paper.test", 0)["html"]}));
    folder.write("in.jsonl", lines(&pages));
    let input = folder.path("in.jsonl");
    let run = |args: &[&str]| maintext(&[&["batch", "-q", &input, "-o", "-"], args].concat()).good();
    let with_appeal = |output: &str| -> Vec<String> {
        let has = |row: &&Value| row["text"].as_str().unwrap().contains(APPEAL);
        records(output).iter().filter(has).map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(with_appeal(&run(&[])).len(), 9);
    let beside = run(&["--sites"]);
    assert_eq!(with_appeal(&beside), ["two.test-0", "two.test-1", "none"]);
    assert!(records(&beside).iter().all(|row| SENTENCES.iter().any(|s| row["text"].as_str().unwrap().contains(s))));
    // The result depends neither on the threads nor on the order of the pages.
    pages.reverse();
    folder.write("backwards.jsonl", lines(&pages));
    let backwards = maintext(&["batch", "-q", &folder.path("backwards.jsonl"), "-o", "-", "--sites", "-j", "1"]).good();
    let mut rows = records(&backwards);
    rows.reverse();
    assert_eq!(rows, records(&beside));
}

#[test]
fn inputs_that_cannot_be_read_twice_are_refused() {
    let folder = Folder::new("batch-sites-wrong");
    folder.write("in.jsonl", lines(&[page("paper.test", 0)]));
    let (input, out) = (folder.path("in.jsonl"), folder.path("out.jsonl"));
    let urls = folder.write("in.urls", "https://paper.test/\n");
    for (args, message) in [
        (vec!["batch", "-", "-o", &out, "--sites"], "standard input"),
        (vec!["batch", &urls, "-o", &out, "--sites"], "lists of addresses"),
        (vec!["batch", &input, "-o", &out, "--sites", "--method", "line-blocks"], "the method 'learned'"),
    ] {
        let run = maintext(&args);
        assert_eq!(run.status, Some(2), "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{args:?}: {}", run.stderr);
        assert!(!std::path::Path::new(&out).exists());
    }
}
