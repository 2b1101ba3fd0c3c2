// Explains why a block was kept or dropped: its figures, and the contribution of each feature to its score.
import type { Explanation, Inspection, Part, Stage } from "./api";
import { h, number } from "./dom";
import { t } from "./i18n";

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
  const row = (p: Part) => h("tr", {},
    h("td", {}, p.feature), h("td", { class: "number" }, number(p.value, 3)), h("td", { class: "number median" }, number(p.median, 3)),
    h("td", { class: "number" }, signed(p.weight)), bar(p.weight, largest));
  return h("table", { class: "features" },
    h("thead", {}, h("tr", {}, h("th", {}, t("feature")), h("th", { class: "number" }, t("value")), h("th", { class: "number median" }, t("median")),
      h("th", { class: "number" }, t("weight")), h("th", {}))),
    h("tbody", {}, ...shown.map(row),
      h("tr", {}, h("td", { class: "soft" }, t("rest")), h("td"), h("td", { class: "median" }), h("td", { class: "number" }, signed(rest)), bar(rest, largest))));
}

export function why(seen: Inspection, block: number, keep: boolean, method: string, explanation: Explanation | null): HTMLElement[] {
  const b = seen.blocks[block];
  if (!b) return [];
  const facts = [
    `${t("words")} ${b.words}`, `${t("link_density")} ${number(b.link_density)}`,
    b.probability !== null ? `${t("probability")} ${number(b.probability, 3)}` : `${t("score")} ${number(b.score, 3)}`,
  ];
  const out: HTMLElement[] = [
    h("div", { class: "row" }, h("strong", { class: keep ? "keep" : "drop" }, keep ? t("kept") : t("dropped")), h("span", { class: "soft small" }, facts.join(" · "))),
    h("div", { class: "small soft" }, b.path), h("p", { class: "quote" }, b.text.slice(0, 240)),
  ];
  if (method !== "learned") out.push(h("p", { class: "small soft" }, t("why_other", { method })));
  if (!explanation) return out;
  const part = (name: string, stage: Stage) => [
    h("h2", {}, name), h("p", { class: "small soft" }, t("why_base", { average: signed(stage.average), score: signed(stage.score) })), table(stage),
  ];
  const own = signed(explanation.forest.score + explanation.network.score);
  out.push(
    h("p", { class: "small soft" }, t("kin", { own, kin: signed(explanation.kin), settled: signed(explanation.settled) })),
    ...part(t("why_forest"), explanation.forest),
    h("details", {}, h("summary", {}, t("more")), ...part(t("why_network"), explanation.network)),
  );
  return out;
}
