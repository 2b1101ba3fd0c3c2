//! Models in JSON files: a format, a version and a checksum, and the model's own fields.
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// A model in a JSON file. A file that is cut short, damaged, or of another format or version is refused with the reason.
pub trait Sealed: Clone + Serialize + DeserializeOwned {
    /// The value of the file's first key, `format`.
    const FORMAT: &'static str;
    /// The value of the key `version`.
    const VERSION: u32;

    /// Returns the value of the key `checksum`.
    fn checksum(&mut self) -> &mut String;

    /// Checks the sizes and numbers of a model that was read.
    fn check(&self) -> Result<(), String>;

    /// Returns the FNV-1a hash of the file without its checksum.
    fn sum(&self) -> String {
        let mut plain = self.clone();
        plain.checksum().clear();
        let json = serde_json::to_string(&plain).unwrap_or_default();
        format!("{:016x}", maintext_page::hash::of64(json.as_bytes()))
    }

    /// Returns the file.
    fn write(&self) -> String {
        let mut sealed = self.clone();
        *sealed.checksum() = self.sum();
        serde_json::to_string(&sealed).unwrap_or_default() + "\n"
    }

    /// Reads a file.
    fn read(json: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
            #[serde(default)]
            version: u32,
        }
        let head: Head = serde_json::from_str(json).map_err(|e| {
            // A file cut inside a number may give another kind of error, so the position of the error counts, not its kind.
            let cut = e.is_eof() || (e.is_syntax() && e.line() == 1 && e.column() >= json.len());
            if cut { "the file is cut short".into() } else { format!("this is not a maintext model ({e})") }
        })?;
        if head.format != Self::FORMAT {
            return Err(format!("this is a '{}', not a '{}'", head.format.escape_debug(), Self::FORMAT));
        }
        if head.version != Self::VERSION {
            let (found, read) = (head.version, Self::VERSION);
            return Err(format!("version {found} of the format; this program reads version {read}"));
        }
        let mut model: Self = serde_json::from_str(json).map_err(|e| format!("the file is damaged ({e})"))?;
        let sum = model.sum();
        if *model.checksum() != sum {
            return Err("the file is damaged: its checksum does not match".into());
        }
        model.check()?;
        Ok(model)
    }
}
