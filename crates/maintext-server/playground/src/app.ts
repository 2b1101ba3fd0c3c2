// The page: opens a page and shows its article, its source with reasons, and its data.
import { COLOURED, METHODS, Problem, type Backend, type Explanation, type Inspection, type Labels, type Settings } from "./backend";
import { showCode } from "./code";
import { compare, type Choice } from "./compare";
import { button, h, number } from "./dom";
import { failureBox } from "./failure";
import { Frame, type Message } from "./frames";
import { catchDrops, form, home, mark as logo, type Desk } from "./home";
import { count, language, switchLanguage, t, warning } from "./i18n";
import { labelled, park } from "./labels";
import { locate, located, type Opened } from "./open";
import { content, copyButton, download, formats, json, list, metadata, things, type Format } from "./panels";
import { Reader } from "./reader";
import { why } from "./why";

const TABS = ["article", "page", "markdown", "json", "things", "list", "metadata", "methods", "teach"] as const;
type Tab = (typeof TABS)[number];

function summary({ blocks, page, milliseconds }: Inspection): string {
  const words = blocks.reduce((sum, b) => sum + (b.keep ? b.words : 0), 0);
  const all = blocks.reduce((sum, b) => sum + b.words, 0);
  if (!words) return t("nothing_kept");
  const sure = page.confidence === null ? "" : ` ${t("confidence", { f1: Math.min(99, Math.round(100 * page.confidence)) })}`;
  const time = t("took", { ms: number(milliseconds, milliseconds < 10 ? 1 : 0) });
  return `${t("summary", { words: count(words), all: count(all) })}${sure} ${time}`;
}

export function start(backend: Backend) {
  const settings: Settings = { method: "learned", favor: "balance", site_model: true };
  const state = {
    opened: null as Opened | null,
    seen: null as Inspection | null,
    error: null as Error | null,
    work: null as AbortController | null,
    tab: "article" as Tab,
    format: "markdown" as Format,
    painted: "",
    selected: -1,
    explanation: null as Explanation | null,
    labels: new Map() as Labels,
    unsaved: 0,
    cutPage: false,
    status: "" as string | (() => string),
    bad: false,
    choice: { left: "learned", right: "text-density", charted: "line-density", open: false, all: false } as Choice,
  };
  const desk: Desk = {
    backend,
    settings,
    address: "",
    pasting: false,
    close: () => undefined,
    settled: false,
    unfolded: false,
    unfold: () => undefined,
    cancel,
    open,
    again: () => state.opened && void read(state.opened),
  };

  // As in the style sheet.
  const small = matchMedia("(max-width: 820px), (max-height: 480px)");
  const status = h("p", { class: "status", role: "status", "aria-live": "polite" });
  const failure = h("div", { class: "failure", role: "alert" });
  const head = h("header"),
    nav = h("nav"),
    controls = h("div", { class: "controls" }),
    start = h("div", { class: "home" });
  const warnings = h("div", { class: "warnings" }),
    actions = h("div", { class: "actions", id: "actions" });
  const tabs = h("div", { class: "tabs", role: "tablist" });
  const legend = h("div", { class: "head" }),
    restOfPage = h("div");
  const whyBox = h("div", { class: "why", id: "why", tabindex: "-1" });
  const panel = h("div", { class: "panel", id: "panel" });
  const pageFrame = new Frame(backend, "frame", t("page"), fromPage);
  const reader = new Reader(backend);
  const pageBox = h("section", { class: "card page-box" }, legend, pageFrame.element, restOfPage);
  const side = h("section", { class: "card side" }, panel, whyBox);
  const stage = h("div", { class: "stage", id: "stage", role: "tabpanel", tabindex: "-1" }, pageBox, reader.element, side);
  const results = h("section", { class: "results", hidden: true }, tabs, warnings, stage);

  /** Shows a message. A function is called again when the language changes. */
  function say(text: string | (() => string), bad = false) {
    Object.assign(state, { status: text, bad });
    status.textContent = typeof text === "string" ? text : text();
    status.classList.toggle("bad", bad);
  }

  /** Whether the method that is shown keeps a block. */
  function kept(block: number): boolean {
    const seen = state.seen;
    if (!seen) return false;
    return state.painted ? seen.methods?.[state.painted]?.keep[block] === 1 : seen.blocks[block]?.keep === true;
  }

  /** The coloured roles on the page, for the legend. */
  function roles(): HTMLElement[] {
    if (!state.seen || (state.painted || settings.method) !== METHODS[0]) return [];
    const found = new Set(state.seen.blocks.map((b) => b.role));
    return COLOURED.filter((role) => found.has(role)).map((role) => h("u", { "data-role": role }, t(`role_${role}`)));
  }

  function paint() {
    const seen = state.seen;
    if (!seen) return;
    const own = !state.painted || state.painted === settings.method;
    pageFrame.send({
      type: "paint",
      blocks: seen.blocks.map((b, i) => ({
        p: own ? (b.probability ?? (b.keep ? 1 : 0)) : kept(i) ? 1 : 0,
        keep: kept(i),
        role: (own && settings.method === METHODS[0] && b.role) || "",
        label: state.labels.get(i) ?? null,
      })),
    });
  }

  function parked() {
    const { opened, seen, labels, unsaved } = state;
    if (opened && seen) park(opened.key, seen, labels, unsaved);
  }

  function open(what: () => Opened | Promise<Opened>) {
    state.work?.abort();
    void Promise.resolve()
      .then(what)
      .then((opened) => read(opened, true))
      .catch(fail);
  }

  /** Reads a page. Cancels the reading of an earlier page, so that a late answer cannot replace a later one. */
  async function read(opened: Opened, isNew = false) {
    state.work?.abort();
    const work = new AbortController();
    Object.assign(state, { work, error: null });
    busy();
    say(() => t("working"));
    try {
      const seen = await backend.inspect(opened.ask, { ...settings }, work.signal);
      if (work.signal.aborted) return;
      arrive(opened, isNew);
      Object.assign(state, {
        seen,
        painted: "",
        selected: -1,
        explanation: null,
        cutPage: false,
        work: null,
        ...labelled(opened.key, seen),
      });
      const { choice } = state;
      Object.assign(choice, { left: settings.method, all: false });
      if (choice.right === choice.left) choice.right = choice.left === "text-density" ? "learned" : "text-density";
      say(() => summary(seen));
      desk.close();
      draw();
      if (isNew) {
        desk.unfold(false);
        scrollTo(0, 0);
      }
      pageFrame.send({ type: "page", steps: seen.view, whole: false });
      // Closes the keyboard of a phone.
      if (matchMedia("(pointer: coarse)").matches && document.activeElement instanceof HTMLInputElement) document.activeElement.blur();
    } catch (error) {
      if (work.signal.aborted) return;
      arrive(opened, isNew);
      fail(error as Error);
    }
  }

  /** Makes a page the current one, when its answer or its error is there. */
  function arrive(opened: Opened, isNew: boolean) {
    parked();
    if (state.opened?.key !== opened.key) desk.address = opened.example ? "" : (opened.ask.url ?? "");
    if (isNew) locate(opened);
    Object.assign(state, { opened, seen: null });
  }

  function fail(error: Error) {
    parked();
    Object.assign(state, { error, seen: null, work: null });
    say("");
    draw();
    if (error instanceof Problem && (error.code === "unauthorized" || error.code === "unknown_token")) askToken();
  }

  /** Shows the field for the token, which the service requires. */
  function askToken() {
    const field = document.getElementById("token");
    const more = field?.closest("details");
    if (more) more.open = true;
    desk.unfold(true);
    field?.focus();
  }

  function cancel() {
    state.work?.abort();
    state.work = null;
    say(() => t("cancelled"));
    draw();
  }

  function busy() {
    const on = state.work !== null;
    document.body.classList.toggle("busy", on);
    stage.setAttribute("aria-busy", String(on));
    const begin = document.getElementById("start"),
      end = document.getElementById("cancel");
    if (begin) begin.hidden = on;
    if (end) end.hidden = !on;
    if (on) failure.replaceChildren();
  }

  async function select(block: number) {
    const seen = state.seen;
    if (!seen) return;
    Object.assign(state, { selected: block, explanation: null });
    drawWhy();
    if (state.tab === "teach") drawPanel();
    try {
      const explanation = await backend.explain(seen, block, settings);
      if (state.selected !== block || state.seen !== seen) return;
      state.explanation = explanation;
      drawWhy();
    } catch (error) {
      if (state.seen === seen) say(String((error as Error).message), true);
    }
  }

  function label(keep: boolean | null) {
    if (!backend.service) return;
    if (state.selected < 0) return say(t("select_first"), true);
    if (keep === null) state.labels.delete(state.selected);
    else state.labels.set(state.selected, keep);
    state.unsaved += 1;
    paint();
    if (state.tab === "teach") drawPanel();
  }

  function fromPage(message: Message) {
    if (message.type === "select" && Number.isInteger(message.block)) void select(message.block as number);
    else if (message.type === "key") label(message.key === "+" ? true : message.key === "-" ? false : null);
    else if (message.type === "built") {
      state.cutPage = !message.whole;
      drawLegend();
      paint();
      pageFrame.send({ type: "scroll" });
    }
  }

  function drawWhy() {
    const seen = state.seen;
    if (!seen || state.selected < 0) return whyBox.replaceChildren(h("p", { class: "empty" }, t("hint_block")));
    whyBox.replaceChildren(
      h("h2", {}, t("why")),
      ...why(seen, state.selected, kept(state.selected), state.painted || settings.method, state.explanation),
    );
  }

  function drawLegend() {
    const shown = h(
      "select",
      { id: "painted", onchange: () => void show_method(shown.value) },
      ...METHODS.map((m) => h("option", { value: m, selected: m === (state.painted || settings.method) }, m)),
    );
    const unseen = state.seen?.page.hidden?.length ? [h("em", {}, t("legend_hidden"))] : [];
    legend.replaceChildren(
      h("span", { class: "legend" }, t("legend_low"), h("i"), t("legend_high"), h("b", {}, t("legend_kept")), ...roles(), ...unseen),
      h("label", { class: "small soft" }, t("decisions"), " ", shown),
    );
    const more = () => state.seen && pageFrame.send({ type: "page", steps: state.seen.view, whole: true });
    restOfPage.replaceChildren(...(state.cutPage ? [button(t("show_rest"), more, { class: "more" })] : []));
  }

  /** Loads the decisions of all methods. */
  async function compared(): Promise<boolean> {
    const seen = state.seen;
    if (!seen) return false;
    if (!seen.methods || !Object.keys(seen.methods).length) seen.methods = await backend.compare(seen);
    return state.seen === seen;
  }

  async function show_method(name: string) {
    try {
      if (!(await compared())) return;
      state.painted = name;
      paint();
      drawLegend();
      drawWhy();
      if (state.tab === "methods") drawPanel();
    } catch (error) {
      say(String((error as Error).message), true);
    }
  }

  function drawCompare(): HTMLElement[] {
    const seen = state.seen;
    if (!seen) return [];
    const ready = seen.methods && Object.keys(seen.methods).length;
    if (ready && seen.methods)
      return compare(
        seen,
        seen.methods,
        state.choice,
        panel.clientWidth - 24,
        state.painted || settings.method,
        (name) => void show_method(name),
        drawPanel,
      );
    void compared().then(
      (still) => still && state.tab === "methods" && drawPanel(),
      (error) => say(String(error.message), true),
    );
    return [h("p", { class: "empty" }, t("working"))];
  }

  function drawPanel() {
    const seen = state.seen;
    if (!seen) return;
    const draws: { [tab in Tab]: () => HTMLElement[] } = {
      article: () => [],
      page: () => [],
      markdown: () =>
        formats(seen, state.format, (format) => {
          state.format = format;
          drawPanel();
          document.getElementById(`format-${format}`)?.focus();
        }),
      json: () => json(seen),
      things: () => things(seen),
      list: () => list(seen),
      metadata: () => metadata(seen),
      methods: drawCompare,
      teach: () =>
        backend.service?.teach({
          seen,
          labels: state.labels,
          unsaved: state.unsaved,
          selected: state.selected,
          mark: label,
          status: say,
          redraw: () => state.tab === "teach" && drawPanel(),
          saved: () => (state.unsaved = 0),
          rerun: () => {
            settings.site_model = true;
            desk.again();
          },
        }) ?? [],
    };
    panel.replaceChildren(...draws[state.tab]());
  }

  function drawTabs() {
    const offered = TABS.filter((tab) => tab !== "teach" || backend.service);
    const amount = { things: state.seen?.page.things?.length, list: state.seen?.page.entries.length } as {
      [tab: string]: number | undefined;
    };
    tabs.replaceChildren(
      ...offered.map((tab) =>
        h(
          "button",
          {
            type: "button",
            role: "tab",
            id: `tab-${tab}`,
            "aria-selected": String(state.tab === tab),
            "aria-controls": "stage",
            tabindex: state.tab === tab ? "0" : "-1",
            onclick: () => show(tab),
            onkeydown: (event: Event) => {
              const at = offered.indexOf(tab);
              const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[(event as KeyboardEvent).key];
              if (next === undefined) return;
              event.preventDefault();
              show(offered.at(next % offered.length) ?? tab, true);
            },
          },
          t(tab),
          amount[tab] ? h("span", { class: "amount" }, count(amount[tab] ?? 0)) : null,
        ),
      ),
    );
  }

  function show(tab: Tab, focus = false) {
    state.tab = tab;
    drawTabs();
    drawStage();
    const button = document.getElementById(`tab-${tab}`);
    if (focus) button?.focus();
    button?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Shows the parts that belong to the tab. The frames stay in the document, because moving one would load it again. */
  function drawStage() {
    const { tab } = state;
    stage.dataset.tab = tab;
    stage.setAttribute("aria-labelledby", `tab-${tab}`);
    reader.element.hidden = tab !== "article";
    pageBox.hidden = tab !== "page" && tab !== "teach";
    side.hidden = tab === "article";
    panel.hidden = tab === "page";
    whyBox.hidden = tab !== "page" && tab !== "teach";
    drawPanel();
    if (!pageBox.hidden) requestAnimationFrame(() => pageFrame.send({ type: "scroll" }));
  }

  /** Puts the links next to the name, or, on a small screen that shows a page, below the form, where one button shows them. */
  function placeLinks() {
    const place = small.matches && state.seen ? controls : head;
    if (nav.parentElement !== place) place.append(nav);
  }

  function draw() {
    const { seen, error } = state;
    busy();
    results.hidden = actions.hidden = !seen;
    start.hidden = seen !== null || error !== null;
    document.body.classList.toggle("start", !start.hidden);
    document.body.classList.toggle("read", seen !== null);
    placeLinks();
    failure.hidden = !error;
    failure.replaceChildren(...(error ? failureBox(error, state.opened && desk.again) : []));
    // What the reader is typing stays.
    if (document.activeElement?.id !== "address") drawAddress();
    document.title = seen?.page.title ? `${seen.page.title} · maintext` : "maintext";
    if (!seen) {
      warnings.replaceChildren();
      return;
    }
    warnings.replaceChildren(
      ...seen.page.warnings.map((w) => h("p", { class: "warning small" }, warning(w))),
      ...(seen.cut ? [h("p", { class: "warning small" }, t("cut"))] : []),
    );
    const origin = backend.service ? location.origin : "";
    const inCode = () => state.opened && showCode(state.opened.ask, settings, origin, Boolean(backend.service?.token.get()));
    actions.replaceChildren(
      copyButton(() => content(seen, "markdown"), t("copy_as", { format: "Markdown" })),
      button(t("download"), () => download(seen, "markdown")),
      button(t("code"), inCode, { id: "code" }),
    );
    drawTabs();
    reader.show(seen, state.opened);
    drawLegend();
    drawStage();
    drawWhy();
  }

  function goHome() {
    state.work?.abort();
    parked();
    Object.assign(state, { opened: null, seen: null, error: null, work: null });
    desk.address = "";
    say("");
    drawFrameWork();
    draw();
  }

  /** Draws everything with text of its own. The frames stay as they are. */
  function drawFrameWork() {
    document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
    pageFrame.element.title = t("page");
    reader.frame.element.title = t("article");
    tabs.setAttribute("aria-label", t("name"));
    head.replaceChildren(
      h(
        "a",
        {
          class: "brand",
          href: location.pathname,
          title: t("home"),
          onclick: (event: Event) => {
            event.preventDefault();
            locate(null);
            goHome();
            document.getElementById("address")?.focus();
          },
        },
        logo(),
        h("span", {}, t("name")),
      ),
    );
    nav.replaceChildren(
      backend.service ? h("a", { href: backend.service.docs }, t("api")) : "",
      h(
        "button",
        {
          class: "plain",
          type: "button",
          id: "language",
          lang: language === "en" ? "zh" : "en",
          onclick: () => {
            switchLanguage();
            say(state.status, state.bad);
            drawFrameWork();
            draw();
            document.getElementById("language")?.focus();
          },
        },
        t("language"),
      ),
    );
    hero.replaceChildren(h("h1", {}, t("lead")), h("p", { class: "about" }, t("about")));
    document.body.dataset.drop = t("drop");
    controls.replaceChildren(form(desk));
    start.replaceChildren(...home(desk));
  }

  const hero = h("div", { class: "hero" });
  document.body.append(
    head,
    h("main", {}, hero, controls, h("div", { class: "bar-line" }, status, actions), failure, start, results),
  );
  drawFrameWork();
  draw();
  catchDrops(open);
  small.addEventListener("change", placeLinks);
  addEventListener("popstate", () => openLocated(goHome));
  addEventListener("beforeunload", (event) => {
    if (state.unsaved && state.seen) event.preventDefault();
  });

  /** Opens the page of the current address, or shows the start page. */
  function openLocated(showStart: () => void) {
    try {
      const opened = located();
      if (opened) void read(opened).then(drawAddress);
      else showStart();
    } catch (error) {
      fail(error as Error);
    }
  }

  function drawAddress() {
    const address = document.getElementById("address") as HTMLInputElement | null;
    if (address) address.value = desk.address;
  }

  openLocated(() => document.getElementById("address")?.focus({ preventScroll: true }));
}
