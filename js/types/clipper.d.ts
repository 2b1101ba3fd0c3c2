// maintext/clipper: notes from templates, in the form of Obsidian Web Clipper's.
import type { Html, Options, Page } from "./index.js";

export { init, initSync } from "./page.js";

/** A property of a note's front matter. */
export interface Property {
  name: string;
  /** A template. */
  value: string;
  /** `text` by default; `multitext` is a list, divided at commas. */
  type?: "text" | "multitext" | "number" | "checkbox" | "date" | "datetime";
}

/** The parts of a template file of Obsidian Web Clipper that belong to the note. */
export interface Template {
  /** The note's name; `{{title|safe_name}}` by default. */
  noteNameFormat?: string;
  properties?: readonly Property[];
  /** The note's text; `{{content}}` by default. */
  noteContentFormat?: string;
  [other: string]: unknown;
}

export interface Note {
  /** A name that files of all systems can have, without ".md". */
  name: string;
  /** YAML between lines of `---`; empty without properties. */
  frontMatter: string;
  /** Markdown. */
  content: string;
  /** Front matter and content: the file. */
  note: string;
  page: Page;
}

export interface ClipOptions extends Omit<Options, "formats" | "title" | "now"> {
  template?: Template;
  /** The time of `{{date}}` and `{{time}}`. The present by default. */
  now?: Date;
}

/** A note with title, source, author, published, created, description and tags. */
export declare const DEFAULT_TEMPLATE: Template;

/** Extracts a page and fills in a template. */
export declare function clip(html: Html, options?: ClipOptions): Note;

/** Returns the variables of a page by name. */
export declare function variablesOf(page: Page, now?: Date): Record<string, string>;

/** Replaces `{{variable|filter:argument}}`. An unknown variable is empty; an unknown filter is a `TypeError`. */
export declare function fill(template: string, variables: Readonly<Record<string, unknown>>): string;
