//! A file of forests with the names of their columns: the small models other than the content model.
use super::file::{ModelError, Reader, Writer};
use super::forest::Forest;
use crate::features::Column;
use crate::features::tokens::Table;

/// Version of the layout.
const VERSION: u32 = 3;

/// Forests, the names of their columns, and tables of learned scores.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pack {
    /// The purpose of the model: `entries`, `pagination`, `page-type`.
    pub kind: String,
    /// Names of the columns; the forests' features are indices of them.
    pub names: Vec<String>,
    /// The forests.
    pub forests: Vec<Forest>,
    /// Scores by hash.
    pub tables: Vec<Table<f32>>,
    /// Thresholds, weights and other single numbers.
    pub numbers: Vec<f32>,
}

impl Pack {
    /// Returns the model as the bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut w = Writer::default();
        // Only columns that the forests use are written.
        let tested = self.forests.iter().flat_map(|f| &f.trees).flat_map(|t| t.features);
        let (position, names) = w.names(&self.names, tested);
        w.u32(self.forests.len() as u32);
        self.forests.iter().for_each(|f| w.forest(f, &position, names));
        w.u32(self.tables.len() as u32);
        w.tables(&self.tables.iter().map(|t| t.0.as_slice()).collect::<Vec<_>>());
        w.u32(self.numbers.len() as u32);
        w.floats(self.numbers.iter().copied());
        w.sealed(&self.kind, VERSION)
    }

    /// Reads a model of the given kind.
    ///
    /// # Errors
    /// The file is not a model, is damaged, or is of the wrong kind or version.
    pub fn from_bytes(bytes: &[u8], kind: &str) -> Result<Pack, ModelError> {
        let mut r = Reader::open(bytes, kind, VERSION)?;
        let names: Vec<String> = (0..r.count(4)?).map(|_| r.text()).collect::<Result<_, _>>()?;
        let same: Vec<u16> = (0..names.len() as u16).collect();
        let forests = (0..r.count(8)?).map(|_| r.forest(&same)).collect::<Result<_, _>>()?;
        let tables = r.count(4)?;
        let tables = r.tables(tables)?;
        let numbers = r.count_packed(4)?;
        let numbers = r.floats(numbers)?;
        Ok(Pack { kind: kind.to_owned(), names, forests, tables, numbers })
    }

    /// Returns the values of the model's columns, `None` for names that `columns` lacks.
    pub fn row(&self, columns: &[Column]) -> Vec<Option<f32>> {
        self.names.iter().map(|name| columns.iter().find(|column| column.0 == name).map(|column| column.1)).collect()
    }

    /// Returns for each of the model's columns its position in `names`, the columns that the caller computes.
    ///
    /// # Errors
    /// [`ModelError::UnknownFeature`] for a column that the caller does not compute.
    pub fn places<S: AsRef<str>>(&self, names: &[S]) -> Result<Vec<usize>, ModelError> {
        self.names
            .iter()
            .map(|n| names.iter().position(|m| m.as_ref() == n).ok_or_else(|| ModelError::UnknownFeature(n.clone())))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::forest::{LEAVES, TREE_DEPTH, Tree};
    use super::*;

    fn pack() -> Pack {
        let tree = Tree { features: [1, 0, 0, 0, 0, 0], thresholds: [0.5; TREE_DEPTH], leaves: [0.25; LEAVES] };
        Pack {
            kind: "entries".into(),
            names: vec!["a".into(), "b".into()],
            forests: vec![Forest { bias: 0.5, trees: vec![tree] }, Forest::default()],
            tables: vec![Table(vec![(1, 2.0)]), Table::default()],
            numbers: vec![0.25],
        }
    }

    #[test]
    fn a_pack_survives_a_round_trip() {
        assert_eq!(Pack::from_bytes(&pack().to_bytes(), "entries"), Ok(pack()));
        assert_eq!(pack().places(&["b", "x", "a"]), Ok(vec![2, 0]));
        assert_eq!(pack().places(&["b"]), Err(ModelError::UnknownFeature("a".into())));
    }

    #[test]
    fn writing_a_shipped_pack_again_changes_nothing() {
        let (records, page_type) = (crate::model::shipped::records(), crate::model::shipped::page_type());
        for (shipped, kind) in [(records.unwrap(), "records"), (page_type.unwrap(), "page-type")] {
            assert!(Pack::from_bytes(shipped, kind).unwrap().to_bytes() == shipped, "{kind}");
        }
    }

    #[test]
    fn damaged_and_foreign_packs_are_refused() {
        let bytes = pack().to_bytes();
        assert_eq!(Pack::from_bytes(&bytes, "pagination"), Err(ModelError::OtherMethod("entries".into())));
        for cut in 0..bytes.len() {
            assert!(Pack::from_bytes(&bytes[..cut], "entries").is_err(), "{cut}");
        }
        for i in 0..bytes.len() {
            let mut b = bytes.clone();
            b[i] ^= 0x55;
            assert!(Pack::from_bytes(&b, "entries").is_err(), "{i}");
        }
    }
}
