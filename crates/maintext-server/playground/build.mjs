// Builds the playground into ../assets, or into the folder given as argument. The same sources give the same bytes.
import { build } from "esbuild";
import { copyFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "../assets");

await mkdir(out, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: ["src/app.ts", "src/frame.ts", "src/docs.ts", "src/style.css", "src/frame.css"],
  bundle: true,
  minify: true,
  charset: "utf8",
  format: "iife",
  target: "es2022",
  legalComments: "none",
  outdir: out,
});
for (const page of ["index.html", "frame.html", "docs.html"]) await copyFile(join(here, "src", page), join(out, page));
