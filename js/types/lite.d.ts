// maintext/lite: text and Markdown with metadata, in a smaller module.
import type {
  Explanation,
  Html,
  Inspection,
  Page,
  PageInput,
  PageOptions,
  Result,
  Settings as AllSettings,
} from "./page.js";

export * from "./page.js";

/** Settings of an extractor. Formats are `text` and `markdown`, both by default. */
export type Settings = AllSettings<"text" | "markdown">;

export type Options = Settings & PageOptions;

/** An extractor for many pages: checks its settings once. */
export declare class Extractor {
  constructor(settings?: Settings);
  extract(html: Html, options?: PageOptions): Page;
  extractMany(pages: Iterable<Html | PageInput>, options?: PageOptions): Generator<Result, void, undefined>;
  extractMany(pages: AsyncIterable<Html | PageInput>, options?: PageOptions): AsyncGenerator<Result, void, undefined>;
  inspect(html: Html, options?: PageOptions): Inspection;
  explain(html: Html, block: number, options?: PageOptions): Explanation;
  /** Frees the extractor's memory before the garbage collector does. */
  free(): void;
}

/** Extracts a page. */
export declare function extract(html: Html, options?: Options): Page;

/** Extracts many pages, in order. A page that fails gives its error and does not stop the others. */
export declare function extractMany(
  pages: Iterable<Html | PageInput>,
  options?: Options,
): Generator<Result, void, undefined>;
export declare function extractMany(
  pages: AsyncIterable<Html | PageInput>,
  options?: Options,
): AsyncGenerator<Result, void, undefined>;

/** Returns all blocks of a page with the method's decisions, and the candidates for title, author and date. */
export declare function inspect(html: Html, options?: Options): Inspection;

/** Returns the reasons for the probability of one block, by its number in {@link inspect}. */
export declare function explain(html: Html, block: number, options?: Options): Explanation;
