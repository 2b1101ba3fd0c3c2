// maintext/clipper: notes from templates, in the form of Obsidian Web Clipper's.
import { extract } from "maintext";

export { init, initSync } from "maintext";

/** A note with the properties that Obsidian Web Clipper writes by default. */
export const DEFAULT_TEMPLATE = {
  noteNameFormat: "{{title|safe_name}}",
  properties: [
    { name: "title", value: "{{title}}", type: "text" },
    { name: "source", value: "{{url}}", type: "text" },
    { name: "author", value: '{{author|split:", "|wikilink|join}}', type: "multitext" },
    { name: "published", value: '{{published|date:"YYYY-MM-DD"}}', type: "date" },
    { name: "created", value: '{{date|date:"YYYY-MM-DD"}}', type: "date" },
    { name: "description", value: "{{description}}", type: "text" },
    { name: "tags", value: "clippings", type: "multitext" },
  ],
  noteContentFormat: "{{content}}",
};

/** Extracts a page and fills in a template: the note's name, its properties as YAML, and its text. */
export function clip(html, options = {}) {
  const { template = DEFAULT_TEMPLATE, now = new Date(), ...extraction } = options;
  const page = extract(html, { ...extraction, formats: ["text", "markdown", "html"], title: "never", now });
  const variables = variablesOf(page, now);
  const {
    noteNameFormat = DEFAULT_TEMPLATE.noteNameFormat,
    properties = [],
    noteContentFormat = DEFAULT_TEMPLATE.noteContentFormat,
  } = template;
  const name = FILTERS.safe_name(fill(noteNameFormat, variables)) || "Untitled";
  const frontMatter = frontMatterOf(properties, variables);
  const content = fill(noteContentFormat, variables);
  return { name, frontMatter, content, note: `${frontMatter}${content.trimEnd()}\n`, page };
}

/** Returns the variables of a page by name. */
export function variablesOf(page, now = new Date()) {
  return {
    title: page.title ?? "",
    author: page.author ?? "",
    content: (page.markdown ?? "").trim(),
    contentHtml: page.html ?? "",
    date: now.toISOString(),
    time: now.toISOString(),
    description: page.description ?? "",
    domain: (page.hostname ?? "").replace(/^www\./, ""),
    image: page.image ?? "",
    language: page.language ?? "",
    published: page.date ?? "",
    site: page.sitename ?? "",
    tags: page.tags.join(", "),
    url: page.url ?? "",
    words: String(page.words),
  };
}

/** Replaces `{{variable|filter:argument}}` in a template; an unknown variable is empty, an unknown filter an error. */
export function fill(template, variables) {
  return template.replace(/\{\{((?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^{}"'])*)\}\}/g, (_, expression) => {
    const [first, ...filters] = parts(expression, "|");
    const name = first.trim();
    const quoted = unquoted(name);
    let value = quoted === name ? (Object.hasOwn(variables, name) ? variables[name] : "") : quoted;
    for (const filter of filters) value = filtered(value, filter.trim());
    return Array.isArray(value) ? value.join(", ") : String(value);
  });
}

function filtered(value, filter) {
  const [name, ...rest] = parts(filter, ":");
  const apply = Object.hasOwn(FILTERS, name.trim()) ? FILTERS[name.trim()] : undefined;
  if (!apply) throw new TypeError(`template: unknown filter '${name.trim()}'; they are ${Object.keys(FILTERS).join(", ")}`);
  const argument = rest
    .join(":")
    .trim()
    .replace(/^\(([^]*)\)$/, "$1");
  return apply(
    value,
    ...(argument === "" ? [] : parts(argument, name.trim() === "replace" ? ":" : ",").map((part) => unquoted(part.trim()))),
  );
}

/** Divides a text at a character that is not within quotes. */
function parts(text, divider) {
  const found = [""];
  let quote = "";
  for (let i = 0; i < text.length; i += 1) {
    const c = text[i];
    if (quote && c === "\\" && i + 1 < text.length) {
      found[found.length - 1] += c + text[++i];
      continue;
    }
    if (quote === c) quote = "";
    else if (!quote && (c === '"' || c === "'")) quote = c;
    if (!quote && c === divider) found.push("");
    else found[found.length - 1] += c;
  }
  return found;
}

function unquoted(text) {
  const [, , inner] = /^(["'])([^]*)\1$/.exec(text) ?? [];
  return inner === undefined ? text : inner.replace(/\\(.)/g, (_, c) => ({ n: "\n", t: "\t" })[c] ?? c);
}

const each = (value, change) => (Array.isArray(value) ? value.map(change) : change(String(value)));
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const wordsOf = (text) => text.match(/[\p{L}\p{N}]+/gu) ?? [];

/** The filters, with the names and arguments that Obsidian Web Clipper's have. */
const FILTERS = {
  lower: (value) => each(value, (text) => text.toLowerCase()),
  upper: (value) => each(value, (text) => text.toUpperCase()),
  capitalize: (value) => each(value, (text) => capital(text.toLowerCase())),
  title: (value) => each(value, (text) => text.replace(/\S+/g, (word) => capital(word.toLowerCase()))),
  trim: (value) => each(value, (text) => text.trim()),
  kebab: (value) => each(value, (text) => wordsOf(text).join("-").toLowerCase()),
  snake: (value) => each(value, (text) => wordsOf(text).join("_").toLowerCase()),
  safe_name: (value) => each(value, safeName),
  date: (value, format = "YYYY-MM-DD") => each(value, (text) => dated(text, format)),
  replace: (value, from, to = "") => each(value, (text) => text.replaceAll(...replacement(from, to))),
  slice: (value, from = "0", to) => value.slice(Number(from), to === undefined ? undefined : Number(to)),
  split: (value, divider = ",") => String(value).split(divider).filter(Boolean),
  join: (value, divider = ",") => (Array.isArray(value) ? value.join(divider) : value),
  first: (value) => (Array.isArray(value) ? (value[0] ?? "") : value),
  last: (value) => (Array.isArray(value) ? (value.at(-1) ?? "") : value),
  unique: (value) => (Array.isArray(value) ? [...new Set(value)] : value),
  length: (value) => String(value.length),
  blockquote: (value) => each(value, (text) => text.replace(/^/gm, "> ").replace(/^> $/gm, ">")),
  callout: (value, type = "info", title = "") => `> [!${type}]${title && ` ${title}`}\n${FILTERS.blockquote(String(value))}`,
  link: (value, text = "link") => each(value, (address) => `[${text}](${address.replace(/[()\s]/g, encodeURIComponent)})`),
  image: (value, text = "") => each(value, (address) => `![${text}](${address.replace(/[()\s]/g, encodeURIComponent)})`),
  wikilink: (value, alias) => each(value, (text) => text && (alias ? `[[${text}|${alias}]]` : `[[${text}]]`)),
  list: (value) => (Array.isArray(value) ? value : [value]).map((text) => `- ${text}`).join("\n"),
};

function replacement(from, to) {
  const [, source, flags] = /^\/(.+)\/([a-z]*)$/s.exec(from) ?? [];
  return source === undefined ? [from, () => to] : [new RegExp(source, flags.includes("g") ? flags : `${flags}g`), to];
}

/** Returns a name that files of all systems can have. */
function safeName(text) {
  const plain = text
    .replace(/[\u0000-\u001f<>:"/\\|?*#^[\]]/g, "")
    .replace(/\s+/g, " ")
    .trim();
  const name = plain.slice(0, 245).replace(/^\.+|[. ]+$/g, "");
  return /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(name) ? `_${name}` : name;
}

const PARTS = /YYYY|YY|MMMM|MMM|MM|M|DD|D|dddd|ddd|HH|H|hh|h|mm|m|ss|s|A|a|\[([^\]]*)\]/g;

/** Writes an ISO date in a format, as Day.js does. The parts are those that the text states, whatever the time zone. */
function dated(text, format) {
  const stated = /^(\d{4})-(\d\d)(?:-(\d\d))?(?:[T ](\d\d):(\d\d)(?::(\d\d))?)?/.exec(text);
  if (!stated) return text;
  const [year, month, day, hour, minute, second] = stated.slice(1).map((part) => Number(part ?? 0));
  const when = new Date(Date.UTC(year, month - 1, day || 1, hour, minute, second));
  const named = (options) => when.toLocaleString("en", { ...options, timeZone: "UTC" });
  const two = (number) => String(number).padStart(2, "0");
  const values = {
    YYYY: () => String(year).padStart(4, "0"),
    YY: () => two(year % 100),
    MMMM: () => named({ month: "long" }),
    MMM: () => named({ month: "short" }),
    MM: () => two(month),
    M: () => month,
    DD: () => two(day || 1),
    D: () => day || 1,
    dddd: () => named({ weekday: "long" }),
    ddd: () => named({ weekday: "short" }),
    HH: () => two(hour),
    H: () => hour,
    hh: () => two(hour % 12 || 12),
    h: () => hour % 12 || 12,
    mm: () => two(minute),
    m: () => minute,
    ss: () => two(second),
    s: () => second,
    A: () => (hour < 12 ? "AM" : "PM"),
    a: () => (hour < 12 ? "am" : "pm"),
  };
  return format.replace(PARTS, (part, literal) => (literal === undefined ? values[part]() : literal));
}

/** Writes properties as YAML front matter. An empty value is an empty property, as in Obsidian. */
function frontMatterOf(properties, variables) {
  if (properties.length === 0) return "";
  const lines = properties.map(({ name, value, type = "text" }) => {
    const key = /^[\p{L}_][\p{L}\p{N}_ -]*$/u.test(name) ? name : JSON.stringify(name);
    const text = fill(value, variables).trim();
    if (type === "multitext") {
      const items = itemsOf(text);
      return `${key}:${items.map((item) => `\n  - ${JSON.stringify(item)}`).join("")}`;
    }
    if (text === "") return `${key}:`;
    if (type === "number") return `${key}:${/^-?\d+(\.\d+)?$/.test(text) ? ` ${text}` : ""}`;
    if (type === "checkbox") return `${key}: ${/^(true|1|yes)$/i.test(text)}`;
    if (/^(date|datetime)$/.test(type) && /^\d{4}-\d\d-\d\d([T ][\d:.]+(Z|[+-]\d\d:?\d\d)?)?$/.test(text)) return `${key}: ${text}`;
    return `${key}: ${JSON.stringify(text)}`;
  });
  return `---\n${lines.join("\n")}\n---\n`;
}

/** Divides a list at commas that are not within [[links]]. */
function itemsOf(text) {
  return (text.match(/(?:\[\[[^\]]*\]\]|[^,[]|\[)+/g) ?? []).map((item) => item.trim()).filter(Boolean);
}
