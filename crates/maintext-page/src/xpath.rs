//! XPath 1.0 on the tree, for the rules of other readers: see `SiteConfig`.
//!
//! All axes but `namespace`, all functions but `lang` and `namespace-uri`, no variables. Names of HTML are compared without case. Comments are not
//! nodes here, and the text of an element leaves out its scripts and styles. The work for a page is bounded.
mod eval;
mod parse;
mod value;

pub use eval::Paths;
pub use value::Item;

use std::fmt;

/// Maximum length of an expression in bytes.
const MAX_BYTES: usize = 10_000;

/// A parsed expression. Two are equal if they are written alike.
#[derive(Clone)]
pub struct XPath {
    text: String,
    expr: Expr,
}

/// The reason why an expression could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XPathError {
    /// The place where parsing stopped, in characters from 1.
    pub column: usize,
    /// The error in words.
    pub message: String,
}

impl fmt::Display for XPathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.column, self.message)
    }
}

impl std::error::Error for XPathError {}

impl PartialEq for XPath {
    fn eq(&self, other: &XPath) -> bool {
        self.text == other.text
    }
}

impl Eq for XPath {}

impl fmt::Debug for XPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "XPath({:?})", self.text)
    }
}

impl XPath {
    /// Parses an expression of at most 10,000 bytes.
    ///
    /// # Errors
    /// The text is too long, nested too deeply, or not such an expression; the error has the position.
    pub fn parse(text: &str) -> Result<XPath, XPathError> {
        if text.len() > MAX_BYTES {
            let message = format!("the expression has {} bytes, more than the {MAX_BYTES} allowed", text.len());
            return Err(XPathError { column: 1, message });
        }
        Ok(XPath { text: text.to_owned(), expr: parse::parse(text)? })
    }

    /// Returns the expression as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
enum Expr {
    Text(String),
    Number(f64),
    Binary(Op, Box<Expr>, Box<Expr>),
    Negate(Box<Expr>),
    Call(Function, Vec<Expr>),
    Path(Start, Vec<Step>),
}

/// Where a path begins.
#[derive(Clone, Debug, PartialEq)]
enum Start {
    Root,
    Here,
    /// At the nodes of an expression that fulfil predicates.
    At(Box<Expr>, Vec<Expr>),
}

#[derive(Clone, Debug, PartialEq)]
struct Step {
    axis: Axis,
    test: Test,
    predicates: Vec<Expr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Axis {
    Ancestor,
    AncestorOrSelf,
    Attribute,
    Child,
    Descendant,
    DescendantOrSelf,
    Following,
    FollowingSibling,
    Parent,
    Preceding,
    PrecedingSibling,
    Itself,
}

/// The nodes of an axis that a step takes.
#[derive(Clone, Debug, PartialEq)]
enum Test {
    /// Elements or attributes of a name, in lower case.
    Name(String),
    /// Elements or attributes.
    Any,
    Text,
    Node,
    /// Comments and processing instructions, which the tree does not have.
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Union,
}

/// Declares the functions with their names and the numbers of their arguments.
macro_rules! functions {
    ($($function:ident $name:literal $least:literal $most:expr;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Function { $($function,)* }

        impl Function {
            /// Returns the function of a name, with the least and the largest number of its arguments.
            fn named(name: &str) -> Option<(Function, usize, usize)> {
                match name { $($name => Some((Function::$function, $least, $most)),)* _ => None }
            }
        }
    };
}

functions! {
    Boolean "boolean" 1 1;
    Ceiling "ceiling" 1 1;
    Concat "concat" 2 usize::MAX;
    Contains "contains" 2 2;
    Count "count" 1 1;
    False "false" 0 0;
    Floor "floor" 1 1;
    Id "id" 1 1;
    Last "last" 0 0;
    LocalName "local-name" 0 1;
    Name "name" 0 1;
    NormalizeSpace "normalize-space" 0 1;
    Not "not" 1 1;
    Number "number" 0 1;
    Position "position" 0 0;
    Round "round" 1 1;
    StartsWith "starts-with" 2 2;
    String "string" 0 1;
    StringLength "string-length" 0 1;
    Substring "substring" 2 3;
    SubstringAfter "substring-after" 2 2;
    SubstringBefore "substring-before" 2 2;
    Sum "sum" 1 1;
    Translate "translate" 3 3;
    True "true" 0 0;
}

impl Expr {
    /// Whether the value is a number.
    fn is_number(&self) -> bool {
        use Function as F;
        match self {
            Expr::Number(_) | Expr::Negate(_) => true,
            Expr::Binary(op, ..) => matches!(op, Op::Add | Op::Subtract | Op::Multiply | Op::Divide | Op::Remainder),
            Expr::Call(f, _) => matches!(
                f,
                F::Ceiling
                    | F::Count
                    | F::Floor
                    | F::Last
                    | F::Number
                    | F::Position
                    | F::Round
                    | F::StringLength
                    | F::Sum
            ),
            Expr::Text(_) | Expr::Path(..) => false,
        }
    }

    /// Whether the value is a set of nodes.
    fn is_nodes(&self) -> bool {
        match self {
            Expr::Path(..) => true,
            Expr::Binary(op, ..) => *op == Op::Union,
            Expr::Call(f, _) => *f == Function::Id,
            _ => false,
        }
    }

    /// Whether the value depends on the position among the nodes of a step.
    fn asks_position(&self) -> bool {
        match self {
            Expr::Text(_) | Expr::Number(_) | Expr::Path(..) => false,
            Expr::Negate(a) => a.asks_position(),
            Expr::Binary(_, a, b) => a.asks_position() || b.asks_position(),
            Expr::Call(f, arguments) => {
                matches!(f, Function::Position | Function::Last) || arguments.iter().any(Expr::asks_position)
            }
        }
    }
}
