// A view of the page for the coloured frame, made in the browser from the page's source and the places of its blocks. The browser's parser
// builds an inert document: it runs no script and loads nothing. The frame gets steps that create elements and text nodes.
import type { Step } from "./backend";

export type Placed = { text: string; span: [start: number, end: number] };

const SHOWN = new Set(
  (
    "address article aside b blockquote br caption cite code dd del dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i ins " +
    "kbd li main mark nav ol p pre q s samp section small strong sub sup table tbody td tfoot th thead tr u ul"
  ).split(" "),
);
const INLINE = new Set(
  "a abbr acronym bdi bdo big button data dfn font img input label map math output select slot span svg textarea time tt var wbr".split(
    " ",
  ),
);
const SKIPPED = new Set("script style noscript template title head link meta iframe object embed svg canvas audio video select".split(" "));

/** Returns the text of a page that came as bytes: as UTF-8 if it is that, else by the charset that it declares. */
export function decoded(bytes: Uint8Array, charset?: string): string {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 4096));
  const declared = /charset\s*=\s*["']?([\w-]+)/i.exec(head)?.[1];
  for (const label of [charset, "utf-8", declared]) {
    if (!label) continue;
    try {
      return new TextDecoder(label, { fatal: true }).decode(bytes);
    } catch {
      // The next one.
    }
  }
  return new TextDecoder("windows-1252").decode(bytes);
}

/** Returns the source with a comment before and after each block. */
function marked(source: string, blocks: Placed[], nonce: string): string {
  const bytes = new TextEncoder().encode(source);
  const decoder = new TextDecoder();
  const marks = blocks
    .flatMap(
      ({ span: [start, end] }, i) =>
        [
          [start, i, 0],
          [end, i, 1],
        ] as const,
    )
    .sort((a, b) => a[0] - b[0] || b[2] - a[2]);
  let at = 0;
  const parts: string[] = [];
  for (const [place, block, end] of marks) {
    parts.push(decoder.decode(bytes.subarray(at, place), { stream: true }), `<!--${nonce}${end ? "/" : ""}${block}-->`);
    at = Math.max(at, place);
  }
  parts.push(decoder.decode(bytes.subarray(at)));
  return parts.join("");
}

/**
 * Disables the handlers and styles of tags. The parser would not run them, but the browser reports each one as a violation of the policy. A
 * style sheet becomes a script, whose text stays raw, too, and which the parser does not run either.
 */
function quiet(source: string): string {
  return source
    .replace(/<(\/?)style\b/gi, "<$1script")
    .replace(/<[a-z][^<>]*\s(?:on\w+|style)\s*=[^>]*>/gi, (tag) => tag.replace(/\s(on\w+|style)(?=\s*=)/gi, " data-$1"));
}

/** Returns the path of an element, such as `body > div.main > p`: its four innermost elements, each with its id or first class. */
function path(element: Element | null): string {
  const names: string[] = [];
  for (let e = element; e && e.localName !== "html" && names.length < 4; e = e.parentElement) {
    const id = e.id.trim().split(/\s+/)[0],
      first = e.classList[0];
    names.unshift(e.localName + (id ? `#${id.slice(0, 40)}` : first ? `.${first.slice(0, 40)}` : ""));
  }
  return names.join(" > ");
}

/** Returns the steps, and the path of each block. A block that the browser's document lacks is put after the block before it. */
export function view(source: string, blocks: Placed[]): { steps: Step[]; paths: string[] } {
  const nonce = `mt${crypto.getRandomValues(new Uint32Array(2)).join("")}.`;
  const page = new DOMParser().parseFromString(quiet(marked(source, blocks, nonce)), "text/html");
  const steps: Step[] = [];
  const paths: string[] = new Array(blocks.length).fill("");
  const shown = new Set<number>();
  /** The open elements, and whether their beginning has been written. */
  const open: { node: Node; written: boolean }[] = [];
  let block = -1,
    next = 0,
    gap = false;

  const begin = () => {
    for (const item of open) {
      if (item.written) continue;
      const name = (item.node as Element).localName;
      steps.push(SHOWN.has(name) ? name : INLINE.has(name) ? "span" : "div");
      item.written = true;
    }
  };
  const catchUp = (until: number) => {
    for (; next < until; next++) {
      const text = blocks[next]?.text;
      if (!shown.has(next) && text) steps.push("p", [next, text], 0);
    }
  };
  const enter = (node: Node): boolean => {
    if (node.nodeType === Node.COMMENT_NODE) {
      const mark = node.nodeValue ?? "";
      if (!mark.startsWith(nonce)) return false;
      const end = mark[nonce.length] === "/";
      const number = Number(mark.slice(nonce.length + (end ? 1 : 0)));
      if (end) block = block === number ? -1 : block;
      else {
        block = number;
        gap = false;
      }
      return false;
    }
    if (node.nodeType === Node.TEXT_NODE) {
      const text = node.nodeValue ?? "";
      if (block < 0) return false;
      if (!text.trim()) {
        gap = true;
        return false;
      }
      catchUp(block);
      begin();
      steps.push([block, (gap && shown.has(block) ? " " : "") + text]);
      paths[block] ||= path(node.parentElement);
      shown.add(block);
      gap = false;
      return false;
    }
    if (!(node instanceof Element) || SKIPPED.has(node.localName)) return false;
    open.push({ node, written: false });
    const alt = node.localName === "img" ? node.getAttribute("alt")?.trim() : "";
    if (alt || node.localName === "br" || node.localName === "hr") begin();
    if (alt) steps.push(["img", alt]);
    return true;
  };
  const leave = () => {
    if (open.pop()?.written) steps.push(0);
  };

  let node: Node | null = page.body;
  while (node) {
    const inside: Node | null = enter(node) ? node.firstChild : null;
    if (inside) {
      node = inside;
      continue;
    }
    // Leaves the elements that end here.
    let at: Node | null = node;
    if (open[open.length - 1]?.node === at) leave();
    while (at && !at.nextSibling) {
      at = at.parentNode;
      if (open[open.length - 1]?.node === at) leave();
    }
    node = at?.nextSibling ?? null;
  }
  catchUp(blocks.length);
  return { steps, paths };
}
