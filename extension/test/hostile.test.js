// A page that attacks the reader: nothing of it runs, loads or leaves the article's place.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { open, skip, start } from "./browser.js";
import { serve } from "./pages.js";

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

/** Opens the hostile page; `attack` of the reader's page counts calls. */
async function hostile() {
  const { page, reader } = await open(started, `${site.origin}/hostile`);
  const refused = [];
  reader.on("console", (message) => refused.push(message.text()));
  await reader.evaluateOnNewDocument(() => {
    globalThis.attacks = [];
    globalThis.attack = (number) => globalThis.attacks.push(number);
    document.addEventListener("securitypolicyviolation", (event) => globalThis.attacks.push(`policy: ${event.effectiveDirective}`));
  });
  // From the kept page: the attack's function is there from the start.
  site.asked.length = 0;
  await reader.reload();
  await reader.waitForSelector("html[data-ready]");
  return { page, reader, refused };
}

test("nothing of a hostile page runs or loads in the reader", { skip }, async () => {
  const { page, reader, refused } = await hostile();
  for (const view of ["why", "entries", "markdown", "read"]) await reader.click(`#tab-${view}`);
  await reader.waitForSelector("#read article p");
  // The article was kept, so the attacks were, too.
  const body = await reader.$eval("#read", (element) => element.innerText);
  for (const part of ["The first paragraph", "The second paragraph", "third paragraph", "The last paragraph"])
    assert.ok(body.includes(part), part);
  // Every link that is not the web's has no address; click all that are left in the article, and hover all.
  await reader.$$eval("#read *", (all) => {
    for (const element of all) {
      for (const name of ["mouseover", "error", "load", "focus", "toggle"]) element.dispatchEvent(new Event(name));
      if (!element.matches("a[href]")) element.click?.();
    }
  });
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.deepEqual(await reader.evaluate(() => globalThis.attacks), []);
  assert.deepEqual(
    refused.filter((line) => /Content Security Policy|attack/i.test(line)),
    [],
  );
  assert.deepEqual(
    site.asked.filter((url) => url.includes("leak")),
    [],
  );
  const found = await reader.$eval("#read", (root) => {
    const all = [...root.querySelectorAll("*")];
    const known = new Set([
      "loading",
      "decoding",
      "referrerpolicy",
      "class",
      "id",
      "target",
      "rel",
      "href",
      "src",
      "alt",
      "title",
      "dir",
      "lang",
      "width",
      "height",
    ]);
    return {
      bad: all
        .filter((e) => /^(script|style|iframe|object|embed|svg|form|input|link|meta|base|template|noscript)$/.test(e.localName))
        .map((e) => e.localName),
      handlers: all
        .flatMap((e) => [...e.attributes].map((a) => a.name))
        .filter((name) => /^on|^style$|^srcdoc$|^srcset$|^ping$|^form|^xlink/.test(name)),
      links: all
        .flatMap((e) => ["href", "src", "poster"].map((name) => e.getAttribute(name)))
        .filter((v) => v && !/^(https?:\/\/|#article:)/.test(v)),
      targets: [...root.querySelectorAll("a[href^=http]")].filter((a) => a.target !== "_blank" || a.rel !== "noopener noreferrer")
        .length,
      ids: all.map((e) => e.id).filter((id) => id && !id.startsWith("article:")),
      known: known.size,
    };
  });
  assert.deepEqual(found, { bad: [], handlers: [], links: [], targets: 0, ids: [], known: 15 });
  assert.match(await reader.$eval("#read h1", (h) => h.textContent), /A <script>attack\(8\)<\/script> title/);
  await reader.close();
  await page.close();
});

test("the policy stands even where the lists would fail", { skip }, async () => {
  const { page, reader } = await hostile();
  const state = await reader.evaluate(async () => {
    const box = document.querySelector("#read .body");
    box.innerHTML = `<img src=x onerror="attack('inline')"><a id=bad href="javascript:attack('link')">x</a>
      <iframe srcdoc="<script>parent.attack('frame')<\/script>"></iframe>
      <form action="http://127.0.0.1/leak"><button id=send>x</button></form><p id=styled style="color: rgb(1, 2, 3)">x</p>`;
    const script = document.createElement("script");
    script.textContent = "attack('script')";
    box.append(script);
    box.querySelector("#bad").click();
    box.querySelector("#send").click();
    // The test's own code may evaluate until it waits.
    await new Promise((resolve) => setTimeout(resolve, 500));
    let evaluated = "ran";
    try {
      new Function("attack('eval')")();
    } catch {
      evaluated = "refused";
    }
    return {
      ran: globalThis.attacks.filter((a) => !a.startsWith("policy")),
      refused: globalThis.attacks.length,
      evaluated,
      color: getComputedStyle(box.querySelector("#styled")).color,
    };
  });
  assert.deepEqual(state.ran, []);
  assert.ok(state.refused >= 4, `${state.refused} refusals`);
  assert.equal(state.evaluated, "refused");
  assert.notEqual(state.color, "rgb(1, 2, 3)");
  assert.match(reader.url(), /reader\.html/);
  await reader.close();
  await page.close();
});

test("pages of the web cannot open the reader or load its files", { skip }, async () => {
  const page = await started.browser.newPage();
  await page.goto(`${site.origin}/article`);
  const address = `chrome-extension://${started.extension.id}/`;
  const results = await page.evaluate(async (base) => {
    const fetched = await fetch(`${base}reader.js`).then(
      () => "loaded",
      () => "refused",
    );
    const frame = document.createElement("iframe");
    frame.src = `${base}reader.html?tab=1`;
    document.body.append(frame);
    await new Promise((resolve) => setTimeout(resolve, 500));
    return fetched;
  }, address);
  assert.equal(results, "refused");
  assert.deepEqual(
    page
      .frames()
      .map((frame) => frame.url())
      .filter((url) => url.includes("reader.html")),
    [],
  );
  await page.close();
});
