//! Formats the table for a terminal.
use super::{Row, Table, char_width, first_words};
use anstyle::{AnsiColor, Style};
use maintext_core::model::roles::Role;
use maintext_util::terminal::printable;

/// Width of the density bar in columns.
const BAR: usize = 10;
/// Width of the column of roles.
const ROLE: usize = 11;
/// Width of the column of steps.
const STEP: usize = 10;

impl Table {
    /// Formats the table for a terminal of the given width: kept rows in green, dropped ones dimmed, density as a bar. Contains ANSI colours;
    /// print it through a stream that removes them when necessary (`anstream`, which respects `NO_COLOR`).
    pub fn terminal(&self, columns: usize) -> String {
        let bold = Style::new().bold();
        let mut out = format!(
            "{bold}{:>5} {:>6} {:>6} {:>5} {:BAR$} {:>8} {:>5}   {}{}text{bold:#}\n",
            self.unit,
            "bytes",
            "chars",
            "dens.",
            "",
            "score",
            "prob.",
            self.role("role"),
            self.step("why")
        );
        for r in &self.rows {
            self.row(&mut out, r, columns);
        }
        let kept = self.rows.iter().filter(|r| r.keep).count();
        out.push_str(&format!("{bold}{}{bold:#}: {kept} of {} {}s kept", self.method, self.rows.len(), self.unit));
        if let Some(t) = self.threshold {
            out.push_str(&format!(", threshold {t:.3}"));
        }
        out.push('\n');
        for (name, value) in &self.facts {
            out.push_str(&format!("  {name}: {}\n", number(*value)));
        }
        out
    }

    /// Returns a cell of the column for roles, which only some methods have.
    fn role(&self, text: &str) -> String {
        let has_roles = self.rows.iter().any(|r| r.role.is_some());
        if has_roles { format!("{text:ROLE$} ") } else { String::new() }
    }

    /// Returns a cell of the column for the step that kept or dropped a block after the method, which few pages have.
    fn step(&self, text: &str) -> String {
        let has_steps = self.rows.iter().any(|r| r.why.is_some());
        if has_steps { format!("{text:STEP$} ") } else { String::new() }
    }

    fn row(&self, out: &mut String, r: &Row, columns: usize) {
        let style = if r.keep { AnsiColor::Green.on_default() } else { Style::new().dimmed() };
        let name = self.role(r.role.map_or("", |(role, _)| role.name()));
        let step = self.step(r.why.map_or("", |reason| reason.step.name()));
        let fixed = 5 + 1 + 6 + 1 + 6 + 1 + 5 + 1 + BAR + 1 + 8 + 1 + 5 + 1 + 2 + name.len() + step.len();
        let role = r.role.map_or_else(Style::new, |(role, _)| colour(role));
        let text = first_words(&printable(&r.text), columns.saturating_sub(fixed).max(10));
        let probability = r.probability.map_or_else(String::new, |p| format!("{p:.3}"));
        out.push_str(&format!(
            "{style}{:>5} {:>6} {:>6} {:>5.3} {} {:>8} {probability:>5} {} {style:#}{role}{name}{role:#}{style}{step}{text}{style:#}\n",
            r.number,
            r.bytes,
            r.chars,
            r.density,
            bar(r.density),
            number(r.score as f64),
            if r.keep { '+' } else { '-' },
        ));
    }
}

/// Returns the colour of a role.
fn colour(role: Role) -> Style {
    match role {
        Role::Main | Role::Entry => AnsiColor::Green.on_default(),
        Role::Title | Role::Header => AnsiColor::Blue.on_default(),
        Role::Byline | Role::Caption => AnsiColor::Cyan.on_default(),
        Role::Optional => AnsiColor::Yellow.on_default(),
        Role::Comment => AnsiColor::Magenta.on_default(),
        Role::Boilerplate => Style::new().dimmed(),
    }
}

/// Returns a bar in eighths of a character.
fn bar(share: f32) -> String {
    const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    let eighths = (share.clamp(0.0, 1.0) * 8.0 * BAR as f32).round() as usize;
    let mut out: String = std::iter::repeat_n('█', eighths / 8).collect();
    let rest = eighths % 8;
    if rest > 0 {
        out.push(EIGHTHS[rest]);
    }
    let width: usize = out.chars().map(char_width).sum();
    out.extend(std::iter::repeat_n(' ', BAR - width));
    out
}

/// Formats a number in at most eight columns.
fn number(x: f64) -> String {
    match x.abs() {
        _ if x.fract() == 0.0 && x.abs() < 1e7 => format!("{x:.0}"),
        a if a < 10.0 => format!("{x:.3}"),
        a if a < 1e4 => format!("{x:.1}"),
        a if a < 1e7 => format!("{x:.0}"),
        _ => format!("{x:.1e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_grow_with_the_share() {
        assert_eq!(bar(0.0), " ".repeat(10));
        assert_eq!(bar(0.5), "█████     ");
        assert_eq!(bar(0.05), "▌         ");
        assert_eq!(bar(f32::NAN).chars().count(), 10);
        assert_eq!(bar(7.0), "█".repeat(10));
    }

    #[test]
    fn numbers_fit_their_column() {
        for x in [0.0, -8.0, 0.123456, 12.3456, 123_456.7, 1e30, -1e30, f64::MIN_POSITIVE, 99_999_999.0] {
            assert!(number(x).len() <= 8, "{}", number(x));
        }
    }

    #[test]
    fn rows_fit_the_width_and_cannot_steer_the_terminal() {
        let row = Row {
            number: 1,
            bytes: 9,
            chars: 9,
            density: 1.0,
            score: 1.0,
            probability: Some(0.5),
            keep: false,
            role: Some((Role::Boilerplate, 0.9)),
            why: None,
            text: "a\u{1b}[2J 中文".repeat(40),
        };
        let table = Table { method: "m".into(), unit: "line", rows: vec![row], threshold: Some(0.5), facts: vec![] };
        let out = table.terminal(100);
        assert_eq!(out.matches("\u{1b}[2J").count(), 0);
        let line = out.lines().nth(1).unwrap().replace("\u{1b}[2m", "").replace("\u{1b}[0m", "");
        assert!(line.contains("boilerplate"));
        assert!(line.chars().map(char_width).sum::<usize>() <= 100, "{line}");
    }
}
