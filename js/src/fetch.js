// Fetches a page as bytes, so that the library finds its charset.

const ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/** Returns the page's bytes, its address after redirects, and the charset of its header. */
export async function fetchPage(address, { timeout = 30, maxSize = Infinity, userAgent = "maintext" } = {}) {
  const signal = AbortSignal.timeout(timeout * 1000);
  let response;
  try {
    response = await fetch(address, {
      signal,
      redirect: "follow",
      headers: { accept: ACCEPT, "user-agent": userAgent },
    });
    if (!response.ok) throw new Error(`the server answered with status ${response.status}`);
    return { html: await bytes(response, maxSize), url: response.url || address, charset: charsetOf(response) };
  } catch (error) {
    if (error.name === "TimeoutError") throw new Error(`no answer within ${timeout} seconds`);
    throw error.cause?.message ? new Error(error.cause.message, { cause: error }) : error;
  }
}

async function bytes(response, maxSize) {
  const chunks = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxSize) throw new Error(`the page is larger than ${maxSize} bytes`);
    chunks.push(chunk);
  }
  const all = new Uint8Array(size);
  let end = 0;
  for (const chunk of chunks) {
    all.set(chunk, end);
    end += chunk.length;
  }
  return all;
}

function charsetOf(response) {
  const [, quoted, plain] =
    /;\s*charset\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(response.headers.get("content-type") ?? "") ?? [];
  return quoted ?? plain;
}
