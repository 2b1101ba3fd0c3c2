//! From text to an expression.
use super::{Axis, Expr, Function, Op, Start, Step, Test, XPathError};

/// Maximum depth of nested expressions.
const MAX_DEPTH: usize = 50;
/// Maximum number of operators, since the tree of a chain of operators is as deep as the chain is long.
const MAX_OPERATORS: usize = 300;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Sign(&'static str),
    /// A name of a node, a function or an axis.
    Name(String),
    /// `and`, `or`, `div`, `mod` or `*` between two values.
    Operator(Op),
    Text(String),
    Number(f64),
}

/// The signs, longer ones first.
const SIGNS: [&str; 21] =
    ["//", "::", "..", "!=", "<=", ">=", "/", "[", "]", "(", ")", "@", ",", ".", "|", "+", "-", "=", "<", ">", "*"];

pub(super) fn parse(text: &str) -> Result<Expr, XPathError> {
    let tokens = tokens(text)?;
    let end = text.chars().count() + 1;
    let mut parser = Parser { tokens: &tokens, at: 0, end, depth: 0, operators: 0 };
    let expr = parser.expression(0)?;
    match parser.peek() {
        None => Ok(expr),
        Some(_) => Err(parser.wrong("an operator or the end")),
    }
}

fn tokens(text: &str) -> Result<Vec<(Token, usize)>, XPathError> {
    let chars: Vec<char> = text.chars().collect();
    let mut out: Vec<(Token, usize)> = Vec::new();
    let mut i = 0;
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    while i < chars.len() {
        let c = chars[i];
        if c.is_whitespace() {
            i += 1;
            continue;
        }
        let column = i + 1;
        let wrong = |message: String| XPathError { column, message };
        // After a value, a name or a star is an operator.
        let after_value = out.last().is_some_and(|(token, _)| match token {
            Token::Sign(sign) => matches!(*sign, "]" | ")" | "." | ".." | "*"),
            Token::Operator(_) => false,
            _ => true,
        });
        let token = if c == '"' || c == '\'' {
            let length = chars[i + 1..].iter().position(|o| *o == c);
            let length = length.ok_or_else(|| wrong(format!("the text that begins with {c} has no end")))?;
            let inner = chars[i + 1..i + 1 + length].iter().collect();
            i += length + 2;
            Token::Text(inner)
        } else if c.is_ascii_digit() || c == '.' && chars.get(i + 1).is_some_and(char::is_ascii_digit) {
            let length = chars[i..].iter().take_while(|c| c.is_ascii_digit() || **c == '.').count();
            let digits: String = chars[i..i + length].iter().collect();
            i += length;
            Token::Number(digits.parse().map_err(|_| wrong(format!("'{digits}' is not a number")))?)
        } else if c.is_alphabetic() || c == '_' {
            let mut length = chars[i..].iter().take_while(|c| is_name(**c)).count();
            // The colon of a prefix, but not the colons of an axis.
            let (colon, next) = (chars.get(i + length), chars.get(i + length + 1));
            if colon == Some(&':') && next.is_some_and(|c| c.is_alphabetic() || *c == '_') {
                length += 1 + chars[i + length + 1..].iter().take_while(|c| is_name(**c)).count();
            }
            let name: String = chars[i..i + length].iter().collect();
            i += length;
            match (after_value, name.as_str()) {
                (true, "and") => Token::Operator(Op::And),
                (true, "or") => Token::Operator(Op::Or),
                (true, "div") => Token::Operator(Op::Divide),
                (true, "mod") => Token::Operator(Op::Remainder),
                _ => Token::Name(name),
            }
        } else {
            let starts = |sign: &&&str| sign.chars().enumerate().all(|(j, s)| chars.get(i + j) == Some(&s));
            let sign = SIGNS.iter().find(starts).ok_or_else(|| wrong(format!("'{c}' is not expected here")))?;
            i += sign.len();
            if *sign == "*" && after_value { Token::Operator(Op::Multiply) } else { Token::Sign(sign) }
        };
        out.push((token, column));
    }
    Ok(out)
}

struct Parser<'t> {
    tokens: &'t [(Token, usize)],
    at: usize,
    end: usize,
    depth: usize,
    operators: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|t| &t.0)
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(Token::Sign(s)) if *s == sign)
    }

    fn take(&mut self, sign: &str) -> bool {
        let is = self.is(sign);
        self.at += usize::from(is);
        is
    }

    fn column(&self) -> usize {
        self.tokens.get(self.at).map_or(self.end, |t| t.1)
    }

    fn wrong(&self, expected: &str) -> XPathError {
        XPathError { column: self.column(), message: format!("expected {expected}") }
    }

    fn expect(&mut self, sign: &str) -> Result<(), XPathError> {
        if self.take(sign) { Ok(()) } else { Err(self.wrong(&format!("'{sign}'"))) }
    }

    /// Returns the operator that comes next, and how strongly it binds.
    fn operator(&self) -> Option<(Op, u8)> {
        let op = match self.peek()? {
            Token::Operator(op) => *op,
            Token::Sign("=") => Op::Equal,
            Token::Sign("!=") => Op::Unequal,
            Token::Sign("<") => Op::Less,
            Token::Sign("<=") => Op::LessOrEqual,
            Token::Sign(">") => Op::Greater,
            Token::Sign(">=") => Op::GreaterOrEqual,
            Token::Sign("+") => Op::Add,
            Token::Sign("-") => Op::Subtract,
            Token::Sign("|") => Op::Union,
            _ => return None,
        };
        let strength = match op {
            Op::Or => 1,
            Op::And => 2,
            Op::Equal | Op::Unequal => 3,
            Op::Less | Op::LessOrEqual | Op::Greater | Op::GreaterOrEqual => 4,
            Op::Add | Op::Subtract => 5,
            Op::Multiply | Op::Divide | Op::Remainder => 6,
            Op::Union => 8,
        };
        Some((op, strength))
    }

    /// Parses operators that bind more strongly than `least`.
    fn expression(&mut self, least: u8) -> Result<Expr, XPathError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} expressions inside each other");
            return Err(XPathError { column: self.column(), message });
        }
        let mut left = match self.take("-") {
            true => Expr::Negate(Box::new(self.expression(7)?)),
            false => self.path()?,
        };
        while let Some((op, strength)) = self.operator().filter(|(_, strength)| *strength > least) {
            self.operators += 1;
            if self.operators > MAX_OPERATORS {
                let message = format!("more than {MAX_OPERATORS} operators");
                return Err(XPathError { column: self.column(), message });
            }
            let column = self.column();
            self.at += 1;
            let right = self.expression(strength)?;
            if op == Op::Union && !(left.is_nodes() && right.is_nodes()) {
                return Err(XPathError { column, message: "expected nodes on both sides of '|'".into() });
            }
            left = Expr::Binary(op, Box::new(left), Box::new(right));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn path(&mut self) -> Result<Expr, XPathError> {
        let mut steps = Vec::new();
        let start = match self.peek() {
            Some(Token::Sign("/" | "//")) => {
                let deep = self.take("//");
                if deep {
                    steps.push(anything());
                } else {
                    self.at += 1;
                }
                if !deep && !self.begins_step() {
                    return Ok(Expr::Path(Start::Root, steps));
                }
                Start::Root
            }
            _ if self.begins_value() => {
                let column = self.column();
                let value = self.value()?;
                let predicates = self.predicates()?;
                let goes_on = self.is("/") || self.is("//");
                if predicates.is_empty() && !goes_on {
                    return Ok(value);
                }
                if !value.is_nodes() {
                    return Err(XPathError { column, message: "expected nodes before '[' or '/'".into() });
                }
                let start = Start::At(Box::new(value), predicates);
                if !goes_on {
                    return Ok(Expr::Path(start, steps));
                }
                if self.take("//") {
                    steps.push(anything());
                } else {
                    self.at += 1;
                }
                start
            }
            _ => Start::Here,
        };
        loop {
            steps.push(self.step()?);
            if self.take("//") {
                steps.push(anything());
            } else if !self.take("/") {
                return Ok(Expr::Path(start, steps));
            }
        }
    }

    /// Whether a text, a number, a group or a call comes next.
    fn begins_value(&self) -> bool {
        match self.peek() {
            Some(Token::Text(_) | Token::Number(_) | Token::Sign("(")) => true,
            Some(Token::Name(name)) => {
                let is_call = matches!(self.tokens.get(self.at + 1), Some((Token::Sign("("), _)));
                is_call && node_type(name).is_none()
            }
            _ => false,
        }
    }

    fn begins_step(&self) -> bool {
        matches!(self.peek(), Some(Token::Name(_) | Token::Sign("*" | "@" | "." | "..")))
    }

    fn value(&mut self) -> Result<Expr, XPathError> {
        let column = self.column();
        let token = self.peek().cloned();
        self.at += 1;
        match token {
            Some(Token::Text(text)) => Ok(Expr::Text(text)),
            Some(Token::Number(number)) => Ok(Expr::Number(number)),
            Some(Token::Name(name)) => self.call(&name, column),
            _ => {
                let inner = self.expression(0)?;
                self.expect(")")?;
                Ok(inner)
            }
        }
    }

    fn call(&mut self, name: &str, column: usize) -> Result<Expr, XPathError> {
        let wrong = |message: String| XPathError { column, message };
        let (function, least, most) =
            Function::named(name).ok_or_else(|| wrong(format!("there is no function '{name}'")))?;
        self.expect("(")?;
        let mut arguments = Vec::new();
        while !self.take(")") {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            arguments.push(self.expression(0)?);
        }
        if !(least..=most).contains(&arguments.len()) {
            let number = if least == most { least.to_string() } else { format!("{least} or more") };
            return Err(wrong(format!("{name}() takes {number} arguments, not {}", arguments.len())));
        }
        if matches!(function, Function::Count | Function::Sum) && !arguments[0].is_nodes() {
            return Err(wrong(format!("{name}() takes nodes")));
        }
        Ok(Expr::Call(function, arguments))
    }

    fn predicates(&mut self) -> Result<Vec<Expr>, XPathError> {
        let mut out = Vec::new();
        while self.take("[") {
            out.push(self.expression(0)?);
            self.expect("]")?;
        }
        Ok(out)
    }

    fn step(&mut self) -> Result<Step, XPathError> {
        if self.take(".") {
            return Ok(Step { axis: Axis::Itself, test: Test::Node, predicates: self.predicates()? });
        }
        if self.take("..") {
            return Ok(Step { axis: Axis::Parent, test: Test::Node, predicates: self.predicates()? });
        }
        let axis = match self.peek() {
            Some(Token::Sign("@")) => {
                self.at += 1;
                Axis::Attribute
            }
            Some(Token::Name(name)) if matches!(self.tokens.get(self.at + 1), Some((Token::Sign("::"), _))) => {
                let axis = axis(name).ok_or_else(|| self.wrong("the name of an axis"))?;
                self.at += 2;
                axis
            }
            _ => Axis::Child,
        };
        let test = match self.peek().cloned() {
            Some(Token::Sign("*")) => {
                self.at += 1;
                Test::Any
            }
            Some(Token::Name(name)) => {
                let is_type = matches!(self.tokens.get(self.at + 1), Some((Token::Sign("("), _)));
                match node_type(&name).filter(|_| is_type) {
                    Some(test) => {
                        self.at += 2;
                        self.at += usize::from(matches!(self.peek(), Some(Token::Text(_))));
                        self.expect(")")?;
                        test
                    }
                    None => {
                        self.at += 1;
                        Test::Name(name.to_lowercase())
                    }
                }
            }
            _ => return Err(self.wrong("the name of an element")),
        };
        Ok(Step { axis, test, predicates: self.predicates()? })
    }
}

/// The step between the slashes of `//`.
fn anything() -> Step {
    Step { axis: Axis::DescendantOrSelf, test: Test::Node, predicates: Vec::new() }
}

fn node_type(name: &str) -> Option<Test> {
    match name {
        "text" => Some(Test::Text),
        "node" => Some(Test::Node),
        "comment" | "processing-instruction" => Some(Test::Nothing),
        _ => None,
    }
}

fn axis(name: &str) -> Option<Axis> {
    Some(match name {
        "ancestor" => Axis::Ancestor,
        "ancestor-or-self" => Axis::AncestorOrSelf,
        "attribute" => Axis::Attribute,
        "child" => Axis::Child,
        "descendant" => Axis::Descendant,
        "descendant-or-self" => Axis::DescendantOrSelf,
        "following" => Axis::Following,
        "following-sibling" => Axis::FollowingSibling,
        "parent" => Axis::Parent,
        "preceding" => Axis::Preceding,
        "preceding-sibling" => Axis::PrecedingSibling,
        "self" => Axis::Itself,
        _ => return None,
    })
}
