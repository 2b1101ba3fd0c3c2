//! The user's embedder: a command, or a server with OpenAI's form of requests.
use maintext_chunks::Ranked;
use serde::Deserialize;
use serde_json::json;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Texts in one request to a server.
const TEXTS: usize = 64;
/// Longest answer to a request, in bytes.
const MAX_ANSWER: usize = 64 << 20;
const TIMEOUT: Duration = Duration::from_secs(120);

/// Whether an embedder is an address.
pub fn is_address(embedder: &str) -> bool {
    embedder.starts_with("http://") || embedder.starts_with("https://")
}

/// Returns the texts by cosine similarity to the question, best first.
pub fn ranking(embedder: &str, model: Option<&str>, question: &str, texts: &[String]) -> Result<Vec<Ranked>, String> {
    let all: Vec<&str> = std::iter::once(question).chain(texts.iter().map(String::as_str)).collect();
    let vectors = if is_address(embedder) { asked(embedder, model, &all)? } else { run(embedder, &all)? };
    let size = vectors[0].len();
    if let Some(n) = vectors.iter().position(|v| v.len() != size || v.is_empty() || v.iter().any(|x| !x.is_finite())) {
        return Err(format!("vector {} has {} numbers, but the question's has {size}", n + 1, vectors[n].len()));
    }
    let of_question = &vectors[0];
    let mut ranking: Vec<Ranked> = vectors[1..]
        .iter()
        .enumerate()
        .map(|(passage, v)| {
            let product: f64 = v.iter().zip(of_question).map(|(a, b)| a * b).sum();
            Ranked { passage, score: product / (vector_length(v) * vector_length(of_question)) }
        })
        .collect();
    ranking.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.passage.cmp(&b.passage)));
    Ok(ranking)
}

fn vector_length(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt().max(f64::MIN_POSITIVE)
}

/// Asks a command: a JSON string per line, a vector per line.
fn run(command: &str, texts: &[&str]) -> Result<Vec<Vec<f64>>, String> {
    let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut child = Command::new(shell)
        .args([flag, command])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("cannot be started: {e}"))?;
    let lines: String = texts.iter().map(|text| json!(text).to_string() + "\n").collect();
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    // A command that answers each line at once would wait for a reader.
    let writer = std::thread::spawn(move || stdin.map_or(Ok(()), |mut to| to.write_all(lines.as_bytes())));
    let mut vectors = Vec::with_capacity(texts.len());
    let mut wrong = None;
    for line in stdout.into_iter().flat_map(|out| BufReader::new(out).lines()) {
        let line = line.map_err(|e| format!("cannot be read: {e}"))?;
        if line.trim().is_empty() {
            continue;
        }
        match serde_json::from_str::<Vec<f64>>(&line) {
            Ok(vector) if vectors.len() < texts.len() => vectors.push(vector),
            Ok(_) => wrong = wrong.or(Some(format!("it answered with more than {} vectors", texts.len()))),
            Err(e) => {
                wrong =
                    wrong.or(Some(format!("line {} of its answer is not an array of numbers: {e}", vectors.len() + 1)))
            }
        }
    }
    let status = child.wait().map_err(|e| e.to_string())?;
    // The status and the number of vectors show whether a command ended early.
    let _ = writer.join();
    match wrong {
        _ if !status.success() => Err(format!("it ended with {status}")),
        Some(message) => Err(message),
        None if vectors.len() < texts.len() => {
            Err(format!("it answered with {} vectors for {} texts", vectors.len(), texts.len()))
        }
        None => Ok(vectors),
    }
}

/// Asks a server.
fn asked(url: &str, model: Option<&str>, texts: &[&str]) -> Result<Vec<Vec<f64>>, String> {
    #[derive(Deserialize)]
    struct Data {
        data: Vec<Item>,
    }
    #[derive(Deserialize)]
    struct Item {
        embedding: Vec<f64>,
        index: Option<usize>,
    }
    let key = std::env::var("MAINTEXT_EMBEDDER_KEY").ok();
    let mut vectors = Vec::with_capacity(texts.len());
    for part in texts.chunks(TEXTS) {
        let mut body = json!({"input": part});
        if let Some(model) = model {
            body["model"] = model.into();
        }
        let answer = maintext_fetch::post_json(url, body.to_string().as_bytes(), key.as_deref(), TIMEOUT, MAX_ANSWER)?;
        let answer: Data =
            serde_json::from_slice(&answer).map_err(|e| format!("its answer has an unexpected format: {e}"))?;
        let mut items = answer.data;
        if items.len() != part.len() {
            return Err(format!("it answered with {} vectors for {} texts", items.len(), part.len()));
        }
        items.sort_by_key(|item| item.index);
        vectors.extend(items.into_iter().map(|item| item.embedding));
    }
    Ok(vectors)
}
