//! What the pages of a site share.
use maintext_core::model::site::{SAMPLE, Sample, Trace, key};
use maintext_core::{Extractor, Input};

const SENTENCES: [&str; 6] = [
    "The ferry leaves the island at nine, and comes back in the evening with the last of the carts.",
    "A keeper counts the seals on the northern rocks every spring, before the pups are born.",
    "In the winter of the great ice, people walked across the bay and carried the post by hand.",
    "The school moved into the old net loft, which has thick walls and a view of the harbour.",
    "Two boats were built this year, the first since the yard changed its owner.",
    "Nobody remembers who planted the orchard behind the chapel, but its pears win prizes.",
];
const APPEAL: &str = "We are a small paper that lives from its readers, and every letter that we print costs us money.";

fn page(i: usize) -> String {
    let (text, more) = (SENTENCES[i % 6], SENTENCES[(i + 1) % 6]);
    format!(
        "<script></script><nav><a href=/>Home</a></nav><h1>Part {i}</h1><div class=a><p>{text}</p><p>Number {i}. {more}</p></div><div class=about><p>{APPEAL} <a href=/about>More about us</a></p></div>"
    )
}

fn trace(html: &str) -> Trace {
    Extractor::new(Default::default()).unwrap().trace(html, None).unwrap()
}

fn sample(pages: impl Iterator<Item = usize>) -> Sample {
    let mut sample = Sample::default();
    pages.for_each(|i| sample.add(i as u64, trace(&page(i))));
    sample
}

#[test]
fn counts_leave_out_the_page_itself_and_its_copies() {
    let first = trace(&page(0));
    let shares = |sample: &Sample| -> Vec<f32> {
        sample.site().unwrap().evidence(&first).unwrap().iter().map(|e| e[1]).collect()
    };
    // The menu and the appeal repeat, and the heading without its number.
    assert_eq!(shares(&sample(0..6)), [1.0, 1.0, 0.0, 0.0, 1.0]);
    // A print version is a copy, whose text does not count as repeated.
    let mut with_copy = sample(0..6);
    with_copy.add(9, trace(&page(0).replace("class=a", "class=print")));
    assert_eq!(shares(&with_copy), [1.0, 1.0, 0.0, 0.0, 1.0]);
    let two = sample(0..3).site().unwrap();
    assert!(two.evidence(&first).is_some() && two.evidence(&trace(&page(5))).is_some());
    assert_eq!(sample(0..2).site(), None);
}

#[test]
fn a_sample_does_not_depend_on_the_order() {
    let (forwards, mut backwards) = (sample(0..40), Sample::default());
    (0..40).rev().filter(|i| i % 2 == 0).for_each(|i| backwards.add(i as u64, trace(&page(i))));
    backwards.merge(sample((0..40).filter(|i| i % 2 == 1)));
    assert_eq!(forwards.site(), backwards.site());
    assert!(forwards.wants(3) && !forwards.wants(39));
    assert_eq!(forwards.pages().count(), SAMPLE);
    // The same page again is not another page.
    let same: Sample = {
        let mut sample = Sample::default();
        (0..9).for_each(|i| sample.add(i, trace(&page(1))));
        sample
    };
    assert_eq!(same.site(), None);
    assert_ne!(key("https://e.org/1"), key("https://e.org/2"));
    assert_eq!(key("https://e.org/1#top"), key("https://e.org/1"));
}

#[test]
fn text_that_all_pages_share_is_dropped() {
    let mut extractor = Extractor::new(Default::default()).unwrap();
    let alone = extractor.extract(page(0).as_str()).unwrap();
    let site = sample(0..12).site().unwrap();
    let beside = extractor.extract(Input { site: Some(&site), ..page(0).as_str().into() }).unwrap();
    assert!(alone.text().contains(APPEAL), "{}", alone.text());
    assert!(!beside.text().contains(APPEAL) && beside.text().contains(SENTENCES[0]), "{}", beside.text());
    // Another page of the template without the appeal loses nothing.
    let text =
        "<h1>Part 99</h1><div class=a><p>The lamp was lit again, after nine years of darkness on the cape.</p></div>";
    assert!(extractor.extract(Input { site: Some(&site), ..text.into() }).unwrap().text().contains("The lamp was lit"));
}
