// The teach panel: labels of this page, labelled sites, and the accuracy of their models.
import type { Teacher } from "./backend";
import { h, number } from "./dom";
import { call, post } from "./http";
import { t } from "./i18n";
import { save as saveFile } from "./save";

type Figures = {
  site: string;
  pages: number;
  labels: number;
  before: number | null;
  after: number | null;
  held_out: { url: string; before: number; after: number; labels: number; wrong_before: number; wrong_after: number }[];
};
type Site = { site: string; pages: { url: string; labels: number }[]; figures: Figures | null };

let sites: Site[] | null = null;
let figures: Figures | null = null;
let siteName = "";

/** Saves a response as a file. A plain link could not send the token. */
async function download(path: string, name: string) {
  saveFile(await (await call(path)).blob(), name);
}

async function load(teacher: Teacher) {
  const answer = await (await call("/v1/teach/sites")).json();
  sites = answer.sites;
  teacher.redraw();
}

function attempt(teacher: Teacher, work: () => Promise<void>) {
  return async () => {
    try {
      await work();
    } catch (error) {
      teacher.status(String((error as Error).message), true);
    }
  };
}

function marks(teacher: Teacher): HTMLElement {
  const button = (text: string, id: string, keep: boolean | null) =>
    h("button", { type: "button", id, disabled: teacher.selected < 0, onclick: () => teacher.mark(keep) }, text);
  return h(
    "div",
    { class: "row" },
    h("span", {}, t("mark")),
    button(`+ ${t("content")}`, "mark-content", true),
    button(`− ${t("not_content")}`, "mark-not", false),
    button(`0 ${t("clear")}`, "mark-clear", null),
  );
}

function scores(f: Figures): HTMLElement[] {
  const head = h("p", {}, t("trained", { pages: f.pages, labels: f.labels }));
  if (f.before === null || f.after === null) return [head, h("p", { class: "soft small" }, t("one_page"))];
  const row = (name: string, before: number, after: number, wrong: string, strong = false) =>
    h(
      "tr",
      {},
      h("td", {}, strong ? h("strong", {}, name) : name),
      h("td", { class: "number" }, before.toFixed(3)),
      h("td", { class: `number ${after >= before ? "keep" : "drop"}` }, after.toFixed(3)),
      h("td", { class: "number" }, wrong),
    );
  return [
    head,
    h("p", { class: "small soft" }, t("held_out")),
    h(
      "table",
      { class: "figures" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", {}, t("page_column")),
          h("th", { class: "number" }, `F1 ${t("before")}`),
          h("th", { class: "number" }, `F1 ${t("after")}`),
          h("th", { class: "number" }, t("wrong")),
        ),
      ),
      h(
        "tbody",
        {},
        ...f.held_out.map((p) => row(p.url, p.before, p.after, `${p.wrong_before} → ${p.wrong_after} / ${p.labels}`)),
        row(t("mixed"), f.before, f.after, "", true),
      ),
    ),
  ];
}

export function teach(teacher: Teacher): HTMLElement[] {
  if (!sites) void attempt(teacher, () => load(teacher))();
  const known = teacher.seen.site;
  const site = known ?? siteName;
  const name = known
    ? null
    : h("input", {
        placeholder: t("no_address"),
        "aria-label": t("no_address"),
        value: siteName,
        oninput: (e: Event) => (siteName = (e.target as HTMLInputElement).value),
      });
  const save = attempt(teacher, async () => {
    const answer = await post<{ sites: Site[] }>("/v1/teach/labels", {
      handle: teacher.seen.handle,
      site: known ?? siteName,
      labels: Object.fromEntries(teacher.labels),
    });
    sites = answer.sites;
    teacher.saved();
    teacher.status(t("saved"));
    teacher.redraw();
  });
  const train = attempt(teacher, async () => {
    teacher.status(t("working"));
    figures = await post<Figures>("/v1/teach/train", { site: known ?? siteName });
    teacher.status(t("trained", { pages: figures.pages, labels: figures.labels }));
    await load(teacher);
  });
  const own = sites?.find((s) => s.site === site);
  if (!figures || figures.site !== site) figures = own?.figures ?? null;
  return [
    h("p", { class: "small soft" }, t("teach_hint")),
    marks(teacher),
    h(
      "div",
      { class: "row" },
      h("span", { id: "label-count" }, t("labels", { n: teacher.labels.size, s: teacher.unsaved })),
      name,
      h("button", { type: "button", id: "save-labels", onclick: save }, t("save")),
      h(
        "button",
        { type: "button", id: "train", class: "first", disabled: !own && known !== null, onclick: train },
        `${t("train")} ${site}`,
      ),
    ),
    ...(figures ? scores(figures) : []),
    ...(own?.figures
      ? [
          h(
            "div",
            { class: "row" },
            h("button", { type: "button", id: "rerun", onclick: teacher.rerun }, t("rerun")),
            h(
              "button",
              { type: "button", onclick: attempt(teacher, () => download(`/v1/teach/model/${encodeURIComponent(site)}`, `${site}.mtx`)) },
              t("model"),
            ),
          ),
        ]
      : []),
    h("h2", {}, t("site")),
    ...(sites?.length
      ? [
          h(
            "table",
            {},
            h(
              "tbody",
              {},
              ...sites.map((s) =>
                h(
                  "tr",
                  {},
                  h("td", {}, s.site),
                  h("td", { class: "number" }, t("pages", { pages: s.pages.length })),
                  h(
                    "td",
                    { class: "number" },
                    s.figures?.after != null ? `${number(s.figures.before ?? 0, 3)} → ${number(s.figures.after, 3)}` : "",
                  ),
                  h(
                    "td",
                    {},
                    h(
                      "button",
                      {
                        class: "plain small",
                        type: "button",
                        onclick: attempt(teacher, async () => {
                          if (!confirm(t("forget_sure", { site: s.site }))) return;
                          await call(`/v1/teach/sites/${encodeURIComponent(s.site)}`, { method: "DELETE" });
                          figures = null;
                          await load(teacher);
                        }),
                      },
                      t("forget"),
                    ),
                  ),
                ),
              ),
            ),
          ),
        ]
      : [h("p", { class: "soft" }, t("no_sites"))]),
    h(
      "div",
      { class: "row" },
      h(
        "button",
        {
          type: "button",
          disabled: !sites?.length,
          onclick: attempt(teacher, () => download("/v1/teach/export", "maintext-labels.jsonl")),
        },
        t("export"),
      ),
    ),
  ];
}
