// maintext/defuddle: the interface of defuddle and defuddle/node.
import { extract, inspect, MaintextError, serialize } from "maintext";
import { addressOf, below, contentRoot, escapeText } from "./dropin.js";

export { init, initSync } from "maintext";

const text = (selector, attribute) => ({ type: "string", "x-selector": selector, "x-attribute": attribute });
/** The values that Defuddle reports and a `Page` lacks, as a schema, which also works for strings. */
const HEAD = {
  type: "object",
  properties: {
    icons: {
      type: "array",
      "x-selector": "link[rel~=icon]",
      items: { type: "object", properties: { href: { type: "string", "x-attribute": "href" } } },
    },
    icon: text("meta[property='og:image:favicon']", "content"),
    canonical: text("link[rel=canonical]", "href"),
    base: text("base[href]", "href"),
    meta: {
      type: "array",
      "x-selector": "meta[content]",
      items: {
        type: "object",
        properties: Object.fromEntries(["name", "property", "content"].map((name) => [name, { type: "string", "x-attribute": name }])),
      },
    },
  },
};
const SCRIPT = /<!--[^]*?-->|<script\b((?:[^>"']|"[^"]*"|'[^']*')*)>([^]*?)<\/script\s*>/gi;
const JSON_LD = /\btype\s*=\s*["']?application\/ld\+json/i;
/** What old pages put around scripts. */
const OPENING = /^\s*(?:<!--|\/\*|\/\/)?\s*(?:<!\[CDATA\[)?\s*(?:\*\/)?/;
const CLOSING = /(?:\/\*|\/\/)?\s*(?:\]\]>|-->)\s*(?:\*\/)?\s*$/;
/** Characters that count as a word each. */
const CJK = /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]/g;
/** Steps of Defuddle's pipeline that remove unlikely content. */
const REMOVALS = ["removeExactSelectors", "removePartialSelectors", "removeLowScoring", "removeContentPatterns"];

class Parser {
  #input;
  #options;

  constructor(input, options) {
    if (typeof input !== "string" && !input?.documentElement) throw new TypeError("Defuddle: expected a Document or HTML");
    [this.#input, this.#options] = [input, options ?? {}];
  }

  parse() {
    const options = this.#options;
    const start = now();
    const document = typeof this.#input === "string" ? undefined : this.#input;
    const html = document ? serialize(document, { visible: options.removeHiddenElements === true }) : this.#input;
    const url = addressed(options.url) ?? (document && addressOf(document));
    const serialized = now();
    let page = read(html, url, options, "never");
    // Some posts consist only of their title.
    if (page.html.trim() === "" && page.text !== "") page = read(html, url, options, "as-is");
    const extracted = now();
    const found = page.data ?? {};
    // Without an address, the page may state its own.
    const address = url ?? addressed(found.canonical) ?? addressed(found.base);
    const domain = address ? new URL(address).hostname.replace(/^www\./, "") : "";
    const replies = options.includeReplies === true ? page.comments : [];
    const markdown = () => page.markdown.trim() + repliesAsMarkdown(replies);
    const result = {
      content: options.markdown ? markdown() : below(page.html).trim() + repliesAsHtml(replies),
      title: page.title ?? "",
      description: page.description ?? "",
      domain,
      favicon: faviconOf(found, address),
      image: page.image ?? "",
      language: page.language ?? "",
      published: page.date ?? "",
      author: page.author ?? "",
      site: page.sitename ?? domain,
      schemaOrgData: schemaOrgOf(html),
      wordCount: wordsOf(page.text),
      parseTime: 0,
      metaTags: metaTagsOf(found),
    };
    if (!options.markdown && options.separateMarkdown) result.contentMarkdown = markdown();
    if (options.debug) result.debug = debugOf(html, url, document, page.text);
    const end = now();
    result.parseTime = Math.round(end - start);
    if (options.profile) result.profile = { serialize: serialized - start, extract: extracted - serialized, total: end - start };
    return result;
  }

  async parseAsync() {
    return this.parse();
  }

  async fetchAsyncVariables() {
    return null;
  }
}

/**
 * `new Defuddle(document, options).parse()`, and as a function, `await Defuddle(document | html, url, options)`.
 */
export function Defuddle(input, ...rest) {
  if (new.target) return Reflect.construct(Parser, [input, rest[0]], new.target);
  return fromNode(input, ...rest);
}
Defuddle.prototype = Parser.prototype;

async function fromNode(input, url, options) {
  const window = typeof input === "object" ? input?.window : undefined;
  const document = window?.document ?? input;
  return new Parser(document, { ...options, url: url ?? window?.location?.href ?? options?.url }).parse();
}

/** Converts HTML to Markdown, all of it. */
export function createMarkdownContent(content, url) {
  return extract(content, { url: addressed(url), whole: true, formats: "markdown", title: "as-is" }).markdown.trim();
}

export default Defuddle;

function now() {
  return globalThis.performance?.now() ?? Date.now();
}

/** Returns the value if it is an address, and nothing otherwise. */
function addressed(url) {
  try {
    const { href, host } = new URL(url);
    return host ? href : undefined;
  } catch {
    return undefined;
  }
}

function read(html, url, options, title) {
  const settings = {
    url,
    formats: ["text", "html", "markdown"],
    title,
    comments: options.includeReplies === true,
    images: !options.removeImages,
    favor: REMOVALS.some((name) => options[name] === false) ? "recall" : undefined,
    schema: HEAD,
  };
  if (!options.contentSelector) return extract(html, settings);
  try {
    return extract(html, { ...settings, rules: { content: options.contentSelector } });
  } catch (error) {
    // A selector that is none finds nothing.
    if (error instanceof MaintextError || !/^rules/.test(error.message)) throw error;
    return extract(html, settings);
  }
}

function faviconOf({ icon, icons = [] }, address) {
  const given = icon ?? icons.find(({ href }) => href)?.href;
  if (!given && !/^https?:/.test(address ?? "")) return "";
  try {
    return new URL(given ?? "/favicon.ico", address).href;
  } catch {
    return given;
  }
}

function metaTagsOf({ meta = [] }) {
  return meta.filter(({ content }) => content).map(({ name = null, property = null, content }) => ({ name, property, content }));
}

/** Returns the objects of the page's JSON-LD, with the members of a graph one by one. */
function schemaOrgOf(html) {
  const items = [];
  for (const [, attributes, content] of html.matchAll(SCRIPT)) {
    if (attributes === undefined || !JSON_LD.test(attributes)) continue;
    try {
      const data = JSON.parse(content.replace(OPENING, "").replace(CLOSING, ""));
      if (Array.isArray(data["@graph"])) items.push(...data["@graph"]);
      else items.push(data);
    } catch {
      // Broken data is none.
    }
  }
  return items;
}

function wordsOf(content) {
  const cjk = content.match(CJK)?.length ?? 0;
  return cjk + (content.replace(CJK, " ").match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0);
}

function headOf({ author, date, date_text }) {
  return [author, date ?? date_text].filter(Boolean).join(" · ");
}

function repliesAsHtml(replies) {
  if (replies.length === 0) return "";
  const each = replies.map((reply) => {
    const lines = reply.text
      .split("\n")
      .filter(Boolean)
      .map((line) => `<p>${escapeText(line)}</p>`);
    const open = "<blockquote>".repeat(reply.depth + 1);
    return `${open}\n<p><strong>${escapeText(headOf(reply))}</strong></p>\n${lines.join("\n")}\n${"</blockquote>".repeat(reply.depth + 1)}`;
  });
  return `\n<hr>\n<h2>Comments</h2>\n${each.join("\n")}`;
}

function repliesAsMarkdown(replies) {
  if (replies.length === 0) return "";
  const escaped = (line) => line.replace(/[\\`*_[\]<>#|]/g, "\\$&");
  const each = replies.map((reply) => {
    const mark = "> ".repeat(reply.depth + 1);
    const lines = reply.text.split("\n").filter(Boolean).map(escaped);
    return [`**${escaped(headOf(reply))}**`, ...lines].map((line) => mark + line).join(`\n${mark.trimEnd()}\n`);
  });
  return `\n\n---\n\n## Comments\n\n${each.join("\n\n")}`;
}

/** Returns the place of the content, and the blocks that the model left out. */
function debugOf(html, url, document, content) {
  const removals = inspect(html, { url })
    .blocks.filter(({ keep }) => !keep)
    .map(({ text, probability, hidden }) => ({
      step: hidden ? "removeHiddenElements" : "removeLowScoring",
      reason: hidden ? "hidden" : `probability: ${probability?.toFixed(3)}`,
      text: text.slice(0, 200),
    }));
  return { contentSelector: document ? selectorOf(contentRoot(document, content)) : "", removals };
}

function selectorOf(element) {
  const parts = [];
  for (let at = element; at?.localName && at.localName !== "html"; at = at.parentNode) {
    const same = [...(at.parentNode?.children ?? [])].filter((sibling) => sibling.localName === at.localName);
    parts.unshift(same.length > 1 ? `${at.localName}:nth-of-type(${same.indexOf(at) + 1})` : at.localName);
  }
  return parts.join(" > ");
}
