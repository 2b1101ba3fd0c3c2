//! `--schema FILE`: reads the schema, and checks the objects against it.
use crate::report;
use maintext_core::Page;
use maintext_core::schema::Schema;
use std::path::Path;

/// A file with a schema.
#[derive(Clone, Debug)]
pub struct SchemaFile {
    pub schema: Schema,
    #[cfg(feature = "schema")]
    name: String,
    #[cfg(feature = "schema")]
    text: String,
}

impl SchemaFile {
    /// Reads a schema. Ends the program if it is wrong.
    pub fn read(path: &Path) -> SchemaFile {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).unwrap_or_else(|e| report::usage(&format!("{name}: {e}")));
        let schema = Schema::parse(&text).unwrap_or_else(|e| report::usage(&format!("{name}: {e}")));
        SchemaFile {
            schema,
            #[cfg(feature = "schema")]
            name,
            #[cfg(feature = "schema")]
            text,
        }
    }
}

/// Checks the keywords of a schema that conversion does not see to: patterns, lengths, ranges.
pub struct Check(#[cfg(feature = "schema")] jsonschema::Validator);

impl Check {
    /// Makes the check. Ends the program if the schema is not valid itself.
    #[cfg(feature = "schema")]
    pub fn new(SchemaFile { name, text, .. }: &SchemaFile) -> Check {
        let schema = serde_json::from_str(text).unwrap_or_else(|e| report::usage(&format!("{name}: {e}")));
        Check(jsonschema::validator_for(&schema).unwrap_or_else(|e| report::usage(&format!("{name}: {e}"))))
    }

    /// Ends the program: this build cannot check.
    #[cfg(not(feature = "schema"))]
    pub fn new(_: &SchemaFile) -> Check {
        report::usage(
            &"this build leaves out --schema; install everything with 'cargo install --locked --path crates/maintext-cli --features full', or run \
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
