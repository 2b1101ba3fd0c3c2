// Compares the answers of the WebAssembly module with the native library's, byte by byte, in Node and in Chromium.
//
//   cargo xtask wasm && cargo build --release -p maintext-wasm --example native
//   node bench/js_same.mjs --native target/release/examples/native [--chromium /usr/bin/chromium] [--module lite] INPUT...
//
// With --chromium-step N, Chromium answers for each Nth page alone: it has the engine of Node.
//
// An input is a JSONL file, plain or .zst (the program zstd reads it), a folder with HTML pages, or one page. Exit status 1: some differ.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join, normalize } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { create } from "../js/src/core.js";

const js = join(dirname(fileURLToPath(import.meta.url)), "../js");
const { values: given, positionals: inputs } = parseArgs({
  allowPositionals: true,
  options: {
    native: { type: "string" },
    chromium: { type: "string" },
    "chromium-step": { type: "string", default: "1" },
    module: { type: "string", default: "maintext" },
  },
});
const all = { formats: ["text", "markdown", "html", "xml", "blocks"], pageType: true, things: true };
const CALLS =
  given.module === "lite"
    ? [
        ["extract", 0, { formats: ["text", "markdown"] }],
        ["inspect", 3, {}],
      ]
    : [
        ["extract", 0, all],
        ["recall", 0, { favor: "recall", title: "as-is", links: false }],
        ["list", 1, {}],
        ["classify", 2, {}],
        ["inspect", 3, {}],
      ];

/** Yields the pages of an input as lines of JSON. */
async function* rows(input) {
  if (statSync(input).isDirectory()) {
    const pages = readdirSync(input, { recursive: true }).filter(
      (name) => name.endsWith(".html") && !name.endsWith(".out.html"),
    );
    for (const name of pages.sort()) yield* rows(join(input, name));
    return;
  }
  if (extname(input) === ".html") {
    yield JSON.stringify({
      url: "https://example.org/section/page",
      html_base64: readFileSync(input).toString("base64"),
    });
    return;
  }
  const lines =
    extname(input) === ".zst"
      ? createInterface({ input: spawn("zstd", ["-dc", "--long=27", input]).stdout, crlfDelay: Infinity })
      : readFileSync(input, "utf8").split("\n");
  for await (const line of lines) {
    const row = line.trim() ? JSON.parse(line) : {};
    if (row.html ?? row.html_base64)
      yield JSON.stringify({ url: row.url, html: row.html, html_base64: row.html_base64 });
  }
}

const module = new WebAssembly.Module(readFileSync(join(js, "wasm", `${given.module}.wasm`)));
const { machine } = create(() => module);

function answer(reader, call, line) {
  const { url, html, html_base64 } = JSON.parse(line);
  const page = html ?? new Uint8Array(Buffer.from(html_base64, "base64"));
  try {
    return machine.answer(reader, call, { url }, page);
  } catch (error) {
    if (error.code === "internal") return `trap: ${error.message}`;
    return JSON.stringify({ kind: error.code ?? "option", message: error.message });
  }
}

function digest(text) {
  return createHash("sha256").update(text).digest("hex");
}

/** Says where two answers part. */
function difference(ours, theirs) {
  let at = 0;
  while (at < ours.length && ours[at] === theirs[at]) at += 1;
  return `at ${at}: ${JSON.stringify(ours.slice(Math.max(0, at - 60), at + 40))} and ${JSON.stringify(theirs.slice(Math.max(0, at - 60), at + 40))}`;
}

/** Opens a page of Chromium that answers as Node does; returns a function from lines to digests. */
async function chromium(path) {
  const { chromium: browser } = await import("../js/node_modules/playwright-core/index.mjs");
  let lines = [];
  const types = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };
  const server = createServer((request, response) => {
    const name = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    if (name === "/rows") return response.end(lines.join("\n"));
    if (name === "/") return response.setHeader("content-type", "text/html").end("<!DOCTYPE html><title>same</title>");
    response.setHeader("content-type", types[extname(name)] ?? "text/plain");
    if (!existsSync(join(js, name))) return response.writeHead(404).end();
    return response.end(readFileSync(join(js, name)));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const launched = await browser.launch({
    executablePath: path,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      // Modules of tests are not optimised, and larger than the 8 MB that the main thread of a page may compile at once.
      "--enable-features=WebAssemblyUnlimitedSyncCompilation",
    ],
  });
  const page = await launched.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  const answers = async (chunk, call, options) => {
    lines = chunk;
    return page.evaluate(
      async ([call, options, module]) => {
        const { create } = await import("/src/core.js");
        globalThis.machine ??= create(() => globalThis.compiled).machine;
        globalThis.compiled ??= await WebAssembly.compileStreaming(fetch(`/wasm/${module}.wasm`));
        const reader = machine.open(JSON.stringify(options), new Uint8Array(0));
        const rows = (await (await fetch("/rows")).text()).split("\n").map((line) => JSON.parse(line));
        const out = [];
        for (const { url, html, html_base64 } of rows) {
          const bytes = () => Uint8Array.from(atob(html_base64), (c) => c.charCodeAt(0));
          let answer;
          try {
            answer = machine.answer(reader, call, { url }, html ?? bytes());
          } catch (error) {
            answer = JSON.stringify({ kind: error.code ?? "option", message: error.message });
          }
          const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(answer)));
          out.push([...hash].map((b) => b.toString(16).padStart(2, "0")).join(""));
        }
        machine.close(reader, machine.age);
        return out;
      },
      [call, options, given.module],
    );
  };
  const version = launched.version();
  return { answers, version, close: () => launched.close().then(() => server.close()) };
}

const browser = given.chromium === undefined ? undefined : await chromium(given.chromium);
if (browser) console.log(`Chromium ${browser.version}`);
let differing = 0;
let compared = 0;
let inChromium = 0;
const step = Number(given["chromium-step"]);

async function compare(chunk, input) {
  for (const [name, call, options] of CALLS) {
    const json = JSON.stringify(options);
    const native = execFileSync(given.native, [String(call), json], {
      input: `${chunk.join("\n")}\n`,
      encoding: "utf8",
      maxBuffer: 2 ** 31,
    });
    const expected = native.trimEnd().split("\n");
    if (expected.length !== chunk.length) throw new Error(`${expected.length} answers for ${chunk.length} pages`);
    const reader = machine.open(json, new Uint8Array(0));
    const ours = chunk.map((line) => answer(reader, call, line));
    machine.close(reader, machine.age);
    const picked = chunk.filter((_, i) => i % step === 0);
    const seen = (await browser?.answers(picked, call, options)) ?? [];
    inChromium += seen.length;
    for (let i = 0; i < chunk.length; i += 1) {
      compared += 1;
      const inBrowser = seen.length > 0 && i % step === 0 && seen[i / step] !== digest(expected[i]);
      if (ours[i] === expected[i] && !inBrowser) continue;
      differing += 1;
      const { url } = JSON.parse(chunk[i]);
      if (differing <= 20)
        console.log(
          `${name} of ${input}, ${url}: ${ours[i] === expected[i] ? "only Chromium differs" : difference(ours[i], expected[i])}`,
        );
    }
  }
}

for (const input of inputs) {
  let chunk = [];
  let size = 0;
  const start = compared;
  for await (const row of rows(input)) {
    chunk.push(row);
    size += row.length;
    if (size > 20e6) {
      await compare(chunk, input);
      [chunk, size] = [[], 0];
    }
  }
  if (chunk.length > 0) await compare(chunk, input);
  console.log(`${input}: ${(compared - start) / CALLS.length} pages`);
}
await browser?.close();
console.log(`${compared} answers compared, ${inChromium} of them in Chromium, ${differing} differ`);
process.exitCode = differing > 0 || compared === 0 ? 1 : 0;
