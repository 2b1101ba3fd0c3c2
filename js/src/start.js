// How a machine gets its module.

/** The loader of a platform that cannot read the module without waiting. */
export function missing() {
  throw new Error("maintext is not ready: call `await init()` once before the first page");
}

/**
 * Returns `init` and `initSync` for a machine. `place` returns the address of the module's file, if it has to be fetched.
 */
export function starter(machine, place) {
  let started;

  /** Takes the module from an address, a response, bytes or a compiled module; without any, from the package. */
  async function init(source) {
    if (source === undefined) {
      if (machine.exports !== undefined) return;
      started ??= place ? start(place()) : Promise.resolve(void machine.instance());
      // A failed fetch may succeed later.
      await started.catch((error) => {
        started = undefined;
        throw error;
      });
      return;
    }
    await start(source);
  }

  async function start(source) {
    const given = await source;
    if (given instanceof WebAssembly.Module) {
      machine.take(given, await WebAssembly.instantiate(given, {}));
      return;
    }
    const { module, instance } = await compile(given);
    machine.take(module, instance);
  }

  /** Takes a compiled module or its bytes synchronously; browsers refuse large ones on their main thread. */
  function initSync(source) {
    machine.take(source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source));
    machine.instance();
  }

  return { init, initSync };
}

async function compile(source) {
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.instantiate(source, {});
  const response = typeof Response !== "undefined" && source instanceof Response ? source : await fetch(source);
  if (!response.ok) throw new Error(`${response.url}: the module could not be fetched, status ${response.status}`);
  // Servers that do not know the type of .wasm files make streaming fail.
  if (response.headers.get("content-type")?.startsWith("application/wasm") && WebAssembly.instantiateStreaming) {
    return WebAssembly.instantiateStreaming(response, {});
  }
  try {
    return await WebAssembly.instantiate(await response.arrayBuffer(), {});
  } catch (cause) {
    throw new Error(`${response.url}: not the module: ${cause.message}`, { cause });
  }
}
