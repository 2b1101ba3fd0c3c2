// The page's blocks, coloured by the decision on them.
import { say } from "./api.js";
import { h } from "./dom.js";
import { decisions, reasons } from "./engine.js";
import { reasons as inWords } from "maintext-reasons";
import { t } from "maintext-words";

const percent = (share) => `${Math.round(100 * share)} %`;

/** Returns the reasons for the decision on a block, in the playground's words. */
function reasonsOf(page, seen, number) {
  const block = seen.blocks[number];
  const words = (blocks) => blocks.reduce((sum, { words }) => sum + words, 0);
  const share = words(seen.blocks.slice(0, number)) / Math.max(1, words(seen.blocks));
  let found;
  try {
    found = inWords(block, block.keep, share, reasons(page, number));
  } catch {
    found = { because: [], although: [] };
  }
  const list = (title, items) => [h("p", {}, t(title)), h("ul", {}, ...items.map((item) => h("li", {}, item)))];
  const { because, although } = found;
  return [
    ...(because.length > 0 ? list(block.keep ? "kept_because" : "dropped_because", because) : [h("p", {}, t("no_reasons"))]),
    ...(although.length > 0 ? list("although", although) : []),
  ];
}

function blockOf(block, number) {
  const share = block.probability ?? block.score;
  const state = say(block.keep ? "kept" : "dropped");
  const facts = say("blockFacts", state, percent(share), block.tag, block.words);
  const button = h(
    "button",
    {
      type: "button",
      className: `block ${block.keep ? "kept" : "dropped"}`,
      title: facts,
      "aria-expanded": "false",
      tabIndex: number === 0 ? 0 : -1,
    },
    h("span", { className: "score" }, percent(share)),
    h("span", { className: /^h[1-6]$/.test(block.tag) ? "text heading" : "text", dir: "auto" }, block.text),
    h("span", { className: "hidden" }, `, ${facts}`),
  );
  button.style.setProperty("--share", String(Math.min(1, Math.max(0, share))));
  return h("li", {}, button);
}

/** Arrow keys go from block to block; one of them is a stop of the tab key. */
function move(list, event) {
  const buttons = [...list.querySelectorAll("button.block")];
  const at = buttons.indexOf(document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
  if (at < 0 || to === undefined || !buttons[to]) return;
  event.preventDefault();
  buttons[at].tabIndex = -1;
  buttons[to].tabIndex = 0;
  buttons[to].focus();
}

export function showWhy(panel, page) {
  const seen = decisions(page);
  const kept = seen.blocks.filter(({ keep }) => keep).length;
  const list = h("ol", { className: "blocks" }, ...seen.blocks.map(blockOf));
  list.addEventListener("keydown", (event) => move(list, event));
  list.addEventListener("click", (event) => {
    const button = event.target.closest("button.block");
    if (!button) return;
    const open = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!open));
    if (open) button.nextElementSibling?.remove();
    else button.after(h("div", { className: "reasons" }, ...reasonsOf(page, seen, [...list.children].indexOf(button.parentElement))));
  });
  const legend = h(
    "p",
    { className: "legend" },
    h("span", {}, h("i", { className: "kept" }), say("kept")),
    h("span", {}, h("i", { className: "dropped" }), say("dropped")),
    h("span", { className: "soft" }, say("whyHint")),
  );
  panel.append(h("h1", {}, say("whyTitle", kept, seen.blocks.length)));
  if (seen.confidence !== null) panel.append(h("p", { className: "soft" }, say("confidence", percent(seen.confidence))));
  panel.append(legend, list);
}
