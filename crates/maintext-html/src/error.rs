//! Parse errors: always counted, listed on request.

/// A parse error with the standard's code and its position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// The type of error.
    pub code: ErrorCode,
    /// Byte offset in the input where the parser found it.
    pub position: u32,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// The type of a parse error.
        ///
        /// Tokenizer errors have the standard's codes. The standard does not name the errors of tree construction; the codes from
        /// `unexpected-start-tag` to the end of this list are this crate's own.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum ErrorCode { $(#[doc = concat!("`", $text, "`")] $name,)* }

        impl ErrorCode {
            /// The code as the standard writes it, such as `eof-in-tag`.
            pub fn as_str(self) -> &'static str {
                match self { $(ErrorCode::$name => $text,)* }
            }
        }
    };
}

codes! {
    AbruptClosingOfEmptyComment = "abrupt-closing-of-empty-comment",
    AbruptDoctypePublicIdentifier = "abrupt-doctype-public-identifier",
    AbruptDoctypeSystemIdentifier = "abrupt-doctype-system-identifier",
    AbsenceOfDigitsInNumericCharacterReference = "absence-of-digits-in-numeric-character-reference",
    CdataInHtmlContent = "cdata-in-html-content",
    CharacterReferenceOutsideUnicodeRange = "character-reference-outside-unicode-range",
    ControlCharacterInInputStream = "control-character-in-input-stream",
    ControlCharacterReference = "control-character-reference",
    DuplicateAttribute = "duplicate-attribute",
    EndTagWithAttributes = "end-tag-with-attributes",
    EndTagWithTrailingSolidus = "end-tag-with-trailing-solidus",
    EofBeforeTagName = "eof-before-tag-name",
    EofInCdata = "eof-in-cdata",
    EofInComment = "eof-in-comment",
    EofInDoctype = "eof-in-doctype",
    EofInScriptHtmlCommentLikeText = "eof-in-script-html-comment-like-text",
    EofInTag = "eof-in-tag",
    IncorrectlyClosedComment = "incorrectly-closed-comment",
    IncorrectlyOpenedComment = "incorrectly-opened-comment",
    InvalidCharacterSequenceAfterDoctypeName = "invalid-character-sequence-after-doctype-name",
    InvalidFirstCharacterOfTagName = "invalid-first-character-of-tag-name",
    MissingAttributeValue = "missing-attribute-value",
    MissingDoctypeName = "missing-doctype-name",
    MissingDoctypePublicIdentifier = "missing-doctype-public-identifier",
    MissingDoctypeSystemIdentifier = "missing-doctype-system-identifier",
    MissingEndTagName = "missing-end-tag-name",
    MissingQuoteBeforeDoctypePublicIdentifier = "missing-quote-before-doctype-public-identifier",
    MissingQuoteBeforeDoctypeSystemIdentifier = "missing-quote-before-doctype-system-identifier",
    MissingSemicolonAfterCharacterReference = "missing-semicolon-after-character-reference",
    MissingWhitespaceAfterDoctypePublicKeyword = "missing-whitespace-after-doctype-public-keyword",
    MissingWhitespaceAfterDoctypeSystemKeyword = "missing-whitespace-after-doctype-system-keyword",
    MissingWhitespaceBeforeDoctypeName = "missing-whitespace-before-doctype-name",
    MissingWhitespaceBetweenAttributes = "missing-whitespace-between-attributes",
    MissingWhitespaceBetweenDoctypePublicAndSystemIdentifiers =
        "missing-whitespace-between-doctype-public-and-system-identifiers",
    NestedComment = "nested-comment",
    NoncharacterCharacterReference = "noncharacter-character-reference",
    NoncharacterInInputStream = "noncharacter-in-input-stream",
    NonVoidHtmlElementStartTagWithTrailingSolidus = "non-void-html-element-start-tag-with-trailing-solidus",
    NullCharacterReference = "null-character-reference",
    SurrogateCharacterReference = "surrogate-character-reference",
    UnexpectedCharacterAfterDoctypeSystemIdentifier = "unexpected-character-after-doctype-system-identifier",
    UnexpectedCharacterInAttributeName = "unexpected-character-in-attribute-name",
    UnexpectedCharacterInUnquotedAttributeValue = "unexpected-character-in-unquoted-attribute-value",
    UnexpectedEqualsSignBeforeAttributeName = "unexpected-equals-sign-before-attribute-name",
    UnexpectedNullCharacter = "unexpected-null-character",
    UnexpectedQuestionMarkInsteadOfTagName = "unexpected-question-mark-instead-of-tag-name",
    UnexpectedSolidusInTag = "unexpected-solidus-in-tag",
    UnknownNamedCharacterReference = "unknown-named-character-reference",
    UnexpectedStartTag = "unexpected-start-tag",
    UnexpectedEndTag = "unexpected-end-tag",
    UnexpectedText = "unexpected-text",
    UnexpectedDoctype = "unexpected-doctype",
    MissingDoctype = "missing-doctype",
    NonConformingDoctype = "non-conforming-doctype",
    UnclosedElements = "unclosed-elements",
}

/// Collects errors while parsing.
#[derive(Debug, Default, Clone)]
pub(crate) struct ErrorLog {
    pub count: u32,
    pub listed: bool,
    pub list: Vec<ParseError>,
}

impl ErrorLog {
    #[cold]
    #[inline(never)]
    pub(crate) fn add(&mut self, code: ErrorCode, position: usize) {
        self.count = self.count.saturating_add(1);
        if self.listed {
            self.list.push(ParseError { code, position: position as u32 });
        }
    }

    /// Adds the errors of "preprocessing the input stream": literal control characters and noncharacters.
    pub(crate) fn scan_input(&mut self, input: &str) {
        for (i, c) in input.char_indices() {
            let n = c as u32;
            if (n & 0xFFFE) == 0xFFFE || (0xFDD0..=0xFDEF).contains(&n) {
                self.add(ErrorCode::NoncharacterInInputStream, i);
            } else if is_control(n) && n != 0 && n != 0x0D {
                self.add(ErrorCode::ControlCharacterInInputStream, i);
            }
        }
    }
}

/// Whether a code point is a control character other than white space.
pub(crate) fn is_control(n: u32) -> bool {
    (n < 0x20 && !matches!(n, 0x09 | 0x0A | 0x0C)) || (0x7F..=0x9F).contains(&n)
}
