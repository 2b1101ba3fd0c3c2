//! `cargo xtask measure`, and the classifier that no command trains.
use maintext_core::page_type::svm::Svm;
use maintext_lab::svm;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;

/// A temporary folder for one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("maintext-lab-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, lines: impl Iterator<Item = Value>) -> String {
        std::fs::write(self.0.join(name), lines.map(|line| format!("{line}\n")).collect::<String>()).unwrap();
        self.path(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns what the program prints, or its message if it fails.
fn measure(args: &[&str]) -> Result<String, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_maintext-lab")).args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

fn rows(args: &[&str]) -> Value {
    serde_json::from_str(&measure(args).unwrap()).unwrap()
}

/// Returns labelled pages of invented sites, with menus around paragraphs.
fn stories() -> impl Iterator<Item = Value> {
    let menu: String = (0..12).map(|j| format!("<li><a href='/section-{j}/index.html'>Part {j}</a></li>\n")).collect();
    (0..80).map(move |i| {
        let words =
            |p: usize| format!("Paragraph {p} of story {i} tells what happened, at some length, and who saw it.");
        let story: String = (0..5).map(|p| format!("<p>{}</p>\n", words(p))).collect();
        let gold: Vec<String> = (0..5).map(words).collect();
        json!({
            "id": format!("p{i}"), "site": format!("site-{}.example", i / 2), "page_type": "article",
            "html": format!("<body>\n<ul>\n{menu}</ul>\n{story}<ul>\n{menu}</ul>\n</body>"), "text": gold.join("\n"),
        })
    })
}

fn list(mark: &str) -> String {
    let entry = |i: usize| {
        format!(
            "<article><h2><a href='/news/story-{i}'>What happened on {mark} {i} of the year</a></h2>\
             <p>It was seen by many, told by more, and is written down here at last in one long sentence.</p></article>"
        )
    };
    let entries: String = (1..9).map(entry).collect();
    let menu = "<nav><a href=/>Home</a> <a href=/about>About</a> <a href=/contact>Contact</a></nav>";
    format!(
        "<title>News</title><body>{menu}<main>{entries}</main><p class=pagination><b>1</b> <a href='?page=2'>2</a></p></body>"
    )
}

fn article(mark: &str) -> String {
    format!(
        "<title>About {mark}</title><body><nav><a href=/>Home</a> <a href=/b>More</a></nav><article>\
         <p>The first paragraph of this page speaks of {mark}, at some length, so that it is told from the menu.</p>\
         <p>The second one does the same: it is long enough, it has commas, and it ends <a href=\"c\">here</a>.</p></article>"
    )
}

/// Returns thirty sites with one list page and two articles each.
fn kinds() -> impl Iterator<Item = Value> {
    (0..30).flat_map(|site| {
        (0..3).map(move |kind| {
            let (html, page_type) = match kind {
                0 => (list(&format!("day {site} and")), "listing"),
                _ => (article(&format!("herons {site} {kind}")), "article"),
            };
            json!({"id": format!("{site}-{kind}"), "site": format!("s{site}.example.org"), "html": html,
                "page_type": page_type, "text": "What happened"})
        })
    })
}

#[test]
fn methods_are_measured_and_cross_validated() {
    let folder = Folder::new("methods");
    let (data, said) = (folder.write("pages.jsonl", stories()), folder.path("said"));
    let rows = rows(&["--data", &data, "--method", "line-density", "--predictions", &said, "-f", "json"]);
    assert_eq!((rows[0]["pages"].as_u64(), rows[0]["words"]["f1"].as_f64()), (Some(80), Some(1.0)));
    assert_eq!(rows[1]["page_type"], "article");
    let lines = std::fs::read_to_string(folder.path("said/pages/line-density.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 80);
    let out = measure(&["--data", &data, "--method", "line-density", "--cross-validate", "4"]).unwrap();
    assert!(out.contains("line-density --classifier perceptron"), "{out}");
    let bad = folder.write("bad.jsonl", std::iter::once(json!({"id": "x"})));
    assert!(measure(&["--data", &bad]).unwrap_err().contains("line 1: page 'x' has neither"));
}

#[test]
fn page_types_have_a_confusion_matrix() {
    let folder = Folder::new("kinds");
    let data = folder.write("pages.jsonl", kinds());
    let table = measure(&["--data", &data, "--page-type"]).unwrap();
    let heads = ["pages:\n\ntruth \\ answer", "\nset    pages   kind  list or not\n"];
    assert!(table.starts_with(heads[0]) && table.contains(heads[1]), "{table}");
    let told = |more: &[&str]| {
        let set = rows(&[&["--data", &data, "--page-type", "-f", "json"], more].concat())["page_type"][0].clone();
        let matrix: Vec<Vec<u64>> = serde_json::from_value(set["matrix"].clone()).unwrap();
        assert_eq!((set["pages"].as_u64(), matrix.iter().flatten().sum::<u64>()), (Some(90), 90));
        set["list_accuracy"].as_f64().unwrap()
    };
    told(&[]);
    // The content model and the classifier for each part are trained on the other parts.
    assert!(told(&["--cross-validate", "5"]) > 0.95);
    let four = measure(&["--data", &data, "--entries", "--cross-validate", "4"]).unwrap_err();
    assert!(four.contains("in 5 parts only"), "{four}");
}

#[test]
fn fields_are_measured_with_and_without_cross_validation() {
    let folder = Folder::new("fields");
    let page = |i: usize| {
        let (title, day) = (format!("Walk number {i}"), format!("2024-05-{:02}", i % 28 + 1));
        let html = format!(
            "<title>{title} | Paper</title><h1>{title}</h1><p>By <a rel=author>Jane Doe</a></p><time datetime={day}>d</time>\
             <p>We left early, and the road was empty. Nobody spoke until the hills.</p>"
        );
        json!({"id": i.to_string(), "site": format!("{i}.example"), "html": html, "title": title, "author": "Jane Doe", "date": day})
    };
    let set = folder.write("walks.jsonl", (0..40).map(page));
    for more in [&[][..], &["--cross-validate", "2"]] {
        let rows = rows(&[&["--data", &set, "--fields", "title,author,date", "-f", "json"], more].concat());
        for field in ["title", "author", "author_any", "author_set", "date"] {
            assert_eq!(rows[0][field]["of"], 40);
            assert!(rows[0][field]["hits"].as_u64() >= Some(36), "{field} {more:?}: {rows}");
        }
    }
    assert!(measure(&["--data", &set, "--fields", "title,colour"]).is_err());
}

#[test]
fn the_published_classifier_of_lists_is_trained() {
    let folder = Folder::new("svm");
    let samples = svm::samples(&[folder.write("pages.jsonl", kinds()).into()]).unwrap();
    let train = || svm::train(&samples, &svm::published_grid(), &|_| ()).unwrap();
    let (one, other) = (train(), train());
    assert!(one.report().contains("<- chosen") && one.report().contains("accuracy 1.0000"), "{}", one.report());
    let file = one.svm.to_json();
    assert_eq!(file, other.svm.to_json());
    assert!(Svm::from_json(&file).is_ok() && Svm::from_json("{}").is_err());
    let few = svm::samples(&[folder.write("few.jsonl", kinds().take(1)).into()]).unwrap();
    assert!(svm::train(&few, &svm::published_grid(), &|_| ()).is_err_and(|e| e.to_string().contains("too few")));
}
