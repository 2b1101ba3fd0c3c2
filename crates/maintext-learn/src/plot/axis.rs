//! Value axes that a few outliers do not flatten.

/// Largest share of the values that may lie beyond the axis.
const SHARE: f32 = 0.02;
/// A value further out than this factor times the others lies beyond the axis. Means of five spread an outlier over five values.
const FAR: f32 = 2.5;
const SPREAD: usize = 5;

/// The range of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    /// The lower end.
    pub low: f32,
    /// The upper end.
    pub high: f32,
}

impl Axis {
    /// Returns an axis from zero or below for the curves and the threshold. Few far values lie beyond it.
    pub fn new<'a>(curves: impl Iterator<Item = &'a [f32]>, threshold: Option<f32>) -> Axis {
        let curves: Vec<&[f32]> = curves.collect();
        let n = curves.iter().map(|c| c.len()).max().unwrap_or(0);
        // The extremes of each row, since a row with two curves counts once.
        let row = |i: usize| curves.iter().filter_map(move |c| c.get(i)).copied().filter(|v| v.is_finite());
        let above: Vec<f32> = (0..n).map(|i| row(i).fold(0.0, f32::max)).collect();
        let below: Vec<f32> = (0..n).map(|i| -row(i).fold(0.0, f32::min)).collect();
        let (high, low) = (end(above).max(threshold.unwrap_or(0.0)), end(below).max(-threshold.unwrap_or(0.0)));
        let room = if high + low > 0.0 { (high + low) * 0.05 } else { 1.0 };
        Axis { low: if low > 0.0 { -low - room } else { 0.0 }, high: high + room }
    }

    /// Returns round values on the axis.
    pub fn ticks(&self) -> Vec<f32> {
        ticks(self.low, self.high, 5)
    }
}

/// Returns the largest of the values, or, if few of them are far beyond the others, the largest of those others with some room.
fn end(mut values: Vec<f32>) -> f32 {
    values.sort_by(|a, b| b.total_cmp(a));
    let n = values.len();
    let few = ((n as f32 * SHARE).ceil() as usize).max(SPREAD).min(n / 6);
    let (Some(first), Some(other)) = (values.first(), values.get(few)) else { return 0.0 };
    if few > 0 && *other > 0.0 && *first > FAR * other { other * 1.25 } else { *first }
}

/// Returns at most about `most` round values within a range.
pub(super) fn ticks(low: f32, high: f32, most: usize) -> Vec<f32> {
    let span = f64::from(high - low);
    if !span.is_finite() || span <= 0.0 {
        return vec![low];
    }
    let rough = span / most as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= rough * 0.999).unwrap_or(power * 10.0);
    let (first, last) = ((f64::from(low) / step).ceil() as i64, (f64::from(high) / step).floor() as i64);
    (first..=last.min(first + 50)).map(|k| (k as f64 * step) as f32).collect()
}

/// Returns a number with groups of three digits: `12,500`, `0.25`.
pub(super) fn grouped(value: f32) -> String {
    let text = match value.abs() {
        v if v >= 100.0 || v.fract() == 0.0 => format!("{value:.0}"),
        v if v >= 1.0 => format!("{value:.1}"),
        _ => format!("{value:.4}").trim_end_matches('0').trim_end_matches('.').to_owned(),
    };
    let digits = text.trim_start_matches('-');
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut out = String::new();
    for (i, c) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    let sign = if text.starts_with('-') { "\u{2212}" } else { "" };
    format!("{sign}{out}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_outlier_does_not_flatten_the_curve() {
        let mut values: Vec<f32> = (0..100).map(|i| 50.0 + (i % 10) as f32).collect();
        values[40] = 60_000.0;
        let axis = Axis::new([values.as_slice()].into_iter(), None);
        assert!((59.0..90.0).contains(&axis.high) && axis.low == 0.0, "{axis:?}");
        // Content is not an outlier, even if most lines are short.
        let long: Vec<f32> = (0..100).map(|i| if i % 8 == 0 { 900.0 } else { 20.0 }).collect();
        assert!(Axis::new([long.as_slice()].into_iter(), None).high > 900.0);
        for few in [&[][..], &[7.0], &[1.0, 900.0]] {
            let axis = Axis::new([few].into_iter(), Some(0.5));
            assert!(axis.high > few.iter().copied().fold(0.5, f32::max) && axis.low == 0.0, "{axis:?}");
        }
        let axis = Axis::new([&[-3.0, 1.0][..]].into_iter(), None);
        assert!(axis.low < -3.0 && axis.high > 1.0);
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(0.0, 97.0, 5), [0.0, 20.0, 40.0, 60.0, 80.0]);
        assert_eq!(ticks(1.0, 1.0, 10), [1.0]);
        assert_eq!(
            [grouped(1_234_567.0), grouped(-0.25), grouped(12.0), grouped(2.5)],
            ["1,234,567", "\u{2212}0.25", "12", "2.5"]
        );
    }
}
