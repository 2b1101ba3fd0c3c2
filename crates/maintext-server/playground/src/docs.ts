// The API page, generated from the OpenAPI document, with a form to try each route.
import { call } from "./http";
import { h } from "./dom";
import { t } from "./i18n";

type Operation = {
  summary: string;
  requestBody?: { content: { [type: string]: unknown } };
  responses: { [status: string]: { description?: string } };
};
type Document = {
  info: { title: string; summary: string; description: string };
  paths: { [path: string]: { [method: string]: Operation } };
};

const EXAMPLES: { [path: string]: string } = {
  "/v1/batch": '{"id": 1, "html": "<p>One page, with a sentence.</p>"}\n{"id": 2, "html": "<p>Another page, and another sentence.</p>"}\n',
  "/v1/scrape": '{"url": "https://example.org/", "formats": ["markdown", "links"]}',
  "/v1/explain": '{"handle": "", "block": 0}',
  "/v1/teach/labels": '{"handle": "", "labels": {"0": false}}',
  "/v1/teach/train": '{"site": "example.org"}',
};
const PAGE =
  '{"html": "<article><h1>A walk</h1><p>We left early, and the road was empty.</p></article>", "options": {"formats": ["text"]}}';

/** Indents an answer that is one JSON value; other answers stay as they are. */
function legible(answer: string): string {
  try {
    return JSON.stringify(JSON.parse(answer), null, 2);
  } catch {
    return answer;
  }
}

function operation(path: string, method: string, o: Operation): HTMLElement {
  const target = h("input", { value: path, "aria-label": path });
  const types = Object.keys(o.requestBody?.content ?? {});
  const body = h("textarea", { "aria-label": "body", spellcheck: "false" }, types.length ? (EXAMPLES[path] ?? PAGE) : "");
  const out = h("pre", { tabindex: "0", role: "region", "aria-label": t("answer") });
  const answer = h("div", { hidden: true }, h("h2", {}, t("answer")), out);
  const send = async () => {
    answer.hidden = false;
    out.textContent = t("working");
    try {
      const init = types.length
        ? { method: method.toUpperCase(), headers: { "Content-Type": types[0] ?? "" }, body: body.value }
        : { method: method.toUpperCase() };
      out.textContent = legible(await (await call(target.value, init)).text());
    } catch (error) {
      out.textContent = String((error as Error).message);
    }
  };
  const codes = Object.keys(o.responses).join(" ");
  return h(
    "details",
    { class: "card" },
    h("summary", {}, h("b", {}, `${method.toUpperCase()} ${path}`), " ", h("span", {}, o.summary)),
    h("p", { class: "small soft" }, [types.join(", "), codes].filter(Boolean).join(" → ")),
    h("div", { class: "row" }, target, h("button", { type: "button", onclick: send }, t("try"))),
    types.length > 0 && body,
    answer,
  );
}

async function start() {
  const d: Document = await (await call("/openapi.json")).json();
  const all = Object.entries(d.paths).flatMap(([path, item]) => Object.entries(item).map(([method, o]) => operation(path, method, o)));
  document.body.append(
    h(
      "header",
      {},
      h("h1", {}, d.info.title),
      h("span", { class: "tagline" }, d.info.summary),
      h("nav", {}, h("a", { href: "/" }, "playground")),
    ),
    h("main", {}, h("p", {}, d.info.description, " ", h("a", { href: "/openapi.json" }, "openapi.json")), ...all),
  );
}

void start();
