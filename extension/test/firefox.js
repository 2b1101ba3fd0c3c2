// Starts Firefox with the built extension and speaks WebDriver BiDi with it. $FIREFOX is the browser's path.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import { built, pause } from "./browser.js";

const path = process.env.FIREFOX ?? "/usr/bin/firefox-esr";

function reason() {
  if (!existsSync(path)) return `no Firefox at ${path}: set $FIREFOX`;
  if (!existsSync(join(built("firefox"), "manifest.json"))) return "dist/firefox is missing: npm run build";
  return false;
}
export const skip = reason();

const PREFERENCES = {
  "app.update.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "browser.aboutwelcome.enabled": false,
};

/** Starts the browser, and returns functions that act in it. */
export async function start() {
  const profile = mkdtempSync(join(tmpdir(), "maintext-firefox-"));
  const lines = Object.entries(PREFERENCES).map(([key, value]) => `user_pref(${JSON.stringify(key)}, ${value});\n`);
  writeFileSync(join(profile, "user.js"), lines.join(""));
  const args = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0", "--remote-allow-system-access"];
  const child = spawn(path, args, { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, HOME: profile, MOZ_HEADLESS: "1" } });
  const address = await new Promise((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (data) => {
      said += data;
      const found = /WebDriver BiDi listening on (ws:\S+)/.exec(said);
      if (found) resolve(found[1]);
    });
    child.on("exit", () => reject(new Error(`Firefox ended: ${said}`)));
    setTimeout(() => reject(new Error(`Firefox did not answer: ${said}`)), 60_000).unref();
  });

  const socket = new WebSocket(`${address}/session`, { perMessageDeflate: false });
  await new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject));
  const waiting = new Map();
  socket.on("message", (data) => {
    const { id, type, result, error, message } = JSON.parse(data);
    const call = waiting.get(id);
    waiting.delete(id);
    if (type === "error") call?.reject(new Error(`${error}: ${message}`));
    else call?.resolve(result);
  });
  let last = 0;
  const send = (method, params) => {
    last += 1;
    const id = last;
    socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  };

  /** Runs an expression in a tab, or in the browser's own window, and returns its value as JSON holds it. */
  const run = async (context, expression) => {
    const awaited = `(async () => JSON.stringify(await (${expression})))()`;
    const params = { expression: awaited, target: { context }, awaitPromise: true, userActivation: true };
    const { type, result, exceptionDetails } = await send("script.evaluate", params);
    if (type === "exception") throw new Error(exceptionDetails.text);
    return result.value === undefined ? undefined : JSON.parse(result.value);
  };
  const contexts = async (scope) => (await send("browsingContext.getTree", scope ? { "moz:scope": scope } : {})).contexts;

  await send("session.new", { capabilities: {} });
  const { extension } = await send("webExtension.install", { extensionData: { type: "path", path: built("firefox") } });

  return {
    run,
    extension,
    /** Opens an address in a new tab. */
    async open(url) {
      const { context } = await send("browsingContext.create", { type: "tab" });
      await send("browsingContext.navigate", { context, url, wait: "complete" });
      return context;
    },
    close: (context) => send("browsingContext.close", { context }),
    /** Clicks the extension's button in the active tab: the function is what the browser calls for a click or the key. */
    async click() {
      const window = (await contexts("chrome")).find(({ url }) => url.includes("browser.xhtml"));
      const script = `(async () => {
        const { ExtensionParent } = ChromeUtils.importESModule("resource://gre/modules/ExtensionParent.sys.mjs");
        const { extension } = WebExtensionPolicy.getByID(${JSON.stringify(extension)});
        await ExtensionParent.apiManager.global.browserActionFor(extension).triggerAction(window);
      })()`;
      await run(window.context, script);
    },
    /** Waits for the reader's tab to be filled. */
    async reader() {
      for (let i = 0; i < 300; i += 1) {
        const found = (await contexts()).find(({ url }) => url.includes("/reader.html"));
        if (found && (await run(found.context, `"ready" in document.documentElement.dataset`).catch(() => false))) return found.context;
        await pause(100);
      }
      throw new Error(`no reader: ${JSON.stringify((await contexts()).map(({ url }) => url))}`);
    },
    shoot: async (context) => Buffer.from((await send("browsingContext.captureScreenshot", { context })).data, "base64"),
    async stop() {
      await send("browser.close", {}).catch(() => {});
      socket.close();
      if (child.exitCode === null) await new Promise((resolve) => child.once("exit", resolve));
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
