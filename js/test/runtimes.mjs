// The package as npm packs it, installed in an empty project and used in several runtimes.
//
//   node test/runtimes.mjs [NAME...]
//
// The runtimes are those of runtimes/package.json (`npm ci --prefix test/runtimes`) and those on PATH. Each uses all entries as an ES
// module and as CommonJS, and runs the command and the package's tests. Its output must be that of the Node that runs this script. One
// that is not there is reported as SKIPPED; if it was named, that is a failure.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL("..", import.meta.url));
const runtimes = join(here, "test/runtimes/node_modules");
const TESTS = ["api", "dropin", "adapters", "command"].map((name) => `test/${name}.test.js`);

/** Runtimes: where the binary is, the arguments that run a program, and those that run the package's tests. */
const RUNTIMES = {
  node18: { file: join(runtimes, "node18/bin/node"), program: [], tests: ["--test", ...TESTS] },
  node22: { file: join(runtimes, "node22/bin/node"), program: [], tests: ["--test", ...TESTS] },
  node24: { file: join(runtimes, "node24/bin/node"), program: [], tests: ["--test", ...TESTS] },
  node26: { file: join(runtimes, "node26/bin/node"), program: [], tests: ["--test", ...TESTS] },
  deno: {
    file: join(runtimes, "@deno/linux-x64-glibc/deno"),
    program: ["run", "--allow-read", "--allow-env"],
    tests: ["test", "--allow-all", "--no-check", "--quiet", ...TESTS],
  },
  bun: {
    file: join(runtimes, "@oven/bun-linux-x64/bin/bun"),
    program: ["run"],
    tests: ["test", ...TESTS.map((file) => `./${file}`)],
  },
};

const PAGE = `<html lang="en"><head><title>Tea - The Harbour</title></head><body><nav><a href="/">Home</a></nav><article><h1>Tea</h1>
<p>The kettle is on from nine in the morning, and <a href="/nobody">nobody</a> waits for the second cup, whoever comes.</p>
<p>In winter the café closes at four, as the light goes, and the harbour is quiet until the boats return at dawn.</p></article></body></html>`;

const USE = `
const url = "https://example.org/tea";
const html = ${JSON.stringify(PAGE)};
const bytes = new TextEncoder().encode(html);
const { document } = parseHTML(html);
const found = {
  page: main.extract(html, { url, formats: ["text", "markdown", "html", "xml", "blocks"], pageType: true, things: true }),
  bytes: main.extract(bytes, { url }).text,
  document: main.extract(document, { url, formats: "markdown" }).markdown,
  many: [...main.extractMany([html, { html: bytes, url }])].map((page) => page.title),
  list: main.list(html, { url }),
  kind: main.classify(html, { url }),
  inspected: main.inspect(html, { url }).blocks.length,
  error: (() => { try { main.extract("%PDF-1.7"); } catch (error) { return [error instanceof main.MaintextError, error.code]; } })(),
  lite: lite.extract(html, { url, formats: ["text", "markdown"] }),
  readable: isProbablyReaderable(document, { minContentLength: 60 }),
  readability: new Readability(document).parse(),
  defuddle: { ...(await Defuddle(html, url, { separateMarkdown: true })), parseTime: 0 },
};
console.log(JSON.stringify(found));
`;

const NAMES = [
  ["* as main", "main", "maintext"],
  ["* as lite", "lite", "maintext/lite"],
  ["{ Readability, isProbablyReaderable }", "{ Readability, isProbablyReaderable }", "maintext/readability"],
  ["{ Defuddle }", "{ Defuddle }", "maintext/defuddle"],
  ["{ parseHTML }", "{ parseHTML }", "linkedom"],
];
const PROGRAMS = {
  "use.mjs": NAMES.map(([names, , from]) => `import ${names} from "${from}";`).join("\n") + USE,
  // linkedom's CommonJS files require ES modules, which Node 18 cannot.
  "use.cjs": `(async () => {\n${NAMES.map(([, names, from]) => `const ${names} = ${from === "linkedom" ? "await import" : "require"}("${from}");`).join("\n")}${USE}})();`,
};

const project = mkdtempSync(join(tmpdir(), "maintext-runtimes-"));
process.on("exit", () => rmSync(project, { recursive: true, force: true }));

/** Runs a program in the project; anything but success is an error with all that it wrote. */
function run(file, args, { cwd = project, env = process.env } = {}) {
  const { status, signal, error, stdout, stderr } = spawnSync(file, args, {
    cwd,
    env: { ...env, NO_COLOR: "1" },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 300_000,
  });
  if (status === 0) return stdout;
  throw new Error(`${file} ${args.join(" ")}: ${error?.message ?? signal ?? `status ${status}`}\n${stdout}${stderr}`);
}

function prepare() {
  const npm = (args, cwd) => execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  const [{ filename }] = JSON.parse(npm(["pack", "--json", "--silent", "--pack-destination", project], here));
  writeFileSync(join(project, "package.json"), '{"name": "project", "private": true}');
  npm(["install", "--silent", "--offline", "--no-audit", "--no-fund", join(project, filename)], project);
  symlinkSync(join(here, "node_modules/linkedom"), join(project, "node_modules/linkedom"));
  for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(join(project, name), text);
  writeFileSync(join(project, "page.html"), PAGE);
}

/** Uses the package in a runtime and returns what each program found. */
function use(file, program) {
  const found = {};
  for (const name of Object.keys(PROGRAMS)) found[name] = JSON.parse(run(file, [...program, name]));
  const command = "node_modules/maintext/bin/maintext.js";
  found.command = run(file, [...program, command, "page.html", "-f", "markdown"]);
  return found;
}

/** Finds a runtime among those of runtimes/package.json, else on PATH. */
function find(name) {
  const { file } = RUNTIMES[name];
  if (existsSync(file)) return file;
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

const named = process.argv.slice(2);
for (const name of named) assert.ok(name in RUNTIMES, `unknown runtime '${name}'; they are ${Object.keys(RUNTIMES).join(", ")}`);
const wanted = named.length > 0 ? named : Object.keys(RUNTIMES);
const there = wanted.filter((name) => find(name) !== undefined);
for (const name of wanted.filter((name) => !there.includes(name))) {
  console.log(`SKIPPED: ${name}: not installed; 'npm ci --prefix js/test/runtimes' installs it`);
  if (named.length > 0) process.exitCode = 1;
}

if (there.length > 0) {
  prepare();
  const expected = use(process.execPath, []);
  assert.equal(expected["use.mjs"].page.title, "Tea");
  assert.match(expected["use.mjs"].lite.text, /light goes/);
  assert.deepEqual(expected["use.cjs"], expected["use.mjs"]);
  assert.match(expected.command, /^# Tea\n\nThe kettle is on .*\[nobody\]/);
  for (const name of there) {
    const file = find(name);
    const start = performance.now();
    try {
      assert.deepEqual(use(file, RUNTIMES[name].program), expected);
      if (name.startsWith("node")) {
        // npx takes the first node on PATH.
        const bin = join(project, ".bin", name);
        mkdirSync(bin, { recursive: true });
        symlinkSync(file, join(bin, "node"));
        const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
        const npx = run("npx", ["--offline", "maintext", "page.html", "-f", "markdown"], { env });
        assert.equal(npx, expected.command);
      }
      run(file, RUNTIMES[name].tests, { cwd: here });
      const version = run(file, ["--version"]).trim().split("\n")[0];
      console.log(`${name} (${version}): the same answers, its tests pass, ${((performance.now() - start) / 1000).toFixed(1)} s`);
    } catch (error) {
      console.log(`${name}: FAILED\n${error.message}`);
      process.exitCode = 1;
    }
  }
}
