// The page without a server: the extractor runs in a worker, and nothing that is opened leaves the browser.
import { start } from "./app";
import {
  METHODS,
  Problem,
  type Ask,
  type Backend,
  type Explanation,
  type Inspection,
  type Method,
  type Methods,
  type Page,
  type Role,
  type Row,
  type Settings,
} from "./backend";
import { t } from "./i18n";
import { decoded, view } from "./view";
import type { Question, Source } from "./worker";

/** The documents of the frames, which the build puts in with their scripts and styles: a sandboxed frame cannot read from a cache. */
declare const FRAMES: { frame: string; article: string };

type Block = {
  text: string;
  tag: string;
  words: number;
  chars: number;
  link_chars: number;
  hidden: boolean;
  score: number;
  probability: number | null;
  keep: boolean;
  role: Role | null;
  role_probability: number | null;
  span: [number, number];
};
type Seen = { blocks: Block[]; candidates: Inspection["candidates"]; url: string | null };

/** The largest number of blocks that can be examined, as in the service. */
const MAX_BLOCKS = 20_000;
/** The number of features that are listed one by one. */
const NAMED = 40;

let worker: Worker | null = null;
let asked = 0;
const waiting = new Map<number, { done: (answer: unknown) => void; failed: (error: Error) => void }>();
/** The pages that can be explained, by their handle. */
const sources = new WeakMap<Inspection, { source: Source; settings: Settings }>();

function running(): Worker {
  if (worker) return worker;
  const made = new Worker(new URL("worker.js", document.baseURI));
  made.onmessage = (event) => {
    const { id, answer, code, error } = event.data;
    const question = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) question?.done(answer);
    else question?.failed(new Problem(code, error));
  };
  made.onerror = (event) => stop(new Problem("worker", event.message));
  worker = made;
  return made;
}

/** Ends the worker, in the middle of its work if need be; the next question starts another. */
function stop(error: Error) {
  worker?.terminate();
  worker = null;
  waiting.forEach((question) => question.failed(error));
  waiting.clear();
}

function query<T>(question: Question, signal?: AbortSignal): Promise<T> {
  return new Promise<T>((done, failed) => {
    const id = ++asked;
    waiting.set(id, { done: done as (answer: unknown) => void, failed });
    signal?.addEventListener("abort", () => waiting.has(id) && stop(new DOMException("", "AbortError")));
    running().postMessage({ id, question });
  });
}

/** Fetches a page, where its site allows that. */
async function fetched(url: string, signal: AbortSignal): Promise<Source> {
  const response = await fetch(url, { signal, referrerPolicy: "no-referrer", credentials: "omit" }).catch((error) => {
    throw signal.aborted ? error : new Problem("cors", String(error.message));
  });
  if (!response.ok) throw new Problem("status", `${url}: ${response.status} ${response.statusText}`);
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(response.headers.get("content-type") ?? "")?.[1];
  return { page: new Uint8Array(await response.arrayBuffer()), url: response.url || url, ...(charset ? { charset } : {}) };
}

function round(x: number): number {
  return Math.round(x * 1e4) / 1e4;
}

const browser: Backend = {
  frame: (name) => ({ srcdoc: FRAMES[name] }),
  async inspect(ask: Ask, settings: Settings, signal: AbortSignal): Promise<Inspection> {
    const about = { ...(ask.url ? { url: ask.url } : {}), ...(ask.charset ? { charset: ask.charset } : {}) };
    const page = ask.html ?? ask.bytes;
    const source = page === undefined ? await fetched(ask.url ?? "", signal) : { page, ...about };
    const { method, favor } = settings;
    const answer = await query<{ page: Page; seen: Seen; milliseconds: number }>({ call: "inspect", source, method, favor }, signal);
    const text = typeof source.page === "string" ? source.page : decoded(source.page, source.charset);
    const placed = answer.seen.blocks;
    const { steps, paths } = view(text, placed);
    const seen: Inspection = {
      page: answer.page,
      url: source.url ?? null,
      milliseconds: answer.milliseconds,
      bytes: text.length,
      cut: placed.length > MAX_BLOCKS,
      blocks: placed.slice(0, MAX_BLOCKS).map((b, i) => ({
        text: b.text,
        path: paths[i] ?? "",
        words: b.words,
        chars: b.chars,
        link_density: round(b.link_chars / Math.max(1, b.chars)),
        hidden: b.hidden,
        score: round(b.score),
        probability: b.probability === null ? null : round(b.probability),
        keep: b.keep,
        role: b.role,
        role_probability: b.role_probability === null ? null : round(b.role_probability),
      })),
      candidates: answer.seen.candidates,
      view: steps,
      methods: null,
      handle: "",
      site: null,
      taught: false,
    };
    sources.set(seen, { source, settings });
    return seen;
  },
  async explain(seen: Inspection, block: number): Promise<Explanation> {
    const known = sources.get(seen);
    if (!known) throw new Problem("worker", t("error_worker"));
    const explained = await query<Explanation>({ call: "explain", source: known.source, block });
    for (const stage of [explained.forest, explained.network]) {
      stage.rest = stage.parts.slice(NAMED).reduce((sum, part) => sum + part.weight, 0);
      stage.parts = stage.parts.slice(0, NAMED);
    }
    return explained;
  },
  async compare(seen: Inspection): Promise<Methods> {
    const known = sources.get(seen);
    if (!known) return {};
    const methods: Methods = {};
    for (const method of METHODS) {
      const judged = await query<{ seen: Seen; milliseconds: number }>({ call: "judge", source: known.source, method, favor: "balance" });
      const blocks = judged.seen.blocks;
      const row = (b: Block): Row => [
        b.span[1] - b.span[0],
        b.chars,
        b.chars / Math.max(1, b.span[1] - b.span[0]),
        round(b.score),
        b.keep ? 1 : 0,
      ];
      const made: Method = {
        keep: blocks.slice(0, MAX_BLOCKS).map((b) => (b.keep ? 1 : 0)),
        words: blocks.reduce((sum, b) => sum + (b.keep ? b.words : 0), 0),
        milliseconds: judged.milliseconds,
        unit: "block",
        threshold: null,
        facts: {},
        rows: blocks.slice(0, MAX_BLOCKS).map(row),
      };
      methods[method] = made;
    }
    return methods;
  },
};

start(browser);
if ("serviceWorker" in navigator && isSecureContext) void navigator.serviceWorker.register("offline.js").catch(() => undefined);
