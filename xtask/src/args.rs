//! The one loop over a task's arguments.
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The arguments that follow a flag.
pub struct Values<'a> {
    rest: std::slice::Iter<'a, String>,
    flag: &'a str,
    usage: &'static str,
}

impl<'a> Values<'a> {
    /// Returns the flag's value.
    pub fn next(&mut self) -> Result<&'a str, String> {
        self.rest.next().map(String::as_str).ok_or_else(|| format!("'{}' needs a value\n\n{}", self.flag, self.usage))
    }

    /// Returns the flag's value, a number of 1 or more.
    pub fn number(&mut self) -> Result<u64, String> {
        let value = self.next()?;
        let number = value.parse().ok().filter(|n| *n > 0u64);
        number.ok_or_else(|| format!("'{} {value}': not a number of 1 or more\n\n{}", self.flag, self.usage))
    }

    /// Returns the flag's value as an absolute path, because programs run at the root of the workspace.
    pub fn path(&mut self) -> Result<PathBuf, String> {
        let path = self.next()?;
        std::path::absolute(Path::new(path)).map_err(|e| format!("{path}: {e}"))
    }
}

/// Passes each argument to `take`, which returns whether it knows the argument. Returns whether the task should run: `-h` and `--help` print
/// the usage instead.
///
/// # Errors
/// An unknown argument, or an error of `take`.
pub fn each<'a>(
    args: &'a [String],
    usage: &'static str,
    mut take: impl FnMut(&'a str, &mut Values<'a>) -> Result<bool, String>,
) -> Result<bool, String> {
    let mut values = Values { rest: args.iter(), flag: "", usage };
    while let Some(arg) = values.rest.next() {
        if arg == "-h" || arg == "--help" {
            // A reader that closes the pipe early is not an error.
            let _ = writeln!(std::io::stdout(), "{usage}");
            return Ok(false);
        }
        values.flag = arg;
        if !take(arg, &mut values)? {
            return Err(format!("unexpected argument '{arg}'\n\n{usage}"));
        }
    }
    Ok(true)
}

/// Returns the folder of the data sets: the argument, or `$MAINTEXT_DATA`.
pub fn data(given: Option<PathBuf>, usage: &str) -> Result<PathBuf, String> {
    let data = given.or_else(|| std::env::var_os("MAINTEXT_DATA").map(PathBuf::from));
    let data = data
        .ok_or_else(|| format!("pass '--data DIR' or set $MAINTEXT_DATA to the folder of the data sets\n\n{usage}"))?;
    std::path::absolute(&data).map_err(|e| format!("{}: {e}", data.display()))
}

#[cfg(test)]
mod tests {
    use super::each;

    #[test]
    fn flags_take_values_and_errors_name_them() {
        let run = |args: &[&str]| {
            let args: Vec<String> = args.iter().map(|a| (*a).to_owned()).collect();
            let mut seen = Vec::new();
            let go = each(&args, "usage: x", |arg, values| {
                match arg {
                    "--n" => seen.push(values.number()?.to_string()),
                    "--name" => seen.push(values.next()?.to_owned()),
                    _ => return Ok(false),
                }
                Ok(true)
            });
            go.map(|go| (go, seen))
        };
        assert_eq!(run(&["--n", "3", "--name", "a"]), Ok((true, vec!["3".to_owned(), "a".to_owned()])));
        assert!(!run(&["--help", "--n"]).unwrap().0);
        assert!(run(&["--name"]).unwrap_err().starts_with("'--name' needs a value\n\nusage"));
        assert!(run(&["--n", "0"]).unwrap_err().starts_with("'--n 0': not a number of 1 or more"));
        assert!(run(&["what"]).unwrap_err().starts_with("unexpected argument 'what'"));
    }
}
