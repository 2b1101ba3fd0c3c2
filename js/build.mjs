// Makes what the package needs beside its sources: CommonJS bundles and their types. `cargo xtask wasm` makes the modules first.
import { build } from "esbuild";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

// CommonJS has no import.meta.
const shim = { js: 'const moduleUrl = require("node:url").pathToFileURL(__filename).href;' };
const entries = { node: "src/node.js", "lite/node": "src/lite/node.js" };
const common = {
  absWorkingDir: here,
  outdir: "cjs",
  outExtension: { ".js": ".cjs" },
  bundle: true,
  platform: "node",
  target: "node18",
  format: "cjs",
  charset: "utf8",
};
await build({ ...common, entryPoints: entries, define: { "import.meta.url": "moduleUrl" }, banner: shim });
// These call the package by its name, so that a program has one instance of the module, and their peers by theirs.
const over = ["readability", "defuddle", "ai", "langchain"];
await build({ ...common, entryPoints: over.map((name) => `src/${name}.js`), packages: "external" });

// TypeScript takes the types of a CommonJS file from a .d.cts file.
for (const name of ["index", "lite", "page", "tools", ...over]) {
  const types = await readFile(join(here, "types", `${name}.d.ts`), "utf8");
  await writeFile(join(here, "types", `${name}.d.cts`), types.replaceAll('.js"', '.cjs"'));
}
for (const licence of ["LICENSE-MIT", "LICENSE-APACHE"]) await copyFile(join(here, "..", licence), join(here, licence));
