// What the reader opens: an address, a file, pasted HTML or an example; and its place in the browser's history.
import { Problem, type Ask } from "./backend";
import { EXAMPLES } from "./examples";
import { t } from "./i18n";

/** A page that was opened. Its key identifies it. */
export type Opened = { key: string; ask: Ask; example?: string };

/** Pages without an address, by key, as long as the tab is open. */
const local = new Map<string, Opened>();

/** Reads the typed text as an address. HTML is taken as a page. */
export function typed(text: string): Opened {
  const html = text.trim();
  return /^<[^]*>/.test(html) ? pasted(html) : addressed(text);
}

/** Reads a text as an address: a scheme may be left out. */
function addressed(text: string): Opened {
  const address = text.trim();
  const near = /^(localhost|127\.|\[)/i.test(address) || /^[^/]*:\d+(\/|$)/.test(address);
  const url = /^https?:\/\//i.test(address) ? address : `${near ? "http" : "https"}://${address}`;
  const named = URL.canParse(url) && !/\s/.test(address) && (near || /\.|^localhost$|:/.test(new URL(url).hostname));
  if (!named || (/^[a-z][a-z0-9+.-]*:/i.test(address) && !/^https?:/i.test(address) && !near))
    throw new Problem("address", t("error_address"));
  return { key: url, ask: { url } };
}

export function pasted(html: string): Opened {
  return keep({ html });
}

export async function dropped(file: File): Promise<Opened> {
  return keep({ bytes: new Uint8Array(await file.arrayBuffer()) });
}

function keep(ask: Ask): Opened {
  const opened = { key: `local-${local.size + 1}`, ask };
  local.set(opened.key, opened);
  return opened;
}

export function example(id: string): Opened | null {
  const found = EXAMPLES.find((e) => e.id === id);
  return found ? { key: `example-${id}`, ask: { html: found.html, url: found.url }, example: id } : null;
}

/** Returns the page of the current address, `null` for the start page. Throws a problem if the address names no page. */
export function located(): Opened | null {
  const query = new URLSearchParams(location.search);
  const url = query.get("url");
  if (url) return addressed(url);
  const key: unknown = history.state?.local;
  return example(query.get("example") ?? "") ?? (typeof key === "string" ? (local.get(key) ?? null) : null);
}

/** Puts a page into the address bar. */
export function locate(opened: Opened | null) {
  const url = opened?.example
    ? `?example=${opened.example}`
    : opened?.ask.url
      ? `?url=${encodeURIComponent(opened.ask.url)}`
      : location.pathname;
  const here = opened && !opened.example && !opened.ask.url ? { local: opened.key } : null;
  const same = here ? history.state?.local === here.local : url === (location.search || location.pathname) && !history.state?.local;
  if (!same) history.pushState(here, "", url);
}
