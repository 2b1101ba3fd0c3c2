//! The model files in the library. Each belongs to a cargo feature, so that a program links only the models that it uses.
use super::ModelError;

/// Declares a function per file that returns its bytes, or an error if the feature is off.
macro_rules! files {
    ($($(#[$doc:meta])* $name:ident $feature:literal $file:literal)*) => {
        $($(#[$doc])*
        pub fn $name() -> Result<&'static [u8], ModelError> {
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
    /// The content model for pages that declare no viewport.
    early "learned" "early.mtx"
    /// The roles of the blocks.
    roles "learned" "roles.mtx"
    /// The classifier of groups of records.
    records "comments" "records.mtx"
    /// The rankers of title, author and date.
    metadata "metadata" "metadata.mtx"
    /// The rankers of a product's fields.
    products "metadata" "products.mtx"
    /// The classifier of list entries.
    entries "lists" "entries.mtx"
    /// The classifier that decides whether a page is a list.
    list_confidence "lists" "list-confidence.mtx"
    /// The classifier of pagination links.
    pagination "lists" "pagination.mtx"
    /// The classifier of page kinds.
    page_type "lists" "page-type.mtx"
}

/// Declares the function that returns the model of a type inside the library: `$file` names its file, `$kind` its purpose.
#[macro_export]
macro_rules! shipped {
    ($model:ty, $file:ident, $kind:expr) => {
        /// Returns the model inside the library, which is read once.
        ///
        /// # Errors
        /// An error if the library was built without the model, or with a damaged one.
        pub fn shipped() -> Result<std::sync::Arc<$model>, $crate::model::ModelError> {
            type Shared = Result<std::sync::Arc<$model>, $crate::model::ModelError>;
            static SHIPPED: std::sync::LazyLock<Shared> = std::sync::LazyLock::new(|| {
                let pack = $crate::model::Pack::from_bytes($crate::model::shipped::$file()?, $kind)?;
                Ok(std::sync::Arc::new(<$model>::new(pack)?))
            });
            SHIPPED.clone()
        }
    };
}
pub use shipped;
