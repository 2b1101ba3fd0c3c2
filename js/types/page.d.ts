/**
 * The source of a page: text, bytes, or the tree that a browser, jsdom or linkedom holds. A tree is written as HTML, with its open shadow
 * roots and without scripts.
 */
export type Html = string | Uint8Array | ArrayBuffer | ArrayBufferView | Tree;

/** A `Document`, `Element` or `DocumentFragment`. */
export interface Tree {
  readonly nodeType: number;
  readonly nodeName: string;
}

/** An address, or a `URL`. */
export type Address = string | { readonly href: string };

/** Options that belong to one page. */
export interface PageOptions {
  /** The page's address: links and images become absolute. A `Document` knows its own. */
  url?: Address | null;
  /** The charset of the HTTP header, for bytes. */
  charset?: string | null;
  /** Leaves out elements of a `Document` that the browser does not show. Off by default. */
  visible?: boolean;
}

/** Settings of an extractor. A value of the wrong type and an unknown name are a `TypeError`. */
export interface Settings<Format extends string = "text" | "markdown" | "html" | "xml" | "blocks"> {
  /** The formats to write. `xml` is TEI; `blocks` are typed blocks. */
  formats?: Format | readonly Format[] | null;
  /** The kind of error to avoid: losing content (`recall`) or keeping boilerplate (`precision`). */
  favor?: "precision" | "recall" | "balance" | null;
  /** The method that chooses the content; the others are published ones. */
  method?: "learned" | "line-density" | "line-blocks" | "text-density" | "markup-ratio" | "density-statistics" | null;
  /** Whether to read title, authors, date and the other metadata. On by default. */
  metadata?: boolean | null;
  /** Whether to write tables. On by default. */
  tables?: boolean | null;
  /** Whether to write images. On by default. */
  images?: boolean | null;
  /** Whether to write links as links; their text is written in any case. On by default. */
  links?: boolean | null;
  /** Whether to write only links to other sites as links. */
  externalLinks?: boolean | null;
  /** Whether Markdown has links as references, with their addresses at the end. */
  referenceLinks?: boolean | null;
  /** Whether tables that Markdown cannot hold are written as HTML inside it. On by default. */
  htmlTables?: boolean | null;
  /** Whether Markdown repeats a cell that spans rows in each row, and a heading that spans columns in each column. On by default. */
  repeatSpans?: boolean | null;
  /** Whether plain text has the numbers of ordered lists and the boxes of task lists. On by default. */
  listNumbers?: boolean | null;
  /** Whether each post of a thread begins with its author and date. On by default. */
  postHeaders?: boolean | null;
  /** Whether Markdown and HTML begin with the page's title. `once` by default. */
  title?: "once" | "never" | "as-is" | null;
  /** Whether to write footnotes and the references to them. On by default. */
  footnotes?: boolean | null;
  /** Whether to renumber headings so that no level is skipped. */
  levelHeadings?: boolean | null;
  /** Where alternative texts of images are written: nowhere, with the images (default), or in plain text too. */
  altText?: "never" | "images" | "all" | null;
  /** Whether to keep text that no visitor sees. `Page.hidden` lists it otherwise. */
  keepHidden?: boolean | null;
  /** Overrides for every page. */
  rules?: Rules | null;
  /** Overrides by host; `*` is every host without its own. */
  siteRules?: Record<string, Rules> | null;
  /** The time that relative dates such as "3 hours ago" count from. Without it they are ignored. */
  now?: Date | string | null;
  /** A model file of `maintext train` for the method, instead of the shipped one. */
  model?: Uint8Array | ArrayBuffer | ArrayBufferView | null;
  /** Whether all of the page is content. */
  whole?: boolean | null;
  /** The method's threshold. */
  threshold?: number | null;
  /** Lines per group of `line-blocks`. */
  k?: number | null;
  /** Whether `markup-ratio` averages over five lines. */
  smoothing?: boolean | null;
  /** The classifier of `line-density` or `markup-ratio`. */
  classifier?: "perceptron" | "mlp" | null;
  /** Largest expected share of boilerplate among the kept words. */
  fdr?: number | null;
  /** Maximum number of bytes of text that are read. */
  maxBytes?: number | null;
  /** Maximum number of nodes of the page's tree. */
  maxNodes?: number | null;
  /** Greatest depth of the page's tree. */
  maxDepth?: number | null;
  /** Most work after parsing, in steps of about 10 nanoseconds. */
  maxWork?: number | null;
}

/** CSS selectors that override the method. */
export interface Rules {
  /** These elements are the content. */
  content?: string | null;
  /** Elements that are never content. */
  drop?: string | readonly string[];
  /** Fields of the metadata: `{date: "time@datetime"}`. */
  fields?: Readonly<Record<string, string>>;
}

/** A page's main content and metadata: the JSON of `maintext extract -f json`. */
export interface Page {
  /** HTTP status, of a page that was fetched. */
  status: number | null;
  /** The address that answered, of a page that was fetched. `url` is the canonical address. */
  final_url: string | null;
  /** The kind of page that the site shows instead of its content; null for ordinary pages. */
  barrier: Barrier | null;
  url: string | null;
  hostname: string | null;
  title: string | null;
  /** The authors, joined by ", ". */
  author: string | null;
  authors: string[];
  /** ISO 8601. */
  date: string | null;
  date_modified: string | null;
  sitename: string | null;
  description: string | null;
  /** BCP 47 tag, declared or detected. */
  language: string | null;
  language_detected: string | null;
  image: string | null;
  videos: string[];
  categories: string[];
  tags: string[];
  license: string | null;
  breadcrumb: string[];
  accessible_for_free: boolean | null;
  alternates: { language: string; url: string }[];
  words: number;
  reading_minutes: number;
  feeds: string[];
  /** The statement that each field comes from. */
  metadata_sources: Record<string, string>;
  page_type: PageKind | null;
  page_type_probabilities?: Record<PageKind, number>;
  /** Expected word F1 of the text, 0 to 1. */
  confidence: number | null;
  text: string | null;
  markdown: string | null;
  html: string | null;
  blocks: TypedBlock[] | null;
  /** TEI; only if requested. */
  xml?: string;
  comments: Comment[];
  posts: Comment[];
  images: Image[];
  entries: Entry[];
  /** The lists of a list page, in the order of `group`; not a key of other pages. */
  lists?: { name: string | null; count: number }[];
  parts?: Pagination;
  single_page?: string[];
  elsewhere?: string[];
  /** Address of the Markdown version that the page declares. */
  markdown_url?: string;
  /** The uses that the page allows or forbids. */
  preferences?: Preferences;
  hidden: HiddenText[];
  /** Words of all parts that no visitor sees. */
  hidden_words: number;
  things: Thing[];
  /** The values of the option `schema`. */
  data: Record<string, unknown> | null;
  warnings: Warning[];
}

export type Barrier = "login" | "paywall" | "challenge" | "error" | "parked";

export type PageKind = "article" | "forum" | "product" | "collection" | "listing" | "documentation" | "service";

/** A typed block; docs/blocks.schema.json describes the fields of each type. */
export interface TypedBlock {
  type: string;
  start?: number;
  end?: number;
  /** The role that a careful reader would give most of the text, and its probability. */
  role?: Role;
  probability?: number;
  text?: string;
  [field: string]: unknown;
}

/** The uses that a page allows or forbids; `null` if nothing is stated. */
export interface Preferences {
  search: boolean | null;
  ai_input: boolean | null;
  ai_train: boolean | null;
  ai_train_images: boolean | null;
  /** The statements in the words of the site. */
  statements: { in: "robots.txt" | "header" | "meta"; text: string }[];
}

/** A part of the page that no visitor sees. */
export interface HiddenText {
  /** Why it is not seen, such as `display`, `screen_reader` or `colour`. */
  reason: string;
  /** The element that hides it, such as `span.sr-only`. */
  element: string;
  words: number;
  /** The first words. */
  text: string;
  /** Number of invisible characters, if they are the reason. */
  characters?: number;
}

/** A reader's comment, or a post of a thread. */
export interface Comment {
  author: string | null;
  author_url: string | null;
  date: string | null;
  date_text: string | null;
  text: string;
  url: string | null;
  depth: number;
}

export interface Image {
  src: string;
  alt: string | null;
  caption: string | null;
}

/** A further link of an entry: comments, tags, the author. */
export interface EntryLink {
  text: string;
  href: string;
}

/** An entry of a list page. A record without a link has no address. */
export interface Entry {
  title: string;
  url: string | null;
  href: string | null;
  summary: string | null;
  date: string | null;
  author: string | null;
  image: string | null;
  price: string | null;
  /** Its rating and the best one, as `4.5/5`. */
  rating: string | null;
  /** Its place, as written. */
  place: string | null;
  /** The number of its comments, replies or answers. */
  replies: number | null;
  /** The heading of its section, if the list has several; else the category that a link of the entry names with `rel="category"`. */
  category: string | null;
  links: EntryLink[];
  group: number;
  position: number;
}

export interface PageLink {
  text: string;
  url: string;
  href: string;
  probability: number;
}

export interface Pagination {
  next: PageLink | null;
  previous: PageLink | null;
  first: PageLink | null;
  last: PageLink | null;
  pages: PageLink[];
  load_more: string[];
}

/** A product, recipe, event or other object; docs/things.schema.json describes the fields of each type. */
export interface Thing {
  type: string;
  sources: Record<string, unknown>;
  [field: string]: unknown;
}

export interface Warning {
  /** A stable code, such as `no_content` or `limit_reached`. */
  code: string;
  message: string;
}

/** One of many pages that failed. */
export interface FailedPage {
  url: string | null;
  error: Error;
}

/** One of many pages, with options of its own. */
export interface PageInput extends PageOptions {
  html: Html;
}

/** The result of one of many pages; `"error" in result` is true for a failed page. */
export type Result<Found = Page> = Found | FailedPage;

/** The option `formats`: one, several, or none, which is the default of the module. */
export type Asked = string | readonly string[] | null | undefined;

/** A page with the requested formats, which are not null. Every format may be null if its request is known at run time only. */
export type Written<Formats extends Asked, Default extends string> = Formats extends null | undefined
  ? Having<Default>
  : Formats extends string
    ? string extends Formats
      ? Page
      : Having<Formats>
    : Formats extends readonly (infer Format)[]
      ? number extends Formats["length"]
        ? Page
        : Having<Format>
      : Page;

type Having<Format> = Page & { [Name in Format & keyof Page]-?: NonNullable<Page[Name]> };

/** The blocks of a page with the method's decisions, and the candidates for title, author and date. */
export interface Inspection {
  url: string | null;
  method: string;
  confidence: number | null;
  blocks: InspectedBlock[];
  candidates: { title: Candidate[]; author: Candidate[]; date: Candidate[] };
  warnings: Warning[];
}

/** The role that a careful reader would give a block; see `docs/formats.md`. */
export type Role = "main" | "optional" | "title" | "byline" | "caption" | "header" | "entry" | "comment" | "boilerplate";

export interface InspectedBlock {
  text: string;
  tag: string;
  words: number;
  chars: number;
  link_chars: number;
  hidden: boolean;
  score: number;
  probability: number | null;
  keep: boolean;
  /** The most probable role, and its probability; `null` if the build has no model. */
  role: Role | null;
  role_probability: number | null;
  /** Bytes of the decoded page, as UTF-8. */
  span: [number, number];
  /** The steps that changed the choice of the method, in their order, each with its reason. */
  why: Why[];
}

/** A step that changed the choice for a block. */
export interface Why {
  step: string;
  /** Whether the block was kept after the step. */
  kept: boolean;
  /** What the step saw, as a phrase. */
  saw: string;
}

/** A possible value of a field, best first. */
export interface Candidate {
  value: string;
  evidence: { source: string; key: string; block: number | null; span: { start: number; end: number } | null }[];
  score: number;
  probability: number;
  /** Name, value and weight. */
  features?: [string, number, number][];
}

/** The reasons for the probability of a block; scores are log-odds. */
export interface Explanation {
  probability: number;
  forest: Stage;
  network: Stage;
  kin: number;
  settled: number;
}

export interface Stage {
  score: number;
  average: number;
  parts: { feature: string; value: number; median: number; weight: number }[];
}

/** The source of a module: its address, a `Response`, its bytes, or a `WebAssembly.Module`. */
export type ModuleSource = Address | object;

/** An input that is not a page, an unusable address, or a failure of the module, which does not affect the next call. */
export declare class MaintextError extends Error {
  code: "not_html" | "url" | "internal";
  constructor(code: string, message: string, options?: ErrorOptions);
}

/**
 * Fetches and compiles the module: once, in browsers, before the first page. Elsewhere it is not needed, and only compiles ahead. Without a
 * source, it uses the module of the package.
 */
export declare function init(source?: ModuleSource | Promise<ModuleSource>): Promise<void>;

/** Takes a compiled module or its bytes without waiting. */
export declare function initSync(source: object): void;

/** Writes the tree of a page as HTML, as the functions do with a `Document`. */
export declare function serialize(root: Tree, options?: { visible?: boolean }): string;
