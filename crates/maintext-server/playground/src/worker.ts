// The worker of the page without a server: runs the package on one page at a time.
import { explain, extract, init, inspect } from "maintext";
import type { Settings } from "./backend";

export type Source = { page: string | Uint8Array; url?: string; charset?: string };
export type Question =
  | { call: "inspect"; source: Source; method: Settings["method"]; favor: Settings["favor"] }
  | { call: "explain"; source: Source; block: number }
  | { call: "judge"; source: Source; method: Settings["method"]; favor: Settings["favor"] };

/** Settings of the result; the same as in the service. */
const CONTENT = { formats: ["text", "markdown", "html"], pageType: true, things: true } as const;

function answer(question: Question): unknown {
  const { page, ...about } = question.source;
  if (question.call === "explain") return explain(page, question.block, about);
  const chosen = { ...about, method: question.method, favor: question.favor };
  const begin = performance.now();
  if (question.call === "judge") return { seen: inspect(page, chosen), milliseconds: performance.now() - begin };
  const result = extract(page, { ...chosen, ...CONTENT });
  const milliseconds = performance.now() - begin;
  return { page: result, seen: inspect(page, chosen), milliseconds };
}

const ready = init(new URL("maintext.wasm", location.href));
addEventListener("message", async (event: MessageEvent<{ id: number; question: Question }>) => {
  const { id, question } = event.data;
  try {
    await ready;
  } catch (error) {
    return postMessage({ id, code: "worker", error: String((error as Error).message) });
  }
  try {
    postMessage({ id, answer: answer(question) });
  } catch (error) {
    postMessage({ id, code: (error as { code?: string }).code ?? "", error: String((error as Error).message) });
  }
});
