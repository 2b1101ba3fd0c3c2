// maintext/ai: a tool for the Vercel AI SDK, version 5 or newer. Install `ai` as well.
import type { Tool } from "ai";
import type { ReaderOptions, ReadPage } from "./tools.js";

export { init, initSync } from "./page.js";
export type { ReaderOptions, ReadPage } from "./tools.js";

/** Returns a tool that reads web pages: `generateText({ model, prompt, tools: { readPage: readPage() } })`. */
export declare function readPage(options?: ReaderOptions & { description?: string }): Tool<{ url: string }, ReadPage>;
