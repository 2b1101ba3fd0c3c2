// The package as npm packs it, installed in an empty project and used from CommonJS, ES modules and TypeScript.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL("..", import.meta.url));
const project = mkdtempSync(join(tmpdir(), "maintext-pack-"));
const npm = process.platform === "win32" ? "npm.cmd" : "npm";
const run = (program, args, cwd = project) =>
  execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

before(() => {
  const [{ filename }] = JSON.parse(run(npm, ["pack", "--ignore-scripts", "--json", "--silent", "--pack-destination", project], here));
  writeFileSync(join(project, "package.json"), '{"name": "project", "private": true}');
  run(npm, ["install", "--silent", "--offline", "--no-audit", "--no-fund", join(project, filename)]);
});
after(() => rmSync(project, { recursive: true, force: true }));

const USE = `const page = extract("<h1>Tea</h1><p>The kettle is on from nine in the morning, and nobody waits.</p>", { formats: "markdown" });
console.log(page.markdown);`;
const EXPECTED = "# Tea\n\nThe kettle is on from nine in the morning, and nobody waits.\n\n";

test("CommonJS and ES modules", () => {
  for (const name of ["maintext", "maintext/lite"]) {
    writeFileSync(join(project, "a.cjs"), `const { extract } = require("${name}");\n${USE}`);
    writeFileSync(join(project, "b.mjs"), `import { extract } from "${name}";\n${USE}`);
    assert.equal(run(process.execPath, ["a.cjs"]), EXPECTED);
    assert.equal(run(process.execPath, ["b.mjs"]), EXPECTED);
  }
});

/** TypeScript's settings for kinds of modules and how they are found. */
const SETTINGS = [
  { module: "nodenext", moduleResolution: "nodenext", target: "es2022" },
  { module: "node16", moduleResolution: "node16", target: "es2022" },
  { module: "esnext", moduleResolution: "bundler", target: "es2022" },
  { module: "preserve", moduleResolution: "bundler", target: "esnext", verbatimModuleSyntax: true },
];

const TYPED = `import { extract, type Page } from "maintext";
import { extract as small } from "maintext/lite";
import { Readability, isProbablyReaderable } from "maintext/readability";
import { Defuddle } from "maintext/defuddle";
const page: Page = extract("<p>a", { formats: ["markdown"] });
export const title: string | null = page.title;
export const found: [string | null, boolean] = [small("<p>a", { formats: "text" }).text, isProbablyReaderable(document)];
export const excerpt: string | null | undefined = new Readability(document).parse()?.excerpt;
export async function words(): Promise<number> {
  return (await Defuddle("<p>a", "https://example.org/")).wordCount;
}
`;

test("TypeScript, strict, with each resolution of modules", () => {
  const tsc = [join(here, "node_modules/typescript/bin/tsc"), "-p", ".", "--pretty", "false"];
  for (const settings of SETTINGS) {
    const endings = settings.verbatimModuleSyntax ? ["mts"] : ["cts", "mts"];
    const compilerOptions = {
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      lib: ["es2022", "dom"],
      types: [],
      noEmit: true,
      ...settings,
    };
    const files = endings.flatMap((ending) => [`right.${ending}`, `wrong.${ending}`]);
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    for (const ending of endings) {
      writeFileSync(join(project, `right.${ending}`), TYPED);
      writeFileSync(join(project, `wrong.${ending}`), `${TYPED}\nextract(1);\n`);
    }
    // One run for all files: it takes two seconds, most of them for the types of the browser.
    assert.throws(
      () => run(process.execPath, tsc),
      ({ stdout }) => {
        const errors = stdout.trimEnd().split("\n").filter((line) => !line.startsWith(" "));
        const places = errors.map((line) => line.replace(/\(.*?\): error (TS\d+): .*/, " $1"));
        assert.deepEqual(places, endings.map((ending) => `wrong.${ending} TS2345`), JSON.stringify(settings));
        return true;
      },
    );
  }
});

test("the command", () => {
  const bin = join(project, "node_modules/.bin/maintext");
  writeFileSync(
    join(project, "page.html"),
    "<h1>Tea</h1><p>The kettle is on from nine in the morning, and nobody waits.</p>",
  );
  assert.equal(run(bin, ["-f", "markdown", "page.html"]), EXPECTED.slice(0, -1));
  const npx = process.platform === "win32" ? "npx.cmd" : "npx";
  assert.equal(run(npx, ["--offline", "maintext", "page.html", "-f", "markdown"]), EXPECTED.slice(0, -1));
});

test("only what is needed is in it", () => {
  const [{ files }] = JSON.parse(run(npm, ["pack", "--ignore-scripts", "--json", "--silent", "--dry-run"], here));
  const names = files.map((file) => file.path);
  for (const needed of [
    "wasm/maintext.wasm",
    "wasm/lite.wasm",
    "types/index.d.cts",
    "cjs/lite/node.cjs",
    "LICENSE-MIT",
    "README.md",
  ])
    assert.ok(names.includes(needed), needed);
  for (const name of names) assert.doesNotMatch(name, /^(test|node_modules)\//);
  const { exports } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
  const targets = (entry) => (typeof entry === "string" ? [entry] : Object.values(entry).flatMap(targets));
  for (const target of targets(exports)) assert.ok(names.includes(target.slice(2)), target);
});
