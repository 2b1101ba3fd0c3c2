/** The JavaScript in the documents: it parses, and what it imports from the package exists. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parseHTML } from "linkedom";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "maintext-documents-"));
after(() => rmSync(folder, { recursive: true }));

function* documents(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory() && !["target", "node_modules", "testdata", ".git"].includes(entry.name)) yield* documents(path);
    else if (entry.isFile() && entry.name.endsWith(".md")) yield path;
  }
}

/** The JavaScript blocks of all documents, with their places. */
const blocks = [...documents(root)].flatMap((path) => {
  const text = readFileSync(path, "utf8");
  return [...text.matchAll(/^ *```(?:js|javascript|mjs)\n(.*?)^ *```$/gms)].map((match) => ({
    place: `${relative(root, path)}:${text.slice(0, match.index).split("\n").length + 1}`,
    code: match[1],
  }));
});

/** Returns what is wrong with a block, or an empty text. */
function wrong(code) {
  const file = join(folder, "block.mjs");
  writeFileSync(file, code);
  const checked = spawnSync(process.execPath, ["--check", file], { encoding: "utf8" });
  if (checked.status !== 0) return checked.stderr;
  const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  for (const [, names, path] of code.matchAll(/^import ([^;]*?) from "maintext(\/[\w./]+)?";/gms)) {
    if (!exports[`.${path ?? ""}`]) return `the package has no maintext${path}`;
    const types = [path ?? "/index", "/page"].map((name) => readFileSync(new URL(`../types${name}.d.ts`, import.meta.url), "utf8")).join("");
    for (const name of names.match(/\{(.*)\}/s)?.[1].split(",") ?? []) {
      if (!new RegExp(`\\b${name.trim()}\\b`).test(types)) return `maintext${path ?? ""} has no ${name.trim()}`;
    }
  }
  return "";
}

test("JavaScript in documents parses, and its imports exist", () => {
  assert.ok(blocks.length >= 6, `${blocks.length} blocks`);
  for (const { place, code } of blocks) assert.equal(wrong(code), "", place);
});

test("what to write here instead of other packages runs, and gives a value", async () => {
  const table = readFileSync(join(root, "docs/compat.md"), "utf8").split("| with JavaScript packages | here |\n")[1];
  const rows = [...table.matchAll(/^\| .+ \| `([^`]+|`.+`)` \|$/gm)].map((match) => match[1]);
  assert.ok(rows.length >= 10, `${rows.length} rows`);
  const html = readFileSync(join(root, "examples/news-en.html"), "utf8");
  const url = "https://example.org/news";
  const { extract } = await import("maintext");
  const { Readability, isProbablyReaderable } = await import("maintext/readability");
  const { Defuddle } = await import("maintext/defuddle");
  const { document } = parseHTML(html);
  const names = { Defuddle, Readability, document, extract, html, isProbablyReaderable, url, page: extract(html, { url }) };
  for (const code of rows) {
    if (code.startsWith("import ")) {
      assert.equal(wrong(`${code};`), "", code);
      continue;
    }
    const run = new Function(...Object.keys(names), `return (async () => ${code})();`);
    assert.ok(await run(...Object.values(names)), code);
  }
});

test("wrong code is found", () => {
  for (const code of ["const a;", 'import { noSuchName } from "maintext";', 'import { extract } from "maintext/nothing";']) {
    assert.notEqual(wrong(code), "", code);
  }
});
