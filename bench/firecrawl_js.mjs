// Runs Firecrawl's JavaScript client against a service: node firecrawl_js.mjs FOLDER SERVICE SITE
// FOLDER is the client's package: version 1 speaks /v1, version 4 speaks /v2 and /v1.
import assert from "node:assert";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [folder, service, site] = process.argv.slice(2);
const { version } = JSON.parse(fs.readFileSync(path.join(folder, "package.json")));
const client = await import(pathToFileURL(path.join(folder, "dist/index.js")));
const options = { apiKey: "any", apiUrl: service };
const ran = [];
const check = (name, fine) => { assert(fine, name); ran.push(name); };

async function second(app) {
  const page = await app.scrape(`${site}/story/1`, { formats: ["markdown", "links", { type: "json", schema: { type: "object", properties: { title: { type: "string" } } } }] });
  check("scrape", page.markdown.includes("tale b") && page.metadata.statusCode === 200 && page.json.title === "Story b" && page.links.length > 0);
  const gone = await app.scrape(`${site}/gone`);
  check("scrape of a 404 page", gone.metadata.statusCode === 404);
  await assert.rejects(app.scrape(`${site}/story/1`, { formats: ["summary"] }), /summary/);
  ran.push("error");
  const links = await app.map(site);
  check("map", links.links.some((l) => l.url.endsWith("/story/3")));
  const crawl = await app.crawl(site, { limit: 20, pollInterval: 1, scrapeOptions: { formats: ["markdown"] } });
  check("crawl", crawl.status === "completed" && crawl.data.length === 9 && crawl.data.every((d) => d.markdown));
  const batch = await app.batchScrape([`${site}/story/1`, `${site}/story/2`], { options: { formats: ["html"] }, pollInterval: 1 });
  check("batchScrape", batch.status === "completed" && batch.data.length === 2 && batch.data.every((d) => d.html.includes("<p>")));
  const started = await app.startCrawl(`${site}/slow`, { limit: 20 });
  const active = await app.getActiveCrawls();
  check("getActiveCrawls", active.crawls.some((c) => c.id === started.id));
  check("cancelCrawl", await app.cancelCrawl(started.id));
  check("getCrawlStatus", (await app.getCrawlStatus(started.id)).status === "cancelled");
  const errors = await app.getCrawlErrors(crawl.id ?? started.id);
  check("getCrawlErrors", Array.isArray(errors.errors));
}

async function first(app) {
  const page = await app.scrapeUrl(`${site}/story/1`, { formats: ["markdown", "html"] });
  check("v1 scrapeUrl", page.success && page.markdown.includes("tale b"));
  const links = await app.mapUrl(site, {});
  check("v1 mapUrl", links.success && links.links.some((l) => l.endsWith("/story/3")));
  const crawl = await app.crawlUrl(site, { limit: 20 }, 2);
  check("v1 crawlUrl", crawl.success && crawl.status === "completed" && crawl.data.length === 9);
  const errors = await app.checkCrawlErrors((await app.asyncCrawlUrl(site, { limit: 3 })).id);
  check("v1 checkCrawlErrors", Array.isArray(errors.errors));
  const batch = await app.batchScrapeUrls([`${site}/story/1`, `${site}/story/2`], { formats: ["markdown"] }, 2);
  check("v1 batchScrapeUrls", batch.success && batch.data.length === 2);
  const slow = await app.asyncCrawlUrl(`${site}/slow`, { limit: 20 });
  const cancelled = await app.cancelCrawl(slow.id);
  check("v1 cancelCrawl", cancelled.status === "cancelled");
}

const app = new client.default(options);
if (version.startsWith("1.")) {
  await first(app);
} else {
  await second(app);
  await first(app.v1);
}
console.log(JSON.stringify({ version, ran }));
