// Builds the extension for Chromium and Firefox into dist/. `cargo xtask wasm` makes the package's module first.
import { build } from "esbuild";
import { existsSync } from "node:fs";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { manifest } from "./manifest.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
// The npm package `maintext`: this repository's, or a copy elsewhere.
const js = resolve(process.env.MAINTEXT_JS ?? join(here, "../js"));
const wasm = join(js, "wasm/maintext.wasm");
if (!existsSync(wasm)) {
  console.error(`${wasm} is missing: run \`cargo xtask wasm\` first, or name a built copy of the package in $MAINTEXT_JS`);
  process.exit(1);
}

// The words for reasons are the playground's.
const playground = join(here, "../crates/maintext-server/playground/src");

const common = {
  absWorkingDir: here,
  bundle: true,
  charset: "utf8",
  // The stores' reviewers read the code.
  minify: false,
  alias: {
    maintext: join(js, "src/browser.js"),
    "maintext-page": join(js, "src/page.js"),
    "maintext-reasons": join(playground, "reasons.ts"),
    "maintext-words": join(playground, "i18n.ts"),
  },
};

for (const browser of ["chromium", "firefox"]) {
  const out = join(here, "dist", browser);
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  const target = browser === "chromium" ? "chrome116" : "firefox128";
  await build({ ...common, target, format: "esm", outdir: out, entryPoints: ["src/background.js", "src/reader.js"] });
  await build({ ...common, target, format: "iife", outdir: out, entryPoints: ["src/gather.js"] });
  for (const name of ["reader.html", "reader.css", "article.css", "_locales"]) {
    await cp(join(here, "src", name), join(out, name), { recursive: true });
  }
  await cp(join(here, "icons"), join(out, "icons"), { recursive: true });
  await cp(wasm, join(out, "maintext.wasm"));
  await writeFile(join(out, "manifest.json"), `${JSON.stringify(manifest(browser), null, 2)}\n`);
  console.log(`dist/${browser}`);
}
