// Tests the playground without a server in a real browser, from a plain file server below a path: paste, drop, a file in another charset,
// examples, all tabs, hostile pages, work without a network. With the address of a running service, its results are compared, too.
// Usage: node test/static.mjs FOLDER [SERVICE]. Needs Chromium at /usr/bin/chromium or $CHROMIUM; `cargo xtask test playground` runs it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
const [folder, service] = [resolve(process.argv[2] ?? "playground"), process.argv[3]];
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };

/** Serves the folder below /some/path/, a canary that hostile pages may not reach, and a page that may be fetched. */
const ran = [];
const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, "http://host");
  if (pathname === "/ran") ran.push(request.headers.referer ?? "");
  if (pathname === "/open" || pathname === "/shut") {
    if (pathname === "/open") response.setHeader("Access-Control-Allow-Origin", "*");
    return response.setHeader("Content-Type", "text/html; charset=utf-8").end(STORY);
  }
  if (!pathname.startsWith("/some/path/")) return response.writeHead(404).end();
  const name = pathname.slice("/some/path/".length) || "index.html";
  const bytes = await readFile(join(folder, name)).catch(() => null);
  if (!bytes) return response.writeHead(404).end();
  response.writeHead(200, { "Content-Type": TYPES[extname(name)] ?? "application/octet-stream" }).end(bytes);
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const port = server.address().port;
const START = `http://127.0.0.1:${port}/some/path/`;
const OTHER = `http://localhost:${port}`;

const sentence = (n) => `<p>Paragraph ${n} tells, at some length, of herons, of a fox, and of the first swallows of the year.</p>`;
const STORY = `<html lang=en><head><title>Two herons</title><meta name=author content='Ann Wright'></head>
  <body><nav><a href=/>Home</a> <a href=/b>Birds</a></nav>
  <main><h1>Two herons</h1>${[0, 1, 2, 3, 4].map(sentence).join("")}</main><footer><a href=/imprint>Imprint</a></footer></body></html>`;

const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, permissions: ["clipboard-read", "clipboard-write"] });
const page = await context.newPage();
const faults = [];
page.on("pageerror", (error) => faults.push(error.message));
page.on("console", (message) => message.type() === "error" && faults.push(message.text()));

const frame = async (name) => (await page.$(`iframe.${name}`)).contentFrame();
const shown = (title) => page.waitForFunction((t) => document.title.startsWith(t) && !document.querySelector(".results").hidden, title);
const article = async (words) => (await frame("article")).waitForFunction((w) => document.body.innerText.includes(w), words);
async function paste(html) {
  if (await page.isHidden("#paste")) await page.click("#paste-open");
  await page.fill("#paste", html);
  await page.click("#paste-go");
}
async function json() {
  await page.click("#tab-json");
  while (await page.isVisible("#panel .more")) await page.click("#panel .more");
  return JSON.parse(await page.textContent("#panel pre"));
}

/** Rounds numbers to single precision: the service writes those with more digits. */
function single(value) {
  return JSON.parse(JSON.stringify(value), (_, x) => (typeof x === "number" ? Math.fround(x) : x));
}

const checks = {
  async "pasted HTML is read, and every tab shows it"() {
    await page.goto(START);
    await paste(STORY);
    await shown("Two herons");
    await article("Paragraph 3");
    assert(!(await (await frame("article")).innerText("body")).includes("Imprint"));
    await page.click("#tab-page");
    const source = await frame("frame");
    assert.equal(await source.locator(".block.kept").count(), 6);
    assert.equal(await source.locator("nav .block").count(), 2);
    await source.locator(".block.kept").nth(2).click();
    await page.waitForSelector("#why table.features", { state: "attached" });
    const why = await page.innerText("#why");
    assert(why.includes("Kept because:") && why.includes("in the middle of the page's text"), why);
    await page.keyboard.press("ArrowDown");
    await page.waitForFunction(() => document.querySelector("#why").innerText.includes("Paragraph 2"));
    await page.click("#tab-markdown");
    assert((await page.innerText("#panel pre")).startsWith("# Two herons"));
    await page.click("#panel .tools button:has-text('Copy')");
    await page.waitForFunction(() => document.querySelector("#panel .tools").innerText.includes("Copied"));
    assert((await page.evaluate(() => navigator.clipboard.readText())).startsWith("# Two herons"));
    await page.click("#tab-methods");
    await page.waitForSelector("table.methods");
    assert.equal(await page.locator("table.methods tbody tr").count(), 6);
    await page.click("#tab-metadata");
    assert((await page.innerText("#panel")).includes("Ann Wright"));
    await page.click("#code");
    assert((await page.innerText("dialog pre")).includes("maintext extract"));
    await page.click("dialog button.plain");
    assert.equal(await page.locator("#tab-teach").count(), 0);
  },
  async "a dropped file in another charset is read"() {
    const bytes = [...(await readFile(join(here, "../../../../examples/news-ru-1251.html")))];
    await page.goto(START);
    const transfer = await page.evaluateHandle((all) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(all)], "page.html", { type: "text/html" }));
      return data;
    }, bytes);
    await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
    await page.waitForFunction(() => !document.querySelector(".results").hidden);
    await page.click("#tab-page");
    const texts = await (await frame("frame")).locator(".block.kept").allInnerTexts();
    const { text } = await json();
    assert(/[а-я]{4}/.test(text), text.slice(0, 200));
    assert(
      texts.some((t) => t.length > 60 && text.replace(/\s+/g, "").includes(t.replace(/\s+/g, ""))),
      "the coloured page has other words than the text",
    );
  },
  async "examples, Back and their addresses"() {
    await page.goto(START);
    await page.click("a.example >> nth=0");
    await shown("The last night ferry");
    await article("Captain Aske");
    assert(page.url().endsWith("?example=news"));
    await (await frame("article")).waitForFunction(() => document.querySelector("img").naturalWidth > 0);
    await page.goBack();
    await page.waitForFunction(() => document.querySelector(".results").hidden);
    await page.goto(`${START}?example=zh`);
    await article("云岭站");
    await page.goto(`${START}?example=list`);
    await page.waitForSelector("#tab-list .amount");
    await page.goto(`${START}?example=recipe`);
    await page.waitForSelector("#tab-things .amount");
  },
  async "an address is fetched where its site allows it; otherwise a sentence says why"() {
    await page.goto(START);
    await page.fill("#address", `${OTHER}/open`);
    await page.keyboard.press("Enter");
    await shown("Two herons");
    faults.length = 0;
    await page.fill("#address", `${OTHER}/shut`);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".failure h2");
    assert((await page.innerText(".failure")).includes("does not allow a browser"));
    assert(await page.isHidden(".results"));
    // The browser itself reports the refusal.
    assert(
      faults.every((fault) => /CORS|ERR_FAILED/.test(fault)),
      faults.join("\n"),
    );
    faults.length = 0;
  },
  async "hostile pages run and load nothing"() {
    const call = `fetch('${OTHER}/ran')`;
    const words = "The heron stood in the water, and waited for the fish, and for the fog to lift, as it does in spring. ".repeat(2);
    const ways = [
      `<script>${call}</script>`,
      `<img src=x onerror="${call}" alt=picture><img src='${OTHER}/ran' alt=p>`,
      `<svg onload="${call}"><script>${call}</script></svg>`,
      `<iframe src="javascript:${call}"></iframe><iframe srcdoc="<script>${call}</script>"></iframe>`,
      `<a href="javascript:${call}">link</a><input autofocus onfocus="${call}">`,
      `<style>@import '${OTHER}/ran';</style><link rel=stylesheet href='${OTHER}/ran'>`,
      `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${call}&gt;">`,
      `<video src='${OTHER}/ran' poster='${OTHER}/ran' onerror="${call}"></video><object data='${OTHER}/ran'></object>`,
      `<meta http-equiv=refresh content='0;url=${OTHER}/ran'><template><script>${call}</script></template>`,
      `<!--mt1.0--><base href='${OTHER}/ran/'><p ping='${OTHER}/ran'>`,
    ];
    for (const way of ways) {
      await page.goto(START);
      await paste(
        `<title>&lt;img src=x onerror=${call}&gt;</title><h1>Herons</h1><p>${words}</p>${way}<p>${words}</p>${way}` +
          `<p id='x" onclick="${call}'>${words}</p>`,
      );
      await page.waitForFunction(() => !document.querySelector(".results").hidden);
      for (const tab of ["page", "markdown", "json", "methods", "metadata", "article"]) await page.click(`#tab-${tab}`);
      for (const name of ["frame", "article"]) {
        const acts = await (
          await frame(name)
        )
          .locator(
            "body :is(iframe, object, embed, form, video, svg, style, link, [onclick], [onload], [onerror], [onfocus], [href^=javascript])",
          )
          .count();
        assert.equal(acts, 0, way);
      }
    }
    await page.waitForTimeout(300);
    assert.deepEqual(ran, []);
    await page.evaluate((url) => fetch(url, { mode: "no-cors" }), `${OTHER}/ran`);
    assert.equal(ran.length, 1, "the canary sees nothing");
    faults.length = 0;
  },
  async "a long page can be given up, and the next one is read"() {
    await page.goto(START);
    await page.evaluate(
      (html) => {
        const area = document.querySelector("#paste");
        area.value = html;
        area.dispatchEvent(new Event("input"));
      },
      `<title>Long</title>${Array.from({ length: 30_000 }, (_, n) => sentence(n)).join("")}`,
    );
    await page.evaluate(() => document.querySelector("#paste-go").click());
    await page.waitForSelector("#cancel:visible");
    await page.click("#cancel");
    assert.equal(await page.textContent(".status"), "Cancelled.");
    await paste(STORY);
    await shown("Two herons");
  },
  async "it works without a network after the first visit"() {
    await page.goto(START);
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.reload();
    await context.setOffline(true);
    await page.goto(`${START}?example=docs`);
    await article("Retries and backoff");
    await context.setOffline(false);
    faults.length = 0;
  },
  async "axe finds nothing serious, light and dark, on a desktop and a phone"() {
    const axe = await readFile(join(here, "../node_modules/axe-core/axe.min.js"), "utf8");
    for (const [colorScheme, width] of [
      ["light", 1280],
      ["dark", 1280],
      ["light", 390],
      ["dark", 390],
    ]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 844 });
      const check = async (state) => {
        for (const part of page.frames()) {
          await part.evaluate(axe);
          const { violations } = await part.evaluate(() => axe.run(document, { iframes: false, preload: false }));
          const serious = violations.filter((v) => ["serious", "critical"].includes(v.impact));
          const found = serious.map((v) => `${v.id}: ${v.nodes[0].html}`);
          assert.deepEqual(found, [], `${state}, ${colorScheme}, ${width} pixels`);
        }
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert(wide <= width, `${state}: ${wide} pixels wide`);
      };
      await page.goto(START);
      await check("start");
      await page.fill("#address", "no address");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".failure h2");
      await check("error");
      await page.goto(`${START}?example=docs`);
      await article("Retries and backoff");
      for (const tab of ["article", "page", "markdown", "json", "list", "metadata", "methods"]) {
        await page.click(`#tab-${tab}`);
        if (tab === "page") {
          await (await frame("frame")).locator(".block.kept").nth(2).click();
          await page.click("#why details summary");
        }
        if (tab === "methods") await page.waitForSelector("table.methods");
        await check(tab);
      }
    }
  },
  ...(service
    ? {
        async "the results are those of the service"() {
          for (const name of ["news-en", "news-zh-gbk", "forum-thread", "list", "product", "docs-code-tables"]) {
            const bytes = await readFile(join(here, `../../../../examples/${name}.html`));
            const asked = { html_base64: bytes.toString("base64"), options: { things: true, site_model: true } };
            const answer = await (
              await fetch(`${service}/v1/inspect`, {
                method: "POST",
                headers: { "Content-Type": "application/json" },
                body: JSON.stringify(asked),
              })
            ).json();
            await page.goto(START);
            await page.setInputFiles("#file", { name: "page.html", mimeType: "text/html", buffer: bytes });
            await page.waitForFunction(() => !document.querySelector(".results").hidden);
            assert.deepEqual(single(await json()), single(answer.page), name);
            await page.click("#tab-page");
            const colored = await (
              await frame("frame")
            ).evaluate(() => [...document.querySelectorAll(".block")].map((b) => [Number(b.dataset.block), b.classList.contains("kept")]));
            const blocks = new Map(colored);
            const missing = answer.blocks.flatMap((_, i) => (blocks.has(i) ? [] : [i]));
            assert.deepEqual(missing, [], `${name}: passages that the coloured page lacks`);
            assert(
              answer.blocks.every((b, i) => blocks.get(i) === b.keep),
              `${name}: kept passages`,
            );
            await page.click("#tab-methods");
            await page.waitForSelector("table.methods");
            for (const [method, of] of Object.entries(answer.methods)) {
              const row = await page.innerText(`tr:has([data-method="${method}"]) td:nth-child(2)`);
              assert.equal(Number(row.replace(/\D/g, "")), of.words, `${name}: ${method}`);
            }
          }
        },
      }
    : {}),
};

try {
  for (const [name, check] of Object.entries(checks)) {
    await check();
    assert.deepEqual(faults, [], name);
    console.log(`ok: ${name}`);
  }
} finally {
  await browser.close();
  server.close();
}
