// A comparison of the methods: the text that each keeps, two of them passage by passage, and the curve of a method's scores.
import { METHODS, type Inspection, type Method, type Methods } from "./backend";
import { chart, strip } from "./chart";
import { h, number } from "./dom";
import { count, t } from "./i18n";

export type Choice = { left: string; right: string; charted: string; open: boolean; all: boolean };

/** Rows of the comparison that are shown at first. */
const ROWS = 250;

/** Returns the agreement of two methods on the kept words, as F1. */
function agreement(a: number[], b: number[], words: number[]): number {
  let [both, sum] = [0, 0];
  words.forEach((w, i) => {
    both += a[i] && b[i] ? w : 0;
    sum += (a[i] ? w : 0) + (b[i] ? w : 0);
  });
  return sum ? (2 * both) / sum : 1;
}

function table(seen: Inspection, methods: Methods, painted: string, paint: (name: string) => void): HTMLElement {
  const words = seen.blocks.map((b) => b.words);
  const own = seen.blocks.map((b) => (b.keep ? 1 : 0));
  const rows = METHODS.flatMap((name) => {
    const m = methods[name];
    return m ? [[name, m] as const] : [];
  }).map(([name, m]) =>
    h(
      "tr",
      {},
      h(
        "td",
        {},
        h(
          "button",
          {
            class: "plain",
            type: "button",
            "data-method": name,
            "aria-pressed": String(painted === name),
            title: t("show"),
            onclick: () => paint(name),
          },
          name,
        ),
      ),
      h("td", { class: "number" }, count(m.words)),
      h("td", { class: "number" }, `${Math.round(100 * agreement(own, m.keep, words))} %`),
      h("td", { class: "number median" }, `${number(m.milliseconds, 1)} ms`),
      h("td", {}, strip(m.keep, words)),
    ),
  );
  return h(
    "table",
    { class: "methods" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", {}, t("method")),
        h("th", { class: "number" }, t("words")),
        h("th", { class: "number" }, t("agreement")),
        h("th", { class: "number median" }, t("time")),
        h("td"),
      ),
    ),
    h("tbody", {}, ...rows),
  );
}

function sides(seen: Inspection, left: Method, right: Method, choice: Choice, redraw: () => void): HTMLElement[] {
  const rows = seen.blocks.flatMap((b, i) =>
    left.keep[i] || right.keep[i] ? [{ text: b.text, left: left.keep[i] === 1, right: right.keep[i] === 1 }] : [],
  );
  const differ = rows.some((r) => r.left !== r.right);
  const cell = (text: string, here: boolean, there: boolean) => {
    const shown = text.length > 420 ? `${text.slice(0, 420)}…` : text;
    return here
      ? h("div", { class: there ? "both" : "only" }, !there && h("span", { class: "visually-hidden" }, `${t("only_here")}: `), shown)
      : h("div", { class: "none" });
  };
  const more = rows.length > ROWS && !choice.all;
  const grid = h(
    "div",
    { class: "sides" },
    ...rows.slice(0, choice.all ? rows.length : ROWS).flatMap((r) => [cell(r.text, r.left, r.right), cell(r.text, r.right, r.left)]),
  );
  return [
    ...(differ ? [] : [h("p", { class: "soft" }, t("same"))]),
    grid,
    ...(more
      ? [
          h(
            "button",
            {
              type: "button",
              class: "more",
              onclick: () => {
                choice.all = true;
                redraw();
              },
            },
            t("show_all", { size: count(rows.length) }),
          ),
        ]
      : []),
  ];
}

export function compare(
  seen: Inspection,
  methods: Methods,
  choice: Choice,
  width: number,
  painted: string,
  paint: (name: string) => void,
  redraw: () => void,
): HTMLElement[] {
  const select = (key: "left" | "right" | "charted", label: string, id: string) => {
    const box: HTMLSelectElement = h(
      "select",
      {
        id,
        "aria-label": label,
        onchange: () => {
          choice[key] = box.value;
          redraw();
          document.getElementById(id)?.focus();
        },
      },
      ...METHODS.map((name) => h("option", { value: name, selected: name === choice[key] }, name)),
    );
    return box;
  };
  const [left, right, charted] = [methods[choice.left], methods[choice.right], methods[choice.charted]];
  const curve = h(
    "details",
    { open: choice.open, ontoggle: () => (choice.open = curve.open) },
    h("summary", {}, t("density")),
    h("div", { class: "row" }, select("charted", t("method"), "charted"), h("span", { class: "legend" }, h("i"), t("chart_kept"))),
    charted ? h("div", { class: "plot" }) : null,
    h(
      "p",
      { class: "small soft" },
      Object.entries(charted?.facts ?? {})
        .map(([name, x]) => `${name} ${number(x, 3)}`)
        .join(" · "),
    ),
  );
  if (charted) curve.querySelector(".plot")?.append(chart(choice.charted, charted, Math.max(280, width)));
  return [
    h("p", { class: "small soft" }, t("kept_blocks")),
    table(seen, methods, painted, paint),
    h("h2", {}, t("side_by_side")),
    h("div", { class: "sides head" }, select("left", t("first_method"), "left"), select("right", t("second_method"), "right")),
    ...(left && right ? sides(seen, left, right, choice, redraw) : []),
    curve,
  ];
}
