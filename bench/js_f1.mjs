// Word F1 of the npm package's modules beside @mozilla/readability and defuddle, on the same pages.
//
//   cargo xtask wasm && npm --prefix bench ci && node bench/js_f1.mjs [--fold FOLDER] [--cjk] [--systems a,b] SET.jsonl.zst...
//
// A row of a set has `id`, `html` or `html_base64`, `url` and the true `text`. F1 is that of bags of words, averaged over pages; with
// --cjk a Chinese, Japanese or Korean character is a word. The shipped model was trained on the sets of train/, so that its own figures
// there count for nothing: FOLDER/SET/maintext.jsonl holds texts of models that did not see the site (docs/benchmarks.md). What the figures
// of `maintext` do show is whether the drop-in modules lose anything beside `extract`. bench/peers.mjs runs the systems, on the pages as they
// are: docs/benchmarks.md has higher figures for other systems where pages are written as XML (`<div/>`), since it repairs them first.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const ALL = ["mozilla-readability", "defuddle", "maintext", "maintext-readability", "maintext-defuddle"];
const { values, positionals: sets } = parseArgs({
  allowPositionals: true,
  options: {
    fold: { type: "string" },
    cjk: { type: "boolean" },
    systems: { type: "string", default: ALL.join(",") },
    pages: { type: "string" },
  },
});
const systems = values.systems.split(",");
if (sets.length === 0 || systems.some((name) => !ALL.includes(name))) {
  process.stderr.write(`js_f1.mjs: give at least one set; the systems are ${ALL.join(", ")}\n`);
  process.exit(2);
}

// Python's \w: letters, numbers and the underscore.
const CJK = "[\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\uac00-\\ud7af]";
const WORD = new RegExp(values.cjk ? `${CJK}|(?:(?!${CJK})[\\p{L}\\p{N}_])+` : "[\\p{L}\\p{N}_]+", "gu");
const words = (text) => (text ?? "").toLowerCase().match(WORD) ?? [];

function f1(found, truth) {
  const [p, g] = [words(found), words(truth)];
  if (g.length === 0 || p.length === 0) return g.length === p.length ? 1 : 0;
  const left = new Map();
  for (const word of g) left.set(word, (left.get(word) ?? 0) + 1);
  let same = 0;
  for (const word of p) {
    const count = left.get(word) ?? 0;
    if (count > 0) {
      same += 1;
      left.set(word, count - 1);
    }
  }
  return (2 * same) / (p.length + g.length);
}

/** Returns the texts that a system finds, page by page. A page on which it fails has none. */
async function texts(system, rows) {
  const child = spawn(process.execPath, [fileURLToPath(new URL("peers.mjs", import.meta.url)), system], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.on("error", () => {});
  const answers = createInterface({ input: child.stdout, crlfDelay: Infinity })[Symbol.asyncIterator]();
  const found = [];
  for (const { html, url } of rows) {
    child.stdin.write(`${JSON.stringify({ html, url })}\n`);
    const { value, done } = await answers.next();
    if (done) throw new Error(`${system} ended after ${found.length} pages`);
    found.push(JSON.parse(value).text ?? "");
  }
  child.stdin.end();
  return found;
}

const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;
process.stdout.write(
  `| set | pages | maintext, out of fold | ${systems.join(" | ")} |\n| --- | --: | --: |${" --: |".repeat(systems.length)}\n`,
);
for (const set of sets) {
  const name = basename(set).replace(/\.jsonl(\.zst)?$/, "");
  const lines = execFileSync("zstd", ["-dc", "--long=27", set], { maxBuffer: 2 ** 31 })
    .toString("utf8")
    .split("\n")
    .filter(Boolean);
  const rows = lines.map((line) => JSON.parse(line)).filter(({ text }) => typeof text === "string");
  const picked = values.pages ? rows.filter(({ id }) => share(id) < Number(values.pages) / rows.length) : rows;
  for (const row of picked) row.html ??= Buffer.from(row.html_base64, "base64").toString("utf8");
  const figures = await Promise.all(
    systems.map(async (system) => mean((await texts(system, picked)).map((text, i) => f1(text, picked[i].text)))),
  );
  const shown = figures.map((figure) => figure.toFixed(4)).join(" | ");
  process.stdout.write(`| ${name} | ${picked.length} | ${outOfFold(name, picked)} | ${shown} |\n`);
}

/** Returns a number from 0 to 1 that depends on the page alone. */
function share(id) {
  return createHash("sha256").update(String(id)).digest().readUInt32BE() / 2 ** 32;
}

function outOfFold(name, rows) {
  const file = values.fold && join(values.fold, name, "maintext.jsonl");
  if (!file || !existsSync(file)) return "";
  const found = new Map(
    readFileSync(file, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .map(({ id, text }) => [id, text]),
  );
  return mean(rows.map(({ id, text }) => f1(found.get(id), text))).toFixed(4);
}
