// Runs in the page, in the extension's isolated world: writes the page as the browser shows it as HTML.
import { serialize } from "maintext-page";

/** Ancestors without which a part of a page loses its meaning. */
const FRAMES = new Set(
  "a b blockquote code dd dl em h1 h2 h3 h4 h5 h6 i li math ol pre strong table tbody td th thead tr ul".split(" "),
);

/** Returns the selected part as HTML, or null if nothing is selected. */
function selected() {
  const selection = getSelection();
  if (!selection || selection.isCollapsed || selection.toString().trim() === "") return null;
  const parts = [];
  for (let i = 0; i < selection.rangeCount; i += 1) {
    const range = selection.getRangeAt(i);
    let part = range.cloneContents();
    for (let node = range.commonAncestorContainer; node; node = node.parentNode) {
      if (!FRAMES.has(node.localName)) continue;
      const frame = node.cloneNode(false);
      frame.append(part);
      part = frame;
    }
    parts.push(serialize(part));
  }
  return parts.join("\n");
}

globalThis.maintextGather = (visible) => {
  const type = document.contentType;
  if (!/html/.test(type)) return { type, url: document.URL, title: document.title };
  return { type, url: document.URL, title: document.title, html: serialize(document, { visible }), selection: selected() };
};
