// Explains why a block was kept or left out: in words, and on demand by the contribution of each feature to its score.
import type { Explanation, Inspection, Part, Stage } from "./backend";
import { h, number } from "./dom";
import { t } from "./i18n";
import { reasons } from "./reasons";

function bar(weight: number, largest: number): HTMLElement {
  const mark = h("i", { class: weight > 0 ? "up" : "down" });
  mark.style.width = `${(50 * Math.abs(weight)) / Math.max(largest, 1e-6)}%`;
  return h("td", { class: "bar" }, mark);
}

function signed(x: number): string {
  return (x > 0 ? "+" : x < 0 ? "−" : "") + Math.abs(x).toFixed(2);
}

function table(stage: Stage): HTMLElement {
  const shown = stage.parts.slice(0, 14);
  const rest = stage.rest + stage.parts.slice(14).reduce((sum, p) => sum + p.weight, 0);
  const largest = Math.max(...shown.map((p) => Math.abs(p.weight)), Math.abs(rest));
  const row = (p: Part) =>
    h(
      "tr",
      {},
      // A long name breaks after an underscore only.
      h("td", {}, ...p.feature.split(/(?<=_)/).flatMap((part) => [part, h("wbr")])),
      h("td", { class: "number" }, number(p.value, 3)),
      h("td", { class: "number median" }, number(p.median, 3)),
      h("td", { class: "number" }, signed(p.weight)),
      bar(p.weight, largest),
    );
  return h(
    "table",
    { class: "features" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", {}, t("feature")),
        h("th", { class: "number" }, t("value")),
        h("th", { class: "number median" }, t("median")),
        h("th", { class: "number" }, t("weight")),
        h("td"),
      ),
    ),
    h(
      "tbody",
      {},
      ...shown.map(row),
      h(
        "tr",
        {},
        h("td", { class: "soft" }, t("rest")),
        h("td"),
        h("td", { class: "median" }),
        h("td", { class: "number" }, signed(rest)),
        bar(rest, largest),
      ),
    ),
  );
}

function stages(e: Explanation): HTMLElement[] {
  const part = (name: string, stage: Stage) => [
    h("h3", {}, name),
    h("p", { class: "small soft" }, t("why_base", { average: signed(stage.average), score: signed(stage.score) })),
    table(stage),
  ];
  const own = signed(e.forest.score + e.network.score);
  return [
    h("p", { class: "small soft" }, t("kin", { own, kin: signed(e.kin), settled: signed(e.settled) })),
    ...part(t("why_forest"), e.forest),
    ...part(t("why_network"), e.network),
  ];
}

let open = false;

export function why(seen: Inspection, block: number, keep: boolean, method: string, explanation: Explanation | null): HTMLElement[] {
  const b = seen.blocks[block];
  if (!b) return [];
  const facts = [
    `${t("words")} ${b.words}`,
    `${t("link_density")} ${number(b.link_density)}`,
    b.probability !== null ? `${t("probability")} ${number(b.probability, 3)}` : `${t("score")} ${number(b.score, 3)}`,
  ];
  const distance = Math.abs((b.probability ?? (keep ? 1 : 0)) - 0.5);
  const sure = t(distance > 0.4 ? "sure" : distance > 0.15 ? "probable" : "close_call");
  const out: HTMLElement[] = [
    h("p", { class: "quote" }, b.text.length > 240 ? `${b.text.slice(0, 240)}…` : b.text),
    h(
      "p",
      { class: "verdict" },
      h("strong", { class: keep ? "keep" : "drop" }, t(keep ? "kept" : "dropped")),
      method === "learned" && h("span", { class: "soft" }, sure),
      method === "learned" &&
        b.role !== null &&
        h("span", { class: "soft" }, t("role_of", { role: t(`role_${b.role}`), share: Math.min(99, Math.round(100 * (b.role_probability ?? 0))) })),
    ),
  ];
  if (method !== "learned") out.push(h("p", { class: "small soft" }, t("other_method", { method, score: number(b.score, 3) })));
  if (!explanation) return out;
  const before = seen.blocks.slice(0, block).reduce((sum, x) => sum + x.words, 0);
  const all = seen.blocks.reduce((sum, x) => sum + x.words, 0);
  const decided = method === "learned" ? keep : explanation.probability >= 0.5;
  const { because, although } = reasons(b, decided, before / Math.max(1, all), explanation);
  if (because.length)
    out.push(
      h("p", { class: "lead-in" }, t(decided ? "kept_because" : "dropped_because")),
      h("ul", { class: `reasons ${decided ? "pro" : "con"}` }, ...because.map((r) => h("li", {}, r))),
    );
  else out.push(h("p", { class: "soft" }, t("no_reasons")));
  if (although.length)
    out.push(
      h("p", { class: "lead-in" }, t("although")),
      h("ul", { class: `reasons ${decided ? "con" : "pro"}` }, ...although.map((r) => h("li", {}, r))),
    );
  const numbers = h(
    "details",
    { open, ontoggle: () => (open = numbers.open) },
    h("summary", {}, t("numbers")),
    h("p", { class: "small soft" }, facts.join(" · ")),
    h("p", { class: "small soft path" }, b.path),
    ...stages(explanation),
  );
  out.push(numbers);
  return out;
}
