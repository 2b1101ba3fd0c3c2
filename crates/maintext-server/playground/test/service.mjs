// Tests the playground of a running service in a real browser: labels, late answers, Copy on a plain-http name, large pages, Back, warnings
// in Chinese, and axe in nine states, in light and dark, on a desktop and a phone.
// Usage: node test/service.mjs BINARY [FOLDER FOR PICTURES]. Needs Chromium at /usr/bin/chromium or $CHROMIUM.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const [binary, pictures] = process.argv.slice(2);
const axe = createRequire(import.meta.url).resolve("axe-core");
if (pictures) mkdirSync(pictures, { recursive: true });

const sentence = (n) => `<p>Paragraph ${n} tells, at some length, of herons, of a fox, and of the first swallows of the year.</p>`;
const story = (title, n) => `<html lang=en><title>${title}</title><nav>${"<a href=/>Home</a> <a href=/b>Birds</a> ".repeat(30)}</nav>
  <article><h1>${title}</h1>${Array.from({ length: n }, (_, i) => sentence(i)).join("\n")}</article><footer>Imprint</footer>`;
// 3.7 MB of short passages, as a long thread or table has them.
const huge = `<html lang=en><title>Huge</title><article><h1>Huge</h1>${Array.from({ length: 34_000 }, (_, i) => sentence(i)).join("\n")}</article>`;
const pages = {
  "/slow": () => new Promise((done) => setTimeout(() => done(story("The slow page", 5)), 2500)),
  "/fast": () => story("The fast page", 5),
  "/long": () => story("The long page", 80),
  "/huge": () => huge.slice(0, 3_700_000),
  "/shell": () => "<html lang=en><title>Shell</title><div id=root></div><script src=/app.js></script>",
};
const site = createServer(async (request, response) => {
  const page = pages[request.url];
  response.writeHead(page ? 200 : 404, { "Content-Type": "text/html; charset=utf-8" }).end(page ? await page() : "");
});
await new Promise((ready) => site.listen(0, "127.0.0.1", ready));
const port = site.address().port;
const at = (path) => `http://127.0.0.1:${port}${path}`;
const network = ["--allow-network", "127.0.0.0/8", "--allow-port", String(port)];
const names = ["--host-name", "127.0.0.1", "--host-name", "myhost"];
const services = [];
const serve = (...more) =>
  new Promise((found, fail) => {
    let said = "";
    const service = spawn(binary, ["serve", "--quiet", "--listen", "127.0.0.1:0", ...more], { stdio: ["ignore", "ignore", "pipe"] });
    services.push(service);
    service.stderr.on("data", (data) => {
      said += data;
      const match = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
      if (match) found(match[0]);
    });
    service.on("exit", () => fail(new Error(said)));
  });
const origin = await serve(...network, ...names);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--host-resolver-rules=MAP myhost 127.0.0.1"],
});
const visit = async (options = {}) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "en-US", bypassCSP: Boolean(options.colorScheme), ...options });
  const page = await context.newPage();
  const frame = async (name) => (await page.$(`iframe.${name}`)).contentFrame();
  const ask = async (path) => {
    await page.fill("#address", at(path));
    await page.keyboard.press("Enter");
  };
  const shown = (title) => page.waitForFunction((t) => document.title.startsWith(t) && !document.querySelector(".results").hidden, title);
  return { page, frame, ask, shown, end: () => context.close() };
};

const checks = {
  async "a late first answer does not replace the second, and an error leaves nothing old"() {
    const { page, ask, shown, end } = await visit();
    await page.goto(origin);
    await ask("/slow");
    await page.waitForTimeout(300);
    await ask("/fast");
    await shown("The fast page");
    await page.waitForTimeout(3500);
    assert((await page.title()).startsWith("The fast page"));
    await ask("/none");
    await page.waitForSelector(".failure h2");
    assert(await page.locator(".results").isHidden());
    assert(await page.locator(".home").isHidden(), "no empty card");
    assert.equal(await page.innerText(".warnings"), "");
    await end();
  },
  async "a service with tokens asks for one where it can be entered"() {
    const folder = mkdtempSync(join(tmpdir(), "maintext-tokens-"));
    writeFileSync(join(folder, "tokens"), "reader secret\n");
    const guarded = await serve("--token-file", join(folder, "tokens"));
    rmSync(folder, { recursive: true });
    const { page, end } = await visit();
    await page.goto(`${guarded}/?example=news`);
    await page.waitForSelector(".failure h2");
    assert.match(await page.innerText(".failure"), /requires a token.*settings/);
    assert.equal(await page.evaluate(() => document.activeElement.id), "token");
    assert(await page.locator("#token").isVisible());
    await page.keyboard.type("secret");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".results:not([hidden])");
    await end();
  },
  async "the status is in the language of the page"() {
    const { page, ask, shown, end } = await visit();
    await page.goto(origin);
    await ask("/fast");
    await shown("The fast page");
    assert.match(await page.innerText("[role=status]"), /^Kept /);
    await page.click("#language");
    assert.doesNotMatch(await page.innerText("[role=status]"), /[A-Za-z]{3}/);
    await end();
  },
  async "an empty box cannot be read"() {
    const { page, end } = await visit();
    await page.goto(origin);
    await page.click("#paste-open");
    assert(await page.locator("#paste-go").isDisabled());
    await page.fill("#paste", "<p>A heron</p>");
    assert(await page.locator("#paste-go").isEnabled());
    await end();
  },
  async "names of features break only after underscores"() {
    const { page, ask, frame, shown, end } = await visit();
    await page.goto(origin);
    await ask("/long");
    await shown("The long page");
    await page.click("#tab-page");
    await (await frame("frame")).click("text=Paragraph 3");
    await page.click(".why summary");
    const cells = page.locator(".features td:first-child");
    assert((await cells.count()) > 5);
    const lines = await cells.evaluateAll((all) =>
      all.map((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        const tops = new Set([...range.getClientRects()].map((rect) => Math.round(rect.top)));
        return [cell.textContent, tops.size];
      }),
    );
    for (const [name, count] of lines) assert(count <= name.split(/[_ ]/).length, `${name}: ${count} lines`);
    await end();
  },
  async "a page that is being read can be given up"() {
    const { page, ask, end } = await visit();
    await page.goto(origin);
    await ask("/slow");
    await page.click("#cancel");
    await page.waitForTimeout(3000);
    assert(await page.locator(".results").isHidden());
    assert(!(await page.title()).includes("slow"));
    assert((await page.innerText("[role=status]")).length > 3, "the end is announced");
    await end();
  },
  async "unsaved labels outlast a change of the method"() {
    const { page, frame, ask, shown, end } = await visit();
    await page.goto(origin);
    await ask("/fast");
    await shown("The fast page");
    await page.click("#tab-teach");
    const source = await frame("frame");
    await source.locator(".block.kept").nth(2).click();
    await page.keyboard.press("-");
    await source.waitForFunction(() => document.querySelector(".marked"));
    await page.click("summary:has-text('Settings')");
    await page.selectOption("select[name=method], #method", "text-density");
    await page.waitForFunction(() => !document.body.classList.contains("busy"));
    await page.waitForTimeout(800);
    assert.equal(await source.locator(".marked").count(), 1);
    await end();
  },
  async "the coloured page begins at the first kept passage"() {
    const { page, frame, ask, shown, end } = await visit({ viewport: { width: 1280, height: 600 } });
    await page.goto(origin);
    await ask("/long");
    await shown("The long page");
    await page.click("#tab-page");
    const source = await frame("frame");
    await source.waitForFunction(() => {
      const top = document.querySelector(".block.kept")?.getBoundingClientRect().top ?? -1;
      return top >= 0 && top < innerHeight / 2;
    });
    await end();
  },
  async "?url= opens a page, and Back goes to the one before"() {
    const { page, ask, shown, end } = await visit();
    // The scheme may be left out, as in the field.
    await page.goto(`${origin}/?url=127.0.0.1:${port}/long`);
    await shown("The long page");
    await page.goto(`${origin}/?url=no%20address`);
    await page.waitForFunction(() => document.querySelector(".failure").innerText.includes("address"));
    await page.goto(`${origin}/?url=${encodeURIComponent(at("/fast"))}`);
    await shown("The fast page");
    await ask("/long");
    await shown("The long page");
    assert(page.url().includes(encodeURIComponent(at("/long"))));
    await page.goBack();
    await shown("The fast page");
    await end();
  },
  async "Copy works on a plain-http name, and code is offered in three languages"() {
    const { page, ask, shown, end } = await visit();
    await page.goto(origin.replace("127.0.0.1", "myhost"));
    assert.equal(await page.evaluate(() => isSecureContext), false);
    await ask("/fast");
    await shown("The fast page");
    await page.click(".actions button >> nth=0");
    await page.waitForFunction(() => document.querySelector(".actions").innerText.includes("Copied"));
    await page.click("#code");
    const dialog = await page.innerText("dialog");
    for (const name of ["curl", "Python", "JavaScript"]) assert(dialog.includes(name), name);
    await page.click("dialog button.plain");
    const [file] = await Promise.all([page.waitForEvent("download"), page.click(".actions button >> nth=1")]);
    assert.equal(file.suggestedFilename(), "the-fast-page.md");
    await end();
  },
  async "3.7 MB are laid out in five seconds on a busy machine"() {
    const { page, frame, ask, shown, end } = await visit();
    await page.goto(origin);
    const answered = page.waitForResponse((r) => r.url().endsWith("/v1/inspect"), { timeout: 120_000 }).then(async (r) => {
      await r.finished();
      return Date.now();
    });
    await ask("/huge");
    const start = await answered;
    await shown("Huge");
    const article = await frame("article");
    await article.waitForFunction(() => document.body.innerText.includes("Paragraph 12 "), null, { timeout: 60_000 });
    const read = Date.now() - start;
    const before = Date.now();
    await page.click("#tab-page");
    const source = await frame("frame");
    await source.waitForFunction(() => document.querySelectorAll(".block.kept").length > 100, null, { timeout: 60_000 });
    const coloured = Date.now() - before;
    console.log(`    3.7 MB: the article ${read} ms after the answer, the coloured page after another ${coloured} ms`);
    assert(read < 5000 && coloured < 5000, `${read} ms, ${coloured} ms`);
    await end();
  },
  async "a phone shows the text first, without a wide page"() {
    const { page, frame, ask, shown, end } = await visit({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
    await page.goto(origin);
    await ask("/fast");
    await shown("The fast page");
    const top = await page.evaluate(() => document.querySelector("iframe.article").getBoundingClientRect().top);
    assert(top < 844 / 6, `the article begins at ${top}`);
    const header = () => page.evaluate(() => document.querySelector(".tabs").getBoundingClientRect().bottom);
    assert((await header()) <= 844 / 7, `the header takes ${await header()} pixels`);
    assert.match(await page.innerText("[role=status]"), /Kept \d+ of \d+ words/);
    await (await frame("article")).waitForFunction(() => document.body.innerText.includes("Paragraph 1"));
    assert((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    // One button shows the rest.
    const rest = ["#file-open", "#paste-open", ".settings summary", "#code", "#language", "nav a"];
    for (const part of rest) assert(await page.isHidden(part), part);
    await page.click("#more-ways");
    assert.equal(await page.getAttribute("#more-ways", "aria-expanded"), "true");
    for (const part of rest) assert(await page.isVisible(part), part);
    assert((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    await page.click("#language");
    assert.equal(await page.evaluate(() => document.activeElement.id), "language");
    assert.equal(await page.getAttribute("#more-ways", "aria-expanded"), "true");
    await page.focus("#file-open");
    await page.keyboard.press("Escape");
    assert.equal(await page.evaluate(() => document.activeElement.id), "more-ways", "the focus is not lost");
    for (const part of rest) assert(await page.isHidden(part), part);
    // The tabs are in one row.
    await page.locator("#tab-teach").click();
    assert((await header()) <= 844 / 7, `the header takes ${await header()} pixels`);
    await page.setViewportSize({ width: 1280, height: 900 });
    for (const part of rest) assert(await page.isVisible(part), part);
    assert(await page.isHidden("#more-ways"));
    assert.equal(await page.locator("header nav").count(), 1);
    // Warnings belong to the content.
    await page.setViewportSize({ width: 390, height: 844 });
    await ask("/shell");
    await shown("Shell");
    assert((await page.innerText(".warnings")).length > 5);
    assert((await header()) <= 844 / 7, `the header takes ${await header()} pixels`);
    await end();
  },
  async "a phone shows the API page without a wide page, and an answer scrolls in its box"() {
    for (const colorScheme of ["light", "dark"]) {
      const { page, end } = await visit({ colorScheme, viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
      await page.goto(`${origin}/docs`);
      await page.waitForSelector("main details");
      await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
      await page.locator("details button").first().click();
      await page.waitForFunction(() => document.querySelector("details pre").textContent.includes("the road was empty"));
      const answer = await page.evaluate(() => {
        const { clientHeight, scrollHeight, clientWidth, scrollWidth } = document.querySelector("details pre");
        return { tall: scrollHeight > clientHeight, wide: scrollWidth > clientWidth, clientHeight, page: document.documentElement.scrollWidth };
      });
      assert(answer.tall && answer.wide && answer.clientHeight < 600 && answer.page <= 390, JSON.stringify(answer));
      await page.addScriptTag({ path: axe });
      const { violations } = await page.evaluate(() => window.axe.run(document));
      const serious = violations.filter((v) => ["serious", "critical"].includes(v.impact));
      assert.deepEqual(serious.map((v) => `${v.id}: ${v.nodes[0].html}`), []);
      await end();
    }
  },
  async "warnings are Chinese for Chinese readers"() {
    const { page, ask, end } = await visit({ locale: "zh-CN" });
    await page.goto(origin);
    await ask("/shell");
    await page.waitForFunction(() => document.querySelector(".warnings").innerText.length > 5);
    const text = await page.innerText(".warnings");
    assert(/[一-鿿]{5}/.test(text) && !/[a-z]{6}/.test(text), text);
    await end();
  },
  async "axe finds nothing serious in nine states, in light and dark, on a desktop and a phone"() {
    const found = [];
    for (const colorScheme of ["light", "dark"]) {
      for (const width of [1280, 390]) {
        const { page, frame, ask, shown, end } = await visit({ colorScheme, viewport: { width, height: 844 } });
        const check = async (state) => {
          await page.waitForTimeout(250);
          if (pictures) await page.screenshot({ path: `${pictures}/${state}-${colorScheme}-${width}.png` });
          if (!(await page.evaluate(() => "axe" in window))) await page.addScriptTag({ path: axe });
          const { violations } = await page.evaluate(() => window.axe.run(document, { iframes: false }));
          for (const v of violations.filter((v) => ["serious", "critical"].includes(v.impact)))
            found.push(`${state}, ${colorScheme}, ${width}: ${v.id}: ${v.nodes[0].html}`);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          if (wide > width) found.push(`${state}, ${colorScheme}: ${wide} pixels wide on ${width}`);
        };
        await page.goto(origin);
        await check("1-start");
        await ask("/none");
        await page.waitForSelector(".failure h2");
        await check("2-error");
        await ask("/shell");
        await page.waitForFunction(() => document.querySelector(".warnings").innerText.length > 5);
        await check("3-warning");
        await ask("/long");
        await shown("The long page");
        await check("4-article");
        await page.click("#tab-page");
        await (await frame("frame")).locator(".block.kept").nth(2).click();
        await page.waitForFunction(() => document.querySelector("#why").innerText.includes("ecause"));
        await check("5-page");
        await page.click("#tab-methods");
        await page.waitForSelector("table.methods");
        await check("6-methods");
        await page.click("#tab-teach");
        await check("7-teach");
        if (width < 800) await page.click("#more-ways");
        await check("8-more");
        await page.click("#code");
        await check("9-code");
        await end();
      }
    }
    assert.deepEqual(found, []);
  },
};

let failed = 0;
try {
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check();
      console.log(`ok: ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED: ${name}\n${error.message}`);
    }
  }
} finally {
  await browser.close();
  services.forEach((service) => service.kill());
  site.close();
}
process.exit(failed ? 1 : 0);
