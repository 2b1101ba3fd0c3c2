//! Content methods by name.
use crate::error::Error;
use std::fmt;
use std::str::FromStr;

/// The method that chooses the main content.
///
/// ```
/// use maintext::Method;
/// assert_eq!("text-density".parse::<Method>()?, Method::TextDensity);
/// assert_eq!(Method::default().to_string(), "learned");
/// # Ok::<(), maintext::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// maintext's own model: boosted trees and a small network over the blocks of a page.
    #[default]
    Learned,
    /// Text density of lines, and of their neighbours.
    LineDensity,
    /// The run of lines with the largest sum of scores.
    LineBlocks,
    /// Text density and symbol density of elements (CETD, GNE).
    TextDensity,
    /// The share of text in the markup of a line.
    MarkupRatio,
    /// Statistics of densities with an estimated threshold.
    DensityStatistics,
}

impl Method {
    /// All methods, the default first.
    pub const ALL: [Method; 6] = [
        Method::Learned,
        Method::LineDensity,
        Method::LineBlocks,
        Method::TextDensity,
        Method::MarkupRatio,
        Method::DensityStatistics,
    ];

    /// The name, as the command's `--method` takes it.
    pub fn as_str(self) -> &'static str {
        maintext_core::method::NAMES[self as usize]
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(name: &str) -> Result<Method, Error> {
        let known = maintext_core::method::NAMES;
        Ok(Method::ALL
            .into_iter()
            .find(|m| m.as_str() == name)
            .ok_or_else(|| maintext_core::Error::UnknownMethod { name: name.to_owned(), known })?)
    }
}

#[cfg(test)]
mod tests {
    use super::Method;

    #[test]
    fn each_method_has_the_name_of_its_registry_entry() {
        assert_eq!(Method::ALL.map(Method::as_str)[..], *maintext_core::method::NAMES);
        let expected = ["learned", "line-density", "line-blocks", "text-density", "markup-ratio", "density-statistics"];
        assert_eq!(Method::ALL.map(Method::as_str), expected);
        assert!("magic".parse::<Method>().unwrap_err().to_string().contains("text-density"));
    }
}
