// The extension in a real browser: each view, on pages of our own.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { choose, clipboard, file, inWorker, nextReader, open, pause, skip, start } from "./browser.js";
import { serve } from "./pages.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let site;
let started;
before(async () => {
  if (skip) return;
  site = await serve();
  started = await start();
});
after(async () => {
  await started?.stop();
  site?.close();
});

const text = (page, selector) => page.$eval(selector, (element) => element.innerText);
const view = async (page, name) => {
  await page.click(`#tab-${name}`);
  await page.waitForSelector(`#${name}:not([hidden])`);
};

/** axe-core's serious and critical findings of the page at rest: a half-transparent message has too little contrast. */
async function findings(page) {
  await page.evaluate(() => {
    for (const motion of document.getAnimations()) if (motion instanceof CSSTransition) motion.finish();
  });
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes[0].html}`);
}

test("the reader shows what the browser rendered", { skip }, async () => {
  const { page, reader } = await open(started, `${site.origin}/article`);
  assert.equal(await reader.title(), "The last ferry of the day");
  assert.equal(await text(reader, "#read h1"), "The last ferry of the day");
  assert.match(await text(reader, "#read header"), /The Harbour Post[\s\S]*Ada Ferry[\s\S]*May 17, 2026[\s\S]*\d min read/);
  const body = await text(reader, "#read .body");
  for (const part of [
    /nobody waits for those who are late/,
    /A script wrote this sentence/,
    /Tickets are sold on board/,
    /one piano/,
    /21:00/,
  ]) {
    assert.match(body, part);
  }
  assert.doesNotMatch(body, /newsletter|All rights reserved|Log in/);
  const picture = await reader.$eval("#read img", async (img) => (await img.decode(), [img.naturalWidth, img.alt]));
  assert.deepEqual(picture, [900, "The bay at dusk"]);
  assert.match(await text(reader, "#read figcaption"), /seen from the old pier/);
  assert.equal(await reader.$$eval("#read h1", (all) => all.length), 1);
  // The page itself is as it was.
  assert.equal(page.url(), `${site.origin}/article`);
  await reader.close();
  await page.close();
});

test("settings change the look and stay", { skip }, async () => {
  const { page, reader } = await open(started, `${site.origin}/article`);
  const look = () =>
    reader.evaluate(() => {
      const style = getComputedStyle(document.querySelector("article"));
      return [getComputedStyle(document.body).backgroundColor, style.fontSize, style.maxWidth, style.fontFamily.split(",")[0]];
    });
  await reader.click("#looks");
  const set = (name, value) =>
    reader.$eval(
      `#settings [name=${name}]`,
      (field, to) => {
        field.value = to;
        field.dispatchEvent(new Event("input", { bubbles: true }));
      },
      value,
    );
  await reader.click("#settings [value=sepia]");
  await reader.click("#settings [value=sans]");
  await set("size", 24);
  await set("width", 30);
  const sepia = await look();
  assert.deepEqual(sepia.slice(0, 2), ["rgb(246, 239, 223)", "24px"]);
  assert.match(sepia[2], /720px/);
  assert.equal(sepia[3], "system-ui");
  assert.deepEqual(await findings(reader), []);
  await reader.reload();
  await reader.waitForSelector("html[data-ready]");
  assert.deepEqual(await look(), sepia);
  await reader.evaluate(() => localStorage.clear());
  await reader.close();
  await page.close();
});

test("what the page hides is left out if chosen", { skip }, async () => {
  const { page, reader } = await open(started, `${site.origin}/article`);
  await view(reader, "why");
  assert.doesNotMatch(await text(reader, "#why"), /hidden from every reader/);
  assert.match(await text(reader, "#why"), /tied to the rail/);
  await reader.click("#looks");
  await reader.click("#settings [name=visible]");
  await reader.waitForFunction(
    () => !document.body.classList.contains("busy") && !document.querySelector("#why").innerText.includes("tied to the rail"),
  );
  assert.match(await text(reader, "#why"), /Tickets are sold on board/);
  await reader.evaluate(() => localStorage.clear());
  await reader.close();
  await page.close();
});

test("copy gives Markdown, of the selection if there is one", { skip }, async () => {
  const { page, reader } = await open(started, `${site.origin}/article`);
  await reader.bringToFront();
  await reader.click("#copy");
  await reader.waitForSelector("#toast.shown");
  assert.equal(await text(reader, "#toast"), "Copied");
  const whole = await clipboard(started, site.origin);
  assert.match(whole, /^# The last ferry of the day\n\n/);
  assert.match(whole, /\| Season \| First boat \| Last boat \|/);
  assert.ok(whole.includes(`[timetable](${site.origin}/timetable)`));
  await reader.bringToFront();
  await reader.evaluate(() => getSelection().selectAllChildren(document.querySelector("#read .body ul")));
  await reader.click("#copy");
  await reader.waitForFunction(() => document.querySelector("#toast").textContent === "Selection copied");
  const part = await clipboard(started, site.origin);
  assert.match(part, /^- more than two million passengers,\n- nine thousand bicycles, and\n- one piano/);
  assert.doesNotMatch(part, /ferry of the day/);
  await reader.close();
  await page.close();
});

test("save gives a file with a head and the title as its name", { skip }, async () => {
  const { page, reader } = await open(started, `${site.origin}/article`);
  await reader.click("#save");
  const saved = readFileSync(await file(started.downloads, "The last ferry of the day.md"), "utf8");
  assert.match(
    saved,
    /^---\ntitle: "The last ferry of the day"\nauthor: "Ada Ferry"\ndate: "2026-05-17[^"]*"\nsite: "The Harbour Post"\nsource: "http:/,
  );
  assert.match(saved, /\n---\n\n# The last ferry of the day\n/);
  await view(reader, "markdown");
  assert.equal(await reader.$eval("#markdown pre", (pre) => pre.textContent), saved);
  assert.deepEqual(await findings(reader), []);
  await reader.close();
  await page.close();
});

test("the why view colours the blocks and gives reasons", { skip }, async () => {
  const { page, reader } = await open(started, `${site.origin}/article`);
  await view(reader, "why");
  const blocks = await reader.$$eval("#why .block", (all) =>
    all.map((b) => [b.classList[1], b.querySelector(".text").textContent, getComputedStyle(b).backgroundColor, b.title]),
  );
  const find = (part) => blocks.find(([, words]) => words.includes(part));
  assert.equal(find("nobody waits for those")[0], "kept");
  assert.equal(find("All rights reserved")[0], "dropped");
  assert.notEqual(find("nobody waits for those")[2], find("All rights reserved")[2]);
  assert.match(find("nobody waits for those")[3], /^kept · \d+ % · <p> · words: \d+$/);
  // By keyboard: to the next block, and open it.
  await reader.focus("#why .block");
  await reader.keyboard.press("ArrowDown");
  await reader.keyboard.press("Enter");
  const [at, reasons] = await reader.$eval("#why .reasons", (box) => [
    box.previousElementSibling === document.activeElement,
    box.textContent,
  ]);
  assert.ok(at, "the reasons follow the block that has the focus");
  assert.match(reasons, /^(?:Kept|Left out) because:./);
  assert.deepEqual(await findings(reader), []);
  await reader.close();
  await page.close();
});

test("a list page shows its entries, as Markdown and CSV", { skip }, async () => {
  const { page, reader } = await open(started, `${site.origin}/news`);
  await reader.bringToFront();
  assert.match(await text(reader, "#notice"), /list rather than an article/);
  const first = await reader.$eval("#entries li", (li) => [
    li.querySelector("a").textContent,
    li.querySelector("a").href,
    li.querySelector(".facts").textContent,
  ]);
  assert.deepEqual(first, ["A bell under water", `${site.origin}/stories/1`, "2026-05-10"]);
  assert.equal(await reader.$$eval("#entries li", (all) => all.length), 7);
  await reader.click("#copy");
  await reader.waitForSelector("#toast.shown");
  const list = await clipboard(started, site.origin);
  assert.equal(list.split("\n")[0], `- [A bell under water](${site.origin}/stories/1) (2026-05-10)`);
  await reader.click("#save-csv");
  const csv = readFileSync(await file(started.downloads, "News The Harbour Post.csv"), "utf8").split("\r\n");
  assert.equal(csv[0], "title,url,date,author,summary,price,rating,place,replies,category,image");
  assert.match(csv[2], /^"'=1\+1, said the harbour master, is a question of tides",/);
  assert.match(csv[3], /^"Ten harbours in a row, and one with a ""view""",/);
  assert.equal(csv.length, 9);
  assert.deepEqual(await findings(reader), []);
  await reader.close();
  await page.close();
});

test("the menu copies and saves without the reader", { skip }, async () => {
  const { page, reader } = await open(started, `${site.origin}/article`);
  await reader.close();
  await page.bringToFront();
  // As a user opens the menu; the browser allows copying only after such a click.
  await page.mouse.click(5, 5, { button: "right" });
  await choose(started, "copy");
  const badge = () =>
    inWorker(started, async () => {
      const [tab] = await chrome.tabs.query({ active: true, lastFocusedWindow: true });
      return chrome.action.getBadgeText({ tabId: tab.id });
    });
  const wait = async () => {
    for (let i = 0; i < 100 && (await badge()) !== "✓"; i += 1) await pause(50);
    assert.equal(await badge(), "✓");
    for (let i = 0; i < 100 && (await badge()) !== ""; i += 1) await pause(50);
  };
  await wait();
  assert.match(await clipboard(started, site.origin), /^# The last ferry of the day\n\n/);
  await page.bringToFront();
  await page.mouse.click(5, 5, { button: "right" });
  await page.evaluate(() => getSelection().selectAllChildren(document.querySelector("blockquote")));
  await choose(started, "copySelection");
  await wait();
  assert.equal(
    await clipboard(started, site.origin),
    "> It is green, and it is ours, and it floats. What more do you want from a boat?\n",
  );
  await page.bringToFront();
  const why = await nextReader(started.browser, () => choose(started, "why"));
  assert.equal(await why.$eval("#tab-why", (tab) => tab.getAttribute("aria-selected")), "true");
  await why.close();
  await page.bringToFront();
  await choose(started, "save");
  await wait();
  assert.match(readFileSync(await file(started.downloads, "The last ferry of the day.md"), "utf8"), /^---\ntitle: /);
  await page.close();
});

test("where a page does not allow copying, it is one key away", { skip }, async () => {
  const { page, reader } = await open(started, `${site.origin.replace("127.0.0.1", "harbour.test")}/article`);
  await reader.close();
  // The browser itself refuses to copy without a click in the page, except for some time after a click on the extension's button.
  await page.evaluate(() => addEventListener("copy", (event) => event.stopImmediatePropagation(), { capture: true }));
  await page.bringToFront();
  const asked = await nextReader(started.browser, () => choose(started, "copy"));
  await asked.bringToFront();
  assert.match(await text(asked, "#notice"), /Press Enter/);
  await asked.keyboard.press("Enter");
  await asked.waitForSelector("#toast.shown");
  assert.match(await clipboard(started, site.origin), /^---\ntitle: "The last ferry of the day"/);
  await asked.close();
  await page.close();
});

test("pages that cannot be read say why", { skip }, async () => {
  for (const [url, title] of [
    ["chrome://version/", "This page belongs to the browser"],
    [`${site.origin}/file.json`, "This is not a web page"],
    [`${site.origin}/paper`, "This is a PDF"],
    [`${site.origin}/plain.txt`, "This is not a web page"],
  ]) {
    const { page, reader } = await open(started, url);
    assert.equal(await text(reader, "#message h1"), title, url);
    assert.ok((await text(reader, "#message p")).length > 20);
    assert.deepEqual(await findings(reader), []);
    await reader.close();
    await page.close();
  }
  const { page, reader } = await open(started, `${site.origin}/empty`);
  assert.match(await text(reader, "#notice"), /may still be loading/);
  assert.match(await text(reader, "#read"), /No main text was found/);
  await page.close();
  await reader.evaluate(() => sessionStorage.clear());
  await reader.reload();
  await reader.waitForSelector("html[data-ready]");
  assert.equal(await text(reader, "#message h1"), "The page is closed");
  await reader.close();
});

test("views and settings work by keyboard, and Escape goes back", { skip }, async () => {
  const { page, reader } = await open(started, `${site.origin}/article`);
  await reader.bringToFront();
  await reader.focus("#tab-read");
  await reader.keyboard.press("ArrowRight");
  assert.equal(await reader.evaluate(() => `${document.activeElement.id} ${location.hash}`), "tab-why #why");
  await reader.keyboard.press("End");
  assert.equal(await reader.evaluate(() => document.activeElement.id), "tab-markdown");
  await reader.focus("#looks");
  await reader.keyboard.press("Enter");
  assert.ok(await reader.$eval("#settings", (box) => box.matches(":popover-open")));
  await reader.keyboard.press("Escape");
  assert.ok(await reader.$eval("#settings", (box) => !box.matches(":popover-open")));
  const closed = new Promise((resolve) => reader.once("close", resolve));
  await reader.keyboard.press("Escape").catch(() => {});
  await closed;
  assert.equal(await page.evaluate(() => document.visibilityState), "visible");
  await page.close();
});

test("the reader is accessible in light and dark", { skip }, async () => {
  const { page, reader } = await open(started, `${site.origin}/article`);
  for (const value of ["light", "dark"]) {
    await reader.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
    assert.deepEqual(await findings(reader), [], value);
  }
  await reader.close();
  await page.close();
});
