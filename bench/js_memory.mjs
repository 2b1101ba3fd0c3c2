// Shows that memory stays flat: extracts pages again and again, and prints the module's memory and the process's.
//
//   node --expose-gc bench/js_memory.mjs [--pages 50000] [FOLDER]
//
// FOLDER holds HTML pages; testdata/ by default. Exit status 1: the module's memory grew after the first tenth of the pages.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { create } from "../js/src/core.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { pages: { type: "string", default: "50000" } },
});
const folder = positionals[0] ?? join(root, "testdata");
const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".html"));
const pages = names.map((name) => readFileSync(join(folder, name)));
const module = new WebAssembly.Module(readFileSync(join(root, "js/wasm/maintext.wasm")));
const { Extractor, extract, machine } = create(() => module);

const total = Number(values.pages);
const settings = { pageType: true, things: true, formats: ["text", "markdown", "html", "xml", "blocks"] };
const kept = new Extractor(settings);
const MB = 2 ** 20;
let early = 0;
const start = performance.now();
for (let i = 0; i < total; i += 1) {
  const page = pages[i % pages.length];
  // Some by the kept extractor, some by functions whose settings change, so that extractors are opened and freed, and some that fail.
  if (i % 100 === 0) extract(page, { maxDepth: 100 + (i % 50) });
  else if (i % 101 === 0) for (const result of kept.extractMany(["%PDF", page])) void result;
  else kept.extract(page);
  if ((i + 1) % (total / 10) === 0) {
    globalThis.gc?.();
    const memory = machine.instance().memory.buffer.byteLength;
    if (early === 0) early = memory;
    const { rss, heapUsed } = process.memoryUsage();
    const figures = [memory, rss, heapUsed].map((n) => (n / MB).toFixed(1).padStart(7));
    console.log(
      `${String(i + 1).padStart(7)} pages: module ${figures[0]} MB, process ${figures[1]} MB, heap ${figures[2]} MB`,
    );
    if (memory > early) process.exitCode = 1;
  }
}
console.log(
  `${((performance.now() - start) / total).toFixed(2)} ms a page, ${names.length} different pages, ${machine.age} instance(s)`,
);
