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
//! Source: the method of "text and symbol density" as GeneralNewsExtractor and GerapyAutoExtractor publish it, after
//! Sun, Song, Liao, *DOM Based Content Extraction via Text Density* (CETD, SIGIR 2011).
use crate::blocks::Blocks;
use crate::dom::Tag;
use crate::method::{Favor, Method, Verdict, View};

/// Elements that the published method cuts before it measures.
const USELESS: [Tag; 4] = [Tag::FOOTER, Tag::HEADER, Tag::NAV, Tag::ASIDE];

/// DOM text density with punctuation density: `ln(SD) * TD * lg(P + 2) * ln(SbD)`.
#[derive(Clone, Debug)]
pub struct TextDensity {
    /// Blocks inside the chosen element are dropped when links make up more of their characters than this. 1 keeps all, as published.
    pub max_link_density: f32,
}

impl Default for TextDensity {
    fn default() -> Self {
        TextDensity { max_link_density: 0.8 }
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
}

impl Sums {
    fn text(&self) -> f64 {
        self.chars - self.link_chars
    }
    fn text_density(&self) -> f64 {
        self.text() / (self.tags - self.link_tags).max(1.0)
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

/// Whether the character is a punctuation mark of running text, in Latin, Cyrillic, CJK, Arabic or Indic writing.
pub fn is_punctuation(c: char) -> bool {
    matches!(
        c,
        '!' | '"'
            | ','
            | '.'
            | ':'
            | ';'
            | '?'
            | '\''
            | '-'
            | '('
            | ')'
            | '。'
            | '，'
            | '、'
            | '；'
            | '：'
            | '？'
            | '！'
            | '“'
            | '”'
            | '‘'
            | '’'
            | '（'
            | '）'
            | '《'
            | '》'
            | '「'
            | '」'
            | '…'
            | '—'
            | '–'
            | '«'
            | '»'
            | '„'
            | '．'
            | '｡'
            | '､'
            | '・'
            | '،'
            | '؛'
            | '؟'
            | '۔'
            | '।'
            | '॥'
            | '¿'
            | '¡'
    )
}

fn sums(blocks: &Blocks) -> Vec<Sums> {
    let n = blocks.elements.len();
    let mut sums = vec![Sums::default(); n];
    let cut: Vec<bool> = blocks.elements.iter().map(|e| USELESS.contains(&e.tag) || e.hidden).collect();
    for (i, b) in blocks.blocks.iter().enumerate() {
        let s = &mut sums[b.element as usize];
        s.chars += b.chars as f64;
        s.link_chars += b.link_chars as f64;
        s.punctuation += blocks.text(i).chars().filter(|&c| is_punctuation(c)).count() as f64;
    }
    // Children come after their parents, so one pass from the back adds each subtree up.
    for i in (1..n).rev() {
        if cut[i] {
            continue;
        }
        let e = &blocks.elements[i];
        let mut own = sums[i];
        own.tags += 1.0;
        if e.tag == Tag::A {
            own.link_tags += 1.0;
        }
        if e.tag == Tag::P {
            own.paragraphs += 1.0;
        }
        sums[e.parent as usize].add(&own);
    }
    sums
}

/// The score of each element, as published; 0 where a logarithm or a denominator has no value.
pub fn scores(blocks: &Blocks) -> Vec<f64> {
    let sums = sums(blocks);
    let densities: Vec<f64> = sums.iter().map(Sums::text_density).collect();
    let n = densities.len().max(1) as f64;
    let mean = densities.iter().sum::<f64>() / n;
    let sd = (densities.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / n).sqrt();
    // A page whose densities hardly differ has no logarithm worth multiplying by.
    let ln_sd = if sd > 1.0 { sd.ln() } else { 1.0 };
    sums.iter()
        .map(|s| {
            let punctuation = s.punctuation_density();
            if s.text() <= 0.0 || punctuation <= 1.0 {
                return 0.0;
            }
            ln_sd * s.text_density() * (s.paragraphs + 2.0).log10() * punctuation.ln()
        })
        .collect()
}

impl Method for TextDensity {
    fn name(&self) -> &'static str {
        "text-density"
    }

    fn judge(&self, page: &View<'_>, favor: Favor) -> Vec<Verdict> {
        let blocks = page.blocks;
        let scores = scores(blocks);
        let mut best = 0;
        for (i, &s) in scores.iter().enumerate() {
            if s > scores[best] {
                best = i;
            }
        }
        let inside = blocks.elements.get(best).map_or(0..0, |e| e.blocks.clone());
        let max_links = match favor {
            Favor::Precision => self.max_link_density / 2.0,
            Favor::Balance => self.max_link_density,
            Favor::Recall => 1.0,
        };
        let out = blocks.blocks.iter().enumerate().map(|(i, b)| Verdict {
            score: scores[b.container as usize] as f32,
            probability: None,
            keep: inside.contains(&(i as u32)) && !b.hidden && b.link_chars as f32 <= max_links * b.chars as f32,
        });
        out.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formula_by_hand() {
        // body > div#c > (p, p), body > ul > li > a
        let dom = crate::dom::parse(
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
        assert_eq!(scores(&blocks)[at(Tag::UL)], 0.0);
        // TD by element: document 22/(7-1)=3.67.. ; the div wins.
        let all = scores(&blocks);
        assert!(all.iter().all(|x| x.is_finite()));
        assert_eq!(all.iter().cloned().fold(0.0, f64::max), all[at(Tag::DIV)]);
        // score(div) = ln(SD) * 11 * lg(4) * ln(4.4)
        let densities: Vec<f64> = s.iter().map(Sums::text_density).collect();
        let mean = densities.iter().sum::<f64>() / densities.len() as f64;
        let sd = (densities.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / densities.len() as f64).sqrt();
        let by_hand = sd.ln() * 11.0 * 4f64.log10() * 4.4f64.ln();
        assert!((all[at(Tag::DIV)] - by_hand).abs() < 1e-9);
    }

    #[test]
    fn punctuation_of_other_scripts_counts() {
        for c in "。，؟،।«»".chars() {
            assert!(is_punctuation(c), "{c}");
        }
    }

    #[test]
    fn a_page_without_text_has_no_scores_that_are_not_numbers() {
        for html in ["", "<p>a", "<a>b</a>", "<div></div>"] {
            let dom = crate::dom::parse(html, &Default::default());
            assert!(scores(&Blocks::new(&dom)).iter().all(|s| s.is_finite()));
        }
    }
}
