import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import * as maintext from "maintext";
import * as lite from "maintext/lite";
import { create } from "../src/core.js";

const WALK = `<html lang=en><head><title>A walk - The Daily Heron</title><meta name=author content="Ada Ferry"></head><body><nav><a href=/>Home</a>
  <a href=/news>News</a></nav><article><h1>A walk</h1><p>We left early, and the road was <b>empty</b>. Nobody spoke until the hills, where
  the <a href=/fog>fog</a> lifted.</p><p>By noon we had seen two herons, a fox, and the first swallows of the year.</p></article>
  <footer>Copyright</footer></body></html>`;
const URL_OF_WALK = "https://example.org/walk";

const bytes = (...codes) => Uint8Array.from(codes);
const module = new WebAssembly.Module(readFileSync(new URL("../wasm/maintext.wasm", import.meta.url)));

test("a page has the keys of the command's JSON", () => {
  const page = maintext.extract(WALK, { url: URL_OF_WALK });
  assert.equal(page.title, "A walk");
  assert.deepEqual(page.authors, ["Ada Ferry"]);
  assert.match(page.text, /two herons/);
  assert.doesNotMatch(page.text, /Home|Copyright/);
  assert.match(page.markdown, /\[fog\]\(https:\/\/example\.org\/fog\)/);
  assert.match(page.html, /<b>empty<\/b>|<strong>empty<\/strong>/);
  assert.equal(page.page_type, null);
  assert.deepEqual(page.warnings, []);
  assert.equal("xml" in page, false);
});

test("formats and options", () => {
  const page = maintext.extract(WALK, { formats: ["xml", "blocks"], links: false, metadata: true });
  assert.match(page.xml, /<TEI/);
  assert.equal(page.text, null);
  assert.ok(page.blocks.some((block) => block.type === "paragraph"));
  assert.equal(maintext.extract(WALK, { formats: "markdown", title: "never" }).markdown.includes("# A walk"), false);
  const ruled = maintext.extract(WALK, { rules: { content: "nav" } });
  assert.equal(ruled.text, "Home News\n");
  const data = maintext.extract(WALK, {
    schema: { type: "object", properties: { first: { type: "string", "x-selector": "nav a" } } },
  });
  assert.deepEqual(data.data, { first: "Home" });
});

test("bytes are decoded as the library does", () => {
  const latin = new Uint8Array(
    [..."<p>Caf", 0xe9, ..." and menu, each day from nine in the morning."].map((c) =>
      typeof c === "number" ? c : c.charCodeAt(0),
    ),
  );
  assert.match(maintext.extract(latin, { charset: "windows-1252" }).text, /Café/);
  assert.match(maintext.extract(latin.buffer).text, /Café/);
  assert.match(maintext.extract(Buffer.from("<p>Привет, как дела сегодня утром?")).text, /Привет/);
  assert.match(
    maintext.extract("<p>日本語の文章がここにあります。 \ud800 lone").text,
    /日本語の文章がここにあります。 \ufffd lone/,
  );
});

test("a wrong option is a TypeError that names it", () => {
  const cases = [
    [{ markdwon: true }, /unknown option 'markdwon'/],
    [{ links: 1 }, /links: expected true or false, not 1/],
    [{ favor: "both" }, /favor: expected/],
    [{ formats: ["pdf"] }, /formats: unknown format 'pdf'/],
    [{ url: 7 }, /url: expected a string/],
    [{ visible: "yes" }, /visible: expected a boolean/],
    [{ threshold: NaN }, /threshold: .*NaN/],
    [{ now: new Date(NaN) }, /now: expected a Date/],
    [{ model: "file" }, /model: expected the bytes/],
    [{ model: bytes(1, 2, 3) }, /model: /],
    [{ favor: () => 1 }, /favor: .*function/],
    ["markdown", /options: expected an object/],
    [{ maxBytes: -1 }, /maxBytes: expected a whole number/],
    [{ rules: { content: "p[" } }, /rules: /],
  ];
  for (const [options, message] of cases) {
    assert.throws(
      () => maintext.extract(WALK, options),
      (error) => error instanceof TypeError && message.test(error.message),
      String(message),
    );
  }
  assert.throws(() => new maintext.Extractor({ url: URL_OF_WALK, speed: 1 }), /unknown option 'speed'/);
  assert.throws(
    () => new maintext.Extractor().extract(WALK, { formats: "text" }),
    /unknown option 'formats' of a page/,
  );
  assert.throws(() => maintext.extract(7), /html: expected a string/);
  assert.throws(() => maintext.extract(undefined), TypeError);
  assert.throws(() => maintext.extract(Promise.resolve(WALK)), { name: "TypeError", message: /not a promise; await it$/ });
  assert.throws(() => maintext.extract(new Response(WALK)), { name: "TypeError", message: /pass await response\.arrayBuffer\(\)$/ });
});

test("an input that is no page, or an address that is none, is an error with a code", () => {
  assert.throws(() => maintext.extract(Buffer.from("%PDF-1.7 ...")), {
    name: "MaintextError",
    code: "not_html",
    message: "the input is a PDF, not an HTML page",
  });
  assert.throws(() => maintext.extract(WALK, { url: "walk.html" }), { name: "MaintextError", code: "url" });
});

test("another file as a string is no page, whatever the bytes were", () => {
  for (const [text, what] of [["%PDF-1.4\n1 0 obj", "a PDF"], ['{"a":1,"b":"hello there"}', "JSON"]]) {
    const error = { name: "MaintextError", code: "not_html", message: `the input is ${what}, not an HTML page` };
    assert.throws(() => maintext.extract(text), error);
    assert.throws(() => maintext.extract(Buffer.from(text)), error);
    assert.throws(() => maintext.inspect(text), error);
  }
  assert.equal(maintext.extract('<p>{"a": 1} is an object in JSON, and the herons stood there.').warnings.length, 0);
});

test("the name of a file in place of a page says to read it", () => {
  for (const name of ["page.html", " C:\\saved pages\\News.HTM\n", "/tmp/a/b.xhtml"]) {
    assert.throws(() => maintext.extract(name), { code: "not_html", message: /the name of a file, not HTML; give the bytes of / });
  }
  assert.equal(maintext.extract("<p>page.html").text, "page.html\n");
});

test("hidden is there even if nothing is hidden", () => {
  assert.deepEqual(maintext.extract(WALK).hidden, []);
});

test("an address in place of a page, and visible without a document, are errors that say what to do", () => {
  for (const address of ["https://example.org/walk", " HTTP://example.org/a?b=c\n"]) {
    assert.throws(() => maintext.extract(address), { code: "not_html", message: /an address, not HTML; fetch '/ });
    assert.equal([...maintext.extractMany([address])][0].error.code, "not_html");
  }
  assert.match(maintext.extract("https://example.org/a is an address in a sentence.").text, /sentence/);
  const message = /visible: only a Document in a browser knows what is visible, and the page is a string/;
  assert.throws(() => maintext.extract(WALK, { visible: true }), { name: "TypeError", message });
  assert.throws(() => maintext.inspect(Buffer.from(WALK), { visible: true }), /not a Document/);
  assert.equal(maintext.extract(WALK, { visible: false }).title, "A walk");
});

test("many pages: each has its own options, and an error stops no other", async () => {
  const pages = [WALK, { html: WALK, url: URL_OF_WALK }, Buffer.from("%PDF-1.7"), bytes(60, 112, 62, 97)];
  const results = [...maintext.extractMany(pages, { formats: "text" })];
  assert.deepEqual(
    results.map((r) => r.error?.code ?? r.title),
    ["A walk", "A walk", "not_html", null],
  );
  assert.equal(results[1].hostname, "example.org");
  async function* later() {
    yield* pages;
  }
  const streamed = [];
  for await (const result of maintext.extractMany(later(), { formats: "text" })) streamed.push(result);
  assert.deepEqual(streamed, results);
  assert.throws(() => maintext.extractMany("<p>a"), /iterable/);
});

test("lists and kinds", () => {
  const entry = (i) =>
    `<article class=post><h2><a href="/news/story-${i}">What happened on day ${i} of the year</a></h2><time>2024-05-1${i}</time></article>`;
  const html = `<title>News</title><h1>News</h1><div class="post-list">${[1, 2, 3, 4, 5, 6, 7].map(entry).join("")}</div><a rel=next href="?page=2">Next</a>`;
  const url = "https://example.org/category/news";
  const list = maintext.list(html, { url });
  assert.deepEqual(list.groups[0].entries.map((e) => e.url)[6], "https://example.org/news/story-7");
  assert.equal(list.pagination.next.url, `${url}?page=2`);
  const kind = maintext.classify(html, { url });
  assert.equal(kind.page_type, "listing");
  assert.ok(Math.abs(Object.values(kind.probabilities).reduce((a, b) => a + b) - 1) < 1e-3);
  assert.equal(maintext.extract(html, { url, pageType: true }).entries.length, 7);
});

test("inspect and explain", () => {
  const { blocks, candidates, confidence } = maintext.inspect(WALK, { url: URL_OF_WALK });
  const herons = blocks.findIndex((b) => b.text.includes("herons"));
  assert.ok(blocks[herons].keep && !blocks[0].keep && confidence > 0);
  assert.equal(
    Buffer.from(WALK)
      .subarray(...blocks[herons].span)
      .includes("herons"),
    true,
  );
  assert.equal(candidates.title[0].value, "A walk");
  const why = maintext.explain(WALK, herons);
  assert.ok(Math.abs(why.probability - blocks[herons].probability) < 1e-4);
  assert.ok(why.forest.parts.length > 0);
  assert.throws(() => maintext.explain(WALK, 999), /the page has no block 999/);
});

test("a trap is the error of one page and of no other", () => {
  const { machine, Extractor } = create(() => module);
  const extractor = new Extractor({ formats: "text" });
  const before = extractor.extract(WALK);
  const wasm = machine.instance();
  // More bytes than a vector can have: the module panics.
  assert.throws(() => machine.run(wasm, () => wasm.mt_input(0xffffffff)), {
    name: "MaintextError",
    code: "internal",
    message: /capacity overflow/,
  });
  assert.notEqual(machine.instance(), wasm);
  assert.deepEqual(extractor.extract(WALK), before);
});

test("deep and large pages stay within the limits", () => {
  const deep = maintext.extract(`${"<div>".repeat(200_000)}<p>The herons stood in the reeds all day.</p>`, {
    formats: "markdown",
  });
  assert.match(deep.markdown, /herons/);
  assert.equal(deep.warnings[0].code, "limit_reached");
  const wide = maintext.extract("<p>The herons stood in the reeds, and nobody dared to go nearer.</p>".repeat(15_000), {
    formats: "text",
  });
  assert.ok(wide.text.length > 8e5);
  assert.equal(maintext.extract(WALK, { maxNodes: 5 }).warnings[0].code, "limit_reached");
});

test("extractors are freed, and closed ones open again", () => {
  const extractor = new maintext.Extractor();
  const page = extractor.extract(WALK);
  extractor.free();
  assert.deepEqual(extractor.extract(WALK), page);
  for (let i = 0; i < 200; i += 1) maintext.extract(WALK, { maxDepth: 100 + i });
});

test("the small module writes text and Markdown, and has the same words", () => {
  const options = { url: URL_OF_WALK, formats: ["text", "markdown"], comments: false };
  const small = lite.extract(WALK, { url: URL_OF_WALK });
  const full = maintext.extract(WALK, options);
  assert.deepEqual([small.text, small.markdown, small.title], [full.text, full.markdown, full.title]);
  assert.throws(() => lite.extract(WALK, { formats: "html" }), /this build has no format 'html'/);
  assert.equal(lite.list, undefined);
});

test("CommonJS has the same functions", () => {
  const require = createRequire(import.meta.url);
  for (const name of ["maintext", "maintext/lite"]) {
    const common = require(name);
    assert.deepEqual(Object.keys(common).sort(), Object.keys(name === "maintext" ? maintext : lite).sort());
    assert.equal(common.extract(WALK).title, "A walk");
  }
});

test("init is not needed in Node, and takes a module elsewhere", async () => {
  await maintext.init();
  maintext.initSync(module);
  await maintext.init(module);
  assert.equal(maintext.extract(WALK).title, "A walk");
  const browser = await import("../src/browser.js");
  assert.throws(() => browser.extract(WALK), /call `await init\(\)`/);
  await browser.init(readFileSync(new URL("../wasm/maintext.wasm", import.meta.url)));
  assert.equal(browser.extract(WALK).title, "A walk");
});
