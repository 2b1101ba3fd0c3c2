// API calls and the types of their responses.
export type Block = {
  text: string; path: string; words: number; chars: number; link_density: number; hidden: boolean;
  score: number; probability: number | null; keep: boolean;
};
/** Bytes, characters, density, score, kept. */
export type Row = [number, number, number, number, number];
export type Method = {
  keep: number[]; words: number; milliseconds: number; unit: string; threshold: number | null;
  facts: { [name: string]: number }; rows: Row[];
};
export type Candidate = { value: string; probability: number; score: number; evidence: { source: string; key: string }[] };
export type Page = {
  text: string; markdown: string; html: string; title: string | null; page_type: string | null; confidence: number | null;
  entries: { title: string; url: string }[]; warnings: { code: string; message: string }[];
  metadata_sources: { [field: string]: string };
} & { [key: string]: unknown };
export type Step = string | 0 | [number, string] | ["img", string];
export type Inspection = {
  handle: string; page: Page; url: string | null; milliseconds: number; bytes: number; blocks: Block[]; cut: boolean;
  groups: { score: number; entries: { title: string; url: string }[] }[];
  methods: { [name: string]: Method }; candidates: { [field: string]: Candidate[] }; view: Step[];
  site: string | null; taught: boolean;
};
export type Part = { feature: string; value: number; median: number; weight: number };
export type Stage = { score: number; average: number; parts: Part[]; rest: number };
export type Explanation = { probability: number; forest: Stage; network: Stage; kin: number; settled: number };
export type Figures = {
  site: string; pages: number; labels: number; before: number | null; after: number | null;
  held_out: { url: string; before: number; after: number; labels: number; wrong_before: number; wrong_after: number }[];
};
export type Site = { site: string; pages: { url: string; labels: number }[]; figures: Figures | null };

/** The methods in display order. */
export const METHODS = ["learned", "line-density", "line-blocks", "text-density", "markup-ratio", "density-statistics"];

const TOKEN = "maintext-token";

export const token = {
  get: () => sessionStorage.getItem(TOKEN) ?? "",
  set: (value: string) => sessionStorage.setItem(TOKEN, value),
};

/** An error response of the service. */
export class Problem extends Error {
  constructor(readonly code: string, message: string) {
    super(message);
  }
}

export async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (token.get()) headers.set("Authorization", `Bearer ${token.get()}`);
  const response = await fetch(path, { ...init, headers });
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  throw new Problem(problem.code ?? "", problem.detail ?? `${response.status} ${response.statusText}`);
}

export async function post<T>(path: string, body: unknown): Promise<T> {
  const response = await call(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  return response.json();
}

/** Saves a response as a file. A plain link could not send the token. */
export async function download(path: string, name: string) {
  const url = URL.createObjectURL(await (await call(path)).blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function base64(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}
