// Builds an article from HTML that a page may have written to attack the reader.
//
// The HTML is parsed in a document that runs and loads nothing, and every element is made anew from lists of allowed names,
// attributes and
// addresses. Nothing is parsed a second time. The extension's Content-Security-Policy, which allows no inline script or style,
// stands behind it.

const words = (text) => text.split(" ");

const ELEMENTS = new Set(
  words(
    "a abbr aside audio b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em " +
      "figcaption figure h1 h2 h3 h4 h5 " +
      "h6 hr i img ins kbd li mark ol p pre q rp rt ruby s samp section small span strong sub summary sup table tbody " +
      "td tfoot th thead time tr u " +
      "ul var video wbr",
  ),
);

const MATH = new Set(
  words(
    "math mi mn mo ms mtext mspace mrow mfrac msqrt mroot mstyle mpadded mphantom menclose msub msup msubsup munder " +
      "mover munderover mmultiscripts " +
      "mprescripts none mtable mtr mtd semantics",
  ),
);

/** Elements that are dropped with all their content; of other unknown elements, the content stays. */
const GONE = new Set(
  words(
    "script style template noscript iframe frame object embed applet svg link meta base title head form input " +
      "button select option textarea canvas " +
      "dialog portal annotation annotation-xml",
  ),
);

const TEXTUAL = ["title", "alt", "abbr", "lang", "dir", "datetime"];
const ATTRIBUTES = {
  a: ["href"],
  img: ["src", "width", "height"],
  video: ["src", "poster"],
  audio: ["src"],
  td: ["colspan", "rowspan"],
  th: ["colspan", "rowspan", "scope"],
  col: ["span"],
  colgroup: ["span"],
  ol: ["start", "reversed", "type"],
  li: ["value"],
  code: ["class"],
};
const MATH_ATTRIBUTES = words(
  "display mathvariant stretchy fence form separator accent accentunder linethickness columnalign rowalign " +
    "columnspan rowspan notation alttext dir " +
    "minsize maxsize width height depth lspace rspace largeop movablelimits symmetric",
);
const NUMBERS = new Set(words("width height colspan rowspan span start value"));
const MATHML = "http://www.w3.org/1998/Math/MathML";

/** A prefix of the article's ids, so that none equals one of the reader's own. */
const PREFIX = "article:";

/** Returns an address of the web, or undefined. `javascript:`, `data:`, `blob:` and the extension's own do not count. */
export function webAddress(text) {
  try {
    const url = new URL(text);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the address of a picture: of the web, or data of a format without scripts. */
export function pictureAddress(text) {
  if (/^data:image\/(png|jpe?g|gif|webp|avif|bmp);base64,[a-z0-9+/=\s]*$/i.test(text)) return text;
  const url = webAddress(text);
  return url?.startsWith("http") ? url : undefined;
}

function attributeOf(element, name, value) {
  if (name === "href") return element === "a" && value.startsWith("#") ? `#${PREFIX}${value.slice(1)}` : webAddress(value);
  if (name === "src" || name === "poster") return pictureAddress(value);
  if (name === "class") return /^language-[\w+#.-]{1,40}$/.test(value) ? value : undefined;
  if (NUMBERS.has(name)) return /^\d{1,5}$/.test(value) ? value : undefined;
  return value;
}

/** Copies the allowed attributes, and adds the attributes that links and pictures need. */
function dress(made, from, name, isMath) {
  const allowed = isMath ? MATH_ATTRIBUTES : [...(ATTRIBUTES[name] ?? []), ...TEXTUAL];
  for (const key of allowed) {
    const value = from.getAttribute(key);
    if (value === null) continue;
    const safe = isMath ? value : attributeOf(name, key, value);
    if (safe !== undefined) made.setAttribute(key, safe);
  }
  const id = from.getAttribute("id");
  if (id && !isMath) made.id = PREFIX + id;
  if (name === "a" && made.hasAttribute("href") && !made.getAttribute("href").startsWith("#")) {
    made.target = "_blank";
    made.rel = "noopener noreferrer";
  }
  if (name === "img") {
    made.loading = "lazy";
    made.decoding = "async";
    made.referrerPolicy = "no-referrer";
    if (!made.hasAttribute("alt")) made.alt = "";
  }
  if (name === "details") made.open = true;
  if (name === "video" || name === "audio") {
    made.controls = true;
    made.preload = "none";
  }
}

/** Returns the article as a fragment of `document`. Walks without recursion, since pages nest deeper than stacks. */
export function articleOf(html, document) {
  const source = new DOMParser().parseFromString(html, "text/html").body;
  const article = document.createDocumentFragment();
  const steps = [...source.childNodes].reverse().map((node) => [node, article]);
  while (steps.length > 0) {
    const [node, parent] = steps.pop();
    if (node.nodeType === Node.TEXT_NODE) {
      parent.append(node.data);
      continue;
    }
    if (node.nodeType !== Node.ELEMENT_NODE) continue;
    const name = node.localName;
    if (GONE.has(name)) continue;
    const isMath = MATH.has(name);
    let into = parent;
    if (isMath || ELEMENTS.has(name)) {
      into = isMath ? document.createElementNS(MATHML, name) : document.createElement(name);
      dress(into, node, name, isMath);
      // A picture without an address is an empty frame.
      if (["img", "video", "audio"].includes(name) && !into.hasAttribute("src")) continue;
      parent.append(into);
    }
    for (let child = node.lastChild; child; child = child.previousSibling) steps.push([child, into]);
  }
  return article;
}
