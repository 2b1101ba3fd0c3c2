//! The manifest of a folder of shards: how they were made, their contents, and their checksums.
use super::Job;
use crate::columns::Columns;
use crate::output::ShardFormat;
use crate::totals::Totals;
use maintext_chunks::{PieceForm, Settings};
use maintext_util::atomic::write_atomic;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// Programs that read folders of tables skip names that start with `_`.
const NAME: &str = "_manifest.json";
/// Incremented when keys of the manifest change their meaning.
const VERSION: u32 = 1;

/// A shard in the manifest.
#[derive(Debug, Serialize, Deserialize)]
struct Shard {
    file: String,
    rows: u64,
    bytes: u64,
    sha256: String,
}

/// Returns the path of a folder's manifest.
pub(super) fn path(folder: &Path) -> PathBuf {
    folder.join(NAME)
}

/// Returns how the shards are made. It depends on the job only.
pub(super) fn settings(job: &Job, columns: &Columns) -> Value {
    let fields: Vec<Value> = columns
        .schema()
        .fields()
        .iter()
        .map(|f| json!({"name": f.name(), "type": f.data_type().to_string()}))
        .collect();
    json!({
        "manifest": VERSION,
        "maintext": env!("CARGO_PKG_VERSION"),
        "method": job.options.method,
        "inputs": job.inputs.names(),
        "fields": fields,
        "chunks": job.chunks.as_ref().map(chunks),
        "filters": {
            "where": job.filter,
            "dedup": job.dedup,
        },
    })
}

/// Returns how pages were cut.
fn chunks(settings: &Settings) -> Value {
    json!({
        "tokenizer": settings.tokenizer.name(),
        "size": settings.limit,
        "overlap": settings.overlap,
        "min": settings.min,
        "split_large": settings.split_large,
        "form": if settings.form == PieceForm::Text { "text" } else { "markdown" },
    })
}

/// Deletes the shards of an earlier manifest that the new one will not name.
pub(super) fn remove_replaced(folder: &Path, format: ShardFormat, shards: usize) -> io::Result<()> {
    #[derive(Deserialize)]
    struct Old {
        shards: Vec<Shard>,
    }
    let Ok(text) = fs::read(path(folder)) else { return Ok(()) };
    let Ok(old) = serde_json::from_slice::<Old>(&text) else { return Ok(()) };
    let new: Vec<String> = (0..shards).map(|number| format.name(number)).collect();
    for shard in old.shards.into_iter().filter(|shard| !new.contains(&shard.file)) {
        // A manifest that someone else wrote must not lead out of the folder.
        let mut parts = Path::new(&shard.file).components();
        if matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None)) {
            match fs::remove_file(folder.join(shard.file)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
    }
    Ok(())
}

/// Writes the manifest of the shards in a folder.
pub(super) fn write(
    folder: &Path,
    format: ShardFormat,
    rows: &[u64],
    settings: &Value,
    totals: &Totals,
) -> io::Result<()> {
    let mut shards = Vec::new();
    for (number, rows) in rows.iter().enumerate() {
        let file = format.name(number);
        let (bytes, sha256) = checksum(&folder.join(&file))?;
        shards.push(Shard { file, rows: *rows, bytes, sha256 });
    }
    let mut manifest = settings.clone();
    manifest["counts"] = json!(totals);
    manifest["counts"]["kept"] = json!(totals.kept());
    manifest["shards"] = json!(shards);
    write_atomic(path(folder), |file| writeln!(file, "{manifest:#}"))
}

fn checksum(path: &Path) -> io::Result<(u64, String)> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let mut file = File::open(path).map_err(named)?;
    let (mut digest, mut bytes, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer).map_err(named)? {
            0 => {
                let hex = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
                return Ok((bytes, hex));
            }
            read => {
                bytes += read as u64;
                digest.update(&buffer[..read]);
            }
        }
    }
}
