// For Node, Deno and Bun: the module is read from its file at the first call.
import { readFileSync } from "node:fs";
import { create } from "../core.js";
import { starter } from "../start.js";

const file = new URL("../../wasm/lite.wasm", import.meta.url);
const api = create(() => new WebAssembly.Module(readFileSync(file)));

export const { init, initSync } = starter(api.machine);
export const { Extractor, extract, extractMany, inspect, explain } = api;
export { MaintextError } from "../core.js";
export { serialize } from "../page.js";
