//! The native library's answers, to compare the module's with: reads pages as JSON lines with the keys `html` or `html_base64` and `url`
//! from standard input, and writes one line for each. The arguments are the number of a call and the options as JSON.
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use maintext_core::Html;
use maintext_wasm::calls::{CallReader, Head, PageCall};
use serde::Deserialize;
use std::io::{self, BufRead, Write};

#[derive(Deserialize)]
struct Row {
    url: Option<String>,
    html: Option<String>,
    html_base64: Option<String>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let call = arguments.next().unwrap_or_default().parse()?;
    let call = PageCall::numbered(call).ok_or("no such call")?;
    let mut reader =
        CallReader::new(arguments.next().ok_or("options are missing")?.as_bytes(), b"").map_err(|e| e.message)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let row: Row = serde_json::from_str(&line?)?;
        let bytes = row.html_base64.map(|b| BASE64.decode(b)).transpose()?;
        let page = match (&row.html, &bytes) {
            (Some(html), _) => Html::Text(html),
            (None, Some(bytes)) => Html::Bytes(bytes),
            (None, None) => continue,
        };
        let head = Head { url: row.url, ..Head::default() };
        let answer = reader.call(call, &head, page).unwrap_or_else(|failure| failure.json());
        out.write_all(&answer)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}
