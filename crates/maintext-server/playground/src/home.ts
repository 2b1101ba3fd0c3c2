// The form that opens a page, and the start page with its examples.
import { METHODS, type Backend, type Settings } from "./backend";
import { h, svg } from "./dom";
import { EXAMPLES } from "./examples";
import { language, t, type Word } from "./i18n";
import { dropped, example, pasted, typed, type Opened } from "./open";

export type Desk = {
  backend: Backend;
  settings: Settings;
  address: string;
  pasting: boolean;
  settled: boolean;
  /** Whether the parts are shown that a small screen folds into one button. */
  unfolded: boolean;
  open: (opened: () => Opened | Promise<Opened>) => void;
  again: () => void;
  /** Closes the box for pasted HTML. */
  close: () => void;
  unfold: (on: boolean) => void;
  cancel: () => void;
};

/** The mark of maintext: lines of a page, two of them kept. */
export function mark(): SVGElement {
  const line = (y: number, x: number, width: number, kept: boolean) =>
    svg("rect", { x, y, width, height: 3.4, rx: 1.7, fill: kept ? "var(--accent)" : "currentColor", opacity: kept ? 1 : 0.28 });
  return svg(
    "svg",
    { class: "mark", viewBox: "0 0 26 26", width: 26, height: 26, "aria-hidden": "true" },
    line(2, 2, 12, false),
    line(8, 2, 22, true),
    line(14, 2, 18, true),
    line(20, 2, 9, false),
  );
}

/** The mark of the button that shows the folded parts. */
function dots(): SVGElement {
  const dot = (x: number) => svg("circle", { cx: x, cy: 10, r: 2, fill: "currentColor" });
  return svg("svg", { viewBox: "0 0 20 20", width: 20, height: 20, "aria-hidden": "true" }, dot(3), dot(10), dot(17));
}

/** Returns the form: the address, the other ways to open a page, and the settings. */
export function form(desk: Desk): HTMLElement {
  const { settings } = desk;
  const address = h("input", {
    type: "text",
    id: "address",
    inputmode: "url",
    autocapitalize: "none",
    autocomplete: "url",
    spellcheck: "false",
    enterkeyhint: "go",
    placeholder: t("address_hint"),
    "aria-label": t("address"),
    value: desk.address,
    oninput: () => (desk.address = address.value),
    onpaste: (event: Event) => {
      const text = (event as ClipboardEvent).clipboardData?.getData("text/plain") ?? "";
      if (!/^\s*<[^]*>/.test(text)) return;
      event.preventDefault();
      desk.open(() => pasted(text));
    },
  });
  const file = h("input", {
    type: "file",
    id: "file",
    hidden: true,
    accept: ".html,.htm,.xhtml,.mht,text/html",
    onchange: () => {
      const chosen = file.files?.[0];
      if (chosen) desk.open(() => dropped(chosen));
      file.value = "";
    },
  });
  const area = h("textarea", {
    id: "paste",
    "aria-label": t("paste_hint"),
    spellcheck: "false",
    placeholder: "<html>…",
    oninput: () => (go.disabled = !area.value.trim()),
  });
  const readIt = () => desk.open(() => pasted(area.value));
  const go = h("button", { type: "button", class: "first", id: "paste-go", disabled: true, onclick: readIt }, t("pasted"));
  const box = h(
    "div",
    { class: "paste", hidden: !desk.pasting },
    area,
    go,
  );
  const paste = h(
    "button",
    {
      type: "button",
      class: "plain",
      id: "paste-open",
      "aria-expanded": String(desk.pasting),
      onclick: () => showBox(!desk.pasting),
    },
    t("paste"),
  );
  const showBox = (on: boolean) => {
    const inside = box.contains(document.activeElement);
    desk.pasting = on;
    box.hidden = !on;
    paste.setAttribute("aria-expanded", String(on));
    if (on) area.focus();
    else if (inside) paste.focus();
  };
  desk.close = () => showBox(false);
  const method = h(
    "select",
    {
      id: "method",
      onchange: () => {
        settings.method = method.value as Settings["method"];
        desk.again();
      },
    },
    ...METHODS.map((m) => h("option", { value: m, selected: m === settings.method }, m)),
  );
  const favor = h(
    "select",
    {
      id: "favor",
      onchange: () => {
        settings.favor = favor.value as Settings["favor"];
        desk.again();
      },
    },
    ...(["balance", "precision", "recall"] as const).map((f) => h("option", { value: f, selected: f === settings.favor }, t(f))),
  );
  const fields = [h("label", {}, t("method"), method), h("label", {}, t("favor"), favor)];
  const service = desk.backend.service;
  if (service) {
    const site = h("input", {
      type: "checkbox",
      id: "site-model",
      checked: settings.site_model,
      onchange: () => {
        settings.site_model = site.checked;
        desk.again();
      },
    });
    const secret = h("input", {
      type: "password",
      id: "token",
      autocomplete: "off",
      size: "12",
      value: service.token.get(),
      oninput: () => service.token.set(secret.value),
      // The form would open the address.
      onkeydown: (event: Event) => {
        if ((event as KeyboardEvent).key !== "Enter") return;
        event.preventDefault();
        desk.again();
      },
    });
    fields.push(h("label", {}, site, t("site_model")), h("label", {}, t("token"), secret));
  }
  const more = h(
    "details",
    { class: "settings", open: desk.settled, ontoggle: () => (desk.settled = more.open) },
    h("summary", {}, t("settings")),
    h("div", { class: "options" }, ...fields),
  );
  const fold = h(
    "button",
    {
      type: "button",
      class: "fold",
      id: "more-ways",
      "aria-label": t("more_ways"),
      title: t("more_ways"),
      "aria-expanded": String(desk.unfolded),
      "aria-controls": "ways actions",
      onclick: () => desk.unfold(!desk.unfolded),
    },
    dots(),
  );
  desk.unfold = (on) => {
    desk.unfolded = on;
    document.body.classList.toggle("unfolded", on);
    fold.setAttribute("aria-expanded", String(on));
    // The focus must not stay on a part that is no longer shown.
    if (document.activeElement?.checkVisibility() === false) fold.focus();
  };
  return h(
    "form",
    {
      class: "ask",
      role: "search",
      onkeydown: (event: Event) => {
        if ((event as KeyboardEvent).key === "Escape" && desk.unfolded) desk.unfold(false);
      },
      onsubmit: (event: Event) => {
        event.preventDefault();
        desk.open(() => typed(address.value));
      },
    },
    h(
      "div",
      { class: "field" },
      address,
      h("button", { class: "first", id: "start" }, t("start")),
      h("button", { type: "button", id: "cancel", onclick: desk.cancel }, t("cancel")),
      fold,
    ),
    h(
      "div",
      { class: "ways", id: "ways" },
      h("button", { type: "button", class: "plain", id: "file-open", onclick: () => file.click() }, t("file")),
      file,
      paste,
      more,
    ),
    box,
  );
}

/** Returns the examples, with the reader's language first. */
function byLanguage(): typeof EXAMPLES {
  const own = EXAMPLES.filter((e) => e.language === language);
  return [...own, ...EXAMPLES.filter((e) => !own.includes(e))];
}

/** Returns the start page below the form. */
export function home(desk: Desk): HTMLElement[] {
  const card = (e: (typeof EXAMPLES)[number]) =>
    h(
      "li",
      {},
      h(
        "a",
        {
          href: `?example=${e.id}`,
          class: "example",
          onclick: (event: Event) => {
            const click = event as MouseEvent;
            if (click.ctrlKey || click.metaKey || click.shiftKey) return;
            event.preventDefault();
            const opened = example(e.id);
            if (opened) desk.open(() => opened);
          },
        },
        h("span", { class: "kicker" }, t(`kind_${e.kind}` as Word)),
        h("span", { class: "title", lang: e.language }, e.title),
        h("span", { class: "soft small" }, new URL(e.url).hostname),
      ),
    );
  return [
    h("p", { class: `note small soft${desk.backend.service ? " service-note" : ""}` }, desk.backend.service ? t("drop_hint") : t("local")),
    h(
      "section",
      { class: "examples", "aria-labelledby": "examples" },
      h("h2", { id: "examples" }, t("examples")),
      h("p", { class: "soft small" }, t("examples_note")),
      h("ul", {}, ...byLanguage().map(card)),
    ),
  ];
}

/** Lets a file, a link or a text be dropped anywhere on the page. */
export function catchDrops(open: Desk["open"]) {
  const over = (on: boolean) => document.body.classList.toggle("dropping", on);
  addEventListener("dragover", (event) => {
    event.preventDefault();
    over(true);
  });
  addEventListener("dragleave", (event) => event.relatedTarget ?? over(false));
  addEventListener("drop", (event) => {
    event.preventDefault();
    over(false);
    const file = event.dataTransfer?.files[0];
    const text = event.dataTransfer?.getData("text/uri-list").split(/\r?\n/)[0] || event.dataTransfer?.getData("text/plain") || "";
    if (file) open(() => dropped(file));
    else if (text) open(() => typed(text));
  });
}
