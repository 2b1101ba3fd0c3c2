//! The rankers of title, author and publication date, and their file format: a magic number, a version, a checksum, and the weights in
//! little-endian order.
use crate::hash::of64;
use crate::metadata::ranking::rank::{Known, Model, Tree};
use crate::model::ModelError;
use std::sync::LazyLock;

const MAGIC: &[u8; 8] = b"mtfields";
/// Version of the layout and of the features' names.
const VERSION: u32 = 1;

/// The fitted rankers. `cargo xtask train metadata` makes the shipped ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rankers {
    /// Chooses the title.
    pub(crate) title: Model,
    /// Chooses the authors.
    pub(crate) author: Model,
    /// Chooses the publication date.
    pub(crate) date: Model,
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
            let read = |bytes: &[u8]| Rankers::from_bytes(bytes);
            crate::model::shipped::metadata().and_then(read).unwrap_or_default()
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
pub(crate) fn models_to_bytes(magic: &[u8; 8], version: u32, head: &[u8], models: &[&Model]) -> Vec<u8> {
    let mut body = head.to_vec();
    for model in models {
        let mut features: Vec<(&u64, &Known)> = model.features.iter().collect();
        features.sort_unstable_by_key(|f| f.0);
        body.extend((features.len() as u32).to_le_bytes());
        for (hash, known) in features {
            body.extend(hash.to_le_bytes());
            body.extend(known.weight.to_le_bytes());
            body.extend(known.input.to_le_bytes());
        }
        body.extend((model.trees.len() as u32).to_le_bytes());
        for tree in &model.trees {
            for (input, threshold) in tree.splits {
                body.extend(input.to_le_bytes());
                body.extend(threshold.to_le_bytes());
            }
            tree.leaves.iter().for_each(|x| body.extend(x.to_le_bytes()));
        }
    }
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
pub(crate) fn models_from_bytes<'a>(
    magic: &[u8; 8],
    version: u32,
    head: usize,
    count: usize,
    bytes: &'a [u8],
) -> Result<(&'a [u8], Vec<Model>), ModelError> {
    let mut r = ByteReader(bytes.strip_prefix(magic).ok_or(ModelError::NotAModel)?);
    let found = u32::from_le_bytes(r.take()?);
    if found != version {
        return Err(ModelError::OtherVersion(found));
    }
    let sum = u64::from_le_bytes(r.take()?);
    if of64(r.0) != sum {
        return Err(ModelError::Damaged);
    }
    let (head, rest) = r.0.split_at_checked(head).ok_or(ModelError::Damaged)?;
    r.0 = rest;
    let models = (0..count).map(|_| r.model()).collect::<Result<Vec<Model>, ModelError>>()?;
    if r.0.is_empty() { Ok((head, models)) } else { Err(ModelError::Damaged) }
}

struct ByteReader<'a>(&'a [u8]);

impl ByteReader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], ModelError> {
        let (head, tail) = self.0.split_first_chunk::<N>().ok_or(ModelError::Damaged)?;
        self.0 = tail;
        Ok(*head)
    }
    fn f32(&mut self) -> Result<f32, ModelError> {
        self.take().map(f32::from_le_bytes)
    }
    fn u16(&mut self) -> Result<u16, ModelError> {
        self.take().map(u16::from_le_bytes)
    }
    /// Returns the number of elements of `size` bytes each, at most as many as the rest can hold.
    fn count(&mut self, size: usize) -> Result<usize, ModelError> {
        let n = u32::from_le_bytes(self.take()?) as usize;
        if n.saturating_mul(size) > self.0.len() { Err(ModelError::Damaged) } else { Ok(n) }
    }
    fn model(&mut self) -> Result<Model, ModelError> {
        let mut features = Vec::new();
        for _ in 0..self.count(14)? {
            let hash = u64::from_le_bytes(self.take()?);
            features.push((hash, Known { weight: self.f32()?, input: self.u16()? }));
        }
        let mut trees = Vec::new();
        for _ in 0..self.count(15 * 6 + 16 * 4)? {
            let mut tree = Tree { splits: [(0, 0.0); 15], leaves: [0.0; 16] };
            for split in &mut tree.splits {
                *split = (self.u16()?, self.f32()?);
            }
            for leaf in &mut tree.leaves {
                *leaf = self.f32()?;
            }
            trees.push(tree);
        }
        Ok(Model::new(features, trees))
    }
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
        let shipped = Rankers::from_bytes(crate::model::shipped::metadata().unwrap()).unwrap();
        assert!(!shipped.title.trees.is_empty() && !shipped.author.trees.is_empty() && !shipped.date.trees.is_empty());
        assert_eq!(&shipped, Rankers::shipped());
    }
}
