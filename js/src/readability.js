// maintext/readability: the interface of @mozilla/readability.
import { extract, serialize } from "maintext";
import { addressOf, below, contentRoot, elementOf, escapeAttribute, letters, textOf, withPlayers } from "./dropin.js";

export { init, initSync } from "maintext";

/** Players that are content unless the caller says otherwise. */
const PLAYERS = new RegExp(
  "//([a-z0-9-]+\\.)*(youtube(-nocookie)?\\.com|player\\.vimeo\\.com|dailymotion\\.com|v\\.qq\\.com|archive\\.org" +
    "|upload\\.wikimedia\\.org|player\\.twitch\\.tv)(/|$)",
  "i",
);
const JSON_LD = /<script\b[^>]*\btype="application\/ld\+json"[^>]*>[^]*?<\/script>/gi;
const FORMATS = ["text", "html"];

/** Extracts the article of a document. It leaves the document as it is. */
export class Readability {
  #document;
  #options;

  constructor(document, options, further) {
    // As in Readability, an address may come first.
    [this.#document, this.#options] = options?.documentElement ? [options, further ?? {}] : [document, options ?? {}];
    if (!this.#document?.documentElement) throw new Error("First argument to Readability constructor should be a document object.");
  }

  /** Returns the article, or `null` if the page has none. */
  parse() {
    const { maxElemsToParse = 0, disableJSONLD, charThreshold = 0 } = this.#options;
    const document = this.#document;
    if (maxElemsToParse > 0) {
      const count = document.getElementsByTagName("*").length;
      if (count > maxElemsToParse) throw new Error(`Aborting parsing document; ${count} elements found`);
    }
    const source = serialize(document);
    const html = disableJSONLD ? source.replace(JSON_LD, "") : source;
    const url = addressOf(document);
    const read = (favor, title = "never") => extract(html, { url, formats: FORMATS, title, comments: false, favor });
    let page = read("balance");
    if (page.text.length < charThreshold) {
      const wider = read("recall");
      if (wider.text.length > page.text.length) page = wider;
    }
    // Some posts consist only of their title.
    if (page.html.trim() === "" && page.text !== "") page = read("balance", "as-is");
    this.#log("confidence", page.confidence, "words", page.words, "warnings", page.warnings);
    // A page of pictures alone has no text, and is content all the same.
    if (page.html.trim() === "") return null;
    return this.#article(page);
  }

  #article(page) {
    const { serializer, keepClasses, classesToPreserve = [] } = this.#options;
    const document = this.#document;
    let root;
    const rootOf = () => (root ??= contentRoot(document, page.text));
    const body = withPlayers(below(page.html), this.#players(rootOf), root);
    let content = `<div id="readability-page-1" class="page">${body}</div>`;
    let element;
    if (serializer || keepClasses || classesToPreserve.length > 0) {
      element = elementOf(content, document);
      restoreClasses(element.firstElementChild, rootOf(), keepClasses ? undefined : classesToPreserve);
      content = element.innerHTML;
    }
    const textContent = textOf(content);
    return {
      title: page.title ?? "",
      byline: page.author,
      dir: directionOf(document, rootOf),
      lang: document.documentElement.getAttribute("lang") || page.language,
      content: serializer ? serializer(element) : content,
      textContent,
      length: textContent.length,
      excerpt: page.description ?? firstParagraph(body),
      siteName: page.sitename,
      publishedTime: page.date,
    };
  }

  /** Returns the players within the content, with their markup. */
  #players(rootOf) {
    const allowed = this.#options.allowedVideoRegex ?? PLAYERS;
    const nodes = this.#document.querySelectorAll?.("iframe, embed, object") ?? [];
    const found = [];
    for (const node of nodes) {
      const src = node.getAttribute("src") ?? node.getAttribute("data") ?? "";
      // A regular expression with the flag g remembers its last place.
      if (src.search(allowed) < 0 || !rootOf().contains(node)) continue;
      const size = ["width", "height"].filter((name) => /^\d+%?$/.test(node.getAttribute(name) ?? ""));
      const attributes = size.map((name) => ` ${name}="${node.getAttribute(name)}"`).join("");
      found.push({ node, src, markup: `<iframe src="${escapeAttribute(absolute(src, this.#document))}"${attributes}></iframe>` });
    }
    return found;
  }

  #log(...values) {
    if (this.#options.debug && typeof console !== "undefined") console.log("Reader: (maintext)", ...values);
  }
}

function absolute(address, document) {
  try {
    return new URL(address, document.baseURI ?? undefined).href;
  } catch {
    return address;
  }
}

/** Returns the direction of the content, if the page states one. */
function directionOf(document, rootOf) {
  if (!document.querySelector?.("[dir]")) return document.documentElement.getAttribute("dir");
  for (let node = rootOf(); node?.getAttribute; node = node.parentNode) {
    const dir = node.getAttribute("dir");
    if (dir) return dir;
  }
  return null;
}

function firstParagraph(html) {
  const [, inner] = /<p(?:\s[^>]*)?>([^]*?)<\/p>/.exec(html) ?? [];
  return inner === undefined ? null : textOf(inner).trim();
}

/** Gives elements of the content the classes that the page's elements with the same text have. */
function restoreClasses(content, root, wanted) {
  const keyOf = (element) => {
    const name = element.localName;
    return `${name} ${name === "img" ? (element.getAttribute("src") ?? "").split("/").at(-1) : letters(element.textContent ?? "")}`;
  };
  const classes = new Map();
  for (const element of [root, ...root.querySelectorAll("[class]")]) {
    const names = (element.getAttribute("class") ?? "").split(/\s+/).filter((name) => name && (wanted?.includes(name) ?? true));
    const key = keyOf(element);
    if (names.length > 0 && !classes.has(key)) classes.set(key, names);
  }
  for (const element of content.querySelectorAll("*")) {
    const names = classes.get(keyOf(element));
    if (!names) continue;
    const own = (element.getAttribute("class") ?? "").split(/\s+/).filter(Boolean);
    element.setAttribute("class", [...new Set([...own, ...names])].join(" "));
  }
}

/** Names of elements that seldom hold an article, and names that outweigh them: those of Readability (Apache 2.0), so that both agree. */
const ASIDE = new RegExp(
  "-ad-|ad-break|agegate|ai2html|banner|breadcrumbs|combx|comment|community|cover-wrap|disqus|extra|footer|gdpr|header|legends|menu|pager" +
    "|pagination|popup|yom-remote|related|remark|replies|rss|shoutbox|sidebar|skyscraper|social|sponsor|supplemental",
  "i",
);
const ARTICLE = /and|article|body|column|content|main|shadow/i;

function isVisible(element) {
  if (element.style?.display === "none" || element.hasAttribute("hidden")) return false;
  return element.getAttribute("aria-hidden") !== "true" || /fallback-image/.test(element.getAttribute("class") ?? "");
}

/**
 * Guesses, without extracting it, whether a document has an article: adds up the root of each paragraph's length beyond
 * `minContentLength` until the sum is above `minScore`.
 */
export function isProbablyReaderable(document, options = {}) {
  const given = typeof options === "function" ? { visibilityChecker: options } : options;
  const { minScore = 20, minContentLength = 140, visibilityChecker = isVisible } = given;
  const candidates = new Set(document.querySelectorAll("p, pre, article"));
  // Some pages divide their text by <br> alone.
  for (const br of document.querySelectorAll("div > br")) candidates.add(br.parentNode);
  let score = 0;
  for (const element of candidates) {
    if (!visibilityChecker(element)) continue;
    const name = `${element.getAttribute("class") ?? ""} ${element.id ?? ""}`;
    if ((ASIDE.test(name) && !ARTICLE.test(name)) || element.matches("li p")) continue;
    const length = element.textContent.trim().length;
    if (length < minContentLength) continue;
    score += Math.sqrt(length - minContentLength);
    if (score > minScore) return true;
  }
  return false;
}

export default Readability;
