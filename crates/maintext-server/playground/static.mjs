// Builds the playground without a server: a folder that any static host serves, also below a path. `cargo xtask playground` runs it.
// Usage: node static.mjs FOLDER [PACKAGE], where PACKAGE is the folder of the npm package with its WebAssembly module.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [out, js] = [resolve(process.argv[2] ?? "playground"), resolve(process.argv[3] ?? join(here, "../../../js"))];

const options = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  charset: "utf8",
  format: "iife",
  target: "es2022",
  legalComments: "none",
  write: false,
  loader: { ".html": "text", ".svg": "text" },
  alias: { maintext: join(js, "src/browser.js") },
  outdir: out,
  // Only a module has an address of its own; the worker says where the WebAssembly file is.
  logOverride: { "empty-import-meta": "silent" },
};

/** Builds one file and returns its text. */
async function built(file, define = {}) {
  const result = await build({ ...options, entryPoints: [`src/${file}`], define });
  return result.outputFiles[0].text;
}

function hash(text) {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

// The frames are sandboxed, so they have an origin of their own and no access to the page's files. Their scripts and styles are in them,
// and the policies name both by their hashes.
const frames = {},
  scripts = [],
  styles = [];
for (const name of ["frame", "article"]) {
  const [script, style] = [(await built(`${name}.ts`)).trim(), (await built(`${name}.css`)).trim()];
  if (/<\/(script|style)|<!--/i.test(script + style)) throw new Error(`${name}: the script would end inside its element`);
  scripts.push(hash(script));
  styles.push(hash(style));
  const images = name === "article" ? " img-src data: http: https:;" : "";
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)};${images} base-uri 'none'; form-action 'none'`;
  frames[name] =
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">` +
    `<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">` +
    `<title>${name}</title>` +
    `<style>${style}</style></head><body><script>${script}</script></body></html>`;
}

// A frame without a source of its own inherits this policy, so it names the scripts, styles and pictures of the frames too.
const policy = [
  "default-src 'none'",
  `script-src 'self' 'wasm-unsafe-eval' ${scripts.join(" ")}`,
  `style-src 'self' ${styles.join(" ")}`,
  "img-src data: http: https:",
  "connect-src 'self' http: https:",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const files = {
  "index.html": (await readFile(join(here, "src/static.html"), "utf8")).replace("POLICY", policy),
  "app.js": await built("static.ts", { FRAMES: JSON.stringify(frames) }),
  "worker.js": await built("worker.ts"),
  "style.css": await built("style.css"),
};
const wasm = await readFile(join(js, "wasm/maintext.wasm"));
const version = createHash("sha256").update(Object.values(files).join("\0")).update(wasm).digest("hex").slice(0, 16);
files["offline.js"] = await built("offline.ts", {
  FILES: JSON.stringify(["./", ...Object.keys(files).filter((name) => name !== "index.html"), "maintext.wasm"]),
  VERSION: JSON.stringify(`maintext-${version}`),
});

await mkdir(out, { recursive: true });
for (const [name, text] of Object.entries(files)) await writeFile(join(out, name), text);
await copyFile(join(js, "wasm/maintext.wasm"), join(out, "maintext.wasm"));
