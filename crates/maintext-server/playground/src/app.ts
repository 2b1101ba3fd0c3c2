// The playground: loads a page and shows the extractor's result.
import { METHODS, base64, post, token, type Explanation, type Inspection } from "./api";
import { h, number } from "./dom";
import { language, switchLanguage, t } from "./i18n";
import { density, list, metadata, methods, rendering } from "./panels";
import { teach, type Labels } from "./teach";
import { why } from "./why";

type Ask = { url?: string; html?: string; html_base64?: string; charset?: string };
const TABS = ["text", "markdown", "html", "json", "metadata", "methods", "density", "list", "teach"] as const;
type Tab = (typeof TABS)[number];

const state = {
  ask: null as Ask | null, options: { method: "learned", favor: "balance", site_model: true },
  seen: null as Inspection | null, tab: "text" as Tab, painted: "", charted: "line-density", selected: -1,
  explanation: null as Explanation | null, labels: new Map() as Labels, unsaved: 0, pasting: false, address: "",
  status: "", bad: false, busy: false,
};
const frame = h("iframe", { src: "/assets/frame.html", sandbox: "allow-scripts", title: t("page"), referrerpolicy: "no-referrer" });
const status = h("p", { class: "status", role: "status", "aria-live": "polite" });
const whyBox = h("div", { class: "why", id: "why", tabindex: "-1" });
const panel = h("div", { class: "panel", id: "panel", role: "tabpanel", tabindex: "0" });
const tabs = h("div", { class: "tabs", role: "tablist" });
const results = h("div", { class: "columns" });
let ready = false;

function say(text: string, bad = false) {
  state.status = text;
  state.bad = bad;
  status.textContent = text;
  status.classList.toggle("bad", bad);
}

function send(message: unknown) {
  if (ready) frame.contentWindow?.postMessage(message, "*");
}

/** Whether the method that is shown keeps a block. */
function kept(block: number): boolean {
  const seen = state.seen;
  if (!seen) return false;
  return state.painted ? seen.methods[state.painted]?.keep[block] === 1 : seen.blocks[block]?.keep === true;
}

function paint() {
  const seen = state.seen;
  if (!seen) return;
  send({ type: "paint", blocks: seen.blocks.map((b, i) => ({
    p: state.painted && state.painted !== "learned" ? (kept(i) ? 1 : 0) : b.probability ?? (b.keep ? 1 : 0), keep: kept(i), label: state.labels.get(i) ?? null,
  })) });
}

async function ask(next: Ask) {
  state.ask = next;
  state.busy = true;
  say(t("working"));
  try {
    const seen = await post<Inspection>("/v1/inspect", { ...next, options: state.options });
    Object.assign(state, { seen, painted: "", selected: -1, explanation: null, labels: new Map(), unsaved: 0 });
    const words = seen.blocks.reduce((sum, b) => sum + (b.keep ? b.words : 0), 0);
    const all = seen.blocks.reduce((sum, b) => sum + b.words, 0);
    const sure = seen.page.confidence === null ? "" : ` · ${t("confidence", { f1: number(seen.page.confidence) })}`;
    say(t("summary", { words, all, blocks: seen.blocks.length, ms: number(seen.milliseconds, 1) }) + sure);
    draw();
    send({ type: "page", steps: seen.view });
    paint();
  } catch (error) {
    say(String((error as Error).message), true);
  } finally {
    state.busy = false;
  }
}

async function select(block: number) {
  const seen = state.seen;
  if (!seen) return;
  state.selected = block;
  state.explanation = null;
  drawWhy();
  if (state.tab === "teach") drawPanel();
  try {
    const explanation = await post<Explanation>("/v1/explain", { handle: seen.handle, block, site_model: state.options.site_model });
    if (state.selected !== block || state.seen !== seen) return;
    state.explanation = explanation;
    drawWhy();
  } catch (error) {
    say(String((error as Error).message), true);
  }
}

function mark(keep: boolean | null) {
  if (state.selected < 0) return say(t("select_first"), true);
  if (keep === null) state.labels.delete(state.selected);
  else state.labels.set(state.selected, keep);
  state.unsaved += 1;
  paint();
  if (state.tab === "teach") drawPanel();
}

function drawWhy() {
  const seen = state.seen;
  if (!seen || state.selected < 0) return whyBox.replaceChildren(h("p", { class: "soft" }, t("hint_block")));
  const method = state.painted || state.options.method;
  whyBox.replaceChildren(...why(seen, state.selected, kept(state.selected), method, state.explanation));
}

function drawPanel() {
  const seen = state.seen;
  if (!seen) return;
  const draws: { [tab in Tab]: () => HTMLElement[] } = {
    text: () => rendering(seen.page.text, true),
    markdown: () => rendering(seen.page.markdown, false),
    html: () => rendering(seen.page.html, false),
    json: () => rendering(JSON.stringify(seen.page, null, 2), false),
    metadata: () => metadata(seen),
    methods: () => methods(seen, state.painted || state.options.method, (name) => {
      state.painted = name;
      paint();
      drawPanel();
      drawWhy();
    }),
    density: () => density(seen, state.charted, panel.clientWidth - 24, (name) => {
      state.charted = name;
      drawPanel();
    }),
    list: () => list(seen),
    teach: () => teach({
      seen, labels: state.labels, unsaved: state.unsaved, selected: state.selected, mark, status: say, redraw: () => state.tab === "teach" && drawPanel(),
      saved: () => (state.unsaved = 0),
      rerun: () => {
        state.options.site_model = true;
        if (state.ask) void ask(state.ask);
      },
    }),
  };
  panel.setAttribute("aria-labelledby", `tab-${state.tab}`);
  panel.replaceChildren(...draws[state.tab]());
}

function drawTabs() {
  tabs.replaceChildren(...TABS.map((tab) => h("button", {
    type: "button", role: "tab", id: `tab-${tab}`, "aria-selected": String(state.tab === tab), "aria-controls": "panel", tabindex: state.tab === tab ? "0" : "-1",
    onclick: () => show(tab),
    onkeydown: (event: Event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[(event as KeyboardEvent).key];
      const next = by && TABS[(TABS.indexOf(tab) + by + TABS.length) % TABS.length];
      if (next) show(next, true);
    },
  }, t(tab))));
}

function show(tab: Tab, focus = false) {
  state.tab = tab;
  drawTabs();
  drawPanel();
  if (focus) document.getElementById(`tab-${tab}`)?.focus();
}

function draw() {
  const seen = state.seen;
  results.hidden = !seen;
  hint.hidden = seen !== null;
  if (!seen) return;
  warnings.replaceChildren(...seen.page.warnings.map((w) => h("p", { class: "warning small" }, w.message)),
    ...(seen.cut ? [h("p", { class: "warning small" }, t("cut"))] : []));
  drawTabs();
  drawPanel();
  drawWhy();
}

const hint = h("p", { class: "soft", id: "hint" });
const warnings = h("div");

async function readFile(file: File) {
  await ask({ html_base64: base64(new Uint8Array(await file.arrayBuffer())), ...(state.address ? { url: state.address } : {}) });
}

/** Draws everything with text. The frame is not redrawn, because moving it in the document would reload it. */
function frameWork() {
  document.documentElement.lang = language;
  const address = h("input", { type: "url", id: "address", placeholder: "https://", required: true, "aria-label": t("address"), value: state.address, oninput: () => (state.address = address.value) });
  const file = h("input", { type: "file", id: "file", hidden: true, accept: ".html,.htm,.xhtml,text/html", onchange: () => file.files?.[0] && readFile(file.files[0]) });
  const paste = h("textarea", { id: "paste", "aria-label": t("paste"), spellcheck: "false", placeholder: "<html>…" });
  const pasteBox = h("div", { hidden: !state.pasting }, paste, h("div", { class: "row" },
    h("button", { type: "button", id: "paste-go", onclick: () => ask({ html: paste.value, ...(state.address ? { url: state.address } : {}) }) }, t("pasted"))));
  const form = h("form", { class: "ask", onsubmit: (event: Event) => {
    event.preventDefault();
    void ask({ url: address.value.trim() });
  } }, address, h("button", { class: "first", id: "start" }, t("start")),
    h("button", { type: "button", onclick: () => file.click() }, t("file")), file,
    h("button", { type: "button", id: "paste-open", onclick: () => {
      state.pasting = !state.pasting;
      pasteBox.hidden = !state.pasting;
      if (state.pasting) paste.focus();
    } }, t("paste")));
  const again = () => state.ask && void ask(state.ask);
  const method = h("select", { id: "method", onchange: () => { state.options.method = method.value; again(); } },
    ...METHODS.map((m) => h("option", { value: m, selected: m === state.options.method }, m)));
  const favor = h("select", { id: "favor", onchange: () => { state.options.favor = favor.value; again(); } },
    ...(["balance", "precision", "recall"] as const).map((f) => h("option", { value: f, selected: f === state.options.favor }, t(f))));
  const site = h("input", { type: "checkbox", id: "site-model", checked: state.options.site_model, onchange: () => { state.options.site_model = site.checked; again(); } });
  const secret = h("input", { type: "password", autocomplete: "off", size: "10", value: token.get(), oninput: () => token.set(secret.value) });
  head.replaceChildren(h("h1", {}, "maintext"), h("span", { class: "tagline" }, t("tagline")),
    h("nav", {}, h("a", { href: "/docs" }, t("api")), h("button", { class: "plain", type: "button", id: "language", lang: language === "en" ? "zh" : "en", onclick: () => {
      switchLanguage();
      frameWork();
      draw();
    } }, t("language"))));
  controls.replaceChildren(form, pasteBox, h("div", { class: "options" },
    h("label", {}, t("method"), method), h("label", {}, t("favor"), favor), h("label", {}, site, t("site_model")), h("label", {}, t("token"), secret)));
  hint.textContent = t("hint");
  legend.replaceChildren(h("strong", {}, t("page")), h("span", { class: "legend" }, t("legend_low"), h("i"), t("legend_high"), h("b", {}, t("legend_kept"))));
}

const head = h("header");
const controls = h("div");
const legend = h("div", { class: "head" });

addEventListener("message", (event) => {
  if (event.source !== frame.contentWindow) return;
  const message = event.data;
  if (message.type === "ready") {
    ready = true;
    if (state.seen) {
      send({ type: "page", steps: state.seen.view });
      paint();
    }
  } else if (message.type === "select" && Number.isInteger(message.block)) void select(message.block);
  else if (message.type === "key") mark(message.key === "+" ? true : message.key === "-" ? false : null);
});

results.append(h("section", { class: "card" }, legend, frame, whyBox), h("section", { class: "card" }, tabs, panel));
results.hidden = true;
document.body.append(head, h("main", {}, controls, status, warnings, hint, results));
frameWork();
const wanted = new URLSearchParams(location.search).get("url");
if (wanted) {
  state.address = wanted;
  frameWork();
  void ask({ url: wanted });
}
