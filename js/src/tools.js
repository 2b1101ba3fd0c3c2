// What the tools for language models share: the page of an address or of HTML, as the text that a model reads.
import { Extractor } from "maintext";
import { fetchPage } from "./fetch.js";

export const NAME = "read_web_page";
export const DESCRIPTION =
  "Reads a web page and returns its main content as Markdown with title, author and date, without navigation, advertisements and comments.";
/** The input of a tool, as JSON Schema. */
export const SCHEMA = {
  type: "object",
  properties: { url: { type: "string", description: "The page's address, beginning with http:// or https://" } },
  required: ["url"],
  additionalProperties: false,
};

/** Returns a function that reads a page. Its options are checked now, not with the first page. `fetch` may be the caller's: `(url) => Promise<{ html, url?, charset? } | string>`. */
export function reader({ fetch: given, maxCharacters = 50_000, timeout, maxSize = 10_000_000, userAgent, ...extraction } = {}) {
  check({ fetch: given, maxCharacters, timeout, maxSize, userAgent }, extraction);
  const get = given ?? ((url) => fetchPage(url, { timeout, maxSize, userAgent }));
  const extractor = opened({ formats: "markdown", title: "never", comments: false, ...extraction });

  async function read(url) {
    const answer = await get(url);
    const { html, url: at = url, charset } = typeof answer === "string" ? { html: answer } : answer;
    const page = extractor.extract(html, { url: at, charset });
    const content = page.markdown.trim();
    const truncated = content.length > maxCharacters;
    return {
      url: page.url ?? at,
      title: page.title,
      author: page.author,
      date: page.date,
      site: page.sitename,
      description: page.description,
      language: page.language,
      words: page.words,
      content: truncated ? cut(content, maxCharacters) : content,
      truncated,
    };
  }

  return async (url) => {
    if (!/^https?:\/\//i.test(url)) throw new TypeError(`'${url}' is not an address that begins with http:// or https://`);
    try {
      return await read(url);
    } catch (cause) {
      throw failure(url, cause);
    }
  };
}

/** Refuses wrong options of the tool, and options of the extraction that it sets or that belong to one page. */
function check({ fetch, userAgent, ...numbers }, extraction) {
  const wrong = (name, expected, value) => new TypeError(`${name}: expected ${expected}, not ${JSON.stringify(value) ?? typeof value}`);
  for (const [name, value] of Object.entries(numbers)) {
    if (value !== undefined && !(typeof value === "number" && value > 0)) throw wrong(name, "a number above 0", value);
  }
  if (fetch !== undefined && typeof fetch !== "function") throw wrong("fetch", "a function", fetch);
  if (userAgent !== undefined && typeof userAgent !== "string") throw wrong("userAgent", "a string", userAgent);
  for (const name of ["formats", "url", "charset", "visible"]) {
    if (name in extraction) throw new TypeError(`${name}: has no effect here; the tool returns the Markdown of each address`);
  }
}

/** Opens an extractor. An error about an unknown option lists the options of the tool, and none that it refuses. */
function opened(extraction) {
  try {
    return new Extractor(extraction);
  } catch (cause) {
    const [, unknown] = /^(unknown option .*?); the options are /s.exec(cause?.message) ?? [];
    if (unknown === undefined) throw cause;
    const own = "fetch, maxCharacters, timeout, maxSize and userAgent";
    throw new TypeError(`${unknown}; the options are ${own}, and the settings of an Extractor without formats`, { cause });
  }
}

/** Returns an error that names the address, in its message and as `url`. */
function failure(url, cause) {
  const error = new Error(`${url}: ${cause?.message ?? cause}`, { cause });
  error.url = url;
  if (cause?.code !== undefined) error.code = cause.code;
  return error;
}

/** Cuts a text at the end of a line if one is near, and never within a character. */
function cut(text, length) {
  const short = text.slice(0, length);
  const line = short.lastIndexOf("\n");
  return (line > 0.8 * length ? short.slice(0, line) : short.replace(/[\ud800-\udbff]$/, "")).trimEnd();
}
