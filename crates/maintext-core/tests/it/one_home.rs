//! Each text of a page has one home: a line of a reader's comment is neither in the text nor in a post.
use crate::common::{each_page, example_files, html_files};
use maintext_core::{Extractor, Options};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Minimum number of characters of a line that is looked for. Shorter ones, such as "Thanks!", are the text of several blocks.
const MIN_CHARS: usize = 30;

/// Returns whether the page has comments, and the lines of them that are elsewhere too, more often than the page prints them.
fn shared(html: &str) -> (bool, Vec<String>) {
    let options = Options { url: Some("https://example.org/a".into()), ..Options::default() };
    let mut extractor = Extractor::new(options).unwrap();
    let printed = |texts: Vec<String>| {
        let mut counts: HashMap<String, usize> = HashMap::new();
        texts.into_iter().filter(|t| t.chars().count() >= MIN_CHARS).for_each(|t| *counts.entry(t).or_default() += 1);
        counts
    };
    let read = extractor.extract_seen(html.into(), |analysis| {
        (0..analysis.blocks.len()).map(|b| analysis.blocks.text(b).to_owned()).collect::<Vec<_>>()
    });
    let Ok((page, blocks)) = read else { return (false, Vec::new()) };
    let lines = |text: &str| text.lines().map(String::from).collect::<Vec<_>>();
    let comments = printed(page.comments.iter().flat_map(|c| lines(&c.text)).collect());
    let mut others: Vec<HashMap<String, usize>> = vec![printed(lines(page.text()))];
    others.push(printed(page.posts.iter().flat_map(|p| lines(&p.text)).collect()));
    let is_shared = |line: &&String, own: &usize| {
        // A comment may quote the text.
        let printed = || blocks.iter().map(|b| b.matches(line.as_str()).count()).sum::<usize>();
        others.iter().any(|o| o.get(*line).is_some_and(|n| n + own > printed().max(1)))
    };
    let found = comments.iter().filter(|(line, own)| is_shared(line, own)).map(|(line, _)| line.clone()).collect();
    (!page.comments.is_empty(), found)
}

#[test]
fn a_comment_is_nowhere_else() {
    let forums = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/forums");
    let files: Vec<PathBuf> = example_files().into_iter().chain(html_files(&forums)).collect();
    let mut commented = 0;
    for file in files {
        let (has_comments, lines) = shared(&String::from_utf8_lossy(&std::fs::read(&file).unwrap()));
        assert_eq!(lines, Vec::<String>::new(), "{}", file.display());
        commented += usize::from(has_comments);
    }
    assert!(commented > 0, "no page has comments");
}

/// Reads all sets below `$MAINTEXT_DATA`.
#[test]
#[ignore = "needs $MAINTEXT_DATA"]
fn no_comment_of_the_data_is_elsewhere() {
    let data = PathBuf::from(std::env::var_os("MAINTEXT_DATA").expect("MAINTEXT_DATA is set"));
    let (mut pages, mut commented, mut failed) = (0, 0, 0);
    for folder in ["train", "eval"] {
        let mut sets: Vec<PathBuf> = std::fs::read_dir(data.join(folder)).unwrap().map(|e| e.unwrap().path()).collect();
        sets.retain(|set| set.to_string_lossy().ends_with(".jsonl.zst") && !set.ends_with("wcxb-markdown.jsonl.zst"));
        sets.sort();
        for set in sets {
            each_page(&set, |id, html| {
                let (has_comments, lines) = shared(html);
                pages += 1;
                commented += usize::from(has_comments);
                failed += usize::from(!lines.is_empty());
                lines.iter().take(2).for_each(|line| println!("{} {id}: {line}", set.display()));
            });
        }
    }
    println!("{pages} pages, {commented} with comments, {failed} with a comment elsewhere");
    assert_eq!(failed, 0);
}
