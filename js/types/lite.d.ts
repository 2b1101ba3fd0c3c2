// maintext/lite: text and Markdown with metadata, in a smaller module.
import type {
  Asked,
  Explanation,
  Html,
  Inspection,
  PageInput,
  PageOptions,
  Result,
  Settings as AllSettings,
  Written as AnyWritten,
} from "./page.js";

export * from "./page.js";

/** Settings of an extractor. Formats are `text` and `markdown`, both by default. */
export type Settings = AllSettings<"text" | "markdown">;

export type Options = Settings & PageOptions;

type Formats = Settings["formats"];

/** A page in the formats of an option `formats`. */
export type Written<F extends Asked> = AnyWritten<F, "text" | "markdown">;

/** An extractor for many pages: checks its settings once. */
export declare class Extractor<const F extends Formats = undefined> {
  constructor(settings?: Settings & { formats?: F });
  extract(html: Html, options?: PageOptions): Written<F>;
  extractMany(pages: Iterable<Html | PageInput>, options?: PageOptions): Generator<Result<Written<F>>, void, undefined>;
  extractMany(pages: AsyncIterable<Html | PageInput>, options?: PageOptions): AsyncGenerator<Result<Written<F>>, void, undefined>;
  inspect(html: Html, options?: PageOptions): Inspection;
  explain(html: Html, block: number, options?: PageOptions): Explanation;
  /** Frees the extractor's memory before the garbage collector does. */
  free(): void;
}

/** Extracts a page. The requested formats are not null. */
export declare function extract<const F extends Formats = undefined>(html: Html, options?: Options & { formats?: F }): Written<F>;

/** Extracts many pages, in order. A page that fails gives its error and does not stop the others. */
export declare function extractMany<const F extends Formats = undefined>(
  pages: Iterable<Html | PageInput>,
  options?: Options & { formats?: F },
): Generator<Result<Written<F>>, void, undefined>;
export declare function extractMany<const F extends Formats = undefined>(
  pages: AsyncIterable<Html | PageInput>,
  options?: Options & { formats?: F },
): AsyncGenerator<Result<Written<F>>, void, undefined>;

/** Returns all blocks of a page with the method's decisions, and the candidates for title, author and date. */
export declare function inspect(html: Html, options?: Options): Inspection;

/** Returns the reasons for the probability of one block, by its number in {@link inspect}. */
export declare function explain(html: Html, block: number, options?: Options): Explanation;
