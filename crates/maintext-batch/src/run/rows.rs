//! Rows that were extracted before, in the formats of a batch.
use super::books::{final_name, move_file, remove_replaced};
use crate::columns::Extra;
use crate::columns::{Columns, RawValues, Values};
use crate::output::{Body, Encoded, FolderWriter, LineWriter, Progressed, Sink, TableWriter, Target, whole};
use maintext_core::Page;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

/// Writes rows to a file or folder: JSON objects with the keys of a page, `id` and `error`. Replaces the output of an earlier call.
/// Returns the number of rows. The output depends on the rows only, and appears complete or not at all; of a folder, its index does. The
/// files of a folder follow the addresses in `id`: `example.org/docs/install.md`.
///
/// ```
/// use maintext_batch::{Columns, Target, write_rows};
/// let path = std::env::temp_dir().join(format!("maintext-rows-{}.jsonl", std::process::id()));
/// let target = Target::new(path.to_str().unwrap(), None).unwrap();
/// let rows = [r#"{"id":"a","title":"Herons","text":"They stand still."}"#, r#"{"id":"b","error":"HTTP status 404"}"#];
/// let rows = rows.iter().map(|row| Ok(row.as_bytes().to_vec()));
/// assert_eq!(write_rows(&target, &Columns::new(&["id", "title", "error"]).unwrap(), 1000, rows).unwrap(), 2);
/// let written = std::fs::read_to_string(&path).unwrap();
/// assert!(written.starts_with("{\"id\":\"a\",\"title\":\"Herons\",\"error\":null}\n{\"id\":\"b\","));
/// # std::fs::remove_file(path).unwrap();
/// ```
///
/// # Errors
/// A row cannot be read, or the output cannot be written. Standard output is not supported.
pub fn write_rows(
    target: &Target,
    columns: &Columns,
    row_group: usize,
    rows: impl Iterator<Item = io::Result<Vec<u8>>>,
) -> io::Result<u64> {
    let (Some(path), Some(output)) = (target.path(), final_name(target)) else {
        return Err(io::Error::other("rows cannot be written to standard output"));
    };
    let mut hidden = OsString::from(".");
    hidden.push(path.file_name().ok_or_else(|| io::Error::other("the path has no file name"))?);
    hidden.push(".rows");
    let hidden = path.with_file_name(hidden);
    fs::create_dir_all(&hidden)?;
    let written = write(target, columns, row_group, rows, &hidden.join("rows"));
    let result = written.and_then(|count| {
        if let Target::Folder(path, _) = target {
            remove_replaced(path, &hidden.join("rows"))?;
        }
        let rows = hidden.join("rows");
        move_file(&if matches!(target, Target::Table(_)) { whole(&rows) } else { rows }, &output)?;
        Ok(count)
    });
    fs::remove_dir_all(&hidden)?;
    result
}

fn write(
    target: &Target,
    columns: &Columns,
    row_group: usize,
    rows: impl Iterator<Item = io::Result<Vec<u8>>>,
    file: &Path,
) -> io::Result<u64> {
    let from = Progressed::default();
    let body = match target {
        Target::Folder(_, body) => Some(*body),
        _ => None,
    };
    let columns = match body {
        Some(_) => columns.without(&["text", "markdown", "html", "blocks"]),
        None => columns.clone(),
    };
    let mut sink: Box<dyn Sink> = match target {
        Target::Folder(path, body) => Box::new(FolderWriter::of_site(path, file, *body)?),
        Target::Table(_) => Box::new(TableWriter::resume(file, &columns, row_group, &from)?),
        Target::Lines(_, compression) => Box::new(LineWriter::resume(file, *compression, &from)?),
        Target::Stdout(_) | Target::Shards(..) => {
            return Err(io::Error::other("rows can be written to a file or a folder of pages only"));
        }
    };
    let mut count = 0;
    for row in rows {
        let row = row?;
        sink.write(match target {
            Target::Table(_) => in_table(&row, &columns)?,
            _ => encoded(&row, &columns, body)?,
        })?;
        count += 1;
    }
    sink.finish()?;
    Ok(count)
}

/// Reads a row for a table.
fn in_table(row: &[u8], columns: &Columns) -> io::Result<Encoded> {
    let mut values: Values = serde_json::from_slice(row).map_err(io::Error::other)?;
    if let Some(error) = values.get("error").and_then(|error| error.as_str()) {
        let text = |name: &str| values.get(name).and_then(|value| value.as_str());
        let mut page = Page::default();
        page.metadata.url = text("url").map(str::to_owned);
        values = columns.values(text("id"), &page, Some(error), &Extra::new());
    }
    Ok(Encoded { values: vec![values], rows: 1, ..Encoded::default() })
}

/// Takes the columns out of a row. Numbers keep their notation.
fn encoded(row: &[u8], columns: &Columns, body: Option<Body>) -> io::Result<Encoded> {
    let values: RawValues<'_> = serde_json::from_slice(row).map_err(io::Error::other)?;
    let text = |name: &str| serde_json::from_str::<Option<String>>(values.get(name)?.get()).ok().flatten();
    let id = text("id");
    if let Some(error) = text("error") {
        let mut page = Page::default();
        page.metadata.url = text("url");
        return Ok(Encoded::line(columns.json(id.as_deref(), &page, Some(&error))));
    }
    let content = match body {
        Some(Body::Text) => text("text"),
        Some(Body::Markdown) => text("markdown"),
        None => None,
    };
    // Several pages may declare the same address.
    let file = content.map(|content| (content, id.or_else(|| text("url")).unwrap_or_default()));
    Ok(Encoded { file, ..Encoded::line(columns.line_of(&values)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_earlier_rows_and_their_empty_folders_are_deleted() {
        let out = std::env::temp_dir().join(format!("maintext-rows-replaced-{}", std::process::id()));
        let target = Target::Folder(out.clone(), Body::Text);
        let write = |ids: &[&str]| {
            let row =
                |id: &&str| Ok(serde_json::json!({"id": format!("https://e.org/{id}"), "text": id}).to_string().into());
            write_rows(&target, &Columns::all(), 10, ids.iter().map(row)).unwrap();
        };
        write(&["a/b/c", "a/d/e", "f"]);
        fs::write(out.join("e.org/a/d/mine"), "mine").unwrap();
        // The order of the rows does not matter.
        write(&["f", "g"]);
        assert!(!out.join("e.org/a/b").exists() && !out.join("e.org/a/d/e.txt").exists());
        assert!(out.join("e.org/a/d/mine").exists());
        assert_eq!(fs::read_to_string(out.join("e.org/f.txt")).unwrap(), "f");
        fs::remove_dir_all(out).unwrap();
    }
}
