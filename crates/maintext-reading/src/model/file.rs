//! The model file: a magic number, a version, a checksum, and the weights in columns.
//!
//! Features are stored by name, so that a file whose feature no longer exists is refused instead of misread.
use super::network::{Input, Network, Row, Shape, WIDTH};
use super::{Curve, Model, confidence};
use crate::features::TokenScores;
use crate::features::bags::Vocabulary;
use crate::features::tokens::{KINDS, Table};
use maintext_page::hash::of64;
use std::array::from_fn;
use std::fmt;

/// Levels on each side of 0 for leaves and scores; they fit into a byte.
pub const COARSE: u16 = 127;
/// Levels on each side of 0 for weights that are multiplied with each other.
pub const FINE: u16 = 2047;

/// First bytes of each model file.
pub const MAGIC: &[u8; 8] = b"maintext";
/// Version of the layout.
const VERSION: u32 = 5;
/// The kind of model: other trainable methods have files of their own.
const KIND: &str = "learned";

/// Why a model file was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelError {
    /// The file is not a model file of maintext.
    NotAModel,
    /// The model belongs to another method.
    OtherMethod(String),
    /// The file has another version than this library reads.
    OtherVersion(u32),
    /// The file is cut short or damaged.
    Damaged,
    /// The model needs a feature that this library does not compute.
    UnknownFeature(String),
    /// The library was built without this cargo feature, which includes the model.
    LeftOut(&'static str),
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelError::NotAModel => write!(f, "not a maintext model file"),
            ModelError::OtherMethod(m) => write!(f, "a model for the method '{m}', not for '{KIND}'"),
            ModelError::OtherVersion(v) => write!(f, "model version {v}; this build reads version {VERSION}"),
            ModelError::Damaged => write!(f, "the model file is cut short or damaged"),
            ModelError::UnknownFeature(name) => write!(f, "the model needs the unknown feature '{name}'"),
            ModelError::LeftOut(feature) => {
                write!(f, "this build leaves it out: enable the cargo feature '{feature}'")
            }
        }
    }
}

impl std::error::Error for ModelError {}

/// The bytes of a model file that is written.
#[derive(Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    /// Writes a number, little-endian.
    pub fn u32(&mut self, x: u32) {
        self.0.extend(x.to_le_bytes());
    }
    /// Writes a number, little-endian.
    pub fn f32(&mut self, x: f32) {
        self.0.extend(x.to_le_bytes());
    }
    /// Writes the length of a text, and the text.
    pub fn text(&mut self, s: &str) {
        self.u32(s.len() as u32);
        self.0.extend(s.as_bytes());
    }
    /// Writes the names that are used, after their number. Returns the position of each among them, and how many there are.
    pub fn names(&mut self, names: &[String], used: impl Iterator<Item = u16>) -> (Vec<u32>, usize) {
        let mut position: Vec<Option<u32>> = vec![None; names.len()];
        used.for_each(|f| position[f as usize] = Some(0));
        let used = position.iter_mut().zip(names).filter_map(|(p, name)| Some((p.as_mut()?, name)));
        let used: Vec<(&mut u32, &String)> = used.collect();
        let count = used.len();
        self.u32(count as u32);
        for (next, (position, name)) in used.into_iter().enumerate() {
            *position = next as u32;
            self.text(name);
        }
        (position.into_iter().map(|p| p.unwrap_or(0)).collect(), count)
    }
    /// Returns the file with its head: magic number, kind, version, checksum.
    pub fn sealed(self, kind: &str, version: u32) -> Vec<u8> {
        let mut out = Writer(MAGIC.to_vec());
        out.text(kind);
        out.u32(version);
        out.0.extend(of64(&self.0).to_le_bytes());
        out.0.extend(self.0);
        out.0
    }
    fn curve(&mut self, c: &Curve) {
        self.u32(c.knots.len() as u32);
        c.knots.iter().flatten().for_each(|x| self.f32(*x));
    }
    fn network(&mut self, n: &Network, position: &[u32]) {
        self.u32(n.inputs.len() as u32);
        for input in &n.inputs {
            self.u32(position[input.column as usize]);
            self.u32(input.knots.len() as u32);
            input.knots.iter().for_each(|k| self.f32(*k));
        }
        self.u32(n.weights.len() as u32);
        self.rows(&n.weights, FINE);
        self.keys(&n.vocabulary.words);
        self.keys(&n.vocabulary.names);
        self.rows(&n.bags, COARSE);
    }
    /// Writes rows of weights, column by column.
    fn rows(&mut self, rows: &[Row], levels: u16) {
        self.rounded((0..WIDTH).flat_map(|i| rows.iter().map(move |row| Some(row[i]))), levels);
    }
}

/// The bytes of a model file that are left to read.
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// Reads the head of a file of this kind and version, and compares its checksum.
    pub fn open(bytes: &'a [u8], kind: &str, version: u32) -> Result<Reader<'a>, ModelError> {
        let mut r = Reader(bytes.strip_prefix(MAGIC).ok_or(ModelError::NotAModel)?);
        let found = r.text()?;
        if found != kind {
            return Err(ModelError::OtherMethod(found));
        }
        r.check(version)?;
        Ok(r)
    }
    /// Compares the version and the checksum of the rest of the file.
    pub fn check(&mut self, version: u32) -> Result<(), ModelError> {
        let found = self.u32()?;
        if found != version {
            return Err(ModelError::OtherVersion(found));
        }
        let sum = self.bytes(8)?.to_vec();
        if of64(self.0).to_le_bytes() == sum[..] { Ok(()) } else { Err(ModelError::Damaged) }
    }
    /// Returns the next bytes.
    pub fn bytes(&mut self, n: usize) -> Result<&[u8], ModelError> {
        let (head, tail) = self.0.split_at_checked(n).ok_or(ModelError::Damaged)?;
        self.0 = tail;
        Ok(head)
    }
    /// Returns the next number.
    pub fn u32(&mut self) -> Result<u32, ModelError> {
        let b = self.bytes(4)?;
        Ok(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    }
    /// Returns the next number, which must be finite.
    pub fn f32(&mut self) -> Result<f32, ModelError> {
        self.u32().map(f32::from_bits)
    }
    /// Reads a count of items of at least `size` bytes each. The rest of the file bounds it.
    pub fn count(&mut self, size: usize) -> Result<usize, ModelError> {
        let n = self.u32()? as usize;
        if n.saturating_mul(size) > self.0.len() { Err(ModelError::Damaged) } else { Ok(n) }
    }
    /// Returns the next text.
    pub fn text(&mut self) -> Result<String, ModelError> {
        let n = self.count(1)?;
        String::from_utf8(self.bytes(n)?.to_vec()).map_err(|_| ModelError::Damaged)
    }
    /// Reads names after their number, and returns their positions among the names that the library knows.
    fn features(&mut self, known: &[impl AsRef<str>]) -> Result<Vec<u16>, ModelError> {
        let count = self.count(4)?;
        (0..count)
            .map(|_| {
                let name = self.text()?;
                let at = known.iter().position(|n| n.as_ref() == name);
                at.map(|at| at as u16).ok_or(ModelError::UnknownFeature(name))
            })
            .collect()
    }
    fn curve(&mut self) -> Result<Curve, ModelError> {
        let n = self.count(8)?;
        Ok(Curve { knots: (0..n).map(|_| Ok([self.f32()?, self.f32()?])).collect::<Result<_, _>>()? })
    }
    fn tokens(&mut self) -> Result<TokenScores, ModelError> {
        let mut scores = self.tables(4 + KINDS.len())?.into_iter();
        let [near, far, document_near, document_far] = from_fn(|_| scores.next().unwrap_or_default());
        let columns: [Table<f32>; KINDS.len()] = from_fn(|_| scores.next().unwrap_or_default());
        // A token has a score for all kinds or for none.
        if !columns.iter().all(|c| c.0.len() == columns[0].0.len()) {
            return Err(ModelError::Damaged);
        }
        let kinds = columns[0].0.iter().enumerate().map(|(i, e)| (e.0, from_fn(|k| columns[k].0[i].1)));
        let kinds = Table(kinds.collect());
        let words = self.tables(1)?.pop().unwrap_or_default();
        Ok(TokenScores { near, far, document_near, document_far, words, kinds })
    }
    fn rows(&mut self, n: usize, levels: u16) -> Result<Vec<Row>, ModelError> {
        let weights = self.all_rounded(WIDTH * n, levels)?;
        Ok((0..n).map(|row| from_fn(|i| weights[i * n + row])).collect())
    }
    fn network(&mut self, features: &[u16]) -> Result<Network, ModelError> {
        let mut n = Network::default();
        for _ in 0..self.count(8)? {
            let column = *features.get(self.u32()? as usize).ok_or(ModelError::Damaged)?;
            let knots = (0..self.count(4)?).map(|_| self.f32()).collect::<Result<_, _>>()?;
            n.inputs.push(Input { column, knots });
        }
        let rows = self.count_packed(2 * WIDTH)?;
        n.weights = self.rows(rows, FINE)?;
        // A network has either all of its rows or none.
        let whole = n.weights.len() == Shape { inputs: n.inputs.len() }.rows();
        n.vocabulary = Vocabulary { words: self.keys()?, names: self.keys()? };
        n.bags = self.rows(n.vocabulary.rows(), COARSE)?;
        if whole || n == Network::default() { Ok(n) } else { Err(ModelError::Damaged) }
    }
}

impl Model {
    /// Returns the model as the bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let names = crate::features::names();
        let tested = self.forest.trees.iter().flat_map(|t| t.features);
        let used = tested.chain(self.network.inputs.iter().map(|i| i.column));
        let mut w = Writer::default();
        let (position, count) = w.names(&names, used);
        let t = &self.tokens;
        let kinds: [_; KINDS.len()] = from_fn(|k| t.kinds.0.iter().map(move |(h, s)| (*h, s[k])).collect::<Vec<_>>());
        let elements = [&t.near, &t.far, &t.document_near, &t.document_far].map(|t| t.0.as_slice());
        w.tables(&elements.into_iter().chain(kinds.iter().map(Vec::as_slice)).collect::<Vec<_>>());
        w.tables(&[&t.words.0]);
        w.forest(&self.forest, &position, count);
        w.network(&self.network, &position);
        w.curve(&self.calibration);
        // The forest behind the confidence has columns of its own.
        let own = confidence::names();
        w.u32(own.len() as u32);
        own.iter().for_each(|n| w.text(n));
        w.forest(&self.confidence, &(0..own.len() as u32).collect::<Vec<_>>(), own.len());
        w.sealed(KIND, VERSION)
    }

    /// Reads a model file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Model, ModelError> {
        let mut r = Reader::open(bytes, KIND, VERSION)?;
        let features = r.features(&crate::features::names())?;
        let tokens = r.tokens()?;
        let (forest, network) = (r.forest(&features)?, r.network(&features)?);
        let calibration = r.curve()?;
        let features = r.features(&confidence::names())?;
        let confidence = r.forest(&features)?;
        Ok(Model { tokens, forest, network, calibration, confidence })
    }
}

#[cfg(test)]
mod tests {
    use super::super::forest::{Forest, LEAVES, TREE_DEPTH, Tree};
    use super::*;

    fn model() -> Model {
        let tree = Tree { features: [3, 5, 0, 0, 0, 0], thresholds: [0.5; TREE_DEPTH], leaves: [0.25; LEAVES] };
        Model {
            tokens: TokenScores {
                near: Table(vec![(1, 0.5)]),
                words: Table(vec![(2, -1.0), (9, 1.0)]),
                kinds: Table(vec![(7, [0.5; KINDS.len()])]),
                ..Default::default()
            },
            forest: Forest { bias: 0.1, trees: vec![tree.clone(), tree] },
            network: Network {
                inputs: vec![Input { column: 5, knots: vec![0.5, 2.0] }],
                weights: vec![[0.25; WIDTH]; Shape { inputs: 1 }.rows()],
                vocabulary: Vocabulary { words: vec![3, 8], names: vec![5] },
                bags: vec![[0.5; WIDTH]; 7],
            },
            calibration: Curve { knots: vec![[0.0, 0.1], [1.0, 0.9]] },
            confidence: Forest { bias: 0.5, trees: Vec::new() },
        }
    }

    #[test]
    fn a_model_survives_a_round_trip() {
        assert_eq!(Model::from_bytes(&model().to_bytes()), Ok(model()));
    }

    #[test]
    fn writing_the_shipped_model_again_changes_nothing() {
        let shipped = crate::model::shipped::main().unwrap();
        assert!(Model::from_bytes(shipped).unwrap().to_bytes() == shipped);
    }

    #[test]
    fn damaged_and_foreign_files_are_refused() {
        let bytes = model().to_bytes();
        assert_eq!(Model::from_bytes(b"<html>"), Err(ModelError::NotAModel));
        for cut in 8..bytes.len() {
            assert!(Model::from_bytes(&bytes[..cut]).is_err(), "{cut}");
        }
        for i in 8..bytes.len() {
            let mut b = bytes.clone();
            b[i] ^= 0x55;
            assert!(Model::from_bytes(&b).is_err(), "{i}");
        }
        let mut other = bytes.clone();
        other[12..19].copy_from_slice(b"another");
        assert_eq!(Model::from_bytes(&other), Err(ModelError::OtherMethod("another".into())));
    }
}
