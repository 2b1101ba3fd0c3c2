// maintext/readability: the types of @mozilla/readability.
export { init, initSync } from "./page.js";

/** What this module reads of a page's tree: a `Document` of a browser, jsdom or linkedom. */
export interface PageDocument {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly documentElement: object | null;
}

/** The interface `Node` where the DOM's types are known. */
export type PageNode = typeof globalThis extends { Node: { prototype: infer N } } ? N : any;

export interface ReadabilityOptions<T = string> {
  /** Whether to log to the console. */
  debug?: boolean;
  /** Most elements of a document; a larger one is an error. 0, the default, means unlimited. */
  maxElemsToParse?: number;
  /** Without effect: the model weighs all blocks. */
  nbTopCandidates?: number;
  /** If the text is shorter than this number of characters, it is extracted again with `favor: "recall"`. */
  charThreshold?: number;
  /** Classes of the page that stay. */
  classesToPreserve?: string[];
  /** Whether all classes of the page stay. */
  keepClasses?: boolean;
  /** Returns the content of the result; without it, the content is HTML. */
  serializer?: (node: PageNode) => T;
  /** Whether the page's JSON-LD is not read. */
  disableJSONLD?: boolean;
  /** Addresses of players that stay. */
  allowedVideoRegex?: RegExp;
  /** Without effect: the model weighs links. */
  linkDensityModifier?: number;
}

export interface ReadabilityArticle<T = string> {
  /** The article's title. */
  title: string | null | undefined;
  /** The article as HTML. */
  content: T | null | undefined;
  /** The article's text, without tags. */
  textContent: string | null | undefined;
  /** The length of `textContent`, in UTF-16 units. */
  length: number | null | undefined;
  /** The page's description, or the first paragraph. */
  excerpt: string | null | undefined;
  /** The authors. */
  byline: string | null | undefined;
  /** The direction that the page states. */
  dir: string | null | undefined;
  /** The site's name. */
  siteName: string | null | undefined;
  /** The language. */
  lang: string | null | undefined;
  /** The date of publication. */
  publishedTime: string | null | undefined;
}

export declare class Readability<T = string> {
  /** Throws an `Error` if the first argument is not a document. */
  constructor(document: PageDocument, options?: ReadabilityOptions<T>);
  /** Returns the article, or null if the page has none. The document stays as it is. */
  parse(): null | ReadabilityArticle<T>;
}

export default Readability;

/** Guesses without extraction whether a document has an article. */
export declare function isProbablyReaderable(
  document: PageDocument,
  options?:
    | {
        /** Least characters of a paragraph that counts. 140 by default. */
        minContentLength?: number;
        /** Least score of a document. 20 by default. */
        minScore?: number;
        /** Whether an element is visible. */
        visibilityChecker?: (node: PageNode) => boolean;
      }
    | ((node: PageNode) => boolean),
): boolean;
