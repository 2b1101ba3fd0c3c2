// maintext's calls for a gathered page.
import { explain, extract, init, inspect, list } from "maintext";
import { api } from "./api.js";

/** Loads the module once. */
export const ready = () => init(api.runtime.getURL("maintext.wasm"));

/** An article shorter than this, in words, is none. */
const FEWEST_WORDS = 40;
/** The confidence from which fewer words are an article. */
const SURE = 0.5;

const base = (page) => ({ url: /^https?:/.test(page.url) ? page.url : undefined, now: new Date() });

/** Returns the article with its HTML, without the title that the reader writes itself. */
export function read(page) {
  return extract(page.html, { ...base(page), formats: ["html", "text"], title: "never", pageType: true });
}

/** Returns the whole page's Markdown, with its title, and its metadata. */
export function markdown(page) {
  return extract(page.html, { ...base(page), formats: "markdown", title: "once" });
}

/** Returns a selected part as Markdown: all of it is content. */
export function markdownOfPart(html, url) {
  return extract(html, { ...base({ url }), formats: "markdown", whole: true, metadata: false, title: "as-is" }).markdown ?? "";
}

/**
 * Returns `article`, `list`, or `nothing`. Chinese and Japanese have no spaces, so characters count, too. A few words are an article if they are
 * likely all of the content, such as opening hours.
 */
export function kindOf(result) {
  const han = (result.text ?? "").match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/gu)?.length ?? 0;
  const isSure = result.words > 0 && result.confidence >= SURE;
  if (!isSure && result.words + han / 2 < FEWEST_WORDS) return "nothing";
  return ["listing", "collection"].includes(result.page_type) ? "list" : "article";
}

/** The groups of entries of the pages that were asked for them. */
const listed = new WeakMap();

/** Returns the groups of a page's entries that have addresses, best first. */
export function entries(page) {
  if (!listed.has(page)) {
    const { groups } = list(page.html, base(page));
    const addressed = groups.map(({ entries: all }) => all.filter((entry) => /^https?:/.test(entry.url) && entry.title));
    listed.set(page, addressed.filter((all) => all.length > 0));
  }
  return listed.get(page);
}

export const decisions = (page) => inspect(page.html, base(page));
export const reasons = (page, block) => explain(page.html, block, base(page));
