//! Converts AsciiMath to TeX: `sum_(i=1)^n i^2 = (n(n+1))/2`.
use super::mathml::push;
use super::symbols;
use crate::lexicon::lexicon;
use std::sync::LazyLock;

/// Returns the TeX of AsciiMath.
pub(super) fn to_tex(source: &str) -> String {
    let mut parser = Parser { rest: source.trim(), depth: 0 };
    let mut out = parser.expression();
    while !parser.rest.is_empty() {
        // A closing bracket without an opening one.
        let Some(token) = parser.token() else { break };
        push(&mut out, &token.tex);
        push(&mut out, &parser.expression());
    }
    out
}

/// Maximum number of open brackets; deeper ones are read as plain signs.
const MAX_BRACKETS: u32 = 40;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Symbol,
    /// A command with one argument, or with two; a function takes its argument with its brackets.
    Unary,
    Binary,
    Function,
    Text,
    Open,
    Close,
    Sub,
    Sup,
    Over,
}

impl Kind {
    fn named(name: &str) -> Option<Kind> {
        use Kind::*;
        let kinds = [Symbol, Unary, Binary, Function, Text, Open, Close, Sub, Sup, Over];
        kinds.into_iter().find(|kind| format!("{kind:?}") == name)
    }
}

struct Token {
    tex: String,
    kind: Kind,
}

struct Parser<'a> {
    rest: &'a str,
    depth: u32,
}

impl<'a> Parser<'a> {
    /// Reads up to a closing bracket.
    fn expression(&mut self) -> String {
        let mut out = String::new();
        while let Some(part) = self.intermediate() {
            let before = self.rest;
            match self.token() {
                Some(Token { kind: Kind::Over, .. }) => {
                    let below = self.intermediate().unwrap_or_default();
                    push(&mut out, &format!("\\frac{{{}}}{{{}}}", bare(&part), bare(&below)));
                }
                _ => {
                    self.rest = before;
                    push(&mut out, &part);
                }
            }
        }
        out
    }

    /// Reads a simple expression with its indices.
    fn intermediate(&mut self) -> Option<String> {
        let mut out = self.simple()?;
        for (kind, sign) in [(Kind::Sub, '_'), (Kind::Sup, '^')] {
            let before = self.rest;
            match self.token() {
                Some(t) if t.kind == kind => {
                    let index = self.simple().unwrap_or_default();
                    out.push_str(&format!("{sign}{{{}}}", bare(&index)));
                }
                _ => self.rest = before,
            }
        }
        Some(out)
    }

    fn simple(&mut self) -> Option<String> {
        let before = self.rest;
        let token = self.token()?;
        if self.depth >= MAX_BRACKETS {
            return Some(token.tex);
        }
        self.depth += 1;
        let out = match token.kind {
            Kind::Symbol => Some(token.tex),
            Kind::Text => Some(format!("\\text{{{}}}", token.tex)),
            Kind::Unary => {
                let argument = self.simple().unwrap_or_default();
                let (open, close) = token.tex.split_once('#').unwrap_or((&token.tex, ""));
                Some(format!("{open}{{{}}}{close}", bare(&argument)))
            }
            Kind::Function => Some(token.tex),
            Kind::Binary => {
                let (a, b) = (self.simple().unwrap_or_default(), self.simple().unwrap_or_default());
                Some(match &*token.tex {
                    "root" => format!("\\sqrt[{}]{{{}}}", bare(&a), bare(&b)),
                    command => format!("\\{command}{{{}}}{{{}}}", bare(&a), bare(&b)),
                })
            }
            Kind::Open => {
                let inner = self.expression();
                let after = self.rest;
                let close = match self.token() {
                    Some(Token { kind: Kind::Close, tex }) => tex,
                    _ => {
                        self.rest = after;
                        String::new()
                    }
                };
                let mut out = token.tex;
                push(&mut out, &inner);
                push(&mut out, &close);
                Some(out)
            }
            Kind::Close => {
                self.rest = before;
                None
            }
            Kind::Sub | Kind::Sup | Kind::Over => {
                Some(["_", "^", "/"][(token.kind as u8 - Kind::Sub as u8) as usize].to_owned())
            }
        };
        self.depth -= 1;
        out
    }

    fn token(&mut self) -> Option<Token> {
        self.rest = self.rest.trim_start();
        let first = self.rest.chars().next()?;
        if first == '"' {
            let (text, rest) = self.rest[1..].split_once('"').unwrap_or((&self.rest[1..], ""));
            self.rest = rest;
            return Some(Token { tex: text.to_owned(), kind: Kind::Text });
        }
        if first.is_ascii_digit() {
            let end = self.rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(self.rest.len());
            return Some(self.take(end, None));
        }
        // The longest name wins: `int` before `in`.
        let tokens = TOKENS.iter().copied().filter(|t| self.rest.starts_with(t.0));
        if let Some((name, tex, kind)) = tokens.max_by_key(|t| t.0.len()) {
            return Some(self.take(name.len(), Some((tex, kind))));
        }
        let letters = self.rest.bytes().take(12).take_while(u8::is_ascii_alphabetic).count();
        for end in (2..=letters).rev() {
            if symbols::is_function(&self.rest[..end]) {
                let tex = format!("\\{}", &self.rest[..end]);
                return Some(Token { kind: Kind::Function, ..self.take(end, Some((&tex, Kind::Function))) });
            }
            if GREEK.contains(&&self.rest[..end]) {
                let tex = format!("\\{}", &self.rest[..end]);
                return Some(self.take(end, Some((&tex, Kind::Symbol))));
            }
        }
        if first == '\\' && self.rest.len() > 1 {
            self.rest = &self.rest[1..];
            return Some(Token { tex: "\\ ".into(), kind: Kind::Symbol });
        }
        Some(self.take(first.len_utf8(), None))
    }

    fn take(&mut self, end: usize, known: Option<(&str, Kind)>) -> Token {
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        match known {
            Some((tex, kind)) => Token { tex: tex.to_owned(), kind },
            None => {
                let symbol =
                    name.chars().next().and_then(symbols::command).map_or_else(|| name.to_owned(), str::to_owned);
                let symbol = if matches!(&*symbol, "%" | "#" | "&" | "$") { format!("\\{symbol}") } else { symbol };
                Token { tex: symbol, kind: Kind::Symbol }
            }
        }
    }
}

/// Removes the brackets around an argument, which only hold it together.
fn bare(tex: &str) -> &str {
    let inner = ["()", "[]"].iter().find_map(|b| tex.strip_prefix(&b[..1])?.strip_suffix(&b[1..]));
    let inner = inner.or_else(|| tex.strip_prefix("\\{")?.strip_suffix("\\}"));
    let closes_early = |s: &str| {
        let mut depth = 0i32;
        s.chars().any(|c| {
            depth += matches!(c, '(' | '[') as i32 - matches!(c, ')' | ']') as i32;
            depth < 0
        })
    };
    inner.filter(|s| !closes_early(s)).unwrap_or(tex)
}

const GREEK: &[&str] = lexicon!("greek-letters.txt");

/// Names, each with its kind and its TeX.
static TOKENS: LazyLock<Vec<(&str, &str, Kind)>> = LazyLock::new(|| {
    let parts = lexicon!("asciimath.txt").iter().map(|entry| entry.splitn(3, ' ').collect::<Vec<_>>());
    parts
        .filter_map(|p| if let [kind, name, tex] = p[..] { Some((name, tex, Kind::named(kind)?)) } else { None })
        .collect()
});

#[cfg(test)]
mod tests {
    use super::to_tex;

    #[test]
    fn asciimath_becomes_tex() {
        for (source, want) in [
            ("sum_(i=1)^n i^3=((n(n+1))/2)^2", "\\sum_{i=1}^{n}i^{3}=(\\frac{n(n+1)}{2})^{2}"),
            ("x = (-b +- sqrt(b^2 - 4ac))/(2a)", "x=\\frac{-b\\pm\\sqrt{b^{2}-4ac}}{2a}"),
            ("alpha xx beta", "\\alpha\\times\\beta"),
            ("lim_(x->oo) (sin x)/x", "\\lim_{x\\to\\infty}\\frac{\\sin x}{x}"),
            ("f: RR -> RR", "f:\\mathbb{R}\\to\\mathbb{R}"),
            ("root(3)(x) != \"no value\"", "\\sqrt[3]{x}\\neq\\text{no value}"),
            ("int_0^1 f(x) dx", "\\int_{0}^{1}f(x)dx"),
            (")a(", ")a("),
        ] {
            assert_eq!(to_tex(source), want, "{source}");
        }
    }
}
