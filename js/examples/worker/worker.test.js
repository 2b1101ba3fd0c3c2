// The worker in workerd, bundled as Wrangler does: the entry for workerd, and the .wasm file as a module.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Miniflare } from "miniflare";

const STORY = `<html lang=en><head><title>Ferry - Harbour</title></head><body><nav><a href=/>Home</a></nav><article><h1>Ferry</h1>
  <p>The ferry leaves at nine, and nobody waits for those who are late; caf\u00e9s are <a href=/open>open</a> until then.</p>
  <p>In winter there is no ferry at all after eight, and the harbour is dark.</p></article></body></html>`;
const MARKDOWN = "# Ferry\n\nThe ferry leaves at nine, and nobody waits for those who are late; cafés are";

let miniflare;
let server;
let origin;
before(async () => {
  const modules = [];
  const wasm = {
    name: "wasm",
    setup({ onResolve }) {
      onResolve({ filter: /\.wasm$/ }, async ({ path, resolveDir }) => {
        const file = new URL(path, `file://${resolveDir}/`);
        modules.push({ type: "CompiledWasm", path: `./${basename(path)}`, contents: readFileSync(file) });
        return { path: `./${basename(path)}`, external: true };
      });
    },
  };
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("worker.js", import.meta.url))],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    conditions: ["workerd", "worker", "browser"],
    plugins: [wasm],
  });
  miniflare = new Miniflare({
    modules: [{ type: "ESModule", path: "./worker.js", contents: outputFiles[0].text }, ...modules],
    compatibilityDate: "2026-01-01",
  });
  server = createServer((request, response) => {
    if (request.url !== "/story") return response.writeHead(404).end();
    response.setHeader("content-type", "text/html; charset=windows-1252");
    return response.end(Buffer.from(STORY, "latin1"));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${server.address().port}`;
});
after(async () => {
  await miniflare?.dispose();
  server?.close();
});

const ask = (path, options) => miniflare.dispatchFetch(`http://worker.example${path}`, options);

test("a page that is fetched, with the charset of its header", async () => {
  const response = await ask(`/?url=${origin}/story`);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.match(response.headers.get("content-type"), /^text\/markdown/);
  assert.ok(text.startsWith(MARKDOWN), text);
  assert.ok(text.includes(`[open](${origin}/open)`));
});

test("HTML that is sent, and JSON", async () => {
  const options = { method: "POST", body: STORY, headers: { accept: "application/json", "content-type": "text/html; charset=utf-8" } };
  const page = await (await ask("/?url=https://example.org/story", options)).json();
  assert.deepEqual([page.title, page.hostname, page.language], ["Ferry", "example.org", "en"]);
  assert.ok(page.markdown.startsWith(MARKDOWN));
});

test("errors", async () => {
  assert.equal((await ask("/")).status, 400);
  assert.equal((await ask(`/?url=${origin}/none`)).status, 502);
  const pdf = await ask("/", { method: "POST", body: "%PDF-1.7 ..." });
  assert.deepEqual([pdf.status, await pdf.text()], [422, "the input is a PDF, not an HTML page\n"]);
  assert.equal((await ask("/", { method: "POST", body: "x".repeat(10_000_001) })).status, 413);
});

test("many pages in one instance", async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, i) => (await ask("/", { method: "POST", body: STORY.replace("nine", `${i}`) })).text()),
  );
  for (const [i, text] of answers.entries()) assert.match(text, new RegExp(`leaves at ${i},`));
});
