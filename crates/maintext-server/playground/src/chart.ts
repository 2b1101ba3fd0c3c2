// The density chart along the page: line lengths as bars, the method's score as a curve, kept lines shaded.
import type { Method, Row } from "./backend";
import { number, svg } from "./dom";
import { t } from "./i18n";

const HEIGHT = 260,
  LEFT = 46,
  RIGHT = 46,
  TOP = 22,
  BOTTOM = 34;
const COLUMNS = 600;

type Column = { chars: number; score: number; keep: boolean };

/** Returns at most COLUMNS columns. A column for several lines shows the longest one, so that long lines stay visible. */
function columns(rows: Row[]): Column[] {
  const step = Math.max(1, Math.ceil(rows.length / COLUMNS));
  const out: Column[] = [];
  for (let i = 0; i < rows.length; i += step) {
    const group = rows.slice(i, i + step);
    const longest = group.reduce((a, b) => (b[1] > a[1] ? b : a));
    out.push({ chars: longest[1], score: longest[3], keep: group.some((r) => r[4] === 1) });
  }
  return out;
}

/** Draws the chart at the available width in pixels, so that text keeps its size. */
export function chart(name: string, method: Method, WIDTH: number): SVGElement {
  const cols = columns(method.rows);
  const scores = cols.map((c) => c.score).filter(Number.isFinite);
  const top = Math.max(1, ...cols.map((c) => c.chars));
  const [low, high] = [Math.min(0, ...scores), Math.max(1e-6, method.threshold ?? 0, ...scores)];
  const x = (i: number) => LEFT + ((WIDTH - LEFT - RIGHT) * i) / Math.max(1, cols.length);
  const y = (share: number) => HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share;
  const scoreY = (s: number) => y((s - low) / (high - low));
  const width = Math.max(0.6, x(1) - x(0));
  const shade = cols.map((c, i) =>
    c.keep ? svg("rect", { x: x(i), y: TOP, width, height: HEIGHT - TOP - BOTTOM, fill: "var(--good)", opacity: 0.18 }) : null,
  );
  const bars = cols.map((c, i) =>
    svg("rect", {
      x: x(i),
      y: y(c.chars / top),
      width: Math.max(0.5, width * 0.8),
      height: HEIGHT - BOTTOM - y(c.chars / top),
      fill: "var(--soft)",
      opacity: 0.55,
    }),
  );
  const line = cols.map((c, i) => `${i ? "L" : "M"}${number(x(i) + width / 2)} ${number(scoreY(c.score))}`).join("");
  const label = (text: string, px: number, py: number, anchor = "start") => svg("text", { x: px, y: py, "text-anchor": anchor }, text);
  return svg(
    "svg",
    { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${t("density")}: ${name}` },
    ...shade,
    ...bars,
    svg("path", { d: line, fill: "none", stroke: "var(--accent)", "stroke-width": 1.4 }),
    method.threshold !== null &&
      svg("line", {
        x1: LEFT,
        x2: WIDTH - RIGHT,
        y1: scoreY(method.threshold),
        y2: scoreY(method.threshold),
        stroke: "var(--bad)",
        "stroke-dasharray": "5 4",
      }),
    method.threshold !== null &&
      label(`${t("threshold")} ${number(method.threshold, 3)}`, WIDTH - RIGHT - 4, scoreY(method.threshold) - 4, "end"),
    svg("path", { d: `M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}V${TOP}`, fill: "none", stroke: "var(--line)" }),
    label(String(top), LEFT - 5, TOP + 8, "end"),
    label("0", LEFT - 5, HEIGHT - BOTTOM, "end"),
    label(number(high), WIDTH - RIGHT + 5, TOP + 8),
    label(number(low), WIDTH - RIGHT + 5, HEIGHT - BOTTOM),
    label(t("chart_length"), LEFT, 13),
    label(`${t("chart_score")} (${name})`, WIDTH - RIGHT, 13, "end"),
    label("1", LEFT, HEIGHT - BOTTOM + 14),
    label(String(method.rows.length), WIDTH - RIGHT, HEIGHT - BOTTOM + 14, "end"),
    label(t(method.unit === "line" ? "chart_x_line" : "chart_x_block"), WIDTH / 2, HEIGHT - 6, "middle"),
  );
}

/** Draws the blocks that a method keeps as a strip from the top of the page to its end; the width of a block is its word count. */
export function strip(keep: number[], words: number[]): SVGElement {
  const total = Math.max(
    1,
    words.reduce((a, b) => a + Math.max(1, b), 0),
  );
  const least = total / COLUMNS;
  const marks: { at: number; end: number }[] = [];
  let at = 0;
  keep.forEach((k, i) => {
    const end = at + Math.max(1, words[i] ?? 1);
    const last = marks[marks.length - 1];
    // A gap that is too narrow to be seen does not divide a mark.
    if (k && last && at - last.end < least) last.end = end;
    else if (k) marks.push({ at, end });
    at = end;
  });
  return svg(
    "svg",
    { class: "strip", viewBox: `0 0 ${total} 10`, preserveAspectRatio: "none", role: "img", "aria-label": t("kept") },
    svg("rect", { x: 0, y: 0, width: total, height: 10, fill: "var(--line)" }),
    ...marks.map((m) => svg("rect", { x: m.at, y: 0, width: m.end - m.at, height: 10, fill: "var(--good)" })),
  );
}
