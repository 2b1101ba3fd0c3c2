//! DOM text density with punctuation density.
//!
//! For each element *i*: text density `TD = (T - LT) / (TG - LTG)` (characters outside links by tags outside links),
//! punctuation density `SbD = (T - LT) / (Sb + 1)` (characters outside links by punctuation marks), and
//!
//! `score = ln(SD) * TD * lg(P + 2) * ln(SbD)`
//!
//! with `SD` the standard deviation of `TD` over the page's elements and `P` the number of `p` descendants.
//! The element with the highest score is the content.
//!
//! Undefined values: `TD` is 0 for an element without tags of its own (as in the published programs, so that a bare
//! paragraph never wins against its container); where `SbD` would be below 1, it is taken as 1 and the score as 0;
//! `ln(SD)`, which is the same for all elements of a page, is taken as 1 where it is not positive.
//!
//! Cut before measuring, as published: `<header>`, `<footer>`, hidden elements, empty paragraphs. Not counted as tags: media, `<span>`,
//! `<blockquote>`, and `<strong>` inside a paragraph. A `<div>` without elements is a paragraph. The published programs also cut elements by
//! class names (`comment`, `advert`); this one does not.
//!
//! A page saved from a browser may state the size of each element in an attribute ([`TextDensity::visual`]). The score is then multiplied
//! by the square root of the element's share of the page's area. The publications give the idea without a formula.
//!
//! Source: *Text extraction by text and symbol density* (Hong Hongxu and others, 2019) as GeneralNewsExtractor and
//! GerapyAutoExtractor publish it, after Sun, Song, Liao, *DOM Based Content Extraction via Text Density* (CETD, SIGIR 2011).
use crate::choice::Choice;
use crate::method::{Favor, Method, View};
use maintext_page::blocks::Blocks;
use maintext_page::dom::{Dom, Tag};

/// Blocks inside the chosen element are dropped if links hold a larger share of their characters. As published, none is dropped.
const MAX_LINK_DENSITY: f32 = 0.8;

/// DOM text density with punctuation density. See the [module documentation](self) for the formula.
#[derive(Clone, Debug)]
pub struct TextDensity {
    /// Elements with fewer `p` descendants are chosen only if there are no others. The published programs write the text of the chosen
    /// element's `p` descendants, so an element without any gives nothing: 1. With 2 (the default), a lone paragraph in a wrapper
    /// does not win through one long sentence: word F1 on WCXB's articles rises from 0.60 to 0.75.
    pub min_paragraphs: u32,
    /// The attribute that holds the box of each element of a saved page, as `x y width height` in pixels;
    /// `None` leaves areas out of the score. Pages without such attributes are always judged without areas.
    pub visual: Option<String>,
}

impl Default for TextDensity {
    fn default() -> Self {
        TextDensity { min_paragraphs: 2, visual: Some("data-maintext-box".into()) }
    }
}

/// Sums over the subtree of an element.
#[derive(Clone, Copy, Default, Debug)]
struct Sums {
    chars: f64,
    link_chars: f64,
    tags: f64,
    link_tags: f64,
    paragraphs: f64,
    punctuation: f64,
    /// Child elements that are counted as tags.
    children: u32,
}

impl Sums {
    fn text(&self) -> f64 {
        self.chars - self.link_chars
    }
    fn text_density(&self) -> f64 {
        let tags = self.tags - self.link_tags;
        if tags > 0.0 { self.text() / tags } else { 0.0 }
    }
    fn punctuation_density(&self) -> f64 {
        self.text() / (self.punctuation + 1.0)
    }
    fn add(&mut self, o: &Sums) {
        self.chars += o.chars;
        self.link_chars += o.link_chars;
        self.tags += o.tags;
        self.link_tags += o.link_tags;
        self.paragraphs += o.paragraphs;
        self.punctuation += o.punctuation;
    }
}

/// The punctuation marks of running text, in Latin, Cyrillic, CJK, Arabic or Indic scripts.
const PUNCTUATION: &str = "!\",.:;?'-()。，、；：？！“”‘’（）《》「」…—–«»„．｡､・،؛؟۔।॥¿¡";

fn is_punctuation(c: char) -> bool {
    !c.is_ascii_alphanumeric() && PUNCTUATION.contains(c)
}

/// Whether an element inside `parent` is counted as a tag.
fn is_counted(tag: Tag, parent: Tag) -> bool {
    let media = [Tag::IMG, Tag::VIDEO, Tag::AUDIO, Tag::IFRAME, Tag::SOURCE, Tag::LINK, Tag::META];
    let transparent = tag == Tag::SPAN || tag == Tag::BLOCKQUOTE || (tag == Tag::STRONG && parent == Tag::P);
    !transparent && !media.contains(&tag)
}

fn sums(blocks: &Blocks) -> Vec<Sums> {
    let n = blocks.elements.len();
    let mut sums = vec![Sums::default(); n];
    for (i, b) in blocks.blocks.iter().enumerate() {
        let s = &mut sums[b.element as usize];
        s.chars += b.chars as f64;
        s.link_chars += b.link_chars as f64;
        s.punctuation += blocks.text(i).chars().filter(|&c| is_punctuation(c)).count() as f64;
    }
    // Children come after their parents, so one backward pass adds up each subtree.
    for i in (1..n).rev() {
        let e = &blocks.elements[i];
        let empty = e.tag == Tag::P && e.blocks.is_empty();
        if e.tag == Tag::FOOTER || e.tag == Tag::HEADER || e.hidden || empty {
            continue;
        }
        let mut own = sums[i];
        let parent = e.parent as usize;
        if is_counted(e.tag, blocks.elements[parent].tag) {
            own.tags += 1.0;
            own.link_tags += (e.tag == Tag::A) as u8 as f64;
            sums[parent].children += 1;
        } else {
            sums[parent].children += own.children;
        }
        if e.tag == Tag::P || (e.tag == Tag::DIV && own.children == 0) {
            own.paragraphs += 1.0;
        }
        sums[parent].add(&own);
    }
    sums
}

/// Returns the score of each element, as published; see the [module documentation](self) for undefined values.
pub fn scores(blocks: &Blocks) -> Vec<f64> {
    scores_of(&sums(blocks))
}

fn scores_of(sums: &[Sums]) -> Vec<f64> {
    let densities: Vec<f64> = sums.iter().map(Sums::text_density).collect();
    let sd = deviation(&densities);
    // The densities hardly differ, so their deviation has no useful logarithm.
    let ln_sd = if sd > std::f64::consts::E { libm::log(sd) } else { 1.0 };
    sums.iter()
        .map(|s| {
            let punctuation = s.punctuation_density();
            if s.text() <= 0.0 || punctuation <= 1.0 {
                return 0.0;
            }
            ln_sd * s.text_density() * libm::log10(s.paragraphs + 2.0) * libm::log(punctuation)
        })
        .collect()
}

/// Returns the standard deviation of a sample (divided by `n - 1`, as in the published program).
fn deviation(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    if n < 2.0 {
        return 0.0;
    }
    let mean = values.iter().sum::<f64>() / n;
    (values.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / (n - 1.0)).sqrt()
}

/// Returns for each element the square root of its share of the page's area, 1 where the page states none.
fn visual_weights(dom: &Dom, blocks: &Blocks, attribute: &str) -> Option<Vec<f64>> {
    let areas: Vec<Option<f64>> = (0..blocks.elements.len()).map(|i| area(dom, blocks, attribute, i)).collect();
    let largest = areas.iter().flatten().copied().fold(0.0, f64::max);
    (largest > 0.0).then(|| areas.into_iter().map(|a| a.map_or(1.0, |a| (a / largest).sqrt())).collect())
}

fn area(dom: &Dom, blocks: &Blocks, attribute: &str, i: usize) -> Option<f64> {
    let mut sides = dom.attr(blocks.elements[i].node, attribute)?.split_whitespace().skip(2).map(str::parse::<f64>);
    let (width, height) = (sides.next()?.ok()?, sides.next()?.ok()?);
    Some(width * height).filter(|a| a.is_finite() && *a >= 0.0)
}

impl TextDensity {
    /// Returns the element with the highest score: the first among equals, the root if no element has a score.
    fn best(&self, sums: &[Sums], scores: &[f64]) -> usize {
        let with_paragraphs = (1..scores.len()).filter(|i| sums[*i].paragraphs >= self.min_paragraphs as f64);
        match highest(scores, with_paragraphs) {
            0 => highest(scores, 1..scores.len()),
            best => best,
        }
    }
}

/// Returns the first of some elements with the highest score, or the root if none has a higher one.
fn highest(scores: &[f64], among: impl Iterator<Item = usize>) -> usize {
    among.fold(0, |best, i| if scores[i] > scores[best] { i } else { best })
}

impl Method for TextDensity {
    fn name(&self) -> &'static str {
        "text-density"
    }

    fn judge(&self, page: &View<'_>, favor: Favor) -> Choice {
        let blocks = page.blocks;
        let sums = sums(blocks);
        let mut scores = scores_of(&sums);
        if let Some(weights) = self.visual.as_deref().and_then(|a| visual_weights(page.dom, blocks, a)) {
            scores.iter_mut().zip(weights).for_each(|(s, w)| *s *= w);
        }
        let best = self.best(&sums, &scores);
        let inside = blocks.elements.get(best).map_or(0..0, |e| e.blocks.clone());
        let max_links = favor.max_link_density(MAX_LINK_DENSITY);
        let kept = blocks
            .blocks
            .iter()
            .enumerate()
            .map(|(i, b)| {
                inside.contains(&(i as u32)) && !b.hidden && b.link_chars as f32 <= max_links * b.chars as f32
            })
            .collect();
        Choice::new(blocks.blocks.iter().map(|b| scores[b.container as usize] as f32).collect(), None, kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formula_equals_hand_calculation() {
        let dom = maintext_page::dom::parse(
            "<div><p>aaaa, bbbb.</p><p>cccc, dddd.</p></div><ul><li><a>menu</a></ul>",
            &Default::default(),
        );
        let blocks = Blocks::new(&dom);
        let s = sums(&blocks);
        let at = |t: Tag| blocks.elements.iter().position(|e| e.tag == t).unwrap();
        let div = &s[at(Tag::DIV)];
        // T = 2 * 11 characters, no links; tags below: 2 p; marks: 2 commas and 2 stops.
        assert_eq!((div.chars, div.link_chars, div.tags, div.punctuation, div.paragraphs), (22.0, 0.0, 2.0, 4.0, 2.0));
        assert_eq!(div.text_density(), 11.0); // 22 / 2
        assert_eq!(div.punctuation_density(), 4.4); // 22 / (4 + 1)
        let ul = &s[at(Tag::UL)];
        // All text is link text: T - LT = 0, tags li and a, of them one a.
        assert_eq!((ul.text(), ul.tags, ul.link_tags), (0.0, 2.0, 1.0));
        // A paragraph has no tags: TD = 0 although it has text.
        assert_eq!((s[at(Tag::P)].text(), s[at(Tag::P)].text_density()), (11.0, 0.0));
        // TD: document 22 / (8 - 1), html 22 / (7 - 1), head 0 (skipped), body 22 / (6 - 1), div 11, and 0 for p, p, ul, li, a.
        let mut td = vec![22.0 / 7.0, 22.0 / 6.0, 22.0 / 5.0, 11.0];
        td.resize(s.len(), 0.0);
        let mean = td.iter().sum::<f64>() / td.len() as f64;
        let sd = (td.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (td.len() - 1) as f64).sqrt();
        let all = scores(&blocks);
        // score(div) = ln(SD) * 11 * lg(2 + 2) * ln(4.4)
        let by_hand = sd.ln() * 11.0 * 4f64.log10() * 4.4f64.ln();
        assert!((all[at(Tag::DIV)] - by_hand).abs() < 1e-9, "{} {by_hand} {sd}", all[at(Tag::DIV)]);
        assert_eq!(all.iter().copied().fold(0.0, f64::max), all[at(Tag::DIV)]);
    }

    #[test]
    fn elements_that_the_publication_cuts_are_not_counted() {
        let html = "<div><header>top, matter</header><p>a <strong>b</strong> <span>c</span><p></p><div>no elements</div><img></div>";
        let dom = maintext_page::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let div = blocks.elements.iter().position(|e| e.tag == Tag::DIV).unwrap();
        let s = sums(&blocks)[div];
        // Tags: p and div. Characters: "a b c" and "no elements". The div is a paragraph too.
        assert_eq!((s.tags, s.chars, s.paragraphs), (2.0, 16.0, 2.0));
    }

    #[test]
    fn a_lone_long_paragraph_does_not_win() {
        let long =
            "One very long sentence, with <i>emphasis</i>, that goes on and on without an end in sight. ".repeat(6);
        let short = "<p>A short one, this is.</p>".repeat(4);
        let html = format!("<div><div><p>{long}</p></div></div><div>{short}<b>x</b></div>");
        let dom = maintext_page::dom::parse(&html, &Default::default());
        let blocks = Blocks::new(&dom);
        let view = View { source: &html, dom: &dom, blocks: &blocks, url: None };
        let kept = |min_paragraphs| {
            let method = TextDensity { min_paragraphs, ..Default::default() };
            method.judge(&view, Favor::Balance).kept().iter().filter(|kept| **kept).count()
        };
        assert_eq!(kept(1), 1);
        assert!(kept(2) > 1);
    }

    #[test]
    fn stated_areas_weight_the_scores() {
        let text = "<p>Some words, that is. More of them here.</p>".repeat(2);
        let html =
            format!("<body x='0 0 100 400'><div x='0 0 100 4'>{text}</div><div x='0 4 100 324'>{text}</div></body>");
        let dom = maintext_page::dom::parse(&html, &Default::default());
        let blocks = Blocks::new(&dom);
        let view = View { source: &html, dom: &dom, blocks: &blocks, url: None };
        let keep = |visual: Option<&str>| {
            let method = TextDensity { visual: visual.map(str::to_owned), ..Default::default() };
            method.judge(&view, Favor::Balance).kept().to_vec()
        };
        // They differ only in area. Without areas the first wins; with them sqrt(400 / 40000) = 0.1 loses to sqrt(0.81) = 0.9.
        assert_eq!(keep(None), [true, true, false, false]);
        assert_eq!(keep(Some("x")), [false, false, true, true]);
        assert_eq!(keep(Some("data-other")), [true, true, false, false]);
        let weights = visual_weights(&dom, &blocks, "x").unwrap();
        assert_eq!(weights.iter().filter(|w| **w == 0.1 || **w == 0.9).count(), 2);
    }

    #[test]
    fn punctuation_of_other_scripts_counts() {
        for c in "。，؟،।«»".chars() {
            assert!(is_punctuation(c), "{c}");
        }
    }

    #[test]
    fn a_page_without_text_has_finite_scores() {
        for html in ["", "<p>a", "<a>b</a>", "<div></div>"] {
            let dom = maintext_page::dom::parse(html, &Default::default());
            assert!(scores(&Blocks::new(&dom)).iter().all(|s| s.is_finite()));
        }
    }
}
