// `npx maintext`: the arguments, the inputs and the outputs of the command.
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { Extractor } from "./node.js";
import { fetchPage } from "./fetch.js";
import { written } from "./write.js";

const HELP = `Extract the main text of pages

Usage: maintext [extract|list|classify] [OPTIONS] [INPUT]...

Inputs are addresses (http or https), files, or - for standard input (the default). 'list' writes the entries of list pages and
'classify' the kind of pages, both as JSON.

Output:
  -f, --format FORMAT      text, markdown, html, xml, blocks or json [default: text]
  -o, --output FILE        Write to FILE instead of standard output
      --with-metadata      Write title, author, date and the other metadata before the text
      --url URL            Address of a page from a file or standard input

Content:
      --favor SIDE         Favor precision (less boilerplate), recall (more content) or balance
      --page-type          Classify the page, and extract the entries of list pages (json)
      --things             Read products, recipes, events and other objects as data (json)
      --schema FILE        Write the values of a JSON Schema and nothing else
      --no-comments        Do not detect readers' comments
      --no-tables, --no-images, --no-links, --no-footnotes, --no-post-headers, --no-html-tables,
      --no-repeat-spans, --no-list-numbers
                           Leave these out, or write them plainly
      --external-links     Write links within the site as plain text
      --reference-links    Write links in Markdown as references
      --level-headings     Close up the levels of headings where the page skips some
      --alt-text WHERE     Alternative texts of images: never, images or all [default: images]
      --keep-hidden        Keep text that no visitor sees
      --title WHEN         Begin Markdown and HTML with the title: once, never or as-is [default: once]
      --content-selector SELECTOR, --drop-selector SELECTOR, --field NAME=SELECTOR
                           Override the method; the last two can be repeated
      --now TIME           Reference time for dates such as "3 hours ago"; the word now is the present
      --method NAME        A published method in place of the model
      --model FILE         A model of 'maintext train' in place of the shipped one

Fetching:
      --timeout SECONDS    Longest time for one page [default: 30]
      --max-size BYTES     Largest page [default: 67108864]
      --user-agent TEXT    The User-Agent header

  -h, --help               Print this help
  -V, --version            Print the version

Exit status: 0 success, 1 at least one input failed, 2 invalid usage. A failed input does not stop the others.
`;

const flag = { type: "boolean" };
const text = { type: "string" };
const ARGUMENTS = {
  format: { type: "string", short: "f", default: "text" },
  output: { type: "string", short: "o" },
  "with-metadata": flag,
  url: text,
  favor: text,
  "page-type": flag,
  things: flag,
  schema: text,
  "no-comments": flag,
  "no-tables": flag,
  "no-images": flag,
  "no-links": flag,
  "no-footnotes": flag,
  "no-post-headers": flag,
  "no-html-tables": flag,
  "no-repeat-spans": flag,
  "no-list-numbers": flag,
  "external-links": flag,
  "reference-links": flag,
  "level-headings": flag,
  "alt-text": text,
  "keep-hidden": flag,
  title: text,
  "content-selector": text,
  "drop-selector": { type: "string", multiple: true },
  field: { type: "string", multiple: true },
  now: text,
  method: text,
  model: text,
  timeout: { type: "string", default: "30" },
  "max-size": { type: "string", default: String(64 * 1024 * 1024) },
  "user-agent": text,
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "V" },
};

const FORMATS = {
  text: ["text"],
  markdown: ["markdown"],
  html: ["html"],
  xml: ["xml"],
  blocks: ["blocks"],
  json: ["text", "markdown", "html"],
};

/** Subcommands that only the native command has. */
const NATIVE = new Set(["batch", "chunk", "crawl", "inspect", "map", "mcp", "serve", "train"]);

/** Up to this number of inputs, optimising the module's functions takes longer than it saves. */
const FEW = 4;

/** An error of the command line. */
class Usage extends Error {}

/** Runs the command and returns its exit status. */
export async function main(argv) {
  try {
    return await run(argv);
  } catch (error) {
    if (error?.code === "EPIPE") return 0;
    if (!(error instanceof Usage)) throw error;
    process.stderr.write(`maintext: ${error.message}\nSee 'maintext --help'.\n`);
    return 2;
  }
}

async function run(argv) {
  const { values, positionals } = parsed(argv);
  if (values.help) return print(HELP);
  if (values.version)
    return print(
      `maintext ${JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8")).version}\n`,
    );
  const verb = ["extract", "list", "classify"].includes(positionals[0]) ? positionals.shift() : "extract";
  if (NATIVE.has(positionals[0]) && !existsSync(positionals[0]))
    throw new Usage(`'${positionals[0]}' is a subcommand of the native command only`);
  const inputs = positionals.length > 0 ? positionals : ["-"];
  if (inputs.filter((input) => input === "-").length > 1) throw new Usage("standard input can be read only once");
  if (values.url !== undefined && (inputs.length > 1 || isAddress(inputs[0]))) {
    throw new Usage("--url is the address of one file or of standard input");
  }
  if (inputs.length <= FEW) withoutOptimiser();
  const extractor = await extractorOf(values);
  const limits = limitsOf(values);
  const outputs = [];
  let failed = 0;
  for (const input of inputs) {
    try {
      const { html, url, charset } = await read(input, limits);
      const page = extractor[verb](html, { url: values.url ?? url, charset });
      const style = {
        format: verb === "extract" ? values.format : "json",
        metadata: values["with-metadata"],
        oneLine: inputs.length > 1,
      };
      outputs.push(values.schema === undefined ? written(page, style) : data(page));
      if (style.format !== "json") for (const { message } of page.warnings) report(input, `warning: ${message}`);
    } catch (error) {
      report(input, error.message);
      failed += 1;
    }
  }
  const between =
    ["json", "blocks"].includes(values.format) || verb !== "extract" || values.schema !== undefined ? "" : "\n";
  // A file of an earlier run stays unless there is something to write.
  if (outputs.length > 0) {
    try {
      await write(values.output, outputs.join(between));
    } catch (error) {
      if (error?.code === "EPIPE") throw error;
      report(values.output ?? "standard output", error.message);
      return 1;
    }
  }
  return failed > 0 ? 1 : 0;
}

/**
 * Keeps V8 from compiling the module's functions a second time. It would do so in threads that take the cores from the first pages. The
 * process is the command's own, and nothing else runs in it.
 */
function withoutOptimiser() {
  try {
    setFlagsFromString("--liftoff-only");
  } catch {
    // Bun has another engine.
  }
}

function parsed(argv) {
  try {
    return parseArgs({ args: argv, options: ARGUMENTS, allowPositionals: true });
  } catch (error) {
    throw new Usage(error.message);
  }
}

async function extractorOf(values) {
  if (!(values.format in FORMATS))
    throw new Usage(`unknown format '${values.format}'; the formats are ${Object.keys(FORMATS).join(", ")}`);
  const given = (name) => (values[name] === undefined ? undefined : true);
  const without = (name) => (values[name] === undefined ? undefined : false);
  const file = async (name, encoding) => {
    if (values[name] === undefined) return undefined;
    return readFile(values[name], encoding).catch((error) => {
      throw new Usage(`--${name}: ${error.message}`);
    });
  };
  const fields = (values.field ?? []).map((field) => {
    const [, name, selector] = /^([^=]+)=(.*)$/s.exec(field) ?? [];
    if (name === undefined) throw new Usage(`--field: '${field}' is not of the form NAME=SELECTOR`);
    return [name.trim(), selector];
  });
  const rules = {
    content: values["content-selector"],
    drop: values["drop-selector"] ?? [],
    fields: Object.fromEntries(fields),
  };
  try {
    return new Extractor({
      formats: FORMATS[values.format],
      favor: values.favor,
      method: values.method,
      model: await file("model"),
      metadata: values["with-metadata"] || ["xml", "json"].includes(values.format),
      pageType: given("page-type"),
      things: given("things"),
      schema: await file("schema", "utf8"),
      comments: without("no-comments"),
      tables: without("no-tables"),
      images: without("no-images"),
      links: without("no-links"),
      footnotes: without("no-footnotes"),
      postHeaders: without("no-post-headers"),
      htmlTables: without("no-html-tables"),
      repeatSpans: without("no-repeat-spans"),
      listNumbers: without("no-list-numbers"),
      externalLinks: given("external-links"),
      referenceLinks: given("reference-links"),
      levelHeadings: given("level-headings"),
      altText: values["alt-text"],
      keepHidden: given("keep-hidden"),
      title: values.title,
      rules,
      now: values.now === "now" ? new Date() : values.now,
    });
  } catch (error) {
    throw error instanceof TypeError ? new Usage(error.message) : error;
  }
}

function limitsOf(values) {
  const number = (name) => {
    const n = Number(values[name]);
    if (!(n > 0)) throw new Usage(`--${name}: expected a number above 0, not '${values[name]}'`);
    return n;
  };
  return { timeout: number("timeout"), maxSize: number("max-size"), userAgent: values["user-agent"] };
}

function isAddress(input) {
  return /^https?:\/\//i.test(input);
}

async function read(input, limits) {
  if (isAddress(input)) return fetchPage(input, limits);
  if (input !== "-") return { html: await readFile(input) };
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return { html: Buffer.concat(chunks) };
}

function data(page) {
  if (page.data === null)
    throw new Error(page.warnings.map((w) => w.message).join("; ") || "the page has no value for a required property");
  return `${JSON.stringify(page.data)}\n`;
}

async function write(file, content) {
  if (file !== undefined && file !== "-") return writeFile(file, content);
  await print(content);
}

/** Writes to standard output and waits until it is there, since the process may end next. */
function print(content) {
  return new Promise((resolve, reject) => {
    process.stdout.once("error", reject);
    process.stdout.write(content, () => resolve(0));
  });
}

function report(input, message) {
  process.stderr.write(`maintext: ${input === "-" ? "standard input" : input}: ${message}\n`);
}
