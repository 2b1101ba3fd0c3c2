//! Reads a page for the commands that analyse it without extraction, with the errors and warnings of `extract`.
use crate::fetch::FetchArgs;
use crate::input::CommandInput;
use crate::{guard, report};
use maintext_core::{Analysis, Extractor, Options, Warning};
use maintext_formats::Document;
use std::io::{self, IsTerminal};
use url::Url;

/// Parses the value of `--url`.
pub fn absolute(text: &str) -> Result<String, &'static str> {
    match Url::parse(text) {
        Ok(url) if url.has_host() => Ok(text.to_owned()),
        _ => Err("expected an absolute address, such as https://example.org/page"),
    }
}

/// The first document of an input, and its address.
pub struct FirstDocument {
    pub document: Document,
    pub url: Option<String>,
}

impl FirstDocument {
    /// Reads one input. `url` is the address of a file or of standard input.
    pub fn open(fetch: &FetchArgs, input: &str, url: Option<&str>) -> Result<FirstDocument, String> {
        let input = CommandInput::new(input);
        if url.is_some() && matches!(input, CommandInput::Url(_)) {
            report::usage(&"--url is the address of one file or of standard input");
        }
        if input == CommandInput::Stdin && io::stdin().is_terminal() {
            report::note(&"reading a page from the terminal; see --help for other inputs");
        }
        let mut source = fetch.read(&input)?;
        source.url = source.url.or(url.map(str::to_owned));
        let url = source.url.clone();
        let (first, has_more) = guard::catch(|| {
            let mut documents = source.documents(fetch.max_size)?;
            let first = documents.next().transpose().map_err(|e| e.to_string())?;
            Ok::<_, String>((first, documents.next().is_some()))
        })??;
        let document = first.ok_or("the input holds no page")?;
        if has_more {
            report::warning(&input.to_string(), &"only the first of several pages is read");
        }
        Ok(FirstDocument { url: url.or_else(|| document.url.clone()), document })
    }

    /// Passes the analysis of the document's page to `see`, with its address and the extractor. The analysis has all warnings.
    pub fn analyze<T>(
        self,
        options: Options,
        see: impl FnOnce(&mut Extractor, Analysis<'_>, Option<&Url>) -> Result<T, String>,
    ) -> Result<T, String> {
        let (document, url) = (self.document, self.url.as_deref().and_then(|url| Url::parse(url).ok()));
        guard::catch(|| {
            let mut extractor = Extractor::new(options).map_err(|e| e.to_string())?;
            let source =
                maintext_core::source(&document.bytes, document.charset.as_deref()).map_err(|e| e.to_string())?;
            let mut analysis = extractor.analyze_source(&source, url.as_ref(), document.whole);
            analysis.warnings.extend(maintext_core::page_warnings(&analysis.dom, &analysis.blocks));
            see(&mut extractor, analysis, url.as_ref())
        })?
    }
}

/// Prints the warnings to standard error, for output formats that do not include them.
pub fn warn(input: &str, warnings: &[Warning]) {
    warnings.iter().for_each(|w| report::warning(&CommandInput::new(input).to_string(), &w.message));
}
