//! Our own labels of main content, in the form that `bench/content_labels.py export` writes (docs/experiments/labels.md).
use crate::Error;
use maintext_core::model::roles::Role;
use maintext_learn::align::Reading;
use serde::Deserialize;
use std::collections::HashMap;
use std::io::BufRead;
use std::path::Path;

/// A page as it was read.
#[derive(Clone, Debug)]
pub struct PageReading {
    /// The kind of page.
    pub kind: String,
    /// The pieces of its text in order, each with its label.
    pub pieces: Vec<(Reading, String)>,
    /// The roles of the pieces.
    pub roles: Vec<Role>,
}

/// The pages that were read, by set and id.
#[derive(Clone, Debug, Default)]
pub struct Readings(HashMap<(String, String), PageReading>);

#[derive(Deserialize)]
struct Row {
    set: String,
    id: String,
    kind: String,
    blocks: Vec<Piece>,
}

#[derive(Deserialize)]
struct Piece {
    label: String,
    #[serde(default)]
    role: Option<String>,
    text: String,
}

impl Piece {
    /// Returns the role of the block; without one, its label decides.
    fn role(&self) -> Role {
        let of_label = match self.label.as_str() {
            "M" => Role::Main,
            "O" => Role::Optional,
            "C" => Role::Comment,
            _ => Role::Boilerplate,
        };
        self.role.as_deref().and_then(Role::named).unwrap_or(of_label)
    }
}

impl Readings {
    /// Reads a file of JSON lines.
    ///
    /// # Errors
    /// The file cannot be read, or a line is invalid.
    pub fn read(path: &Path) -> Result<Readings, Error> {
        let file = std::fs::File::open(path).map_err(|e| Error::file(path, e))?;
        let mut out = Readings::default();
        for (i, line) in std::io::BufReader::new(file).lines().enumerate() {
            let line = line.map_err(|e| Error::file(path, e))?;
            let row: Row = serde_json::from_str(&line).map_err(|e| Error::Line {
                path: path.into(),
                line: i + 1,
                message: e.to_string(),
            })?;
            let label = |name: &str| match name {
                "M" => Reading::Main,
                "O" => Reading::Optional,
                _ => Reading::Rest,
            };
            let roles = row.blocks.iter().map(Piece::role).collect();
            let pieces = row.blocks.into_iter().map(|b| (label(&b.label), b.text)).collect();
            out.0.insert((row.set, row.id), PageReading { kind: row.kind, pieces, roles });
        }
        Ok(out)
    }

    /// Returns the reading of a page.
    pub fn get(&self, set: &str, id: &str) -> Option<&PageReading> {
        self.0.get(&(set.to_owned(), id.to_owned()))
    }

    /// Returns the names of all sets with pages that were read, sorted.
    pub fn sets(&self) -> Vec<&str> {
        let mut sets: Vec<&str> = self.0.keys().map(|(set, _)| set.as_str()).collect();
        sets.sort_unstable();
        sets.dedup();
        sets
    }
}
