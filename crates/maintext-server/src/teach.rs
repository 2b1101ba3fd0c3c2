//! Teaching: stores labels and trains site models.
use crate::api::{json_response, receive_json};
use crate::app::{App, site_of};
use crate::cost;
use crate::inspect::known;
use crate::problem::Problem;
use crate::store::{StoreError, TaughtPage};
use crate::trace;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use maintext_core::blocks::Blocks;
use maintext_core::model::{Learned, Model};
use maintext_learn::site::{self, PageFigures};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The body of `POST /v1/teach/labels`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Labels {
    /// The `handle` in a response of `/v1/inspect`.
    handle: String,
    /// The site; by default, from the page's address.
    site: Option<String>,
    /// For each labelled block, whether it is main content.
    labels: BTreeMap<u32, bool>,
}

/// The body of `POST /v1/teach/train`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Train {
    site: String,
}

/// Answers all routes below `/v1/teach` if teaching is switched off.
pub async fn disabled() -> Problem {
    Problem::new(StatusCode::FORBIDDEN, "no_teaching", "this service does not store labels (--no-teach)")
}

/// `POST /v1/teach/labels`: replaces the labels of a page.
pub async fn label(State(app): State<Arc<App>>, request: Request) -> Result<Response, Problem> {
    let (ask, _memory): (Labels, _) = receive_json(&app, request).await?;
    let page = known(&app, &ask.handle)?;
    let site = ask.site.or_else(|| site_of(page.url.as_deref()));
    let site = site.map(|s| s.trim().to_owned()).filter(|s| !s.is_empty() && s.len() <= 200);
    let site = site.ok_or_else(|| Problem::bad_request("the page has no address; give its site in 'site'"))?;
    let handle = ask.handle;
    // Blocks are numbered as in the response of `/v1/inspect`, which had the same bounds.
    let budget = cost::INSPECT.of(page.html.as_bytes(), app.limits.most(), app.config.budget).budget;
    let estimate = cost::BLOCKS.of(page.html.as_bytes(), app.limits.most(), budget);
    let sites = app.on_worker(estimate.bytes, move |app| {
        let client = trace::client();
        let dom = maintext_core::dom::parse(&page.html, &budget);
        let blocks = Blocks::new(&dom);
        if let Some((block, _)) = ask.labels.iter().find(|(b, _)| **b as usize >= blocks.len()) {
            return Err(Problem::bad_request(format!("the page has no block {block}")));
        }
        let labels = ask.labels.iter().map(|(b, keep)| (*b, *keep, blocks.text(*b as usize).to_owned())).collect();
        let url = page.url.clone().unwrap_or_else(|| format!("urn:maintext:page:{handle}"));
        app.store.label(client.holder(), &site, &TaughtPage { url, html: page.html.clone(), labels })?;
        Ok(app.store.sites(client.holder())?)
    });
    Ok(json_response(&json!({"sites": sites.await??})))
}

/// `GET /v1/teach/sites`: returns the sites with labels of the client.
pub async fn sites(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    let sites = app.on_worker(SMALL, |app| app.store.sites(trace::client().holder())).await??;
    Ok(json_response(&json!({"sites": sites})))
}

/// `POST /v1/teach/train`: trains a model on a site's labels and returns its accuracy.
pub async fn train(State(app): State<Arc<App>>, request: Request) -> Result<Response, Problem> {
    let (ask, _memory): (Train, _) = receive_json(&app, request).await?;
    let site = ask.site.clone();
    let read = app.on_worker(SMALL, move |app| app.store.sizes(trace::client().holder(), Some(&site)));
    let mut sizes = read.await??;
    let bytes: usize = sizes.iter().map(|(_, bytes)| bytes).sum();
    let largest = sizes.iter().map(|(_, bytes)| *bytes).max().unwrap_or(0);
    let most = app.config.teach_memory.min(app.limits.most());
    let mut need = TRAINING + bytes * PER_BYTE;
    if need <= most {
        // The number of tags is not stored, so the pages are read.
        let counted = app.on_worker(SMALL + 2 * largest, move |app| {
            let mut tags = 0;
            for (id, _) in &sizes {
                tags += app.store.page(*id)?.map_or(0, |(_, page)| page.html.matches('<').count());
            }
            Ok::<_, StoreError>((tags, sizes))
        });
        let tags;
        (tags, sizes) = counted.await??;
        need += tags * PER_TAG;
    }
    if need > most {
        let detail = format!(
            "training on {} pages with {} kB would need at least {} MB of memory, more than the {} MB of --teach-memory",
            sizes.len(),
            bytes / 1000,
            need / 1_000_000,
            most / 1_000_000,
        );
        return Err(Problem::new(StatusCode::INSUFFICIENT_STORAGE, "too_much_to_train", detail));
    }
    Ok(json_response(&app.on_worker(need, move |app| trained(app, &ask.site, &sizes)).await??))
}

/// Memory for small work in the store.
const SMALL: usize = 1 << 20;
/// Memory for training, in addition to the memory for the pages.
const TRAINING: usize = 8 << 20;
/// Memory for training, per byte of the pages: each is held three times.
const PER_BYTE: usize = 6;
/// Memory for training, per tag of the pages: the features of a block, three times. Measured on pages of short paragraphs.
const PER_TAG: usize = 2500;

fn trained(app: &App, site: &str, sizes: &[(i64, usize)]) -> Result<Value, Problem> {
    let pages = sizes.iter().filter_map(|(id, _)| app.store.page(*id).transpose());
    let pages = pages.collect::<Result<Vec<_>, _>>()?;
    if pages.iter().all(|(_, p)| p.labels.is_empty()) {
        let detail = format!("the site '{site}' has no labelled blocks yet");
        return Err(Problem::new(StatusCode::CONFLICT, "no_labels", detail));
    }
    let lessons = pages.iter().map(|(_, page)| {
        let labels = page.labels.iter().map(|(block, keep, _)| (*block as usize, *keep)).collect();
        site::TaughtPage { html: page.html.clone(), labels }
    });
    let lessons: Vec<site::TaughtPage> = lessons.collect();
    let base = Model::shipped().map_err(|e| Problem::from(maintext_core::Error::from(e)))?;
    let taught = site::teach(&base, &lessons);
    let n = taught.figures.len().max(1) as f64;
    let mean = |f: fn(&PageFigures) -> f64| taught.figures.iter().map(f).sum::<f64>() / n;
    let held_out: Vec<Value> = pages
        .iter()
        .zip(&taught.figures)
        .map(|((_, p), f)| {
            json!({"url": p.url, "before": f.before, "after": f.after, "labels": f.labels,
                "wrong_before": f.wrong_before, "wrong_after": f.wrong_after})
        })
        .collect();
    let labels: usize = pages.iter().map(|(_, p)| p.labels.len()).sum();
    let held_out_means = (!taught.figures.is_empty()).then(|| (mean(|f| f.before), mean(|f| f.after)));
    let figures = json!({
        "site": site, "pages": pages.len(), "labels": labels,
        "before": held_out_means.map(|m| m.0), "after": held_out_means.map(|m| m.1), "held_out": held_out,
    });
    let bytes = taught.model.to_bytes();
    let client = trace::client();
    app.store.keep_model(client.holder(), site, &bytes, &figures)?;
    app.keep_taught(client.holder(), site, Learned::new(taught.model));
    Ok(figures)
}

/// `GET /v1/teach/model/<site>`: returns the model as a file.
pub async fn model(State(app): State<Arc<App>>, Path(site): Path<String>) -> Result<Response, Problem> {
    let name = site.clone();
    let found = app.on_worker(SMALL, move |app| app.store.model(trace::client().holder(), &name));
    let Some(bytes) = found.await?? else {
        return Err(Problem::new(StatusCode::NOT_FOUND, "no_model", "this site has no trained model"));
    };
    let safe: String =
        site.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' || c == '-' { c } else { '_' }).collect();
    let disposition = format!("attachment; filename=\"{safe}.mtx\"");
    let headers = [(header::CONTENT_TYPE, "application/octet-stream"), (header::CONTENT_DISPOSITION, &disposition)];
    Ok((headers, bytes).into_response())
}

/// `GET /v1/teach/export`: returns all labels of the client as a data set (docs/data.md), one page per line.
pub async fn export(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    let place = app.limits.export()?;
    let pages = app.on_worker(SMALL, |app| app.store.sizes(trace::client().holder(), None)).await??;
    let state = (app, pages.into_iter().enumerate(), place);
    // One page after the other is read from the store, when the client has read the one before.
    let lines = stream::unfold(Some(state), |state| async move {
        let (app, mut pages, place) = state?;
        let (n, (id, bytes)) = pages.next()?;
        match exported(&app, n, id, bytes).await {
            Ok(line) => Some((Ok(line), Some((app, pages, place)))),
            // The connection ends before the answer is complete, so that the client notices.
            Err(problem) => Some((Err(std::io::Error::other(problem.detail)), None)),
        }
    });
    let headers = [
        (header::CONTENT_TYPE, "application/x-ndjson"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"maintext-labels.jsonl\""),
    ];
    Ok((headers, Body::from_stream(lines)).into_response())
}

/// Returns one line of the export; none if the page has been deleted meanwhile.
async fn exported(app: &Arc<App>, n: usize, id: i64, bytes: usize) -> Result<Bytes, Problem> {
    let mut share = app.limits.share(&trace::client());
    // The page, and its line with quotation marks and line breaks escaped.
    share.grow_soon(3 * bytes + 1000).await?;
    let line = app.on_worker(SMALL, move |app| {
        let Some((site, page)) = app.store.page(id)? else { return Ok::<_, Problem>(Vec::new()) };
        let texts = |kept: bool| -> Vec<&String> {
            page.labels.iter().filter(|(_, keep, _)| *keep == kept).map(|(_, _, text)| text).collect()
        };
        let line = ExportLine {
            id: format!("taught-{n}"),
            url: &page.url,
            site,
            html: &page.html,
            with: texts(true),
            without: texts(false),
            extra: Extra { blocks: page.labels.iter().map(|(b, keep, _)| (*b, *keep)).collect() },
        };
        let mut line = serde_json::to_vec(&line).map_err(|_| Problem::internal())?;
        line.push(b'\n');
        line.shrink_to_fit();
        Ok(line)
    });
    let line = line.await??;
    share.shrink(line.len());
    Ok(share.hold(line))
}

/// A page of the export.
#[derive(Serialize)]
struct ExportLine<'a> {
    id: String,
    url: &'a str,
    site: String,
    html: &'a str,
    with: Vec<&'a String>,
    without: Vec<&'a String>,
    extra: Extra,
}

#[derive(Serialize)]
struct Extra {
    blocks: Vec<(u32, bool)>,
}

/// `DELETE /v1/teach/sites/<site>`: deletes a site's labels and its model.
pub async fn forget(State(app): State<Arc<App>>, Path(site): Path<String>) -> Result<Response, Problem> {
    let found = app.on_worker(SMALL, move |app| {
        let client = trace::client();
        let found = app.store.forget(client.holder(), &site)?;
        app.forget_taught(client.holder(), &site);
        Ok::<_, StoreError>(found)
    });
    if found.await?? {
        Ok(StatusCode::NO_CONTENT.into_response())
    } else {
        Err(Problem::new(StatusCode::NOT_FOUND, "unknown_site", "this site has no labels"))
    }
}
