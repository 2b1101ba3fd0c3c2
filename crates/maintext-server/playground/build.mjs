// Builds the playground of the service into ../assets, or into the folder given as argument. The same sources give the same bytes.
import { build } from "esbuild";
import { copyFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "../assets");

await mkdir(out, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: [
    { in: "src/service.ts", out: "app" },
    ...["frame.ts", "article.ts", "docs.ts", "style.css", "frame.css", "article.css"].map((file) => ({
      in: `src/${file}`,
      out: file.split(".")[0],
    })),
  ],
  bundle: true,
  minify: true,
  charset: "utf8",
  format: "iife",
  target: "es2022",
  legalComments: "none",
  loader: { ".html": "text", ".svg": "text" },
  outdir: out,
});
for (const page of ["index.html", "frame.html", "article.html", "docs.html"]) await copyFile(join(here, "src", page), join(out, page));
