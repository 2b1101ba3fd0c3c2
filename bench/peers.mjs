// Runs a published extractor from npm, or ours: `node peers.mjs SYSTEM`.
//
// Reads one JSON object per line, {"html", "url"}, and answers each with {"text", "title", "author", "date", "cpu"}, or {"markdown", "cpu"};
// `cpu` is the processor time of the extraction in seconds. bench/peers-rs starts this program and kills it when a page takes too long.
import { Console } from "node:console";
import { createInterface } from "node:readline";

// Only answers go to standard output; anything a library prints goes to standard error.
globalThis.console = new Console(process.stderr, process.stderr);
// Extractors must not use the network.
globalThis.fetch = () => Promise.reject(new Error("no network"));

const BLOCKS = new Set(
  ("ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY BR CAPTION DD DETAILS DIALOG DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM " +
    "H1 H2 H3 H4 H5 H6 HEADER HGROUP HR LEGEND LI MAIN MENU NAV OL OPTION P PRE SECTION SUMMARY TABLE TBODY TD TFOOT TH " +
    "THEAD TR UL").split(" "),
);
const HIDDEN = new Set(["HEAD", "SCRIPT", "STYLE", "TEMPLATE", "NOSCRIPT"]);
const ELEMENT = 1;
const TEXT = 3;

/** The text below a node, with a line for each block, so that words of neighbouring blocks stay apart. */
function plainText(root) {
  let text = "";
  const line = (node) => {
    if (BLOCKS.has(node.nodeName.toUpperCase())) text += "\n";
  };
  for (let node = root; node; ) {
    const name = node.nodeName.toUpperCase();
    if (node.nodeType === TEXT) text += node.data.replace(/\s+/g, " ");
    if (node.nodeType === ELEMENT) line(node);
    if (node.firstChild && !HIDDEN.has(name)) {
      node = node.firstChild;
      continue;
    }
    while (node !== root && !node.nextSibling) {
      node = node.parentNode;
      line(node);
    }
    if (node === root) break;
    line(node);
    node = node.nextSibling;
  }
  return text.replace(/ *\n\s*/g, "\n").trim();
}

/** Its Node entry on a document of linkedom, as its README shows; defaults, but nothing is fetched. */
async function defuddle() {
  const { parseHTML } = await import("linkedom");
  const { Defuddle } = await import("defuddle/node");
  return async ({ html, url }) => {
    const { document } = parseHTML(html);
    const found = await Defuddle(document, url ?? undefined, { useAsync: false });
    const content = parseHTML(`<!DOCTYPE html><html><body>${found.content}</body></html>`).document;
    return { text: plainText(content.body), title: found.title, author: found.author, date: found.published };
  };
}

/** The same with its Markdown. */
async function defuddleMarkdown() {
  const { parseHTML } = await import("linkedom");
  const { Defuddle } = await import("defuddle/node");
  return async ({ html, url }) => {
    const found = await Defuddle(parseHTML(html).document, url ?? undefined, { useAsync: false, markdown: true });
    return { markdown: found.contentMarkdown ?? found.content };
  };
}

/** Defaults, on a document of jsdom, as its README shows. */
async function readability() {
  const { JSDOM, VirtualConsole } = await import("jsdom");
  const { Readability } = await import("@mozilla/readability");
  return async ({ html, url }) => {
    const { window } = new JSDOM(html, { url: url ?? undefined, virtualConsole: new VirtualConsole() });
    // Keeps the content as a tree, because Readability's own text joins the words of neighbouring blocks.
    const found = new Readability(window.document, { serializer: (element) => element }).parse();
    const answer = found
      ? { text: plainText(found.content), title: found.title, author: found.byline, date: found.publishedTime }
      : {};
    window.close();
    return answer;
  };
}

/** The package of js/, which `cargo xtask wasm` builds. Its shipped model saw the sets of train/. */
async function maintext() {
  const { extract } = await import("../js/src/node.js");
  return async ({ html, url }) => {
    const { text, title, author, date } = extract(html, { url: url ?? undefined, formats: "text", comments: false });
    return { text, title, author, date };
  };
}

/** Our form of Readability, on a document of linkedom. */
async function maintextReadability() {
  const { parseHTML } = await import("linkedom");
  const { Readability } = await import("../js/src/readability.js");
  return async ({ html, url }) => {
    const { document } = parseHTML(html);
    if (url) Object.defineProperty(document, "URL", { value: url });
    const found = new Readability(document, { serializer: (element) => element }).parse();
    return found ? { text: plainText(found.content), title: found.title, author: found.byline, date: found.publishedTime } : {};
  };
}

/** Our form of Defuddle, on HTML. */
async function maintextDefuddle() {
  const { parseHTML } = await import("linkedom");
  const { Defuddle } = await import("../js/src/defuddle.js");
  return async ({ html, url }) => {
    const found = await Defuddle(html, url ?? undefined);
    const content = parseHTML(`<!DOCTYPE html><html><body>${found.content}</body></html>`).document;
    return { text: plainText(content.body), title: found.title, author: found.author, date: found.published };
  };
}

const SYSTEMS = {
  defuddle,
  "defuddle-markdown": defuddleMarkdown,
  "mozilla-readability": readability,
  "maintext-npm": maintext,
  "maintext-npm-readability": maintextReadability,
  "maintext-npm-defuddle": maintextDefuddle,
};

async function main() {
  const system = SYSTEMS[process.argv[2]];
  if (!system || process.argv.length !== 3) {
    process.stderr.write(`usage: peers.mjs ${Object.keys(SYSTEMS).join("|")}\n`);
    process.exit(2);
  }
  const run = await system();
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    const page = JSON.parse(line);
    const start = process.cpuUsage();
    let answer;
    try {
      answer = await run(page);
    } catch (error) {
      answer = { error: `${error}`.slice(0, 200) };
    }
    const { user, system } = process.cpuUsage(start);
    process.stdout.write(`${JSON.stringify({ ...answer, cpu: (user + system) / 1e6 })}\n`);
  }
}

await main();
