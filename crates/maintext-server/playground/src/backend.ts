// The interface to the extractor, which runs in the service or in the browser.
export type Role = "main" | "optional" | "title" | "byline" | "caption" | "header" | "entry" | "comment" | "boilerplate";
export type Block = {
  text: string;
  path: string;
  words: number;
  chars: number;
  link_density: number;
  hidden: boolean;
  score: number;
  probability: number | null;
  keep: boolean;
  role: Role | null;
  role_probability: number | null;
};
/** Bytes, characters, density, score, kept. */
export type Row = [number, number, number, number, number];
export type Method = {
  keep: number[];
  words: number;
  milliseconds: number;
  unit: string;
  threshold: number | null;
  facts: { [name: string]: number };
  rows: Row[];
};
export type Methods = { [name: string]: Method };
export type Candidate = { value: string; probability: number; score: number; evidence: { source: string; key: string }[] };
export type Entry = {
  title: string;
  url: string | null;
  summary?: string | null;
  date?: string | null;
  rating?: string | null;
  place?: string | null;
  author?: string | null;
  price?: string | null;
  category?: string | null;
};
export type Thing = { type: string; sources?: { [field: string]: { from: string; probability: number } } } & { [field: string]: unknown };
export type Page = {
  text: string;
  markdown: string;
  html: string;
  title: string | null;
  author: string | null;
  date: string | null;
  sitename: string | null;
  language: string | null;
  url: string | null;
  hostname: string | null;
  image: string | null;
  page_type: string | null;
  confidence: number | null;
  words: number | null;
  reading_minutes: number | null;
  entries: Entry[];
  things?: Thing[];
  images: { src: string }[];
  hidden?: { reason: string; element: string; words: number; text: string }[];
  warnings: { code: string; message: string }[];
  metadata_sources: { [field: string]: string };
} & { [key: string]: unknown };
/** Steps that build a view of the page: an element begins, ends (0), text of a block, an image, text that no visitor sees. */
export type Step = string | 0 | [number, string] | ["img" | "hidden", string];
export type Inspection = {
  page: Page;
  url: string | null;
  milliseconds: number;
  bytes: number;
  blocks: Block[];
  cut: boolean;
  candidates: { [field: string]: Candidate[] };
  view: Step[];
  /** The methods' decisions; `null` until [`Backend.compare`] returns them. */
  methods: Methods | null;
  /** The number under which the service keeps the page. */
  handle: string;
  site: string | null;
  taught: boolean;
};
export type Part = { feature: string; value: number; median: number; weight: number };
export type Stage = { score: number; average: number; parts: Part[]; rest: number };
export type Explanation = { probability: number; forest: Stage; network: Stage; kin: number; settled: number };

/** A page to read: an address, or its source. */
export type Ask = { url?: string; html?: string; bytes?: Uint8Array; charset?: string };
export type Settings = { method: MethodName; favor: "balance" | "precision" | "recall"; site_model: boolean };

/** The methods in display order. */
export const METHODS = ["learned", "line-density", "line-blocks", "text-density", "markup-ratio", "density-statistics"] as const;
/** The roles with a colour of their own. */
export const COLOURED = ["title", "byline", "caption", "optional", "header", "comment"] as const;
export type MethodName = (typeof METHODS)[number];

/** An error that the page shows. Its code may have a text of its own, `error_<code>`. */
export class Problem extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export type Labels = Map<number, boolean>;
/** What the panel for teaching needs from the page. */
export type Teacher = {
  seen: Inspection;
  labels: Labels;
  unsaved: number;
  selected: number;
  mark: (keep: boolean | null) => void;
  saved: () => void;
  rerun: () => void;
  status: (text: string, bad?: boolean) => void;
  redraw: () => void;
};

export interface Backend {
  /** What only a service does: it has routes, fetches any address, takes a token, and learns from labels. */
  readonly service?: {
    docs: string;
    token: { get: () => string; set: (value: string) => void };
    teach: (teacher: Teacher) => HTMLElement[];
  };
  /** The attributes that load the document of a frame. */
  frame(name: "frame" | "article"): { src?: string; srcdoc?: string };
  inspect(ask: Ask, settings: Settings, signal: AbortSignal): Promise<Inspection>;
  explain(seen: Inspection, block: number, settings: Settings): Promise<Explanation>;
  compare(seen: Inspection): Promise<Methods>;
}
