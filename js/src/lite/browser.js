// For browsers: `await init()` fetches the module, which is next to this file or at the address that the caller gives.
import { create } from "../core.js";
import { missing, starter } from "../start.js";

const api = create(missing);

export const { init, initSync } = starter(api.machine, () => new URL("../../wasm/lite.wasm", import.meta.url));
export const { Extractor, extract, extractMany, inspect, explain } = api;
export { MaintextError } from "../core.js";
export { serialize } from "../page.js";
