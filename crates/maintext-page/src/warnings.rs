//! Warnings: events that matter for using a result.
use serde::Serialize;
use std::fmt;

/// An event that matters for using a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Warning {
    /// The kind of warning; codes are stable.
    pub code: WarningCode,
    /// The event in words.
    pub message: String,
}

impl Warning {
    /// Returns a warning with a message.
    pub fn new(code: WarningCode, message: impl Into<String>) -> Warning {
        Warning { code, message: message.into() }
    }

    /// Returns the warning for a limit that cut the page short; `what` names the counted items.
    pub fn limit_reached(what: &str) -> Warning {
        let message = format!("more {what} than the limit allows: the result is partial");
        Warning::new(WarningCode::LimitReached, message)
    }

    /// Returns the warning for a number of items beyond a limit; `None` for none. `what` names the items.
    pub fn beyond(count: usize, what: &str) -> Option<Warning> {
        let message = format!("{count} {what} beyond the limit left out: the result is partial");
        (count > 0).then(|| Warning::new(WarningCode::LimitReached, message))
    }

    /// Returns the warning for texts and addresses that a page repeats, or that are too long to be written; `None` for none.
    pub fn left_out(count: u64) -> Option<Warning> {
        let message = format!("{count} long addresses or repeated texts left out: the result is partial");
        (count > 0).then(|| Warning::new(WarningCode::LimitReached, message))
    }
}

/// Declares the codes with their names.
macro_rules! codes {
    ($($(#[$doc:meta])* $code:ident $name:literal)*) => {
        /// Kinds of warnings. JSON writes their names in snake case.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum WarningCode {
            $($(#[$doc])* $code,)*
        }

        impl WarningCode {
            /// Returns the name that JSON, Python and the command show.
            pub fn as_str(self) -> &'static str {
                match self { $(WarningCode::$code => $name,)* }
            }
        }
    };
}

codes! {
    /// The page's address is not an absolute address; it was ignored.
    BadUrl "bad_url"
    /// The content is at other addresses: in frames, where the page refreshes to, or at its canonical address.
    ContentElsewhere "content_elsewhere"
    /// The visible page lacks the content; it was read from the data of its scripts.
    EmbeddedContent "embedded_content"
    /// Some bytes are not valid in the page's encoding.
    EncodingErrors "encoding_errors"
    /// Sentences that no visitor sees were left out.
    HiddenText "hidden_text"
    /// A limit was reached; the result is partial.
    LimitReached "limit_reached"
    /// The Markdown version that the page declares could not be read; the page itself was.
    MarkdownFailed "markdown_failed"
    /// A part of an article over several pages could not be read; the result is partial.
    MissingPart "missing_part"
    /// The page has no value for a required property of the caller's schema.
    MissingProperty "missing_property"
    /// Scripts fill the page in a browser; its source holds no content.
    NeedsRendering "needs_rendering"
    /// No main content was found.
    NoContent "no_content"
    /// The browser could not render the page.
    RenderFailed "render_failed"
    /// A rule's selector matches nothing, or its matches hold no value for the field.
    SelectorNoMatch "selector_no_match"
}

impl fmt::Display for WarningCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for WarningCode {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
