// What the drop-in modules share: the page's tree and the HTML that maintext wrote.

/** Elements without content. */
const VOID = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
const ENTITIES = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"' };
/** A start tag, an end tag or text of HTML that maintext wrote: well-formed, with attributes in double quotes. */
const TOKEN = /<(\/?)([a-zA-Z][^\s>/]*)((?:[^>"]|"[^"]*")*)>|[^<]+/g;

/** Decodes the character references that maintext writes. */
function decoded(text) {
  return text.includes("&") ? text.replace(/&(?:amp|lt|gt|quot);/g, (entity) => ENTITIES[entity]) : text;
}

/** Returns the text of HTML that maintext wrote: its `textContent`. */
export function textOf(html) {
  return decoded(html.replace(TOKEN, (token) => (token[0] === "<" ? "" : token)));
}

/** Returns letters and digits alone, to compare texts that were written in different ways. */
export function letters(text) {
  return text.replace(/[^\p{L}\p{N}]+/gu, "");
}

/** The content begins without the page's title, and its headings below it. */
export function below(html) {
  return html.replace(/<(\/?)h1(?=[\s>])/g, "<$1h2");
}

/** Returns the address that relative links of a document count from, if it has a host. */
export function addressOf(document) {
  // A <base> is part of the page, and the library reads it.
  const known = [document.documentURI, document.URL, document.location?.href, document.baseURI];
  return known.find((url) => typeof url === "string" && /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(url));
}

/** Returns the smallest element that holds the first and the last line of a text, or the body. */
export function contentRoot(document, text) {
  const lines = text
    .split("\n")
    .map((line) => letters(line.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, "")))
    .filter(Boolean);
  let root = document.body ?? document.documentElement;
  if (lines.length === 0) return root;
  const [first, last] = [lines[0] ?? "", lines.at(-1) ?? ""].map((line) => line.slice(0, 40));
  const least = 0.8 * letters(text).length;
  const holds = (element) => {
    const all = letters(element.textContent ?? "");
    if (all.length < least) return false;
    const from = all.indexOf(first);
    return from >= 0 && all.indexOf(last, from) >= 0;
  };
  for (let next = root; next;) {
    root = next;
    next = [...root.children].find(holds);
  }
  return root;
}

/** Returns the outermost elements of HTML as `{ end, text }`: the place after each, and its letters. */
function blocksOf(html) {
  const blocks = [];
  let depth = 0;
  let text = "";
  for (const { 0: token, 1: close, 2: name, index } of html.matchAll(TOKEN)) {
    if (name === undefined) text += letters(decoded(token));
    else if (close) depth -= 1;
    else if (!VOID.has(name)) depth += 1;
    if (depth === 0 && name !== undefined) {
      blocks.push({ end: index + token.length, text });
      text = "";
    }
  }
  return blocks;
}

/** Returns the last letters of the text before a node, within an element. */
function lettersBefore(node, root) {
  let found = "";
  for (let at = node; at && at !== root && found.length < 40;) {
    if (!at.previousSibling) {
      at = at.parentNode;
      continue;
    }
    at = at.previousSibling;
    found = letters(at.textContent ?? "") + found;
  }
  return found.slice(-40);
}

/** Puts embedded players back: instead of a link to the same video, or after the block that they follow on the page. */
export function withPlayers(html, players, root) {
  if (players.length === 0) return html;
  const blocks = blocksOf(html);
  /** Texts to insert at positions, each replacing a number of characters. */
  const edits = [];
  for (const { node, src, markup } of players) {
    const link = linkTo(src, html);
    if (link) {
      edits.push({ at: link.index, length: link.length, markup });
      continue;
    }
    const before = lettersBefore(node, root);
    const block = blocks.findLast(({ text }) => text !== "" && before.endsWith(text.slice(-40)));
    const at = before === "" ? 0 : ((block ?? blocks.at(-1))?.end ?? 0);
    edits.push({ at, length: 0, markup: at === 0 ? `${markup}\n` : `\n${markup}` });
  }
  let out = "";
  let from = 0;
  for (const { at, length, markup } of edits.sort((a, b) => a.at - b.at)) {
    out += html.slice(from, Math.max(from, at)) + markup;
    from = Math.max(from, at + length);
  }
  return out + html.slice(from);
}

/** Returns the paragraph that consists only of a link to the video of a player. */
function linkTo(src, html) {
  const name = /([\w-]{5,})\/?(?:[?#]|$)/.exec(src)?.[1];
  if (name === undefined) return undefined;
  for (const { 0: paragraph, 1: href, index } of html.matchAll(/<p><a href="([^"]*)"[^>]*>[^<]*<\/a><\/p>/g)) {
    if (href.includes(name)) return { index, length: paragraph.length };
  }
  return undefined;
}

export function escapeAttribute(text) {
  return text.replace(/[&"<>]/g, (c) => ({ "&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;" })[c]);
}

export function escapeText(text) {
  return text.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);
}

/** Returns an element that holds HTML, in a document that loads nothing. */
export function elementOf(html, document) {
  const owner = document.implementation?.createHTMLDocument?.("") ?? document;
  const element = owner.createElement("div");
  element.innerHTML = html;
  return element;
}
