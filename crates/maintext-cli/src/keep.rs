//! No command overwrites its inputs, or other files without being asked.
use crate::report;
use maintext_util::files::Identity;
use std::collections::HashMap;
use std::path::Path;

/// Ends the program with exit status 2 if writing an output would replace an input, by the same path, a link, or another name of the
/// same file. Called before anything is written.
pub fn inputs<'a>(inputs: impl IntoIterator<Item = &'a Path>, outputs: impl IntoIterator<Item = &'a Path>) {
    // An output that does not exist yet replaces nothing.
    let outputs: HashMap<Identity, &Path> =
        outputs.into_iter().filter_map(|path| Some((Identity::of(path)?, path))).collect();
    if outputs.is_empty() {
        return;
    }
    for input in inputs {
        if let Some(output) = Identity::of(input).and_then(|identity| outputs.get(&identity)) {
            let (output, input) = (output.display(), input.display());
            report::usage(&format!("{output}: the output would overwrite {input}, which is an input"));
        }
    }
}

/// Ends the program with exit status 2 if an output exists already as a file, unless it may be replaced. Called before anything is written.
pub fn existing<'a>(outputs: impl IntoIterator<Item = &'a Path>, overwrite: bool) {
    if let Some(output) = outputs.into_iter().find(|path| !overwrite && path.is_file()) {
        report::usage(&format!("{}: exists already; replace it with --overwrite", output.display()));
    }
}
