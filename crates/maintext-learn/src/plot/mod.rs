//! Plots lengths and scores along the page, as in the articles on the line methods.
//!
//! `axis` chooses the range, and `scene` draws SVG.
mod axis;
mod scene;

use crate::inspect::Table;

/// The words above a plot.
#[derive(Clone, Copy, Debug)]
pub struct Heading<'a> {
    /// The page's title.
    pub title: &'a str,
    /// The line below it: the method and the page's file or address.
    pub below: &'a str,
}

/// The background of a plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Light.
    Light,
    /// Dark.
    Dark,
    /// As the reader's system prefers.
    Reader,
}

/// Draws the plot as SVG.
///
/// Above: the lengths of each line's HTML and text. Below: its score, the score smoothed over five lines, and the threshold.
/// Kept lines are shaded. The text uses the fonts of the reader's system.
pub fn svg(table: &Table, heading: &Heading<'_>, theme: Theme) -> String {
    scene::svg(table, heading, theme)
}

/// Returns ranges of kept rows as (first, last) numbers.
fn runs(table: &Table) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let first = at + table.rows[at..].iter().position(|r| r.keep)?;
        let length = table.rows[first..].iter().position(|r| !r.keep).unwrap_or(table.rows.len() - first);
        at = first + length;
        Some((first + 1, at))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::Row;

    fn table(n: usize) -> Table {
        let row = |i: usize| Row {
            number: i as u32 + 1,
            bytes: 100,
            chars: 40,
            density: 0.4,
            score: if i == 3 { f32::NAN } else { 0.4 },
            probability: None,
            role: None,
            why: None,
            keep: i % 4 == 1,
            text: String::new(),
        };
        Table { method: "m".into(), unit: "line", rows: (0..n).map(row).collect(), threshold: Some(0.5), facts: vec![] }
    }

    #[test]
    fn consecutive_kept_rows_form_a_range() {
        assert_eq!(runs(&table(10)).collect::<Vec<_>>(), [(2, 2), (6, 6), (10, 10)]);
        assert_eq!(runs(&table(1)).count(), 0);
    }

    #[test]
    fn plots_are_drawn_in_both_themes() {
        let heading = Heading { title: "Страница <1> & more", below: "line-blocks, page.html" };
        for n in [0, 1, 500] {
            let out = svg(&table(n), &heading, Theme::Reader);
            assert!(out.starts_with("<svg") && out.contains("threshold 0.500") && !out.contains("NaN"), "{out}");
            assert!(out.contains(">Страница &lt;1&gt; &amp; more</text>") && out.contains("prefers-color-scheme:dark"));
            let [light, dark] = [Theme::Light, Theme::Dark].map(|theme| svg(&table(n), &heading, theme));
            assert!(light != dark && !light.contains("prefers-color-scheme") && !dark.contains("prefers-color-scheme"));
        }
    }

    #[test]
    fn far_values_are_marked() {
        let mut far = table(100);
        far.rows[50].bytes = 90_000;
        let out = svg(&far, &Heading { title: "t", below: "b" }, Theme::Light);
        assert!(out.contains("beyond the axis: up to 18,080 at line"), "{out}");
        assert!(!svg(&table(100), &Heading { title: "t", below: "b" }, Theme::Light).contains("beyond"));
    }
}
