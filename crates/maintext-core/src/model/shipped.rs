//! The model files inside the library. Each belongs to a cargo feature, so that a program links only the models that it uses.
use super::ModelError;

/// Declares a function per file that returns its bytes, or an error if the feature is off.
macro_rules! files {
    ($($(#[$doc:meta])* $name:ident $feature:literal $file:literal)*) => {
        $($(#[$doc])*
        pub(crate) fn $name() -> Result<&'static [u8], ModelError> {
            #[cfg(feature = $feature)]
            let bytes: Result<&'static [u8], ModelError> = Ok(include_bytes!(concat!("../../models/", $file)));
            #[cfg(not(feature = $feature))]
            let bytes: Result<&'static [u8], ModelError> = Err(ModelError::LeftOut($feature));
            bytes
        })*
    };
}

files! {
    /// The content model.
    main "learned" "main.mtx"
    /// The decision about groups of records.
    records "comments" "records.mtx"
    /// The rankers of title, author and date.
    metadata "metadata" "metadata.mtx"
    /// The entries of list pages.
    entries "lists" "entries.mtx"
    /// Whether a page is a list.
    list_confidence "lists" "list-confidence.mtx"
    /// The links of a pagination.
    pagination "lists" "pagination.mtx"
    /// The kinds of pages.
    page_type "lists" "page-type.mtx"
}
