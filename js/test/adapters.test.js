// The adapters in the packages that they are for: the AI SDK, LangChain.js.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { tool as langchainTool } from "@langchain/core/tools";
import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { readPage as aiTool } from "maintext/ai";
import { MaintextLoader, readPage } from "maintext/langchain";

const STORY = `<html lang=en><head><title>Ferry: a day? - Harbour Notes</title><meta name=author content="Ada Ferry, Ben Quay"><meta name=description content='How "the ferry" leaves.'>
  <meta property="og:site_name" content="Harbour Notes"><meta property="article:published_time" content="2026-05-17T18:05:00+02:00"></head><body>
  <nav><a href=/>Home</a></nav><article><h1>Ferry: a day?</h1><p>The ferry leaves at nine, and nobody waits for those who are <a href=/late>late</a>; it has been so for years.</p>
  <p>In winter there is no ferry at all after eight, and the harbour is dark until the morning.</p></article><footer>Copyright</footer></body></html>`;
const CONTENT = /^The ferry leaves at nine[^]*\[late\]\([^]*until the morning\.$/;
const PAGES = { "/story": STORY, "/own": STORY.replace("<head>", '<head><link rel=canonical href="https://harbour.example/ferry">') };

let server;
let origin;
before(async () => {
  server = createServer((request, response) => {
    if (!PAGES[request.url]) return response.writeHead(404).end();
    response.setHeader("content-type", "text/html");
    return response.end(PAGES[request.url]);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${server.address().port}`;
});
after(() => server.close());

const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };
const said = (content, reason) => ({ content, finishReason: { unified: reason, raw: reason }, usage, warnings: [] });

test("AI SDK: a model calls the tool and gets the page", async () => {
  const prompts = [];
  const answers = [
    said([{ type: "tool-call", toolCallId: "1", toolName: "readPage", input: JSON.stringify({ url: `${origin}/story` }) }], "tool-calls"),
    said([{ type: "text", text: "At nine." }], "stop"),
  ];
  const model = new MockLanguageModelV3({
    doGenerate: async (call) => {
      prompts.push(call);
      return answers[prompts.length - 1];
    },
  });
  const { text, steps } = await generateText({
    model,
    tools: { readPage: aiTool() },
    prompt: "When does the ferry leave?",
    stopWhen: stepCountIs(3),
  });
  assert.equal(text, "At nine.");
  const [declared] = prompts[0].tools;
  assert.deepEqual([declared.name, declared.inputSchema.required], ["readPage", ["url"]]);
  const [{ output }] = steps[0].toolResults;
  assert.deepEqual(
    [output.title, output.author, output.date, output.truncated],
    ["Ferry: a day?", "Ada Ferry, Ben Quay", "2026-05-17T18:05:00+02:00", false],
  );
  assert.match(output.content, CONTENT);
  assert.match(JSON.stringify(prompts[1].prompt), /nobody waits/);
});

test("AI SDK: options, and pages of the caller's own", async () => {
  const { execute, description } = aiTool({
    description: "Reads.",
    maxCharacters: 60,
    links: false,
    fetch: async (url) => ({ html: STORY, url: `${url}#x` }),
  });
  assert.equal(description, "Reads.");
  const page = await execute({ url: "https://example.org/story" });
  assert.deepEqual(
    [page.url, page.truncated, page.content],
    ["https://example.org/story#x", true, "The ferry leaves at nine, and nobody waits for those who are"],
  );
  assert.match((await aiTool({ fetch: async () => STORY }).execute({ url: "https://example.org/" })).content, CONTENT);
  await assert.rejects(aiTool().execute({ url: "file:///etc/hosts" }), TypeError);
  await assert.rejects(aiTool().execute({ url: `${origin}/none` }), {
    message: `${origin}/none: the server answered with status 404`,
    url: `${origin}/none`,
  });
  await assert.rejects(aiTool({ fetch: async () => "%PDF-1.7" }).execute({ url: "https://example.org/a" }), {
    message: "https://example.org/a: the input is a PDF, not an HTML page",
    code: "not_html",
  });
});

test("options are checked when a tool or a loader is made", () => {
  const wrong = { name: "TypeError", message: /unknown option 'foo'; the options are fetch, maxCharacters/ };
  assert.throws(() => aiTool({ foo: 1 }), wrong);
  assert.throws(() => readPage({ foo: 1 }), wrong);
  assert.throws(() => new MaintextLoader(`${origin}/story`, { foo: 1 }), wrong);
  for (const [name, value] of Object.entries({ maxCharacters: -1, timeout: "5", maxSize: 0, fetch: 5, userAgent: 5, formats: "text" })) {
    const own = { name: "TypeError", message: new RegExp(`^${name}: `) };
    for (const make of [aiTool, readPage, (options) => new MaintextLoader(`${origin}/story`, options)]) {
      assert.throws(() => make({ [name]: value }), own);
    }
  }
});

// @langchain/core needs the global `crypto`.
const langchain = { skip: globalThis.crypto === undefined && "@langchain/core needs Node 20" };

test("LangChain: a tool as the package makes them", langchain, async () => {
  const read = readPage();
  assert.equal(
    Object.getPrototypeOf(read),
    Object.getPrototypeOf(langchainTool(() => "", { name: "x", schema: { type: "object", properties: {} } })),
  );
  const page = JSON.parse(await read.invoke({ url: `${origin}/story` }));
  assert.match(page.content, CONTENT);
  const message = await read.invoke({ type: "tool_call", id: "7", name: read.name, args: { url: `${origin}/story` } });
  assert.deepEqual([message.tool_call_id, JSON.parse(message.content).title], ["7", "Ferry: a day?"]);
  await assert.rejects(read.invoke({ address: "x" }), /schema/);
});

test("LangChain: documents", async () => {
  const [document] = await new MaintextLoader(`${origin}/story`).load();
  assert.match(document.pageContent, CONTENT);
  assert.deepEqual(document.metadata, {
    source: `${origin}/story`,
    url: `${origin}/story`,
    title: "Ferry: a day?",
    author: "Ada Ferry, Ben Quay",
    date: "2026-05-17T18:05:00+02:00",
    site: "Harbour Notes",
    description: 'How "the ferry" leaves.',
    language: "en",
    words: document.metadata.words,
  });
  assert.ok(document.metadata.words > 30);
  const [{ metadata }] = await new MaintextLoader(`${origin}/own`).load();
  assert.deepEqual([metadata.source, metadata.url], [`${origin}/own`, "https://harbour.example/ferry"]);
  const urls = [`${origin}/none`, `${origin}/story`];
  await assert.rejects(new MaintextLoader(urls).load(), /status 404/);
  const failed = [];
  const found = await new MaintextLoader(urls, { onError: (url, error) => failed.push([url, error.message]) }).load();
  assert.deepEqual([found.length, failed], [1, [[`${origin}/none`, `${origin}/none: the server answered with status 404`]]]);
});

const url = "https://www.example.org/story";

test("CommonJS", async () => {
  const require = createRequire(import.meta.url);
  assert.match(
    (
      await require("maintext/ai")
        .readPage({ fetch: async () => STORY })
        .execute({ url })
    ).content,
    CONTENT,
  );
  assert.equal(typeof require("maintext/langchain").MaintextLoader, "function");
});
