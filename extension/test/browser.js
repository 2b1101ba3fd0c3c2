// Starts Chromium with the built extension. $CHROMIUM is the browser's path.
import { existsSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";

const path = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const built = (name) => fileURLToPath(new URL(`../dist/${name}`, import.meta.url));

function reason() {
  if (!existsSync(path)) return `no Chromium at ${path}: set $CHROMIUM`;
  if (!existsSync(join(built("chromium"), "manifest.json"))) return "dist/chromium is missing: npm run build";
  return false;
}
export const skip = reason();

const ARGS =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking " +
  "--disable-component-update --disable-sync";

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Starts the browser; `lang` is the language of its interface. */
export async function start({ lang = "en" } = {}) {
  const downloads = mkdtempSync(join(tmpdir(), "maintext-reader-"));
  const browser = await puppeteer.launch({
    executablePath: path,
    pipe: true,
    enableExtensions: [built("chromium")],
    // A host without TLS, which browsers trust less than 127.0.0.1.
    args: [...ARGS.split(" "), `--lang=${lang}`, "--host-resolver-rules=MAP harbour.test 127.0.0.1"],
    env: { ...process.env, LANGUAGE: lang.replace("-", "_") },
    downloadBehavior: { policy: "allow", downloadPath: downloads },
    defaultViewport: { width: 1200, height: 900 },
  });
  let extension;
  for (let i = 0; i < 100 && !extension; i += 1) {
    [extension] = (await browser.extensions()).values();
    if (!extension) await pause(100);
  }
  if (!extension) throw new Error("Chromium did not load the extension");
  return {
    browser,
    extension,
    downloads,
    async stop() {
      await browser.close();
      await rm(downloads, { recursive: true, force: true });
    },
  };
}

/** Waits for the next reader and returns its page, with the errors of its console. */
async function reader(browser, act) {
  const seen = new Set(browser.targets());
  const next = browser.waitForTarget((target) => !seen.has(target) && target.url().includes("/reader.html"), { timeout: 20_000 });
  // Its failure is the test's only where it is awaited.
  next.catch(() => {});
  await act();
  const page = await (await next).page();
  await page.waitForSelector("html[data-ready]", { timeout: 30_000 });
  return page;
}

/** Opens an address and clicks the extension's button there, as a user does: this grants `activeTab`. */
export async function open({ browser, extension }, url) {
  const page = await browser.newPage();
  await page.goto(url);
  return { page, reader: await reader(browser, () => page.triggerExtensionAction(extension)) };
}

/** Runs a function in the extension's service worker. */
export async function inWorker({ browser, extension }, task, ...args) {
  const target = await browser.waitForTarget((t) => t.type() === "service_worker" && t.url().includes(extension.id), {
    timeout: 5000,
  });
  return (await target.worker()).evaluate(task, ...args);
}

/** Chooses an entry of the extension's menu for the active tab. Menus of the system cannot be clicked, so the event is sent. */
export function choose(started, id) {
  return inWorker(
    started,
    async (menuItemId) => {
      const active = async () => (await chrome.tabs.query({ active: true, lastFocusedWindow: true }))[0];
      let tab = await active();
      // A reader that was closed may still be the active tab for a moment.
      for (let i = 0; i < 100 && (!tab || tab.url?.startsWith(location.origin)); i += 1) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        tab = await active();
      }
      chrome.contextMenus.onClicked.dispatch({ menuItemId }, tab);
    },
    id,
  );
}

export { reader as nextReader };

/** Returns the text on the clipboard, read by a page of `origin`. */
export async function clipboard({ browser }, origin) {
  await browser.defaultBrowserContext().overridePermissions(origin, ["clipboard-read"]);
  const page = await browser.newPage();
  await page.goto(`${origin}/empty`);
  await page.bringToFront();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  await page.close();
  // This permission would let pages write, too.
  await browser.defaultBrowserContext().clearPermissionOverrides();
  return text;
}

/** Waits for a file in the folder of downloads. */
export async function file(folder, name) {
  const path = join(folder, name);
  for (let i = 0; i < 100 && !existsSync(path); i += 1) await pause(100);
  return path;
}
