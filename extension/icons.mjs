// Draws icons/icon-*.png from icons/icon.svg in Chromium. $CHROMIUM is the browser's path.
import { readFileSync, writeFileSync } from "node:fs";
import puppeteer from "puppeteer-core";

const svg = readFileSync(new URL("icons/icon.svg", import.meta.url), "utf8");
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
const page = await browser.newPage();
for (const size of [16, 32, 48, 128]) {
  await page.setViewport({ width: size, height: size });
  await page.setContent(`<style>body { margin: 0 } svg { display: block; width: ${size}px; height: ${size}px }</style>${svg}`);
  const png = await page.screenshot({ omitBackground: true });
  writeFileSync(new URL(`icons/icon-${size}.png`, import.meta.url), png);
}
await browser.close();
