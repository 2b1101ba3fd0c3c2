// A Cloudflare Worker that reads web pages: GET /?url=https://… fetches one, POST / takes its HTML. The answer is Markdown, or JSON if
// the request accepts it.
import { extract, MaintextError } from "maintext";

const LARGEST = 10_000_000;

export default {
  async fetch(request) {
    const address = new URL(request.url).searchParams.get("url") ?? undefined;
    try {
      const { html, url, charset } = request.method === "POST" ? await sent(request, address) : await fetched(address);
      const page = extract(html, { url, charset, formats: "markdown", title: "once" });
      if (request.headers.get("accept")?.includes("application/json")) return Response.json(page);
      return new Response(page.markdown, { headers: { "content-type": "text/markdown; charset=utf-8" } });
    } catch (error) {
      const status = error instanceof Refused ? error.status : error instanceof MaintextError && error.code !== "internal" ? 422 : 500;
      return new Response(`${error.message}\n`, { status });
    }
  },
};

class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function sent(request, url) {
  return { html: await bytesOf(request), url, charset: charsetOf(request) };
}

async function fetched(url) {
  // A worker for the public should allow its own list of hosts alone.
  if (!/^https?:\/\//i.test(url ?? "")) throw new Refused(400, "give ?url=https://… or send HTML with POST");
  const response = await fetch(url, { headers: { accept: "text/html,application/xhtml+xml" } });
  if (!response.ok) throw new Refused(502, `${url}: status ${response.status}`);
  return { html: await bytesOf(response), url: response.url || url, charset: charsetOf(response) };
}

/** The bytes as they are: the library finds their charset. */
async function bytesOf(message) {
  const bytes = new Uint8Array(await message.arrayBuffer());
  if (bytes.length > LARGEST) throw new Refused(413, `the page is larger than ${LARGEST} bytes`);
  return bytes;
}

function charsetOf(message) {
  return /;\s*charset="?([^";\s]+)/i.exec(message.headers.get("content-type") ?? "")?.[1];
}
