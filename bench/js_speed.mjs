// Compares the npm package's speed with those of @mozilla/readability and defuddle in Node, on the same pages in turns.
//
//   cargo xtask wasm && npm --prefix bench ci && node bench/js_speed.mjs [--pages 100] [--rounds 2] [--starts 15] SET.jsonl.zst...
//
// A row of a set has `html` or `html_base64`, and `url`. Pages come from all parts of a set. Each system gets a page as a string and
// returns text or HTML and metadata; what a system needs to make a document of the string counts, as in its README. Prints the processor
// time (of all threads) and the clock's time for a page, and the start-up: a new process with the first page, less one that does nothing.
import { execFileSync } from "node:child_process";
import { Console } from "node:console";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const JSDOM = 'import { JSDOM, VirtualConsole } from "jsdom";';
const LINKEDOM = 'import { parseHTML } from "linkedom";';
const READABILITY = 'import { Readability } from "@mozilla/readability";';
const DEFUDDLE = 'import { Defuddle } from "defuddle/node";';
const OURS = new URL("../js/src/", import.meta.url);
const window = "const { window } = new JSDOM(html, { url, virtualConsole: new VirtualConsole() });";

/** What a system imports, and what it does with `html` and `url`. */
const SYSTEMS = {
  maintext: [`import { extract } from "${OURS}node.js";`, 'return extract(html, { url, formats: ["text", "html"] }).text;'],
  "maintext/readability, linkedom": [
    `${LINKEDOM} import { Readability } from "${OURS}readability.js";`,
    "return new Readability(parseHTML(html).document).parse();",
  ],
  "maintext/defuddle, string": [`import { Defuddle } from "${OURS}defuddle.js";`, "return Defuddle(html, url);"],
  "readability, jsdom": [
    `${JSDOM} ${READABILITY}`,
    `${window} const found = new Readability(window.document).parse(); window.close(); return found;`,
  ],
  "readability, linkedom": [`${LINKEDOM} ${READABILITY}`, "return new Readability(parseHTML(html).document).parse();"],
  "defuddle, linkedom": [`${LINKEDOM} ${DEFUDDLE}`, "return Defuddle(parseHTML(html).document, url, { useAsync: false });"],
  "defuddle, jsdom": [
    `${JSDOM} ${DEFUDDLE}`,
    `${window} const found = await Defuddle(window.document, url, { useAsync: false }); window.close(); return found;`,
  ],
};

const { values, positionals: sets } = parseArgs({
  allowPositionals: true,
  options: {
    pages: { type: "string", default: "100" },
    rounds: { type: "string", default: "2" },
    starts: { type: "string", default: "15" },
  },
});
if (sets.length === 0) {
  process.stderr.write("js_speed.mjs: give at least one set\n");
  process.exit(2);
}
const print = (line) => process.stdout.write(`${line}\n`);
// What the libraries print goes to standard error.
globalThis.console = new Console(process.stderr, process.stderr);
// Below node_modules, so that the programs find the packages.
const folder = mkdtempSync(join(fileURLToPath(new URL("node_modules/", import.meta.url)), ".js_speed-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

function pagesOf(set) {
  const lines = execFileSync("zstd", ["-dc", "--long=27", set], { maxBuffer: 2 ** 31 })
    .toString("utf8")
    .split("\n")
    .filter(Boolean);
  const step = Math.max(1, lines.length / Number(values.pages));
  const picked = Array.from({ length: Math.min(lines.length, Number(values.pages)) }, (_, i) => JSON.parse(lines[Math.floor(i * step)]));
  return picked.map(({ html, html_base64: base64, url }) => ({
    html: html ?? Buffer.from(base64, "base64").toString("utf8"),
    url: url ?? "https://example.org/",
  }));
}

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

async function speed(pages) {
  const systems = [];
  for (const [name, [imports, body]] of Object.entries(SYSTEMS)) {
    const file = join(folder, `${systems.length}.mjs`);
    writeFileSync(file, `${imports}\nexport async function run({ html, url }) { ${body} }\n`);
    systems.push({ name, run: (await import(file)).run, cpu: 0, wall: 0, failed: 0, each: [] });
  }
  const rounds = Number(values.rounds);
  for (let round = -1; round < rounds; round += 1) {
    // A round before the first warms up, on some of the pages.
    for (const [i, page] of pages.entries()) {
      if (round < 0 && i % 5 > 0) continue;
      for (let k = 0; k < systems.length; k += 1) {
        const system = systems[(i + k) % systems.length];
        const [cpu, wall] = [process.cpuUsage(), performance.now()];
        let failed = false;
        try {
          await system.run(page);
        } catch {
          failed = true;
        }
        if (round < 0) continue;
        const { user, system: kernel } = process.cpuUsage(cpu);
        const took = performance.now() - wall;
        system.cpu += (user + kernel) / 1000;
        system.wall += took;
        system.failed += failed;
        system.each.push(took);
      }
    }
  }
  const count = pages.length * rounds;
  const [ours] = systems;
  print("| system | CPU, ms a page | times maintext | time, ms a page | times maintext | median, ms | failed |");
  print("| --- | --: | --: | --: | --: | --: | --: |");
  for (const { name, cpu, wall, failed, each } of systems) {
    const [c, w] = [cpu / count, wall / count].map((ms) => ms.toFixed(1));
    print(
      `| ${name} | ${c} | ${(cpu / ours.cpu).toFixed(1)} | ${w} | ${(wall / ours.wall).toFixed(1)} | ${median(each).toFixed(1)} | ${failed} |`,
    );
  }
}

/** Measures new processes, in turns. */
function starts(page) {
  writeFileSync(join(folder, "page.json"), JSON.stringify(page));
  const empty = join(folder, "empty.mjs");
  writeFileSync(
    empty,
    'import { readFileSync } from "node:fs";\nJSON.parse(readFileSync(new URL("page.json", import.meta.url), "utf8"));\n',
  );
  const programs = [["nothing", empty]];
  for (const [name, [imports, body]] of Object.entries(SYSTEMS)) {
    const file = join(folder, `start${programs.length}.mjs`);
    const use = `const { html, url } = JSON.parse(readFileSync(new URL("page.json", import.meta.url), "utf8"));\nawait (async () => { ${body} })();`;
    writeFileSync(file, `import { readFileSync } from "node:fs";\n${imports}\n${use}\n`);
    programs.push([name, file]);
  }
  const times = programs.map(() => []);
  for (let i = 0; i < Number(values.starts); i += 1) {
    for (const [k, [, file]] of programs.entries()) {
      const start = performance.now();
      execFileSync(process.execPath, [file], { stdio: "ignore" });
      times[k].push(performance.now() - start);
    }
  }
  const nothing = times[0];
  print("\n| system | start-up with the first page, ms: median | least |");
  print("| --- | --: | --: |");
  for (const [k, [name]] of programs.entries()) {
    const [all, least] = [median(times[k]) - median(nothing), Math.min(...times[k]) - Math.min(...nothing)];
    print(
      k === 0
        ? `| a process that does nothing | ${median(nothing).toFixed(0)} | ${Math.min(...nothing).toFixed(0)} |`
        : `| ${name} | ${all.toFixed(0)} | ${least.toFixed(0)} |`,
    );
  }
}

const pages = sets.flatMap(pagesOf);
const bytes = pages.reduce((sum, { html }) => sum + html.length, 0);
print(`${pages.length} pages, ${(bytes / pages.length / 1000).toFixed(0)} kB each, ${values.rounds} rounds\n`);
await speed(pages);
const first = [...pages].sort((a, b) => a.html.length - b.html.length)[Math.floor(pages.length / 2)];
starts(first);
