//! `--schema FILE`: reads the schema, and checks the objects against it.
use crate::report;
use maintext_core::Page;
use maintext_core::schema::Schema;
use std::path::Path;

/// Reads a schema, as text and parsed. Ends the program if it is wrong.
pub fn read(path: &Path) -> (String, Schema) {
    let name = path.display();
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| report::usage(&format!("{name}: {e}")));
    match Schema::parse(&text) {
        Ok(schema) => (text, schema),
        Err(error) => report::usage(&format!("{name}: {error}")),
    }
}

/// Checks the keywords of a schema that conversion does not see to: patterns, lengths, ranges.
pub struct Check(#[cfg(feature = "schema")] jsonschema::Validator);

impl Check {
    /// Makes the check. Ends the program if the schema is not valid itself.
    #[cfg(feature = "schema")]
    pub fn new(path: &Path) -> Check {
        let name = path.display();
        let schema = serde_json::from_str(&read(path).0).unwrap_or_else(|e| report::usage(&format!("{name}: {e}")));
        Check(jsonschema::validator_for(&schema).unwrap_or_else(|e| report::usage(&format!("{name}: {e}"))))
    }

    /// Ends the program: this build cannot check.
    #[cfg(not(feature = "schema"))]
    pub fn new(_: &Path) -> Check {
        report::usage(
            &"this build leaves out --schema; install everything with 'cargo install --path crates/maintext-cli --features full', or run \
              from a clone with 'cargo run --release --features schema -- extract --schema FILE'",
        )
    }

    /// Returns the object of a page.
    ///
    /// # Errors
    /// The page lacks required properties, or a value breaks the schema; the message names the properties.
    pub fn object<'a>(&self, page: &'a Page) -> Result<&'a str, String> {
        let Some(data) = page.data.as_deref() else {
            let missing = page.warnings.iter().filter(|w| w.code == maintext_core::WarningCode::MissingProperty);
            return Err(missing.map(|w| w.message.as_str()).collect::<Vec<_>>().join("; "));
        };
        self.check(data)?;
        Ok(data)
    }

    #[cfg(feature = "schema")]
    fn check(&self, data: &str) -> Result<(), String> {
        let value = serde_json::from_str(data).map_err(|e| e.to_string())?;
        let errors: Vec<String> = self
            .0
            .iter_errors(&value)
            .take(5)
            .map(|e| {
                let property = e.instance_path().to_string();
                match property.trim_start_matches('/').replace('/', ".") {
                    whole if whole.is_empty() => e.masked().to_string(),
                    property => format!("property '{property}': {}", e.masked()),
                }
            })
            .collect();
        if errors.is_empty() { Ok(()) } else { Err(errors.join("; ")) }
    }

    #[cfg(not(feature = "schema"))]
    fn check(&self, _: &str) -> Result<(), String> {
        Ok(())
    }
}
