// maintext/defuddle: the types of defuddle and defuddle/node.
import type { PageDocument } from "./readability.js";

export { init, initSync } from "./page.js";
export type { PageDocument } from "./readability.js";

export interface DefuddleMetadata {
  title: string;
  description: string;
  /** The host without "www.". */
  domain: string;
  favicon: string;
  image: string;
  /** BCP 47. */
  language: string;
  /** Milliseconds. */
  parseTime: number;
  published: string;
  author: string;
  site: string;
  schemaOrgData: any;
  wordCount: number;
}

export interface MetaTagItem {
  name?: string | null;
  property?: string | null;
  content: string | null;
}

export interface DebugRemoval {
  step: string;
  selector?: string;
  reason?: string;
  text: string;
}

export interface DebugInfo {
  contentSelector: string;
  removals: DebugRemoval[];
}

export interface DefuddleResponse extends DefuddleMetadata {
  content: string;
  /** With `separateMarkdown`. */
  contentMarkdown?: string;
  /** Never set: no site has an extractor of its own. */
  extractorType?: string;
  metaTags?: MetaTagItem[];
  /** With `debug`. */
  debug?: DebugInfo;
  /** With `profile`: milliseconds. */
  profile?: Record<string, number>;
  /** Never set. */
  variables?: { [key: string]: string };
}

export interface DefuddleOptions {
  /** Whether the result has `debug`. */
  debug?: boolean;
  /** The page's address. */
  url?: string;
  /** Whether `content` is Markdown. */
  markdown?: boolean;
  /** Whether the result has `contentMarkdown` as well as HTML. */
  separateMarkdown?: boolean;
  /** `false` favors recall. */
  removeExactSelectors?: boolean;
  /** `false` favors recall. */
  removePartialSelectors?: boolean;
  /** Whether images are left out. */
  removeImages?: boolean;
  /** Without effect: nothing is fetched. */
  useAsync?: boolean;
  /** `true` also leaves out what a browser's document does not show. What the markup hides is left out in any case. */
  removeHiddenElements?: boolean;
  /** `false` favors recall. */
  removeLowScoring?: boolean;
  /** Without effect: the library leaves out icons and tracking pixels. */
  removeSmallImages?: boolean;
  /** Without effect: the library writes standard HTML in any case. */
  standardize?: boolean;
  /** `false` favors recall. */
  removeContentPatterns?: boolean;
  /** These elements are the content; if the page has none of them, the model chooses it. */
  contentSelector?: string;
  /** Without effect: it is a header of requests, and nothing is fetched. */
  language?: string;
  /** `true` appends readers' comments to the content. */
  includeReplies?: boolean | "extractors";
  /** Whether the result has `profile`. */
  profile?: boolean;
  /** Without effect: nothing is fetched. */
  fetch?: (...args: any[]) => Promise<any>;
}

export interface Defuddle {
  parse(): DefuddleResponse;
  parseAsync(): Promise<DefuddleResponse>;
  /** Returns null: nothing is fetched. */
  fetchAsyncVariables(): Promise<{ [key: string]: string } | null>;
}

export declare const Defuddle: {
  /** As in `defuddle`; HTML is accepted, too. */
  new (document: PageDocument | string, options?: DefuddleOptions): Defuddle;
  /** As in `defuddle/node`. */
  (
    input: PageDocument | string | { window: { document: PageDocument; location: { href: string } } },
    url?: string,
    options?: DefuddleOptions,
  ): Promise<DefuddleResponse>;
};

export default Defuddle;

/** Converts HTML to Markdown, all of it. */
export declare function createMarkdownContent(content: string, url: string): string;
