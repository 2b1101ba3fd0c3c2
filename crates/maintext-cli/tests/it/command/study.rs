//! `maintext inspect` and `train`.
use super::{Folder, maintext};
use std::fs;

/// Returns a set of labelled pages from invented sites, with menus around paragraphs.
fn set() -> String {
    let mut out = String::new();
    for i in 0..80 {
        let menu: String =
            (0..12).map(|j| format!("<li><a href='/section-{j}/index.html'>Part {j}</a></li>\n")).collect();
        let words =
            |p: usize| format!("Paragraph {p} of story {i} tells what happened, at some length, and who saw it.");
        let story: String = (0..5).map(|p| format!("<p>{}</p>\n", words(p))).collect();
        let gold: Vec<String> = (0..5).map(words).collect();
        let page = serde_json::json!({
            "id": format!("p{i}"), "site": format!("site-{}.example", i / 2), "page_type": "article",
            "html": format!("<body>\n<ul>\n{menu}</ul>\n{story}<ul>\n{menu}</ul>\n</body>"), "text": gold.join("\n"),
        });
        out.push_str(&page.to_string());
        out.push('\n');
    }
    out
}

#[test]
fn inspect_writes_a_table_a_plot_and_the_page_in_colours() {
    let dir = Folder::new("inspect");
    let file = |name: &str| dir.path(name);
    let (csv, svg, html) = (file("t.csv"), file("t.svg"), file("t.html"));
    let page = "examples/news-en.html";
    let args = ["inspect", "--method", "line-density", "--csv", &csv, "--plot", &svg, "--html", &html, page];
    let out = maintext(&args).good();
    assert!(out.contains("line-density: ") && out.contains("threshold 0.500"));
    assert!(!out.contains('\x1b'), "colours are for terminals only");
    let head = "number,bytes,chars,density,score,probability,kept,role,role_probability,why,text\r\n";
    assert!(fs::read_to_string(&csv).unwrap().starts_with(head));
    assert!(fs::read_to_string(&svg).unwrap().starts_with("<svg"));
    assert!(fs::read_to_string(&html).unwrap().contains("<maintext-kept title="));
    let out = maintext(&["inspect", "examples/product.html"]).good();
    let title = out.lines().find(|line| line.contains("Brindle Stovetop Kettle, 1.2 litres")).unwrap();
    assert!(title.contains(" + title "), "{title}");
    assert_eq!(maintext(&["inspect", "--method", "text-density", "--k", "2", page]).status, Some(2));
    assert_eq!(maintext(&["inspect", "--plot", "x.png", page]).status, Some(2));
}

#[test]
fn corrected_labels_are_not_overwritten() {
    let dir = Folder::new("inspect-labels");
    let labels = dir.path("page.labels");
    let args = ["inspect", "--method", "markup-ratio", "--labels", &labels, "examples/news-en.html"];
    maintext(&args).good();
    fs::write(&labels, "corrected").unwrap();
    let run = maintext(&args);
    assert!(run.status == Some(2) && run.stderr.contains("exists already; replace it with --overwrite"), "{run:?}");
    assert_eq!(dir.read("page.labels"), "corrected");
    maintext(&[&args[..], &["--overwrite"]].concat()).good();
    assert!(dir.read("page.labels").len() > 100);
}

#[test]
fn training_is_deterministic_and_a_model_fits_only_its_method() {
    let dir = Folder::new("train");
    let file = |name: &str| dir.path(name);
    let (data, a, b) = (file("pages.jsonl"), file("a.json"), file("b.json"));
    fs::write(&data, set()).unwrap();
    let train = |out: &str| maintext(&["train", "line-density", "--data", &data, "--out", out]).good();
    assert!(train(&a).contains("test, lines with text: false positives 0.00 %, misses 0.00 %"));
    train(&b);
    assert_eq!(fs::read(&a).unwrap(), fs::read(&b).unwrap());
    let page = file("page.html");
    fs::write(&page, "<ul><li><a href='/section-1/index.html'>Part 1</a></ul><p>What happened here was told at length by all who saw it happen, and then some more was told.").unwrap();
    let out = maintext(&["extract", "--method", "line-density", "--model", &a, "--fdr", "0.2", &page]).good();
    assert!(out.contains("What happened") && !out.contains("Part 1"));
    let wrong = maintext(&["extract", "--method", "markup-ratio", "--model", &a, &page]);
    assert_eq!(wrong.status, Some(2));
    assert!(wrong.stderr.contains("the model is for the method 'line-density', not for 'markup-ratio'"), "{wrong:?}");
    let whole = fs::read(&a).unwrap();
    fs::write(&b, &whole[..whole.len() / 2]).unwrap();
    let cut = maintext(&["extract", "--method", "line-density", "--model", &b, &page]);
    assert!(cut.status == Some(2) && cut.stderr.contains("cut short"), "{cut:?}");
}

#[test]
fn extract_and_batch_use_a_site_model() {
    let folder = Folder::new("site-model");
    // The readers' letters look like the articles of the site.
    let story = |k: usize| {
        let p = |what: &str, n: usize| {
            format!("<p>{what} {n} of page {k} tells, at some length, of herons, of a fox, and of swallows.</p>")
        };
        let story: String = (0..5).map(|n| p("Paragraph", n)).collect();
        let letters: String = (0..6).map(|n| p("Letter", n)).collect();
        format!("<body><div class=qx-main><h1>Page {k}</h1>{story}</div><div class=qx-post>{letters}</div>")
    };
    let lesson = |k| {
        let (html, labels) = (story(k), (6..12).map(|block| (block, false)).collect());
        maintext_learn::site::TaughtPage { html, labels }
    };
    let base = maintext_core::model::Model::shipped().unwrap();
    let taught = maintext_learn::site::teach(&base, &[lesson(0), lesson(1), lesson(2)]);
    let model = folder.write("e.org.mtx", taught.model.to_bytes());
    let page = folder.write("page.html", story(7));
    let plain = maintext(&["extract", &page]).good();
    let own = maintext(&["extract", "--model", &model, &page]).good();
    assert!(plain.contains("Letter 2") && own.contains("Paragraph 2") && !own.contains("Letter 2"), "{plain}\n{own}");
    let batch = maintext(&["batch", "-q", &page, "-o", "-", "--fields", "text", "--model", &model]).good();
    assert!(batch.contains("Paragraph 2") && !batch.contains("Letter 2"), "{batch}");
    let other = maintext(&["extract", "--method", "line-blocks", "--model", &model, &page]);
    assert_eq!(other.status, Some(2), "{other:?}");
    assert!(other.stderr.contains("the method 'line-blocks' has no parameter 'model'"), "{other:?}");
    let cut = folder.write("cut.mtx", &taught.model.to_bytes()[..1000]);
    let cut = maintext(&["extract", "--model", &cut, &page]);
    assert!(cut.status == Some(2) && cut.stderr.contains("the model file is cut short or damaged"), "{cut:?}");
}
