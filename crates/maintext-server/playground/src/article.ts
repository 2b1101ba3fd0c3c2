// Runs in the sandboxed frame of the article. Builds it from the extracted HTML: known elements and attributes only, text as text nodes.
// The frame has an origin of its own, and its policy lets it load only this script, its style, and pictures.
import { h } from "./dom";

type Article = {
  type: "article";
  html: string;
  title: string | null;
  language: string | null;
  kicker: string;
  byline: string[];
  /** Whether pictures are loaded from their servers. */
  pictures: boolean;
  /** Pictures that are at hand, by address. */
  own: { [address: string]: string };
  /** The number of characters of text to show. */
  limit: number;
  words: { picture: string; media: string; empty: string };
};

const ELEMENTS = new Set(
  (
    "a abbr address article aside b bdi bdo blockquote br caption center cite code col colgroup dd del details dfn div dl dt em " +
    "figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i ins kbd li main mark nav ol p pre q rp rt ruby s samp section small span " +
    "strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr"
  ).split(" "),
);
const MATH = "http://www.w3.org/1998/Math/MathML";
const FORMULA = new Set(
  (
    "math merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub " +
    "msubsup msup mtable mtd mtext mtr munder munderover none semantics annotation"
  ).split(" "),
);
/** Attributes that are copied as they are. Links and pictures have rules of their own. */
const ATTRIBUTES = new Set(
  (
    "id lang dir title start reversed type value colspan rowspan align datetime display mathvariant " +
    "stretchy accent columnalign displaystyle"
  ).split(" "),
);
/** Classes that the style knows. */
const CLASSES = new Set(["footnotes", "callout", "callout-title", "math", "display", "inline"]);

let shown: Article | null = null;

function web(address: string): boolean {
  return /^https?:\/\//i.test(address);
}

function link(from: Element): HTMLElement {
  const href = from.getAttribute("href")?.trim() ?? "";
  if (href.startsWith("#")) return h("a", { href });
  return web(href) || /^mailto:/i.test(href) ? h("a", { href, target: "_blank", rel: "noopener noreferrer nofollow" }) : h("span");
}

function picture(from: Element, article: Article): HTMLElement {
  const src = from.getAttribute("src")?.trim() ?? "";
  const alt = from.getAttribute("alt")?.trim() ?? "";
  const note = () => h("span", { class: "picture" }, alt ? `${article.words.picture}: ${alt}` : article.words.picture);
  const own = article.own[src] ?? (src.startsWith("data:image/") ? src : null);
  if (!own && !(article.pictures && web(src))) return note();
  const size = (name: string) => (/^\d{1,5}$/.test(from.getAttribute(name) ?? "") ? from.getAttribute(name) : null);
  const image = h("img", {
    src: own ?? src,
    alt,
    width: size("width"),
    height: size("height"),
    loading: "lazy",
    decoding: "async",
    referrerpolicy: "no-referrer",
    onerror: () => image.replaceWith(note()),
  });
  return image;
}

/** Returns the element that stands for one of the extracted HTML; `null` leaves it out with all its content. */
function element(from: Element, article: Article): Element | null {
  const name = from.localName;
  if (name === "img") return picture(from, article);
  if (["script", "style", "template", "noscript", "title", "head"].includes(name)) return null;
  if (["video", "audio", "iframe"].includes(name)) {
    const src = from.getAttribute("src") ?? "";
    return web(src)
      ? h(
          "a",
          { class: "media", href: src, target: "_blank", rel: "noopener noreferrer nofollow" },
          from.getAttribute("title") || article.words.media,
        )
      : null;
  }
  if (name === "input") return h("span", { class: "box" }, from.hasAttribute("checked") ? "☑" : "☐");
  const math = from.namespaceURI === MATH && FORMULA.has(name);
  const to = math ? document.createElementNS(MATH, name) : name === "a" ? link(from) : h((ELEMENTS.has(name) ? name : "span") as "span");
  for (const { name: key, value } of from.attributes) {
    if (ATTRIBUTES.has(key)) to.setAttribute(key, value);
    else if (key === "class")
      value
        .split(/\s+/)
        .filter((c) => CLASSES.has(c))
        .forEach((c) => to.classList.add(c));
  }
  if (from.hasAttribute("data-callout")) to.classList.add("callout");
  return to;
}

/** Copies the descendants of `from` to `to`, up to a number of characters; returns whether all of it was copied. Uses no recursion. */
function copy(from: Element, to: Element, article: Article): boolean {
  let left = article.limit;
  const open: [Node | null, Element][] = [[from.firstChild, to]];
  while (open.length) {
    const top = open[open.length - 1];
    const [node, into] = top ?? [null, to];
    if (!top || !node) {
      open.pop();
      continue;
    }
    top[0] = node.nextSibling;
    if (node.nodeType === Node.TEXT_NODE) {
      left -= node.nodeValue?.length ?? 0;
      into.append(node.nodeValue ?? "");
      if (left < 0) return false;
    } else if (node instanceof Element) {
      const made = element(node, article);
      if (!made) continue;
      into.append(made);
      if (!["img", "video", "audio", "iframe", "input"].includes(node.localName)) open.push([node.firstChild, made]);
    }
  }
  return true;
}

function show(article: Article) {
  const source = new DOMParser().parseFromString(article.html, "text/html").body;
  const root = h("article", { lang: article.language, dir: "auto" });
  const whole = copy(source, root, article);
  if (!root.textContent?.trim() && !root.querySelector("img, .picture")) root.append(h("p", { class: "empty" }, article.words.empty));
  let title = root.querySelector("h1");
  if (!title && article.title) {
    title = h("h1", {}, article.title);
    root.prepend(title);
  }
  const byline = article.byline.length ? h("p", { class: "byline" }, article.byline.join(" · ")) : null;
  if (byline) title ? title.after(byline) : root.prepend(byline);
  if (article.kicker) root.prepend(h("p", { class: "kicker" }, article.kicker));
  root.querySelectorAll("table").forEach((table) => {
    if (!table.parentElement?.closest("table")) {
      const box = h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": table.caption?.textContent ?? "table" });
      table.replaceWith(box);
      box.append(table);
    }
  });
  // What scrolls sideways has to be reached by keyboard.
  root.querySelectorAll("pre, math[display='block']").forEach((e) => e.setAttribute("tabindex", "0"));
  document.documentElement.lang = article.language ?? "";
  document.body.replaceChildren(root);
  shown = article;
  tell({ type: "shown", whole });
  measure();
}

function tell(message: unknown) {
  parent.postMessage(message, "*");
}

function measure() {
  if (shown) tell({ type: "height", height: Math.ceil(document.body.getBoundingClientRect().height) });
}

addEventListener("message", (event) => {
  if (event.source === parent && event.data.type === "article") show(event.data);
});

// The frame is as high as its article, so the page around it has to scroll to a note.
document.addEventListener("click", (event) => {
  const anchor = (event.target as Element).closest?.("a[href^='#']");
  if (!anchor) return;
  event.preventDefault();
  const target = document.getElementById(decodeURIComponent(anchor.getAttribute("href")?.slice(1) ?? ""));
  if (target) tell({ type: "scroll", top: target.getBoundingClientRect().top });
});

new ResizeObserver(measure).observe(document.body);
tell({ type: "ready" });
