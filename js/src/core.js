// The calls of the WebAssembly module, without anything that belongs to a platform.
import { isNode, pageOf } from "./page.js";

/** An input that is not a page, an address that is none, or a failure of the module. `code` is `not_html`, `url` or `internal`. */
export class MaintextError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.name = "MaintextError";
    this.code = code;
  }
}

const EXTRACT = 0;
const LIST = 1;
const CLASSIFY = 2;
const INSPECT = 3;
const EXPLAIN = 4;

/** Options that belong to one page, and are no part of an extractor's settings. */
const OF_PAGE = ["url", "charset", "visible"];

/** The longest address or path, in UTF-16 units. */
const LONGEST_NAME = 4096;
/** A line that is an address and nothing else. */
const ADDRESS = /^(?:https?:\/\/|www\.)[^\s<]+$/i;
/** A line that ends like the name of a page's file. */
const FILE_NAME = /^[^<\r\n]+\.(?:html?|xhtml|mhtml)$/i;

/** Number of extractors that the functions keep, by their settings. */
const KEPT = 8;

/** WebAssembly's memory never shrinks; beyond this size, an instance is dropped after the page. */
const LARGEST_MEMORY = 256 * 1024 * 1024;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Instances of one module. A trap leaves an instance in an unknown state, so it is dropped, and the next call makes another. */
class Machine {
  /** @param load returns a `WebAssembly.Module`, or throws if it cannot yet. */
  constructor(load) {
    this.load = load;
    this.module = undefined;
    this.exports = undefined;
    /** Counts the instances: a reader of an earlier one has to be opened again. */
    this.age = 0;
  }

  /** Takes a module, or an instance of it that was made without blocking. */
  take(module, instance) {
    this.module = module;
    this.exports = instance?.exports;
    this.age += 1;
  }

  instance() {
    if (this.exports === undefined) {
      this.module ??= this.load();
      this.exports = new WebAssembly.Instance(this.module, {}).exports;
      this.age += 1;
    }
    return this.exports;
  }

  drop() {
    this.exports = undefined;
  }

  /** Writes a head and a page, text or bytes, into the module's input. */
  write(wasm, head, page) {
    const into = (length, from) => {
      // The address first: making room may replace the memory's buffer.
      const address = wasm.mt_input(length);
      return new Uint8Array(wasm.memory.buffer, address + from, length - from);
    };
    if (typeof page !== "string") {
      const input = into(head.length + page.length, 0);
      input.set(head);
      input.set(page, head.length);
      return;
    }
    // Most pages are nearly ASCII, so the rest that may need three bytes for a unit is short.
    let view = into(head.length + page.length, 0);
    view.set(head);
    let { read, written } = encoder.encodeInto(page, view.subarray(head.length));
    let length = head.length + written;
    if (read < page.length) {
      const rest = page.slice(read);
      view = into(length + 3 * rest.length, length);
      length += encoder.encodeInto(rest, view).written;
    }
    wasm.mt_input(length);
  }

  output(wasm) {
    const [address, length] = [wasm.mt_output(), wasm.mt_output_len()];
    return decoder.decode(new Uint8Array(wasm.memory.buffer, address, length));
  }

  /** Runs a call of the module and returns its number and its output; a trap becomes an error of this call alone. */
  run(wasm, call) {
    try {
      const number = call();
      return [number, this.output(wasm)];
    } catch (cause) {
      this.drop();
      let message = "the module failed";
      try {
        message = JSON.parse(this.output(wasm)).message ?? message;
      } catch {
        message = `${message}: ${cause?.message ?? cause}`;
      }
      throw new MaintextError("internal", message, { cause });
    }
  }

  /** Opens a reader with settings and returns its number. */
  open(json, model) {
    const wasm = this.instance();
    const head = encoder.encode(json);
    const [number, output] = this.run(wasm, () => {
      this.write(wasm, head, model);
      return wasm.mt_open(head.length);
    });
    if (number === 0) throw failure(output);
    return number;
  }

  /** Runs a call on a page and returns its answer, as JSON. */
  answer(reader, call, head, page) {
    const wasm = this.instance();
    const json = encoder.encode(JSON.stringify(head));
    const [ok, output] = this.run(wasm, () => {
      this.write(wasm, json, page);
      return wasm.mt_call(reader, call, json.length, typeof page === "string" ? 1 : 0);
    });
    if (wasm.memory.buffer.byteLength > LARGEST_MEMORY) this.drop();
    if (ok === 0) throw failure(output);
    return output;
  }

  close(reader, age) {
    if (this.exports !== undefined && this.age === age) this.exports.mt_close(reader);
  }
}

function failure(output) {
  const { kind, message } = JSON.parse(output);
  return kind === "option" ? new TypeError(message) : new MaintextError(kind, message);
}

/** Returns the options as an object; `undefined` and `null` are none. */
function objectOf(options) {
  if (options === undefined || options === null) return {};
  if (typeof options !== "object" || Array.isArray(options)) throw new TypeError("options: expected an object");
  return options;
}

/** Returns the settings of an extractor as JSON, and the model's bytes. */
function settingsOf(options) {
  const settings = {};
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || name === "model" || name === "visible") continue;
    settings[name] = name === "now" && value instanceof Date ? dateOf(value) : value;
  }
  const json = JSON.stringify(settings, function (key, value) {
    const name = this === settings ? key : undefined;
    if (
      ["function", "symbol", "bigint"].includes(typeof value) ||
      (typeof value === "number" && !Number.isFinite(value))
    ) {
      throw new TypeError(`${name ?? key}: a value of type ${typeof value} is not allowed here: ${String(value)}`);
    }
    return value;
  });
  return { json, model: modelOf(options.model) };
}

function dateOf(date) {
  if (Number.isNaN(date.getTime())) throw new TypeError("now: expected a Date, not an invalid one");
  return date.toISOString();
}

function modelOf(model) {
  if (model === undefined || model === null) return new Uint8Array(0);
  if (model instanceof ArrayBuffer) return new Uint8Array(model);
  if (ArrayBuffer.isView(model)) return new Uint8Array(model.buffer, model.byteOffset, model.byteLength);
  throw new TypeError("model: expected the bytes of a model file, as Uint8Array or ArrayBuffer");
}

/** Divides the options of a function into those of the page and the settings. */
function divide(options) {
  const own = {};
  const settings = {};
  for (const [name, value] of Object.entries(objectOf(options)))
    (OF_PAGE.includes(name) ? own : settings)[name] = value;
  return [own, settings];
}

/** Returns the options of one page, checked, and the page as text or bytes. */
function read(input, options, allowed) {
  const own = objectOf(options);
  for (const [name, value] of Object.entries(own)) {
    if (!allowed.includes(name))
      throw new TypeError(`unknown option '${name}' of a page; they are ${allowed.join(", ")}`);
    if (value === undefined || value === null) continue;
    const type = { visible: "boolean", block: "number" }[name] ?? "string";
    if (name === "url" && typeof value.href === "string") continue;
    if (typeof value !== type) throw new TypeError(`${name}: expected a ${type}, not ${typeof value}`);
  }
  const { page, url } = pageOf(input, own.visible ?? false);
  if (typeof page === "string" && page.length <= LONGEST_NAME) refuseName(page.trim());
  return [page, { url: own.url?.href ?? own.url ?? url, charset: own.charset ?? undefined }];
}

/** Refuses an address and the name of a file in place of a page. */
function refuseName(line) {
  if (ADDRESS.test(line)) {
    throw new MaintextError("not_html", `the input is an address, not HTML; fetch '${line}' and give the answer's bytes or text`);
  }
  if (FILE_NAME.test(line)) {
    throw new MaintextError("not_html", `the input is the name of a file, not HTML; give the bytes of '${line}', as readFileSync() reads them`);
  }
}

/** Returns the functions of the package over a module. `load` returns the `WebAssembly.Module`. */
export function create(load) {
  const machine = new Machine(load);
  const closed = new FinalizationRegistry(({ number, age }) => machine.close(number, age));

  class Extractor {
    #json;
    #model;
    #number;
    #age = 0;

    constructor(options) {
      const { json, model } = settingsOf(objectOf(options));
      // A copy: the caller may change its bytes, and a new instance needs them again.
      [this.#json, this.#model] = [json, model.slice()];
      this.#reader();
    }

    #reader() {
      machine.instance();
      if (this.#age !== machine.age) {
        this.#number = machine.open(this.#json, this.#model);
        this.#age = machine.age;
        closed.unregister(this);
        closed.register(this, { number: this.#number, age: this.#age }, this);
      }
      return this.#number;
    }

    #call(call, input, options, allowed = OF_PAGE, more = {}) {
      const [page, head] = read(input, options, allowed);
      return JSON.parse(machine.answer(this.#reader(), call, { ...head, ...more }, page));
    }

    extract(input, options) {
      return this.#call(EXTRACT, input, options);
    }

    extractMany(pages, options) {
      if (pages?.[Symbol.asyncIterator]) return this.#each(pages, objectOf(options));
      if (typeof pages === "string" || typeof pages?.[Symbol.iterator] !== "function") {
        throw new TypeError("pages: expected an iterable of pages");
      }
      return this.#all(pages, objectOf(options));
    }

    *#all(pages, options) {
      for (const page of pages) yield this.#one(page, options);
    }

    async *#each(pages, options) {
      for await (const page of pages) yield this.#one(page, options);
    }

    /** Extracts one of many pages; its error is its result. */
    #one(page, options) {
      const { html, ...own } = isRecord(page) ? page : { html: page };
      try {
        return this.extract(html, { ...options, ...own });
      } catch (error) {
        return { url: own.url ?? null, error };
      }
    }

    list(input, options) {
      return this.#call(LIST, input, options);
    }

    classify(input, options) {
      return this.#call(CLASSIFY, input, options);
    }

    inspect(input, options) {
      return this.#call(INSPECT, input, options);
    }

    explain(input, block, options) {
      if (!Number.isInteger(block) || block < 0) throw new TypeError("block: expected the number of a block");
      return this.#call(EXPLAIN, input, options, OF_PAGE, { block });
    }

    free() {
      closed.unregister(this);
      machine.close(this.#number, this.#age);
      this.#age = 0;
    }
  }

  const kept = new Map();

  /** Returns an extractor with these settings; the last few are kept. One with a model is not. */
  function extractor(settings) {
    const { json, model } = settingsOf(settings);
    if (model.length > 0) return new Extractor(settings);
    const found = kept.get(json) ?? new Extractor(settings);
    kept.delete(json);
    kept.set(json, found);
    if (kept.size > KEPT) {
      const [oldest] = kept.keys();
      kept.get(oldest).free();
      kept.delete(oldest);
    }
    return found;
  }

  const over = (name) => (input, options) => {
    const [own, settings] = divide(options);
    return extractor(settings)[name](input, own);
  };

  return {
    machine,
    Extractor,
    extract: over("extract"),
    extractMany(pages, options) {
      const [own, settings] = divide(options);
      // Its own extractor, since others may replace a kept one before the last page.
      return new Extractor(settings).extractMany(pages, own);
    },
    list: over("list"),
    classify: over("classify"),
    inspect: over("inspect"),
    explain(input, block, options) {
      const [own, settings] = divide(options);
      return extractor(settings).explain(input, block, own);
    },
  };
}

function isRecord(page) {
  return typeof page === "object" && page !== null && "html" in page && !ArrayBuffer.isView(page) && !isNode(page);
}
