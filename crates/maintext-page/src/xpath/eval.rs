//! The value of an expression on a page.
use super::value::{Item, Value, number, spelled};
use super::{Axis, Expr, Function, Op, Start, Step, Test, XPath};
use crate::dom::{Dom, NodeId, NodeKind};
use crate::hash::HashSet;
use std::cell::Cell;

/// Units of work for an expression: so many for each node of the page, and so many in any case. A unit is a step to a node or
/// [`BYTES_PER_UNIT`] of text.
const UNITS_PER_NODE: u64 = 60;
const BASE_UNITS: u64 = 200_000;
/// Number of bytes of text that cost a unit.
const BYTES_PER_UNIT: usize = 16;

/// A page on which expressions are evaluated. The work for each of them is bounded in proportion to the size of the page; beyond the bound,
/// nodes are left out, and [`Paths::is_cut`] returns true.
pub struct Paths<'d, 'a> {
    dom: &'d Dom<'a>,
    /// The place of each node in the document.
    order: Vec<u32>,
    left: Cell<u64>,
    is_cut: Cell<bool>,
}

/// The node for which an expression is evaluated, with its place among the nodes of its step.
#[derive(Clone, Copy)]
struct Here {
    item: Item,
    position: usize,
    size: usize,
}

impl<'d, 'a> Paths<'d, 'a> {
    /// Numbers the nodes of a page.
    pub fn new(dom: &'d Dom<'a>) -> Paths<'d, 'a> {
        let mut order = vec![u32::MAX; dom.len()];
        for (i, n) in dom.descendants(NodeId::ROOT).enumerate() {
            order[n.index()] = i as u32;
        }
        Paths { dom, order, left: Cell::new(0), is_cut: Cell::new(false) }
    }

    /// Whether an expression took more work than it may.
    pub fn is_cut(&self) -> bool {
        self.is_cut.get()
    }

    /// Returns the nodes that an expression selects, in document order; none if its value is not a set of nodes.
    pub fn nodes(&self, xpath: &XPath) -> Vec<Item> {
        match self.start(xpath) {
            Value::Nodes(nodes) => nodes,
            _ => Vec::new(),
        }
    }

    /// Returns the texts of the nodes that an expression selects, or its value as a text. Blank texts are left out.
    pub fn texts(&self, xpath: &XPath) -> Vec<String> {
        let mut out = match self.start(xpath) {
            Value::Nodes(nodes) => nodes.into_iter().map(|item| self.text_of(item)).collect(),
            Value::Truth(_) => Vec::new(),
            other => vec![self.text(&other)],
        };
        out.retain(|text| !text.trim().is_empty());
        out
    }

    /// Returns the addresses to which an expression leads: its value, or the value of an attribute, or where a link leads.
    pub fn addresses(&self, xpath: &XPath) -> Vec<String> {
        let address = |item: Item| match item.attribute {
            None if self.dom.kind(item.node) == NodeKind::Element => {
                self.dom.attr(item.node, "href").map(str::to_owned)
            }
            _ => Some(self.text_of(item)),
        };
        let mut out: Vec<String> = match self.start(xpath) {
            Value::Nodes(nodes) => nodes.into_iter().filter_map(address).collect(),
            Value::Text(text) => vec![text],
            _ => Vec::new(),
        };
        out.iter_mut().for_each(|a| *a = a.trim().to_owned());
        out.retain(|a| !a.is_empty());
        out
    }

    /// Whether an expression holds for the page.
    pub fn holds(&self, xpath: &XPath) -> bool {
        self.start(xpath).truth()
    }

    fn start(&self, xpath: &XPath) -> Value {
        self.left.set(BASE_UNITS + UNITS_PER_NODE * self.dom.len() as u64);
        self.value(&xpath.expr, Here { item: Item::node(NodeId::ROOT), position: 1, size: 1 })
    }

    /// Takes units of work, and returns whether there were any left.
    fn works(&self, units: u64) -> bool {
        let (left, enough) = (self.left.get(), self.left.get() >= units && self.dom.works(units));
        self.left.set(if enough { left - units } else { 0 });
        if !enough {
            self.is_cut.set(true);
        }
        enough
    }

    fn reads(&self, text: &str) -> bool {
        self.works(1 + (text.len() / BYTES_PER_UNIT) as u64)
    }

    fn value(&self, expr: &Expr, here: Here) -> Value {
        match expr {
            Expr::Text(text) => Value::Text(text.clone()),
            Expr::Number(n) => Value::Number(*n),
            Expr::Negate(a) => Value::Number(-self.number(&self.value(a, here))),
            Expr::Binary(op, a, b) => self.binary(*op, a, b, here),
            Expr::Call(function, arguments) => self.call(*function, arguments, here),
            Expr::Path(start, steps) => {
                let mut nodes = match start {
                    Start::Root => vec![Item::node(NodeId::ROOT)],
                    Start::Here => vec![here.item],
                    Start::At(expr, predicates) => {
                        let nodes = match self.value(expr, here) {
                            Value::Nodes(nodes) => nodes,
                            _ => Vec::new(),
                        };
                        self.filtered(nodes, predicates)
                    }
                };
                for step in steps {
                    nodes = self.step(&nodes, step);
                }
                Value::Nodes(nodes)
            }
        }
    }

    /// Returns the nodes that fulfil all predicates, which are in the order of their positions.
    fn filtered(&self, mut nodes: Vec<Item>, predicates: &[Expr]) -> Vec<Item> {
        for predicate in predicates {
            let size = nodes.len();
            let mut position = 0;
            nodes.retain(|&item| {
                position += 1;
                self.works(1)
                    && match self.value(predicate, Here { item, position, size }) {
                        Value::Number(n) => n == position as f64,
                        other => other.truth(),
                    }
            });
        }
        nodes
    }

    fn step(&self, from: &[Item], step: &Step) -> Vec<Item> {
        let by_position = step.predicates.iter().any(|p| p.is_number() || p.asks_position());
        // Without positions, the order of the walk does not matter, and no node need be walked twice.
        let mut seen = (!by_position && from.len() > 1).then(HashSet::default);
        let most = match step.predicates.first() {
            Some(Expr::Number(n)) if *n >= 1.0 => *n as usize,
            Some(Expr::Number(_)) => 0,
            _ => usize::MAX,
        };
        let mut out = Vec::new();
        for &item in from {
            let mut found = Vec::new();
            if most > 0 {
                self.walk(item, step, &mut seen, |item| {
                    found.push(item);
                    found.len() < most
                });
            }
            out.extend(self.filtered(found, &step.predicates));
            if self.left.get() == 0 {
                break;
            }
        }
        self.sorted(out)
    }

    /// Returns nodes in document order, each once.
    fn sorted(&self, mut nodes: Vec<Item>) -> Vec<Item> {
        let place = |item: &Item| (self.order[item.node.index()], item.attribute.map_or(0, |a| a + 1));
        if !nodes.is_sorted_by_key(place) {
            nodes.sort_by_key(place);
        }
        nodes.dedup();
        nodes
    }

    /// Walks an axis, the nearest nodes first, and gives the nodes that pass the test to `take`, until it returns false. A node in `seen` ends the
    /// walk: all behind it have been walked.
    fn walk(&self, item: Item, step: &Step, seen: &mut Option<HashSet<NodeId>>, mut take: impl FnMut(Item) -> bool) {
        let dom = self.dom;
        let n = item.node;
        let is_node = item.attribute.is_none();
        let fits = |n: NodeId| match (&step.test, dom.kind(n)) {
            (_, NodeKind::Other) => false,
            (Test::Name(name), NodeKind::Element) => dom.tag_name(n).eq_ignore_ascii_case(name),
            (Test::Any, NodeKind::Element) | (Test::Node, _) | (Test::Text, NodeKind::Text) => true,
            _ => false,
        };
        let mut visit = |n: NodeId| self.works(1) && (!fits(n) || take(Item::node(n)));
        let mut is_new = |n: NodeId| seen.as_mut().is_none_or(|seen| seen.insert(n));
        // An attribute is below its element.
        let above = || (!is_node).then_some(n).into_iter().chain(dom.ancestors(n));
        match step.axis {
            Axis::Itself if is_node => {
                let _ = visit(n);
            }
            Axis::Itself => {
                if matches!(step.test, Test::Node) {
                    take(item);
                }
            }
            Axis::Parent => {
                let _ = above().next().is_some_and(&mut visit);
            }
            Axis::Ancestor => {
                let _ = above().all(|n| is_new(n) && visit(n));
            }
            Axis::AncestorOrSelf => {
                let own = is_node.then_some(n);
                let _ = own.into_iter().chain(above()).all(|n| is_new(n) && visit(n));
            }
            Axis::Attribute if is_node && dom.kind(n) == NodeKind::Element => {
                for (i, (name, _)) in dom.attrs(n).enumerate() {
                    let is_wanted = match &step.test {
                        Test::Name(wanted) => name.eq_ignore_ascii_case(wanted),
                        test => matches!(test, Test::Any | Test::Node),
                    };
                    if !self.works(1) || is_wanted && !take(Item { node: n, attribute: Some(i as u32) }) {
                        break;
                    }
                }
            }
            _ if !is_node => {}
            Axis::Attribute => {}
            Axis::Child => {
                let _ = dom.children(n).all(visit);
            }
            // The contexts come in document order: one inside an earlier one adds nothing.
            Axis::Descendant => {
                let _ = is_new(n)
                    && dom.descendants(n).skip(1).all(|n| {
                        is_new(n);
                        visit(n)
                    });
            }
            Axis::DescendantOrSelf => {
                let _ = is_new(n)
                    && dom.descendants(n).all(|m| {
                        let _ = m == n || is_new(m);
                        visit(m)
                    });
            }
            Axis::FollowingSibling => {
                let next = std::iter::successors(dom.next_sibling(n), |&n| dom.next_sibling(n));
                let _ = next.into_iter().all(|n| is_new(n) && visit(n));
            }
            Axis::PrecedingSibling => {
                let previous = std::iter::successors(dom.prev_sibling(n), |&n| dom.prev_sibling(n));
                let _ = previous.into_iter().all(|n| is_new(n) && visit(n));
            }
            Axis::Following => {
                let starts = std::iter::once(n).chain(dom.ancestors(n));
                let next = |n| std::iter::successors(dom.next_sibling(n), |&n| dom.next_sibling(n));
                let all = starts.flat_map(next).flat_map(|n| dom.descendants(n));
                let _ = all.into_iter().all(|n| is_new(n) && visit(n));
            }
            Axis::Preceding => {
                let starts = std::iter::once(n).chain(dom.ancestors(n));
                let previous = |n| std::iter::successors(dom.prev_sibling(n), |&n| dom.prev_sibling(n));
                for root in starts.flat_map(previous) {
                    let mut below: Vec<NodeId> = dom.descendants(root).take_while(|_| self.works(1)).collect();
                    below.reverse();
                    if !below.into_iter().all(|n| is_new(n) && visit(n)) {
                        break;
                    }
                }
            }
        }
    }

    fn text_of(&self, item: Item) -> String {
        let text = match item.attribute {
            Some(i) => self.dom.attrs(item.node).nth(i as usize).map_or("", |a| a.1).to_owned(),
            None if self.dom.kind(item.node) == NodeKind::Text => self.dom.text(item.node).to_owned(),
            None => {
                let before = self.dom.work();
                let text = self.dom.text_content(item.node);
                self.works(self.dom.work() - before);
                text
            }
        };
        if self.reads(&text) { text } else { String::new() }
    }

    fn text(&self, value: &Value) -> String {
        match value {
            Value::Nodes(nodes) => nodes.first().map_or_else(String::new, |item| self.text_of(*item)),
            Value::Text(text) => text.clone(),
            Value::Number(n) => spelled(*n),
            Value::Truth(truth) => truth.to_string(),
        }
    }

    fn number(&self, value: &Value) -> f64 {
        match value {
            Value::Number(n) => *n,
            Value::Truth(truth) => f64::from(u8::from(*truth)),
            other => number(&self.text(other)),
        }
    }

    fn binary(&self, op: Op, a: &Expr, b: &Expr, here: Here) -> Value {
        if matches!(op, Op::And | Op::Or) {
            let first = self.value(a, here).truth();
            return Value::Truth(if first == (op == Op::Or) { first } else { self.value(b, here).truth() });
        }
        let (a, b) = (self.value(a, here), self.value(b, here));
        match op {
            Op::Union => match (a, b) {
                (Value::Nodes(mut a), Value::Nodes(b)) => {
                    a.extend(b);
                    Value::Nodes(self.sorted(a))
                }
                _ => Value::Nodes(Vec::new()),
            },
            Op::Add | Op::Subtract | Op::Multiply | Op::Divide | Op::Remainder => {
                let (a, b) = (self.number(&a), self.number(&b));
                Value::Number(match op {
                    Op::Add => a + b,
                    Op::Subtract => a - b,
                    Op::Multiply => a * b,
                    Op::Divide => a / b,
                    _ => a % b,
                })
            }
            _ => Value::Truth(self.compare(op, &a, &b)),
        }
    }

    /// Compares two values; of sets of nodes, any node may fulfil the comparison.
    fn compare(&self, op: Op, a: &Value, b: &Value) -> bool {
        let numbers = |a: f64, b: f64| match op {
            Op::Equal => a == b,
            Op::Unequal => a != b,
            Op::Less => a < b,
            Op::LessOrEqual => a <= b,
            Op::Greater => a > b,
            _ => a >= b,
        };
        let is_equality = matches!(op, Op::Equal | Op::Unequal);
        match (a, b) {
            (Value::Truth(_), _) | (_, Value::Truth(_)) if is_equality => (a.truth() == b.truth()) == (op == Op::Equal),
            (Value::Nodes(_), Value::Nodes(others)) if is_equality => {
                let texts: HashSet<String> = others.iter().map(|item| self.text_of(*item)).collect();
                let Value::Nodes(nodes) = a else { return false };
                let mut own = nodes.iter().map(|item| self.text_of(*item));
                match op {
                    Op::Equal => own.any(|text| texts.contains(&text)),
                    _ => own.any(|text| texts.len() > 1 || texts.iter().any(|t| *t != text)),
                }
            }
            (Value::Nodes(nodes), other) => {
                let value = |item: &Item| Value::Text(self.text_of(*item));
                // An order holds for the smallest or the largest number of the others.
                nodes.iter().map(value).any(|text| self.compare(op, &text, &self.first(other, op)))
            }
            (other, Value::Nodes(nodes)) => {
                let value = |item: &Item| Value::Text(self.text_of(*item));
                nodes.iter().map(value).any(|text| self.compare(op, other, &text))
            }
            (Value::Number(_), _) | (_, Value::Number(_)) => numbers(self.number(a), self.number(b)),
            _ if is_equality => (self.text(a) == self.text(b)) == (op == Op::Equal),
            _ => numbers(self.number(a), self.number(b)),
        }
    }

    /// Returns the value of a set for an order: its largest number if others are to be less, else its smallest.
    fn first(&self, value: &Value, op: Op) -> Value {
        let Value::Nodes(nodes) = value else { return value.clone() };
        let numbers = nodes.iter().map(|item| number(&self.text_of(*item))).filter(|n| !n.is_nan());
        let best = match op {
            Op::Less | Op::LessOrEqual => numbers.reduce(f64::max),
            _ => numbers.reduce(f64::min),
        };
        Value::Number(best.unwrap_or(f64::NAN))
    }

    fn call(&self, function: Function, arguments: &[Expr], here: Here) -> Value {
        use Function as F;
        let own = || Value::Nodes(vec![here.item]);
        let argument = |i: usize| arguments.get(i).map_or_else(own, |a| self.value(a, here));
        let text = |i: usize| {
            let text = self.text(&argument(i));
            if self.reads(&text) { text } else { String::new() }
        };
        let number = |i: usize| self.number(&argument(i));
        match function {
            F::Last => Value::Number(here.size as f64),
            F::Position => Value::Number(here.position as f64),
            F::True => Value::Truth(true),
            F::False => Value::Truth(false),
            F::Not => Value::Truth(!argument(0).truth()),
            F::Boolean => Value::Truth(argument(0).truth()),
            F::Count => match argument(0) {
                Value::Nodes(nodes) => Value::Number(nodes.len() as f64),
                _ => Value::Number(f64::NAN),
            },
            F::Sum => match argument(0) {
                Value::Nodes(nodes) => {
                    Value::Number(nodes.iter().map(|item| super::value::number(&self.text_of(*item))).sum())
                }
                _ => Value::Number(f64::NAN),
            },
            F::Number => Value::Number(number(0)),
            F::Floor => Value::Number(number(0).floor()),
            F::Ceiling => Value::Number(number(0).ceil()),
            F::Round => Value::Number((number(0) + 0.5).floor()),
            F::Id => Value::Nodes(self.by_id(&text(0))),
            F::Name | F::LocalName => {
                let name = match argument(0) {
                    Value::Nodes(nodes) => nodes.first().map_or("", |item| self.name(*item)).to_owned(),
                    _ => String::new(),
                };
                let local = name.rsplit(':').next().filter(|_| function == F::LocalName);
                Value::Text(local.unwrap_or(&name).to_owned())
            }
            F::String => Value::Text(text(0)),
            F::StringLength => Value::Number(text(0).chars().count() as f64),
            F::NormalizeSpace => Value::Text(text(0).split_whitespace().collect::<Vec<_>>().join(" ")),
            F::Concat => Value::Text((0..arguments.len()).map(text).collect()),
            F::Contains => Value::Truth(text(0).contains(&text(1))),
            F::StartsWith => Value::Truth(text(0).starts_with(&text(1))),
            F::SubstringBefore => {
                Value::Text(text(0).split_once(&text(1)).map_or_else(String::new, |(before, _)| before.to_owned()))
            }
            F::SubstringAfter => {
                Value::Text(text(0).split_once(&text(1)).map_or_else(String::new, |(_, after)| after.to_owned()))
            }
            F::Substring => {
                // Positions count from 1 and are rounded; the ends may be outside of the text.
                let first = (number(1) + 0.5).floor();
                let end = if arguments.len() > 2 { first + (number(2) + 0.5).floor() } else { f64::INFINITY };
                let inside = |(i, c): (usize, char)| {
                    let position = (i + 1) as f64;
                    (position >= first && position < end).then_some(c)
                };
                Value::Text(text(0).chars().enumerate().filter_map(inside).collect())
            }
            F::Translate => {
                let (from, to): (Vec<char>, Vec<char>) = (text(1).chars().collect(), text(2).chars().collect());
                let translated = |c: char| match from.iter().position(|f| *f == c) {
                    Some(i) => to.get(i).copied(),
                    None => Some(c),
                };
                Value::Text(text(0).chars().filter_map(translated).collect())
            }
        }
    }

    fn name(&self, item: Item) -> &str {
        match item.attribute {
            Some(i) => self.dom.attrs(item.node).nth(i as usize).map_or("", |a| a.0),
            None => self.dom.tag_name(item.node),
        }
    }

    fn by_id(&self, ids: &str) -> Vec<Item> {
        let ids: HashSet<&str> = ids.split_whitespace().collect();
        let has = |n: &NodeId| self.dom.attr(*n, "id").is_some_and(|id| ids.contains(id));
        let nodes = self.dom.descendants(NodeId::ROOT).take_while(|_| self.works(1));
        nodes.filter(|n| self.dom.kind(*n) == NodeKind::Element).filter(has).map(Item::node).collect()
    }
}

#[cfg(test)]
mod tests;
