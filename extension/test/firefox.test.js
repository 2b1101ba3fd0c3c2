// The extension in a real Firefox.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pause } from "./browser.js";
import { skip, start } from "./firefox.js";
import { serve } from "./pages.js";

let site;
let firefox;
before(async () => {
  if (skip) return;
  site = await serve();
  firefox = await start();
});
after(async () => {
  await firefox?.stop();
  site?.close();
});

const inner = (selector) => `document.querySelector(${JSON.stringify(selector)}).innerText`;

test("the reader, why, entries and Markdown in Firefox", { skip }, async () => {
  const page = await firefox.open(`${site.origin}/article`);
  await firefox.click();
  const reader = await firefox.reader();
  const text = await firefox.run(reader, inner("#read"));
  for (const part of [/^The Harbour Post/, /Ada Ferry[\s\S]*2 min read/, /A script wrote this sentence/, /Tickets are sold on board/]) {
    assert.match(text, part);
  }
  assert.doesNotMatch(text, /newsletter|All rights reserved/);
  await firefox.run(reader, `document.querySelector("#tab-why").click()`);
  assert.ok((await firefox.run(reader, `document.querySelectorAll("#why .block.kept").length`)) > 5);
  await firefox.run(reader, `document.querySelector("#why .block.kept").click()`);
  assert.ok((await firefox.run(reader, `document.querySelectorAll("#why .reasons li").length`)) >= 1);
  await firefox.run(reader, `document.querySelector("#tab-markdown").click()`);
  assert.match(await firefox.run(reader, inner("#markdown pre")), /^---\ntitle: "The last ferry of the day"/);
  await firefox.run(reader, `document.querySelector("#copy").click()`);
  await pause(300);
  assert.equal(await firefox.run(reader, inner("#toast")), "Copied");
  await firefox.close(reader);
  await firefox.close(page);
});

test("a list and a page of the browser in Firefox", { skip }, async () => {
  const list = await firefox.open(`${site.origin}/news`);
  await firefox.click();
  let reader = await firefox.reader();
  assert.equal(await firefox.run(reader, `document.querySelectorAll("#entries li").length`), 7);
  await firefox.close(reader);
  await firefox.close(list);
  const own = await firefox.open("about:license");
  await firefox.click();
  reader = await firefox.reader();
  assert.match(await firefox.run(reader, inner("#message h1")), /belongs to the browser/);
  await firefox.close(reader);
  await firefox.close(own);
});

test("nothing of a hostile page runs or loads in Firefox's reader", { skip }, async () => {
  const page = await firefox.open(`${site.origin}/hostile`);
  await pause(500);
  site.asked.length = 0;
  await firefox.click();
  const reader = await firefox.reader();
  await firefox.run(reader, `document.querySelectorAll("#read article *").forEach((e) => e.matches("a[href]") || e.click?.())`);
  await pause(500);
  assert.match(await firefox.run(reader, inner("#read")), /The first paragraph[\s\S]*The last paragraph/);
  const found = await firefox.run(
    reader,
    `[...document.querySelectorAll("#read *")].flatMap((e) => [...e.attributes].map((a) => a.name + "=" + a.value))
      .filter((a) => /^on|^style|^srcdoc|javascript:|svg|^id=(?!article:)/.test(a))`,
  );
  assert.deepEqual(found, []);
  assert.equal(await firefox.run(reader, `document.querySelectorAll("#read :is(script, style, iframe, svg, form, object, embed)").length`), 0);
  assert.deepEqual(site.asked.filter((url) => url.includes("leak")), []);
  await firefox.close(reader);
  await firefox.close(page);
});
