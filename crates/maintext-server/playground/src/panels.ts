// The result panels other than the article and the page.
import { coloured } from "./colours";
import type { Candidate, Entry, Inspection, Thing } from "./backend";
import { h, type Child } from "./dom";
import { count, day, duration, maybe, t } from "./i18n";
import { copy, fileName, save } from "./save";

/** Characters of a long text that are shown at first: more takes seconds to lay out. */
const SHOWN = 120_000;

/** Returns a button that copies a text and reports its success. */
export function copyButton(text: () => string, label = t("copy")): HTMLButtonElement {
  const button = h(
    "button",
    {
      type: "button",
      onclick: async () => {
        button.textContent = t((await copy(text())) ? "copied" : "not_copied");
        setTimeout(() => (button.textContent = label), 1800);
      },
    },
    label,
  );
  button.setAttribute("aria-live", "polite");
  return button;
}

export function size(chars: number): string {
  return chars < 1e6 ? `${Math.ceil(chars / 1e3)} KB` : `${(chars / 1e6).toFixed(1)} MB`;
}

/** Returns a text of any length; a long one is cut until the reader asks for the rest. */
export function long(text: string, style: string, form = ""): HTMLElement[] {
  const box = h("pre", { class: style, tabindex: "0" }, ...(text ? coloured(text.slice(0, SHOWN), form) : [t("nothing")]));
  if (text.length <= SHOWN) return [box];
  const more = h(
    "button",
    {
      type: "button",
      class: "more",
      onclick: () => {
        // In pieces, which the browser lays out only when they come into view.
        box.replaceChildren(
          ...(text.match(/[^]{1,20000}(?:\n|$)|[^]{1,20000}/g) ?? []).map((piece) => h("span", { class: "piece" }, piece)),
        );
        more.remove();
      },
    },
    t("show_all", { size: size(text.length) }),
  );
  return [box, more];
}

export type Format = "markdown" | "text" | "html";
const ENDINGS = {
  markdown: ["md", "text/markdown"],
  text: ["txt", "text/plain"],
  html: ["html", "text/html"],
  json: ["json", "application/json"],
} as const;

/** Returns the content in a format, as it is copied and saved. */
export function content(seen: Inspection, format: Format | "json"): string {
  return format === "json" ? JSON.stringify(seen.page, null, 2) : (seen.page[format] ?? "");
}

export function download(seen: Inspection, format: Format | "json") {
  const [ending, type] = ENDINGS[format];
  save(content(seen, format), `${fileName(seen.page.title)}.${ending}`, type);
}

function actions(seen: Inspection, format: Format | "json", ...before: Child[]): HTMLElement {
  return h(
    "div",
    { class: "row tools" },
    ...before,
    h("span", { class: "spring" }),
    copyButton(() => content(seen, format)),
    h("button", { type: "button", onclick: () => download(seen, format) }, t("download")),
  );
}

export function formats(seen: Inspection, chosen: Format, choose: (format: Format) => void): HTMLElement[] {
  const choice = (["markdown", "text", "html"] as const).map((format) =>
    h(
      "button",
      {
        type: "button",
        id: `format-${format}`,
        "aria-pressed": String(format === chosen),
        onclick: () => choose(format),
      },
      t(format),
    ),
  );
  return [
    actions(seen, chosen, h("div", { class: "segments", role: "group", "aria-label": t("format") }, ...choice)),
    ...long(content(seen, chosen), chosen === "text" ? "prose result" : "result", chosen),
  ];
}

export function json(seen: Inspection): HTMLElement[] {
  return [actions(seen, "json"), ...long(content(seen, "json"), "result", "json")];
}

const FIELDS = [
  "title",
  "author",
  "date",
  "date_modified",
  "sitename",
  "language",
  "description",
  "url",
  "image",
  "license",
  "categories",
  "tags",
  "breadcrumb",
];

function shown(value: unknown): string {
  return Array.isArray(value) ? value.join(", ") : value === null || value === undefined ? "" : String(value);
}

export function metadata(seen: Inspection): HTMLElement[] {
  const rows = FIELDS.map((field) => [field, shown(seen.page[field]), seen.page.metadata_sources?.[field] ?? ""] as const).filter(
    ([, value]) => value,
  );
  const table = h(
    "table",
    { class: "fields" },
    h("thead", {}, h("tr", {}, h("th", {}, t("field")), h("th", {}, t("value")), h("th", {}, t("source")))),
    h(
      "tbody",
      {},
      ...rows.map(([field, value, source]) =>
        h("tr", {}, h("th", { scope: "row" }, field), h("td", {}, value), h("td", { class: "soft small source" }, source)),
      ),
    ),
  );
  const evidence = (c: Candidate) => c.evidence.map((e) => `${e.source} ${e.key}`.trim()).join(", ");
  const lists = Object.entries(seen.candidates)
    .filter(([, list]) => list.length)
    .flatMap(([field, list]) => [
      h("h2", {}, `${t("candidates")}: ${field}`),
      h(
        "table",
        {},
        h(
          "tbody",
          {},
          ...list
            .slice(0, 12)
            .map((c) =>
              h(
                "tr",
                {},
                h("td", { class: "number" }, `${Math.round(100 * c.probability)} %`),
                h("td", {}, c.value),
                h("td", { class: "soft small" }, evidence(c)),
              ),
            ),
        ),
      ),
    ]);
  return [table, ...lists];
}

/** Returns a link to a page of the web; other addresses are text. */
export function webLink(address: string, text: string): HTMLElement {
  if (!/^https?:\/\//i.test(address)) return h("span", {}, text);
  return h("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, text);
}

export function list(seen: Inspection): HTMLElement[] {
  const entries = seen.page.entries;
  const type = seen.page.page_type;
  const kind = h("p", { class: "soft" }, `${t("kind")}: `, h("strong", {}, (type && maybe(`type_${type}`)) ?? type ?? t("unknown")));
  if (!entries.length) return [kind, h("p", { class: "empty" }, t("no_entries"))];
  const facts = (e: Entry) => [e.category, e.author, day(e.date ?? null), e.price, e.rating, e.place].filter(Boolean).join(" · ");
  return [
    kind,
    h(
      "ol",
      { class: "entries" },
      ...entries.map((e) =>
        h(
          "li",
          {},
          h("div", { class: "entry-title" }, webLink(e.url ?? "", e.title)),
          facts(e) && h("div", { class: "soft small" }, facts(e)),
          e.summary && h("p", {}, e.summary),
        ),
      ),
    ),
  ];
}

/** Returns a value of a thing; objects in objects are lists of definitions. */
function value(x: unknown, field: string): Child {
  if (x === null || typeof x !== "object") {
    const text = String(x);
    if (/^https?:/.test(text)) return webLink(text, text);
    return /^P[0-9T]/.test(text) ? duration(text) : /date|published|start|end|valid/.test(field) ? day(text) : text;
  }
  if (!Array.isArray(x)) return part(x as Thing);
  if (x.every((item) => typeof item !== "object" && !/^https?:/.test(String(item))) && x.join("").length < 60) return x.join(", ");
  if (x.length === 1) return value(x[0], field);
  return h(field === "instructions" || field === "steps" ? "ol" : "ul", {}, ...x.map((item) => h("li", {}, value(item, field))));
}

/** Returns the fields of a thing but its name. */
function rest(thing: { [field: string]: unknown }): [string, unknown][] {
  return Object.entries(thing).filter(([name]) => name !== "type" && name !== "sources" && name !== "name");
}

function fields(all: [string, unknown][]): HTMLElement {
  return h("dl", {}, ...all.flatMap(([name, x]) => [h("dt", {}, name.replace(/_/g, " ")), h("dd", {}, value(x, name))]));
}

/** Returns a thing in a thing: its name alone, "name: value", or a list of definitions. */
function part(thing: Thing): Child {
  const others = rest(thing);
  if (!thing.name) return fields(others);
  if (!others.length) return String(thing.name);
  const [[field, only]] = others as [[string, unknown]];
  const simple = others.length === 1 && field === "value" && typeof only !== "object";
  return simple ? `${thing.name}: ${only}` : fields([["name", thing.name], ...others]);
}

export function things(seen: Inspection): HTMLElement[] {
  const all = seen.page.things ?? [];
  if (!all.length) return [h("p", { class: "empty" }, t("no_things"))];
  return all.map((thing) =>
    h(
      "section",
      { class: "thing" },
      h("p", { class: "kicker" }, thing.type),
      h("h2", {}, String(thing.name ?? count(all.indexOf(thing) + 1))),
      fields(rest(thing)),
    ),
  );
}
