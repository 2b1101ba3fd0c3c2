// For Cloudflare Workers and others whose bundlers import a .wasm file as a compiled module.
import module from "../../wasm/lite.wasm";
import { create } from "../core.js";
import { starter } from "../start.js";

const api = create(() => module);

export const { init, initSync } = starter(api.machine);
export const { Extractor, extract, extractMany, inspect, explain } = api;
export { MaintextError } from "../core.js";
export { serialize } from "../page.js";
