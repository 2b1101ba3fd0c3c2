// Inputs: text, bytes, or the tree of a page that a browser, jsdom or linkedom holds.

const ELEMENT = 1;
const TEXT = 3;
const COMMENT = 8;
const DOCUMENT = 9;
const FRAGMENT = 11;

/** Elements without content. */
const VOID = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
/** Elements whose text is not markup. */
const RAW = new Set("script style xmp iframe noembed noframes plaintext".split(" "));
/** Elements that no browser shows, but whose content is needed. */
const HEAD = new Set("html head title base link meta script template".split(" "));
/** Scripts that hold data. */
const DATA = /json|^math\/|^text\/(x-)?(template|mathml|asciimath)/i;

/** Whether a value is a document, an element or a fragment. */
export function isNode(value) {
  const type = value?.nodeType;
  return typeof value === "object" && (type === DOCUMENT || type === ELEMENT || type === FRAGMENT);
}

/** Returns a page as text or bytes, and its address if its tree knows it. */
export function pageOf(input, visible) {
  if (visible && !isNode(input)) {
    throw new TypeError(`visible: only a Document in a browser knows what is visible, and the page is ${kindOf(input)}`);
  }
  if (typeof input === "string") return { page: input };
  if (input instanceof Uint8Array) return { page: input };
  if (input instanceof ArrayBuffer) return { page: new Uint8Array(input) };
  if (ArrayBuffer.isView(input)) return { page: new Uint8Array(input.buffer, input.byteOffset, input.byteLength) };
  if (isNode(input)) return { page: serialize(input, { visible }), url: addressOf(input) };
  const hint = wrongKinds.find(([is]) => is(input))?.[1] ?? "";
  throw new TypeError(`html: expected a string, a Uint8Array or a Document${hint}`);
}

/** What callers give by mistake, and what they meant. */
const wrongKinds = [
  [(input) => typeof input?.then === "function", ", not a promise; await it"],
  [(input) => typeof input?.arrayBuffer === "function", ", not a response; pass await response.arrayBuffer()"],
  [(input) => typeof input?.html === "string", ", not an object; pass its html"],
];

function kindOf(input) {
  return typeof input === "string" ? "a string" : "not a Document";
}

function addressOf(node) {
  const document = node.nodeType === DOCUMENT ? node : node.ownerDocument;
  const url = document?.URL ?? document?.documentURI;
  return /^https?:/i.test(url ?? "") ? url : undefined;
}

/**
 * Writes the tree as HTML: open shadow roots as declarative ones, no scripts but data. With `visible`, elements that take no part in the
 * picture are left out. Otherwise the library decides about hidden text, as it does for HTML: a browser's computed styles are written into
 * the elements that they hide; other trees keep their style sheets. Walks without recursion, since pages nest deeper than stacks.
 */
export function serialize(root, { visible = false } = {}) {
  const document = root.nodeType === DOCUMENT ? root : root.ownerDocument;
  const view = document?.defaultView;
  const sees = visible ? sight(view) : undefined;
  // Only browsers compute styles quickly, and only they have this method.
  const style = typeof document?.documentElement?.checkVisibility === "function" ? (node) => view.getComputedStyle(node) : undefined;
  const looks = { sees, style };
  const out = root.nodeType === DOCUMENT && document.doctype ? [`<!DOCTYPE ${document.doctype.name}>`] : [];
  // A step is a node to write or an end to append.
  const steps = [{ node: root, shown: true }];
  while (steps.length > 0) {
    const step = steps.pop();
    if (typeof step === "string") {
      out.push(step);
      continue;
    }
    const { node, shown } = step;
    switch (node.nodeType) {
      case TEXT:
        if (shown) out.push(RAW.has(node.parentNode?.localName) ? node.data : escapeText(node.data));
        break;
      case COMMENT:
        out.push(`<!--${node.data}-->`);
        break;
      case ELEMENT:
        element(node, shown, looks, out, steps);
        break;
      case DOCUMENT:
      case FRAGMENT:
        children(node, shown, steps);
        break;
    }
  }
  return out.join("");
}

function children(node, shown, steps) {
  for (let child = node.lastChild; child; child = child.previousSibling) steps.push({ node: child, shown });
}

function element(node, shown, { sees, style }, out, steps) {
  const name = node.localName;
  // Where scripts run, <noscript> is for others; without, it is part of the page.
  if (
    (name === "style" && (sees || style)) ||
    (name === "noscript" && node.firstElementChild === null && node.ownerDocument?.defaultView?.navigator)
  )
    return;
  if (name === "script" && !DATA.test(node.getAttribute("type") ?? "")) return;
  if (sees && !HEAD.has(name)) {
    const seen = sees(node, shown);
    if (seen === "none") return;
    shown = seen === "shown";
  }
  const qualified = node.prefix ? `${node.prefix}:${name}` : name;
  out.push("<", qualified);
  const hides = style && !sees && !HEAD.has(name) ? hiding(node, style) : "";
  for (const { name: key, value } of node.attributes) {
    if (hides === "" || key !== "style") out.push(" ", key, '="', escapeAttribute(value), '"');
  }
  if (hides !== "") out.push(' style="', escapeAttribute(`${node.getAttribute("style") ?? ""};${hides}`), '"');
  current(node, name, out);
  out.push(">");
  if (VOID.has(name)) return;
  steps.push(`</${qualified}>`);
  children(name === "template" && node.content ? node.content : node, shown, steps);
  const shadow = node.shadowRoot;
  if (shadow) {
    steps.push("</template>");
    children(shadow, shown, steps);
    out.push('<template shadowrootmode="open">');
  }
}

/** Names that the library takes for hidden, which a page may use otherwise. */
const HIDING_NAMES = /hid|sr-|sronly|screen|visually|none|invisible|offscreen|collapse/i;

/** Returns the declarations that say whether an element is hidden where its own style does not. */
function hiding(node, style) {
  if (node.namespaceURI !== "http://www.w3.org/1999/xhtml") return "";
  const computed = style(node);
  const { display, visibility, opacity } = computed;
  // The content of a template has no style.
  if (display === "") return "";
  if (display === "none") return "display:none!important";
  const said = [];
  if (node.hidden || HIDING_NAMES.test(node.getAttribute("class") ?? "")) said.push(`display:${display}!important`);
  const parent = node.parentElement;
  if (parent && visibility !== style(parent).visibility) said.push(`visibility:${visibility}!important`);
  if (Number(opacity) < 0.05) said.push(`opacity:${opacity}!important`);
  if (isClipped(node, computed)) said.push("position:absolute!important;clip:rect(0,0,0,0)!important");
  return said.join(";");
}

/** Writes the state that the attributes do not hold: the picture that a browser chose. */
function current(node, name, out) {
  if (name === "img" && node.currentSrc && !node.getAttribute("src"))
    out.push(' src="', escapeAttribute(node.currentSrc), '"');
}

/** Returns a function that says whether an element is shown, is hidden except for shown descendants, or is absent. */
function sight(window) {
  if (typeof window?.getComputedStyle !== "function") {
    throw new TypeError("visible: this Document is not shown; only a browser's knows what is visible");
  }
  return (node) => {
    const style = window.getComputedStyle(node);
    if (style.display === "none" || style.contentVisibility === "hidden" || Number(style.opacity) === 0) return "none";
    if (isClipped(node, style)) return "none";
    return style.visibility === "visible" ? "shown" : "hidden";
  };
}

/** Whether an element is clipped to nothing or moved off the page, like texts for screen readers. */
function isClipped(node, style) {
  if (style.position !== "absolute" && style.position !== "fixed") return false;
  const box = node.getBoundingClientRect();
  const tiny = box.width <= 1 && box.height <= 1 && style.overflow !== "visible";
  const scrolled = node.ownerDocument.defaultView.scrollX;
  return tiny || box.right + scrolled < -500;
}

function escapeText(text) {
  return /[&<>\u00a0]/.test(text) ? text.replace(/[&<>\u00a0]/g, (c) => ENTITIES[c]) : text;
}

function escapeAttribute(text) {
  return /[&"\u00a0<>]/.test(text) ? text.replace(/[&"\u00a0<>]/g, (c) => ENTITIES[c]) : text;
}

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\u00a0": "&nbsp;" };
