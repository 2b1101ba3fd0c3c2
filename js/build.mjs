// Makes what the package needs beside its sources: CommonJS bundles and their types. `cargo xtask wasm` makes the modules first.
// With --sizes, it also writes the sizes of the modules into building.md. With --release, it refuses the modules that tests run.
import { build } from "esbuild";
import { copyFile, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

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

/** Returns a module's row of the table of sizes. */
async function size(name) {
  const module = await readFile(join(here, "wasm", name));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: module.length };
  const megabytes = [module, brotliCompressSync(module, { params })].map((data) => `${(data.length / 1e6).toFixed(2)} MB`);
  return `| \`${name}\` | ${megabytes.join(" | ")} |`;
}

/** The most bytes of a module that is optimised; those of tests have three times as many. */
const LARGEST = 8e6;

if (process.argv.includes("--release")) {
  for (const name of ["maintext.wasm", "lite.wasm"]) {
    if ((await stat(join(here, "wasm", name))).size > LARGEST) {
      console.error(`js/wasm/${name} was built for tests: large and slow; 'cargo xtask wasm' builds the one to publish`);
      process.exit(1);
    }
  }
}

if (process.argv.includes("--sizes")) {
  const path = join(here, "building.md");
  let text = await readFile(path, "utf8");
  for (const name of ["maintext.wasm", "lite.wasm"]) {
    const row = new RegExp(`^\\| \`${name}\` \\|.*$`, "m");
    if (!row.test(text)) throw new Error(`building.md has no row for ${name}`);
    text = text.replace(row, await size(name));
  }
  await writeFile(path, text);
}
