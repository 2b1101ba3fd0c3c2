// The API page, generated from the OpenAPI document, with a form to try each route.
import { call, token } from "./http";
import { h } from "./dom";
import { t } from "./i18n";

type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  default?: unknown;
  items?: Schema;
  properties?: { [name: string]: Schema };
  required?: string[];
  allOf?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
};
type Parameter = { name: string; in: string; required?: boolean; schema?: Schema; description?: string };
type Content = { [type: string]: { schema?: Schema } };
type Operation = {
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: { [status: string]: { description?: string; content?: Content } };
};
type Document = {
  info: { title: string; summary: string; description: string };
  paths: { [path: string]: { [method: string]: Operation } };
  components: { schemas: { [name: string]: Schema } };
};

const ARTICLE = "<article><h1>A walk</h1><p>We left early, and the road was empty.</p></article>";
const ADDRESS = '{"url": "https://example.org/"}';

/** A body for each route that is accepted as it is. Routes that explain or teach need the handle of a page that was inspected. */
const EXAMPLES: { [path: string]: string } = {
  "/v1/extract": `{"html": "${ARTICLE}", "options": {"formats": ["text"]}}`,
  "/v1/find": `{"pages": [{"html": "${ARTICLE}"}], "question": "When did we leave?"}`,
  "/v1/changes": `{"before": {"html": "${ARTICLE}"}, "after": {"html": "${ARTICLE.replace("early", "late")}"}}`,
  "/v1/batch": '{"id": 1, "html": "<p>One page, with a sentence.</p>"}\n{"id": 2, "html": "<p>Another page, and another sentence.</p>"}\n',
  "/v2/scrape": '{"url": "https://example.org/", "formats": ["markdown", "links"]}',
  "/v2/map": ADDRESS,
  "/v2/crawl": '{"url": "https://example.org/", "limit": 10}',
  "/v2/batch/scrape": '{"urls": ["https://example.org/"]}',
  "/v1/explain": '{"handle": "", "block": 0}',
  "/v1/teach/labels": '{"handle": "", "labels": {"0": false}}',
  "/v1/teach/train": '{"site": "example.org"}',
  "/mcp": '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}',
};
const PAGE = `{"html": "${ARTICLE}"}`;

/** Answers that MCP requires its clients to accept. */
const MCP = "application/json, text/event-stream";

/** Indents an answer that is one JSON value; other answers stay as they are. */
function legible(answer: string): string {
  try {
    return JSON.stringify(JSON.parse(answer), null, 2);
  } catch {
    return answer;
  }
}

/** Levels of objects in objects that a table shows. Answers hold pages in lists in pages; the document itself has all of it. */
const DEPTH = 3;

/** Follows a reference into the document. */
function resolved(d: Document, schema: Schema): Schema {
  const name = schema.$ref?.split("/").pop();
  return (name !== undefined && d.components.schemas[name]) || schema;
}

/** The type of a value in words: its choices, its default. */
function kind(d: Document, given: Schema): string {
  const schema = resolved(d, given);
  const types = schema.enum?.map((value) => JSON.stringify(value)) ?? [schema.type ?? []].flat();
  const of = schema.items && kind(d, schema.items);
  const usual = schema.default === undefined ? "" : `, default ${JSON.stringify(schema.default)}`;
  return types.join(" | ") + (of ? ` of ${of}` : "") + usual;
}

/** The keys of an object and of the objects in it, each with its path. */
function keys(d: Document, given: Schema, path = "", depth = 0): HTMLElement[] {
  const schema = resolved(d, given);
  const rows = Object.entries(schema.properties ?? {}).flatMap(([name, value]) => {
    const inner = resolved(d, value);
    const place = path + name;
    const needed = schema.required?.includes(name) ? "" : "?";
    const about = value.description ?? inner.description ?? "";
    const row = h("tr", {}, h("td", {}, h("code", {}, place + needed)), h("td", {}, kind(d, value)), h("td", {}, about));
    if (depth >= DEPTH) return [row];
    const below = inner.items ? keys(d, inner.items, `${place}[].`, depth + 1) : keys(d, inner, `${place}.`, depth + 1);
    return [row, ...below];
  });
  const parts = [...(schema.allOf ?? []), ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  return rows.concat(parts.flatMap((part) => (depth < DEPTH ? keys(d, part, path, depth + 1) : [])));
}

function table(title: string, rows: HTMLElement[]): HTMLElement | false {
  return rows.length > 0 && h("details", {}, h("summary", {}, title), h("table", { class: "small" }, ...rows));
}

/** Tables of the parameters and of the keys of the body and the answer. */
function described(d: Document, o: Operation): (HTMLElement | false)[] {
  const parameters = (o.parameters ?? []).map((p) =>
    h(
      "tr",
      {},
      h("td", {}, h("code", {}, p.name + (p.required ? "" : "?")), ` (${p.in})`),
      h("td", {}, kind(d, p.schema ?? {})),
      h("td", {}, p.description ?? p.schema?.description ?? ""),
    ),
  );
  const of = (content?: Content) => Object.values(content ?? {}).flatMap((c) => (c.schema ? keys(d, c.schema) : []));
  const answers = Object.entries(o.responses).filter(([status]) => status.startsWith("2"));
  return [
    table("Parameters", parameters),
    table("Keys of the request", of(o.requestBody?.content)),
    table("Keys of the answer", answers.flatMap(([, answer]) => of(answer.content))),
  ];
}

function operation(d: Document, path: string, method: string, o: Operation): HTMLElement {
  const target = h("input", { value: path, "aria-label": path });
  const types = Object.keys(o.requestBody?.content ?? {});
  const body = h("textarea", { "aria-label": "body", spellcheck: "false" }, types.length ? (EXAMPLES[path] ?? PAGE) : "");
  const out = h("pre", { tabindex: "0", role: "region", "aria-label": t("answer") });
  const answer = h("div", { hidden: true }, h("h2", {}, t("answer")), out);
  const send = async () => {
    answer.hidden = false;
    out.textContent = t("working");
    try {
      const headers: HeadersInit = path === "/mcp" ? { Accept: MCP } : {};
      const init = types.length
        ? { method: method.toUpperCase(), headers: { ...headers, "Content-Type": types[0] ?? "" }, body: body.value }
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
    o.description !== undefined && h("p", {}, o.description),
    h("p", { class: "small soft" }, [types.join(", "), codes].filter(Boolean).join(" → ")),
    ...described(d, o),
    h("div", { class: "row" }, target, h("button", { type: "button", onclick: send }, t("try"))),
    types.length > 0 && body,
    answer,
  );
}

/** A field for the token of the requests, which the playground shares. */
function tokenField(): HTMLElement {
  const field = h("input", { type: "password", autocomplete: "off", value: token.get() });
  field.addEventListener("input", () => token.set(field.value.trim()));
  return field;
}

async function start() {
  const d: Document = await (await call("/openapi.json")).json();
  const all = Object.entries(d.paths).flatMap(([path, item]) => Object.entries(item).map(([method, o]) => operation(d, path, method, o)));
  document.body.append(
    h(
      "header",
      {},
      h("h1", {}, d.info.title),
      h("span", { class: "tagline" }, d.info.summary),
      h("label", {}, t("token"), " ", tokenField()),
      h("nav", {}, h("a", { href: "/" }, "playground")),
    ),
    h("main", {}, h("p", {}, d.info.description, " ", h("a", { href: "/openapi.json" }, "openapi.json")), ...all),
  );
}

void start();
