// Colours in JSON and Markdown.
import { h } from "./dom";

/** Longer texts stay plain, since each coloured piece is an element. */
const LONGEST = 100_000;

/** Names, texts and other values of JSON. An escaped quotation mark begins no text, so that the end of a cut text is read once. */
const JSON_PIECE = /((?<!\\)"(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g;
/** Headings, marks of lists and quotations, fences, code, and links of Markdown, of bounded length. */
const MARKDOWN_PIECE = /^#{1,6} .*$|^```.*$|^ *(?:[-*+]|\d+[.)]|>)(?= )|`[^`\n]{1,300}`|!?\[[^\]\n]{0,300}\]\([^)\n]{0,500}\)/gm;

function json(match: RegExpMatchArray): string {
  return match[2] !== undefined ? "name" : match[1] !== undefined ? "text" : "value";
}

function markdown(match: RegExpMatchArray): string {
  const piece = match[0];
  return piece.startsWith("#") ? "heading" : piece.startsWith("`") ? "text" : piece.endsWith(")") && piece.includes("[") ? "name" : "value";
}

/** Returns the pieces of a text; a piece with a meaning is in an element with its class. */
export function coloured(text: string, form: string): (string | HTMLElement)[] {
  if (text.length > LONGEST || (form !== "json" && form !== "markdown")) return [text];
  const kind = form === "json" ? json : markdown;
  const pieces: (string | HTMLElement)[] = [];
  let from = 0;
  for (const match of text.matchAll(form === "json" ? JSON_PIECE : MARKDOWN_PIECE)) {
    pieces.push(text.slice(from, match.index), h("span", { class: `is-${kind(match)}` }, match[0]));
    from = match.index + match[0].length;
  }
  pieces.push(text.slice(from));
  return pieces;
}
