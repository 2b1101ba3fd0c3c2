// maintext: all formats and models.
import type {
  Asked,
  Entry,
  Explanation,
  Html,
  Inspection,
  PageInput,
  PageKind,
  PageOptions,
  Pagination,
  Result,
  Settings as AllSettings,
  Warning,
  Written as AnyWritten,
} from "./page.js";

export * from "./page.js";

/** Settings of an extractor. Formats are `text`, `markdown` and `html` by default. */
export interface Settings extends AllSettings {
  /** Whether to find readers' comments and the posts of a thread. On by default. */
  comments?: boolean | null;
  /** Whether to classify the page and find the entries of a list page. */
  pageType?: boolean | null;
  /** Whether to read products, recipes, events and other objects as data. */
  things?: boolean | null;
  /** A JSON Schema, as an object or as JSON: the form of {@link Page.data}. */
  schema?: Readonly<Record<string, unknown>> | string | null;
}

export type Options = Settings & PageOptions;

type Formats = Settings["formats"];

/** A page in the formats of an option `formats`. */
export type Written<F extends Asked> = AnyWritten<F, "text" | "markdown" | "html">;

/** The entries of a list page: the JSON of `maintext list -f json`. */
export interface List {
  url: string | null;
  /** Groups of entries, best first. */
  groups: { name: string | null; score: number; entries: Entry[] }[];
  pagination: Pagination;
  warnings: Warning[];
}

/** The kind of a page: the JSON of `maintext classify`. */
export interface Classification {
  page_type: PageKind;
  probabilities: Record<PageKind, number>;
  /** The probability that the page is a list: a listing or a collection. */
  list: number;
  warnings: Warning[];
}

/** An extractor for many pages: checks its settings once. */
export declare class Extractor<const F extends Formats = undefined> {
  constructor(settings?: Settings & { formats?: F });
  extract(html: Html, options?: PageOptions): Written<F>;
  extractMany(pages: Iterable<Html | PageInput>, options?: PageOptions): Generator<Result<Written<F>>, void, undefined>;
  extractMany(pages: AsyncIterable<Html | PageInput>, options?: PageOptions): AsyncGenerator<Result<Written<F>>, void, undefined>;
  list(html: Html, options?: PageOptions): List;
  classify(html: Html, options?: PageOptions): Classification;
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

/** Finds the entries of a list page and the links to its other pages, whatever kind of page it seems to be. */
export declare function list(html: Html, options?: Options): List;

/** Classifies a page. */
export declare function classify(html: Html, options?: Options): Classification;

/** Returns all blocks of a page with the method's decisions, and the candidates for title, author and date. */
export declare function inspect(html: Html, options?: Options): Inspection;

/** Returns the reasons for the probability of one block, by its number in {@link inspect}. */
export declare function explain(html: Html, block: number, options?: Options): Explanation;
