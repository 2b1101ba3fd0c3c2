//! The rankers of title, author and publication date, and their file format: a magic number, a version, a checksum, and the weights in
//! columns.
use crate::metadata::ranking::rank::{Known, Model, Tree};
use maintext_page::hash::of64;
use maintext_reading::model::ModelError;
use maintext_reading::model::file::{COARSE, FINE};
use maintext_reading::model::file::{Reader, Writer};
use std::array::from_fn;
use std::sync::LazyLock;

const MAGIC: &[u8; 8] = b"mtfields";
/// Version of the layout and of the features' names.
const VERSION: u32 = 3;

/// Inner nodes of a tree.
const SPLITS: usize = 15;
/// Leaves of a tree.
const LEAVES: usize = 16;

/// The fitted rankers. `cargo xtask train metadata` makes the shipped ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rankers {
    /// Chooses the title.
    pub title: Model,
    /// Chooses the authors.
    pub author: Model,
    /// Chooses the publication date.
    pub date: Model,
}

impl Rankers {
    /// Builds rankers from fitted models.
    #[doc(hidden)]
    pub fn new(title: Model, author: Model, date: Model) -> Rankers {
        Rankers { title, author, date }
    }

    /// Returns the rankers inside the library.
    pub fn shipped() -> &'static Rankers {
        static SHIPPED: LazyLock<Rankers> = LazyLock::new(|| {
            // Tests load the shipped file, so reading it cannot fail in a release. Without the feature `metadata`, the rankers are empty.
            maintext_reading::model::shipped::metadata().and_then(Rankers::from_bytes).unwrap_or_default()
        });
        &SHIPPED
    }

    /// Returns the rankers as the bytes of a file; equal rankers give equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        models_to_bytes(MAGIC, VERSION, &[], &[&self.title, &self.author, &self.date])
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// [`ModelError`] if the bytes are not such a file, have another version, are cut short or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Rankers, ModelError> {
        let (_, models) = models_from_bytes(MAGIC, VERSION, 0, 3, bytes)?;
        let [title, author, date] = <[Model; 3]>::try_from(models).map_err(|_| ModelError::Damaged)?;
        Ok(Rankers { title, author, date })
    }
}

/// Returns models as the bytes of a file, after `head`.
pub fn models_to_bytes(magic: &[u8; 8], version: u32, head: &[u8], models: &[&Model]) -> Vec<u8> {
    let mut w = Writer(head.to_vec());
    for model in models {
        let features = model.sorted();
        w.keys(&features.iter().map(|f| f.0).collect::<Vec<_>>());
        w.rounded(features.iter().map(|f| Some(f.1.weight)), FINE);
        w.shorts(features.iter().map(|f| f.1.input));
        let trees = &model.trees;
        w.u32(trees.len() as u32);
        w.shorts(trees.iter().flat_map(|t| t.splits).map(|split| split.0));
        w.floats(trees.iter().flat_map(|t| t.splits).map(|split| split.1));
        w.rounded((0..LEAVES).flat_map(|leaf| trees.iter().map(move |t| Some(t.leaves[leaf]))), COARSE);
    }
    let body = w.0;
    let mut out = magic.to_vec();
    out.extend(version.to_le_bytes());
    out.extend(of64(&body).to_le_bytes());
    out.extend(body);
    out
}

/// Reads `count` models after `head` bytes. Returns those bytes and the models.
///
/// # Errors
/// [`ModelError`] if the bytes are not such a file, have another version, are cut short or damaged.
pub fn models_from_bytes<'a>(
    magic: &[u8; 8],
    version: u32,
    head: usize,
    count: usize,
    bytes: &'a [u8],
) -> Result<(&'a [u8], Vec<Model>), ModelError> {
    let mut r = Reader(bytes.strip_prefix(magic).ok_or(ModelError::NotAModel)?);
    r.check(version)?;
    let (head, rest) = r.0.split_at_checked(head).ok_or(ModelError::Damaged)?;
    r.0 = rest;
    let models = (0..count).map(|_| model(&mut r)).collect::<Result<Vec<Model>, ModelError>>()?;
    if r.0.is_empty() { Ok((head, models)) } else { Err(ModelError::Damaged) }
}

fn model(r: &mut Reader<'_>) -> Result<Model, ModelError> {
    let keys = r.keys()?;
    let (weights, inputs) = (r.all_rounded(keys.len(), FINE)?, r.shorts(keys.len())?);
    let known = weights.into_iter().zip(inputs).map(|(weight, input)| Known { weight, input });
    let n = r.count_packed(6 * SPLITS + LEAVES)?;
    let (tested, thresholds) = (r.shorts(SPLITS * n)?, r.floats(SPLITS * n)?);
    let leaves = r.all_rounded(LEAVES * n, COARSE)?;
    Ok(Model::with_keys(
        keys.into_iter().zip(known),
        (0..n)
            .map(|k| Tree {
                splits: from_fn(|i| (tested[k * SPLITS + i], thresholds[k * SPLITS + i])),
                leaves: from_fn(|leaf| leaves[leaf * n + k]),
            })
            .collect(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rankers() -> Rankers {
        let tree = Tree { splits: [(3, 0.5); 15], leaves: [0.25; 16] };
        let model =
            |w| Model::new([(7, Known { weight: w, input: 12 }), (1 << 60, Known::default())], vec![tree.clone()]);
        Rankers::new(model(0.5), model(-0.5), model(2.0))
    }

    #[test]
    fn rankers_survive_a_round_trip() {
        assert_eq!(Rankers::from_bytes(&rankers().to_bytes()), Ok(rankers()));
    }

    #[test]
    fn damaged_files_are_refused() {
        let bytes = rankers().to_bytes();
        assert_eq!(Rankers::from_bytes(b"<html>"), Err(ModelError::NotAModel));
        for i in 0..bytes.len() {
            let mut b = bytes.clone();
            b[i] ^= 0x55;
            assert!(Rankers::from_bytes(&bytes[..i]).is_err() && Rankers::from_bytes(&b).is_err(), "{i}");
        }
    }

    #[test]
    fn the_shipped_rankers_are_complete() {
        let bytes = maintext_reading::model::shipped::metadata().unwrap();
        let shipped = Rankers::from_bytes(bytes).unwrap();
        assert!(shipped.to_bytes() == bytes, "writing them again changes nothing");
        assert!(!shipped.title.trees.is_empty() && !shipped.author.trees.is_empty() && !shipped.date.trees.is_empty());
        assert_eq!(&shipped, Rankers::shipped());
    }
}
