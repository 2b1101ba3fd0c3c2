// maintext/ai: a tool for the Vercel AI SDK.
import { jsonSchema, tool } from "ai";
import { DESCRIPTION, reader, SCHEMA } from "./tools.js";

export { init, initSync } from "maintext";

/** Returns a tool that reads web pages: `generateText({ tools: { readPage: readPage() } })`. */
export function readPage({ description = DESCRIPTION, ...options } = {}) {
  const read = reader(options);
  return tool({ description, inputSchema: jsonSchema(SCHEMA), execute: ({ url }) => read(url) });
}
