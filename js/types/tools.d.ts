import type { Address, Html } from "./page.js";
import type { Settings } from "./index.js";

/**
 * Options of a tool: where pages come from, and how they are extracted. They are checked when the tool is made; in a browser, call `await init()`
 * before.
 */
export interface ReaderOptions extends Omit<Settings, "formats" | "schema"> {
  /** Replaces the fetching of pages. */
  fetch?: (url: string) => Promise<string | { html: Html; url?: Address; charset?: string }>;
  /** Longest content, in UTF-16 units; longer ones are cut, and `truncated` is true. 50,000 by default. */
  maxCharacters?: number;
  /** Longest time for a page, in seconds. 30 by default. */
  timeout?: number;
  /** Largest page, in bytes. 10,000,000 by default. */
  maxSize?: number;
  /** The header User-Agent. */
  userAgent?: string;
}

/** A page as a language model reads it. */
export interface ReadPage {
  url: string;
  title: string | null;
  author: string | null;
  /** ISO 8601. */
  date: string | null;
  site: string | null;
  description: string | null;
  language: string | null;
  words: number;
  /** Markdown. */
  content: string;
  truncated: boolean;
}
