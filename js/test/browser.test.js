// The package in a real browser: a document as it is shown, and the module fetched. $CHROMIUM is the browser's path.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("..", import.meta.url));
const path = process.env.CHROMIUM ?? "/usr/bin/chromium";
const skip = existsSync(path) ? false : `no Chromium at ${path}`;
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm" };

const PAGE = `<!DOCTYPE html><html lang=en><head><title>Ferry - Harbour</title><meta name=author content="Ada Ferry">
<script type="application/ld+json">{"@type": "Article", "headline": "Ferry", "datePublished": "2026-05-17"}</script>
<style>.gone { display: none } .sr { position: absolute; width: 1px; height: 1px; overflow: hidden }</style></head><body>
<nav><a href="/">Home</a></nav><article><h1>Ferry</h1><p>The ferry leaves at nine, and nobody waits for those who are late &amp; lost.</p>
<p class=gone>This sentence is of no use to any reader, since the page never shows it to them.</p>
<p>It comes back in the evening,<span class=sr> hidden label</span> and <span style="visibility: hidden">unseen <b style="visibility: visible">seen</b></span> on Sundays it rests.</p>
<x-box></x-box><p id=late></p></article><script>
document.getElementById("late").textContent = "A script wrote this sentence after the page was loaded, as many do.";
const box = document.querySelector("x-box").attachShadow({ mode: "open" });
box.innerHTML = "<p>Tickets are sold on board, in the cabin behind the wheelhouse.</p>";
</script></body></html>`;

let server;
let browser;
let page;
before(async () => {
  if (skip) return;
  server = createServer((request, response) => {
    const name = normalize(new URL(request.url, "http://localhost").pathname);
    if (name === "/story") return response.setHeader("content-type", "text/html; charset=utf-8").end(PAGE);
    response.setHeader("content-type", TYPES[extname(name)] ?? "text/plain");
    return response.end(existsSync(join(root, name)) ? readFileSync(join(root, name)) : "");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  browser = await chromium.launch({ executablePath: path, args: ARGS });
  page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/story`);
});
after(async () => {
  await browser?.close();
  server?.close();
});

test("a document is read as it is shown", { skip }, async () => {
  const { all, visible, source } = await page.evaluate(async () => {
    const { init, extract, serialize } = await import("/src/browser.js");
    await init();
    return { all: extract(document), visible: extract(document, { visible: true }), source: serialize(document) };
  });
  assert.match(all.url ?? all.hostname, /127\.0\.0\.1/);
  assert.deepEqual([all.title, all.author, all.date], ["Ferry", "Ada Ferry", "2026-05-17"]);
  for (const text of [all.text, visible.text]) {
    assert.match(text, /nobody waits for those who are late & lost\./);
    assert.match(text, /A script wrote this sentence/);
    assert.match(text, /Tickets are sold on board/);
  }
  assert.doesNotMatch(all.text, /of no use|hidden label|unseen/);
  assert.match(all.text, /in the evening.* seen on Sundays/);
  assert.doesNotMatch(visible.text, /of no use|hidden label|unseen/);
  assert.match(visible.text, /in the evening, and seen on Sundays/);
  assert.doesNotMatch(source, /attachShadow|display: none/);
  assert.match(source, /<p class="gone" style=";display:none!important">/);
  assert.match(source, /^<!DOCTYPE html><html lang="en">/);
  assert.match(source, /<template shadowrootmode="open"><p>Tickets/);
});

test("a worker and the small module", { skip }, async () => {
  const text = await page.evaluate(async () => {
    const code = `import { init, extract } from "${location.origin}/src/lite/browser.js";
      await init();
      postMessage(extract("<p>The ferry leaves at nine, and nobody waits for those who are late.").text);`;
    const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })), { type: "module" });
    return new Promise((resolve, reject) => {
      worker.onmessage = (event) => resolve(event.data);
      worker.onerror = (event) => reject(new Error(event.message));
    });
  });
  assert.equal(text, "The ferry leaves at nine, and nobody waits for those who are late.\n");
});
