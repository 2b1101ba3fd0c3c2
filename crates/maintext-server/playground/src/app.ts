// The page: opens a page and shows its article, its source with reasons, and its data.
import { METHODS, Problem, type Backend, type Explanation, type Inspection, type Labels, type Settings } from "./backend";
import { showCode } from "./code";
import { compare, type Choice } from "./compare";
import { h, number } from "./dom";
import { EXAMPLES } from "./examples";
import { Frame, type Message } from "./frames";
import { catchDrops, form, home, mark as logo, type Desk } from "./home";
import { count, day, language, maybe, store, stored, switchLanguage, t } from "./i18n";
import { locate, located, type Opened } from "./open";
import { content, copyButton, download, entriesOf, formats, json, list, metadata, size, things, type Format } from "./panels";
import { why } from "./why";

const TABS = ["article", "page", "markdown", "json", "things", "list", "metadata", "methods", "teach"] as const;
type Tab = (typeof TABS)[number];

/** Characters of an article that are laid out at first. */
const ARTICLE = 150_000;
const PICTURES = "maintext-pictures";

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
    pictures: stored(PICTURES) === "yes",
    whole: false,
    cutArticle: false,
    cutPage: false,
    status: "",
    bad: false,
    choice: { left: "learned", right: "text-density", charted: "line-density", open: false, all: false } as Choice,
  };
  /** Labels of pages that were left, by the key of the page, with the texts that they label. */
  const left = new Map<string, { labels: [string, number, boolean][]; unsaved: number }>();
  const desk: Desk = {
    backend,
    settings,
    address: "",
    pasting: false,
    settled: false,
    cancel,
    open,
    again: () => state.opened && void read(state.opened),
  };

  const status = h("p", { class: "status", role: "status", "aria-live": "polite" });
  const failure = h("div", { class: "failure", role: "alert" });
  const head = h("header"),
    controls = h("div", { class: "controls" }),
    start = h("div", { class: "home" });
  const warnings = h("div", { class: "warnings" }),
    actions = h("div", { class: "actions" });
  const tabs = h("div", { class: "tabs", role: "tablist" });
  const legend = h("div", { class: "head" }),
    restOfPage = h("div"),
    pictures = h("div", { class: "pictures" }),
    restOfArticle = h("div", { class: "rest" });
  const whyBox = h("div", { class: "why", id: "why", tabindex: "-1" });
  const panel = h("div", { class: "panel", id: "panel" });
  const pageFrame = new Frame(backend, "frame", t("page"), fromPage);
  const articleFrame = new Frame(backend, "article", t("article"), fromArticle);
  const pageBox = h("section", { class: "card page-box" }, legend, pageFrame.element, restOfPage);
  const articleBox = h("section", { class: "card article-box" }, pictures, articleFrame.element, restOfArticle);
  const side = h("section", { class: "card side" }, panel, whyBox);
  const stage = h("div", { class: "stage", id: "stage", role: "tabpanel", tabindex: "-1" }, pageBox, articleBox, side);
  const results = h("section", { class: "results", hidden: true }, tabs, stage);

  function say(text: string, bad = false) {
    Object.assign(state, { status: text, bad });
    status.textContent = text;
    status.classList.toggle("bad", bad);
  }

  /** Whether the method that is shown keeps a block. */
  function kept(block: number): boolean {
    const seen = state.seen;
    if (!seen) return false;
    return state.painted ? seen.methods?.[state.painted]?.keep[block] === 1 : seen.blocks[block]?.keep === true;
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
        label: state.labels.get(i) ?? null,
      })),
    });
  }

  function park() {
    const { opened, seen, labels, unsaved } = state;
    if (!opened || !seen) return;
    left.set(opened.key, { labels: [...labels].map(([i, keep]) => [seen.blocks[i]?.text ?? "", i, keep]), unsaved });
  }

  /** Returns the labels of a page that was labelled before, where its passages are still the same. */
  function labelled(key: string, seen: Inspection): { labels: Labels; unsaved: number } {
    const before = left.get(key);
    const labels = new Map((before?.labels ?? []).filter(([text, i]) => seen.blocks[i]?.text === text).map(([, i, keep]) => [i, keep]));
    return { labels, unsaved: labels.size ? (before?.unsaved ?? 0) : 0 };
  }

  function open(what: () => Opened | Promise<Opened>) {
    state.work?.abort();
    void Promise.resolve()
      .then(what)
      .then((opened) => read(opened, true))
      .catch(fail);
  }

  /** Reads a page. A page that is still being read is given up, so that a late answer cannot replace a later one. */
  async function read(opened: Opened, isNew = false) {
    state.work?.abort();
    const work = new AbortController();
    Object.assign(state, { work, error: null });
    busy();
    say(t("working"));
    try {
      const seen = await backend.inspect(opened.ask, { ...settings }, work.signal);
      if (work.signal.aborted) return;
      arrive(opened, isNew);
      Object.assign(state, {
        seen,
        painted: "",
        selected: -1,
        explanation: null,
        whole: false,
        cutPage: false,
        work: null,
        ...labelled(opened.key, seen),
      });
      state.choice.all = false;
      if (state.choice.right === settings.method || state.choice.left !== settings.method) {
        Object.assign(state.choice, {
          left: settings.method,
          right:
            METHODS.find((m) => m !== settings.method && m === state.choice.right) ??
            (settings.method === "text-density" ? "learned" : "text-density"),
        });
      }
      const words = seen.blocks.reduce((sum, b) => sum + (b.keep ? b.words : 0), 0);
      const all = seen.blocks.reduce((sum, b) => sum + b.words, 0);
      const sure = seen.page.confidence === null ? "" : ` ${t("confidence", { f1: Math.round(100 * seen.page.confidence) })}`;
      say(
        words
          ? t("summary", { words: count(words), all: count(all), ms: number(seen.milliseconds, seen.milliseconds < 10 ? 1 : 0) }) + sure
          : t("nothing_kept"),
      );
      draw();
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
    park();
    if (state.opened?.key !== opened.key) desk.address = opened.example ? "" : (opened.ask.url ?? "");
    if (isNew) locate(opened);
    state.opened = opened;
  }

  function fail(error: Error) {
    Object.assign(state, { error, seen: null, work: null });
    say("");
    draw();
  }

  function cancel() {
    state.work?.abort();
    state.work = null;
    say(t("cancelled"));
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

  function fromArticle(message: Message) {
    const top = Number(message.top),
      height = Number(message.height);
    if (message.type === "height" && height >= 0) articleFrame.element.style.height = `${Math.min(height, 5e6)}px`;
    else if (message.type === "scroll" && Number.isFinite(top))
      scrollBy({ top: articleFrame.element.getBoundingClientRect().top + top - 24, behavior: "smooth" });
    else if (message.type === "shown") {
      state.cutArticle = !message.whole;
      drawRestOfArticle();
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

  function drawArticle() {
    const seen = state.seen;
    if (!seen) return;
    const { page } = seen;
    const own = EXAMPLES.find((e) => e.id === state.opened?.example)?.pictures ?? {};
    const author = page.author,
      date = day(page.date);
    const minutes = page.reading_minutes ? t("minutes", { n: Math.max(1, Math.round(page.reading_minutes)) }) : "";
    const foreign = [...page.html.matchAll(/<img\b[^>]*\bsrc="([^"]*)"/g)].some(
      ([, src]) => /^https?:/.test(src ?? "") && !((src ?? "") in own),
    );
    pictures.replaceChildren(
      ...(foreign
        ? [
            h("span", { class: "soft small" }, t(state.pictures ? "pictures_on" : "pictures_off")),
            h(
              "button",
              {
                type: "button",
                class: "plain small",
                id: "pictures",
                onclick: () => {
                  state.pictures = !state.pictures;
                  store(PICTURES, state.pictures ? "yes" : "no");
                  drawArticle();
                },
              },
              t(state.pictures ? "pictures_hide" : "pictures_show"),
            ),
          ]
        : []),
    );
    articleFrame.send({
      type: "article",
      html: page.html,
      title: page.title,
      language: page.language,
      kicker: page.sitename ?? page.hostname ?? "",
      byline: [author, date, minutes].filter(Boolean),
      pictures: state.pictures,
      own,
      limit: state.whole ? Infinity : ARTICLE,
      words: { picture: t("picture"), media: t("media"), empty: t("nothing_kept") },
    });
  }

  function drawRestOfArticle() {
    restOfArticle.replaceChildren(
      ...(state.cutArticle && state.seen
        ? [
            h("p", { class: "soft" }, t("cut_article")),
            h(
              "button",
              {
                type: "button",
                class: "more",
                onclick: () => {
                  state.whole = true;
                  drawArticle();
                },
              },
              t("show_all", { size: size(state.seen.page.html.length) }),
            ),
          ]
        : []),
    );
  }

  function drawLegend() {
    const shown = h(
      "select",
      { id: "painted", onchange: () => void show_method(shown.value) },
      ...METHODS.map((m) => h("option", { value: m, selected: m === (state.painted || settings.method) }, m)),
    );
    legend.replaceChildren(
      h("span", { class: "legend" }, t("legend_low"), h("i"), t("legend_high"), h("b", {}, t("legend_kept"))),
      h("label", { class: "small soft" }, t("decisions"), " ", shown),
    );
    restOfPage.replaceChildren(
      ...(state.cutPage && state.seen
        ? [
            h(
              "button",
              {
                type: "button",
                class: "more",
                onclick: () => {
                  if (state.seen) pageFrame.send({ type: "page", steps: state.seen.view, whole: true });
                },
              },
              t("show_rest"),
            ),
          ]
        : []),
    );
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
    const amount = { things: state.seen?.page.things?.length, list: state.seen ? entriesOf(state.seen).length : 0 } as {
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
    articleBox.hidden = tab !== "article";
    pageBox.hidden = tab !== "page" && tab !== "teach";
    side.hidden = tab === "article";
    panel.hidden = tab === "page";
    whyBox.hidden = tab !== "page" && tab !== "teach";
    drawPanel();
    if (!pageBox.hidden) requestAnimationFrame(() => pageFrame.send({ type: "scroll" }));
  }

  function drawFailure() {
    const { error } = state;
    failure.hidden = !error;
    if (!error) return failure.replaceChildren();
    const code = error instanceof Problem ? error.code : "";
    const address = code === "address" ? null : h("p", { class: "soft" }, t("error_hint"));
    failure.replaceChildren(
      h("h2", {}, t("error")),
      h("p", {}, (code && maybe(`error_${code}`)) || error.message || code),
      address ?? "",
      h(
        "div",
        { class: "row" },
        state.opened && code !== "address" ? h("button", { type: "button", onclick: desk.again }, t("again")) : "",
        h("button", { type: "button", onclick: () => document.getElementById("paste-open")?.click() }, t("paste")),
      ),
    );
  }

  function draw() {
    const { seen, error } = state;
    busy();
    results.hidden = actions.hidden = !seen;
    start.hidden = seen !== null || error !== null;
    document.body.classList.toggle("start", !start.hidden);
    drawFailure();
    // What the reader is typing stays.
    if (document.activeElement?.id !== "address") drawAddress();
    document.title = seen?.page.title ? `${seen.page.title} · maintext` : "maintext";
    if (!seen) {
      warnings.replaceChildren();
      return;
    }
    warnings.replaceChildren(
      ...seen.page.warnings.map((w) => h("p", { class: "warning small" }, w.message)),
      ...(seen.cut ? [h("p", { class: "warning small" }, t("cut"))] : []),
    );
    actions.replaceChildren(
      copyButton(() => content(seen, "markdown"), t("copy_as", { format: "Markdown" })),
      h("button", { type: "button", onclick: () => download(seen, "markdown") }, t("download")),
      h(
        "button",
        {
          type: "button",
          id: "code",
          onclick: () =>
            state.opened &&
            showCode(state.opened.ask, settings, backend.service ? location.origin : "", Boolean(backend.service?.token.get())),
        },
        t("code"),
      ),
    );
    drawTabs();
    drawArticle();
    drawLegend();
    drawStage();
    drawWhy();
  }

  function goHome() {
    state.work?.abort();
    park();
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
    articleFrame.element.title = t("article");
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
      h(
        "nav",
        {},
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
              drawFrameWork();
              draw();
              document.getElementById("language")?.focus();
            },
          },
          t("language"),
        ),
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
    h("main", {}, hero, controls, h("div", { class: "bar-line" }, status, actions), failure, warnings, start, results),
  );
  drawFrameWork();
  draw();
  catchDrops(open);
  addEventListener("popstate", () => {
    const opened = located();
    if (opened) void read(opened).then(drawAddress);
    else goHome();
  });
  addEventListener("beforeunload", (event) => {
    if (state.unsaved && state.seen) event.preventDefault();
  });

  function drawAddress() {
    const address = document.getElementById("address") as HTMLInputElement | null;
    if (address) address.value = desk.address;
  }

  const first = located();
  if (first) void read(first);
  else document.getElementById("address")?.focus({ preventScroll: true });
}
