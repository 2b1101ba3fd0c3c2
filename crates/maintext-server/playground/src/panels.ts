// The result panels next to the page.
import { METHODS, type Candidate, type Inspection } from "./api";
import { chart, strip } from "./chart";
import { h, number } from "./dom";
import { t } from "./i18n";

export function rendering(text: string, prose: boolean): HTMLElement[] {
  const copy = h("button", { class: "plain small", type: "button", onclick: async () => {
    await navigator.clipboard.writeText(text);
    copy.textContent = t("copied");
    setTimeout(() => (copy.textContent = t("copy")), 1500);
  } }, t("copy"));
  return [h("div", { class: "row" }, copy), h("pre", { class: prose ? "prose result" : "result" }, text || t("nothing"))];
}

const FIELDS = ["title", "author", "date", "date_modified", "sitename", "language", "description", "url", "image", "license", "categories", "tags", "breadcrumb"];

function shown(value: unknown): string {
  return Array.isArray(value) ? value.join(", ") : value === null || value === undefined ? "" : String(value);
}

export function metadata(seen: Inspection): HTMLElement[] {
  const rows = FIELDS.map((field) => [field, shown(seen.page[field]), seen.page.metadata_sources?.[field] ?? ""] as const).filter(([, value]) => value);
  const table = h("table", {},
    h("thead", {}, h("tr", {}, h("th", {}, t("field")), h("th", {}, t("value")), h("th", {}, t("source")))),
    h("tbody", {}, ...rows.map(([field, value, source]) => h("tr", {}, h("td", {}, field), h("td", {}, value), h("td", { class: "soft small" }, source)))));
  const evidence = (c: Candidate) => c.evidence.map((e) => `${e.source} ${e.key}`.trim()).join(", ");
  const lists = Object.entries(seen.candidates).filter(([, list]) => list.length).flatMap(([field, list]) => [
    h("h2", {}, `${t("candidates")}: ${field}`),
    h("table", {}, h("tbody", {}, ...list.slice(0, 12).map((c) =>
      h("tr", {}, h("td", { class: "number" }, number(c.probability, 2)), h("td", {}, c.value), h("td", { class: "soft small" }, evidence(c)))))),
  ]);
  return [table, ...lists];
}

/** Returns the agreement of two methods on the kept words, as F1. */
function agreement(a: number[], b: number[], words: number[]): number {
  let [both, sum] = [0, 0];
  words.forEach((w, i) => {
    both += a[i] && b[i] ? w : 0;
    sum += (a[i] ? w : 0) + (b[i] ? w : 0);
  });
  return sum ? (2 * both) / sum : 1;
}

export function methods(seen: Inspection, painted: string, paint: (name: string) => void): HTMLElement[] {
  const words = seen.blocks.map((b) => b.words);
  const own = seen.blocks.map((b) => (b.keep ? 1 : 0));
  const rows = METHODS.flatMap((name) => {
    const m = seen.methods[name];
    return m ? [[name, m] as const] : [];
  }).map(([name, m]) => h("tr", {},
    h("td", {}, h("button", { class: "plain", type: "button", "data-method": name, "aria-pressed": String(painted === name), title: t("show"), onclick: () => paint(name) },
      painted === name ? h("strong", {}, name) : name)),
    h("td", { class: "number" }, m.words), h("td", { class: "number" }, number(agreement(own, m.keep, words), 2)),
    h("td", { class: "number median" }, `${number(m.milliseconds, 1)} ms`), h("td", {}, strip(m.keep, words))));
  return [
    h("p", { class: "small soft" }, t("kept_blocks")),
    h("table", { class: "methods" },
      h("thead", {}, h("tr", {}, h("th", {}, t("method")), h("th", { class: "number" }, t("words")), h("th", { class: "number" }, t("agreement")),
        h("th", { class: "number median" }, t("time")), h("th", {}))),
      h("tbody", {}, ...rows)),
  ];
}

export function density(seen: Inspection, chosen: string, width: number, choose: (name: string) => void): HTMLElement[] {
  const select = h("select", { "aria-label": t("method"), onchange: () => choose(select.value) },
    ...METHODS.map((name) => h("option", { value: name, selected: name === chosen }, name)));
  const method = seen.methods[chosen];
  if (!method) return [select];
  const facts = Object.entries(method.facts).map(([name, value]) => `${name} ${number(value, 3)}`).join(" · ");
  const box = h("div", { class: "row" });
  box.append(chart(chosen, method, Math.max(280, width)));
  return [h("div", { class: "row" }, select, h("span", { class: "legend" }, h("i"), t("chart_kept"))), box, h("p", { class: "small soft" }, facts)];
}

export function list(seen: Inspection): HTMLElement[] {
  const { page_type } = seen.page;
  const entries = seen.page.entries.length ? seen.page.entries : seen.groups[0]?.entries ?? [];
  const kind = h("p", {}, `${t("kind")}: `, h("strong", {}, page_type ?? t("unknown")));
  if (!entries.length) return [kind, h("p", { class: "soft" }, t("no_entries"))];
  return [kind, h("h2", {}, `${t("entries")} (${entries.length})`),
    h("table", {}, h("tbody", {}, ...entries.map((e) => h("tr", {}, h("td", {}, e.title), h("td", { class: "small soft" }, e.url)))))];
}
