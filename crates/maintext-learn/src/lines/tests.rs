use super::*;
use crate::data::Page;

/// Returns pages of generated sites: menus of links around paragraphs.
fn pages(n: usize) -> Vec<Page> {
    let page = |i: usize| {
        let menu: String =
            (0..12).map(|j| format!("<li><a href=\"/section-{j}/index.html\">Part {j}</a></li>\n")).collect();
        let words =
            |p: usize| format!("Paragraph {p} of story {i} tells what happened, at some length, and who saw it.");
        let story: String = (0..4 + i % 3).map(|p| format!("<p>{}</p>\n", words(p))).collect();
        let gold: Vec<String> = (0..4 + i % 3).map(words).collect();
        Page {
            id: format!("p{i}"),
            site: format!("site-{}.example", i / 2),
            html: format!("<body>\n<ul>\n{menu}</ul>\n{story}<ul>\n{menu}</ul>\n</body>").into_bytes(),
            text: Some(gold.join("\n")),
            ..Page::default()
        }
    };
    (0..n).map(page).collect()
}

fn rows(method: Trainable) -> Rows {
    Rows { pages: pages(80).iter().map(|p| PageRows::new(method, p)).collect(), sets: vec!["made-up".into()] }
}

fn quick(hidden: Option<Vec<usize>>) -> Options {
    let training = Training { epochs: 30, batch: 32, rate: 0.02, ..Training::default() };
    Options { hidden, training, ..Options::default() }
}

#[test]
fn both_classifiers_learn_to_separate_menus_from_stories() {
    for (method, hidden) in [(Trainable::LineDensity, None), (Trainable::MarkupRatio, Some(vec![7, 7, 3]))] {
        let trained = train(method, &rows(method), &quick(hidden), &()).unwrap();
        let l = trained.report.text_lines;
        assert_eq!((l.false_positives.hits, l.misses.hits), (0, 0), "{:?}", trained.report);
        assert!(l.false_positives.of > 50 && l.misses.of > 10);
        assert!(method.with_model(trained.model.clone()).is_ok());
        let other = if method == Trainable::LineDensity { Trainable::MarkupRatio } else { Trainable::LineDensity };
        assert!(other.with_model(trained.model).is_err());
    }
}

#[test]
fn the_same_seed_gives_the_same_file() {
    let rows = rows(Trainable::MarkupRatio);
    let file = |seed| {
        let options = Options { seed, ..quick(Some(vec![3])) };
        train(Trainable::MarkupRatio, &rows, &options, &()).unwrap().model.to_json()
    };
    assert_eq!(file(1), file(1));
    assert_ne!(file(1), file(2));
}

#[test]
fn sites_are_never_split() {
    let rows = rows(Trainable::LineDensity);
    let parts = parts(&rows, &Options::default()).unwrap();
    let sites =
        |i: usize| parts[i].iter().map(|&p| rows.pages[p].site.as_str()).collect::<std::collections::BTreeSet<_>>();
    assert!(sites(0).is_disjoint(&sites(1)) && sites(0).is_disjoint(&sites(2)) && sites(1).is_disjoint(&sites(2)));
    assert_eq!(parts.iter().map(Vec::len).sum::<usize>(), 80);
}

#[test]
fn a_site_model_learns_from_its_site_alone() {
    let mut pages = pages(20);
    pages.iter_mut().for_each(|p| p.site = "one.example".into());
    let method = Trainable::LineDensity;
    let rows = Rows { pages: pages.iter().map(|p| PageRows::new(method, p)).collect(), sets: vec![] };
    let options = Options { site: Some("one.example".into()), ..quick(None) };
    let trained = train(method, &rows, &options, &()).unwrap();
    assert_eq!(trained.report.pages, [8, 2, 10]);
    assert_eq!(trained.model.site.as_deref(), Some("one.example"));
    let options = Options { site: Some("other.example".into()), ..quick(None) };
    let e = train(method, &rows, &options, &()).unwrap_err().to_string();
    assert!(e.contains("no labelled page of site 'other.example' is left for training"), "{e}");
}

#[test]
fn pages_without_content_are_refused() {
    let mut pages = pages(80);
    pages.iter_mut().for_each(|p| p.text = Some("nothing of it".into()));
    let method = Trainable::LineDensity;
    let rows = Rows { pages: pages.iter().map(|p| PageRows::new(method, p)).collect(), sets: vec![] };
    let e = train(method, &rows, &quick(None), &()).unwrap_err().to_string();
    assert!(e.contains("a classifier needs lines of both kinds"), "{e}");
}

#[test]
fn hand_made_labels_give_rows() {
    let dir = std::env::temp_dir().join(format!("maintext-labels-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let page = &pages(1)[0];
    std::fs::write(dir.join("page.html"), &page.html).unwrap();
    let dom = maintext_core::dom::parse(std::str::from_utf8(&page.html).unwrap(), &Default::default());
    let blocks = maintext_core::blocks::Blocks::new(&dom);
    let source = page.decoded();
    let view = maintext_core::method::View { source: &source, dom: &dom, blocks: &blocks, url: None };
    let method = Trainable::MarkupRatio.plain();
    let choice = method.judge(&view, maintext_core::Favor::Balance);
    let table = crate::inspect::Table::new(&view, &*method, maintext_core::Favor::Balance, &choice);
    let draft = crate::LineLabels::draft(&table, std::path::Path::new("page.html"));
    let file = dir.join("page.labels");
    std::fs::write(&file, draft.to_text()).unwrap();
    let rows = PageRows::from_labels(Trainable::MarkupRatio, &file).unwrap();
    assert_eq!(rows.labels.len(), table.rows.len());
    assert_eq!(rows.labels.iter().filter(|l| **l == Some(true)).count(), table.rows.iter().filter(|r| r.keep).count());
    let e = PageRows::from_labels(Trainable::LineDensity, &file).unwrap_err().to_string();
    assert!(e.contains("the labels are for 'markup-ratio', not for 'line-density'"), "{e}");
    std::fs::remove_dir_all(&dir).unwrap();
}
