// Checked by `tsc -p .`: the types accept what the package takes, and refuse the rest.
import {
  Extractor,
  MaintextError,
  extract,
  extractMany,
  classify,
  init,
  list,
  type Options,
  type Page,
} from "../types/index.js";
import * as lite from "../types/lite.js";

const log = (...values: unknown[]): void => void values;
const options: Options = {
  url: "https://example.org/a",
  formats: ["markdown", "xml"],
  favor: "recall",
  things: true,
  visible: true,
  now: new Date(),
};
const page: Page = extract("<p>a", options);
const title: string | null = page.title;
const words: number = page.words;
const kept: string[] = page.comments.map((comment) => comment.text);
const entries = list(new Uint8Array(0)).groups.flatMap((group) => group.entries.map((entry) => entry.url));
const likely: number = classify("<p>a").probabilities.article;

for (const result of extractMany(["<p>a", { html: "<p>b", url: "https://example.org/b" }])) {
  if ("error" in result) log(result.url, result.error.message);
  else log(result.text.length, result.title?.length);
}

// Requested formats are there; all others may be null.
const lengths: number[] = [extract("<p>a").html.length, extract("<p>a", { url: "https://example.org/" }).text.length];
lengths.push(extract("<p>a", { formats: "markdown" }).markdown.length, extract("<p>a", { formats: ["xml", "text"] }).xml.length);
lengths.push(new Extractor({ formats: "blocks" }).extract("<p>a").blocks.length, lite.extract("<p>a").markdown.length);
lengths.push(extract("<p>a", { formats: null }).text.length, new Extractor().extract("<p>a").markdown.length);
declare const either: "text" | "html";
const some: (string | null)[] = [extract("<p>a", { formats: either }).text, extract("<p>a", options).markdown];
// @ts-expect-error: not asked for
extract("<p>a", { formats: "markdown" }).text.length;
// @ts-expect-error: no default of the small module
lite.extract("<p>a").html.length;
// @ts-expect-error: one of the two
extract("<p>a", { formats: either }).text.length;
// @ts-expect-error: the type of the options does not tell the formats
extract("<p>a", options).markdown.length;

async function many(pages: AsyncIterable<string>): Promise<void> {
  await init();
  for await (const result of new Extractor({ formats: "text" }).extractMany(pages))
    if (!("error" in result)) log(result.text.length);
    else if (result.error instanceof MaintextError) log(result.error.code);
}

// @ts-expect-error: no such option
extract("<p>a", { markdwon: true });
// @ts-expect-error: a flag
extract("<p>a", { links: 1 });
// @ts-expect-error: no such format
extract("<p>a", { formats: ["pdf"] });
// @ts-expect-error: a page is text, bytes or a document
extract(1);
// @ts-expect-error: an option of the extractor, not of a page
new Extractor().extract("<p>a", { formats: "text" });
// @ts-expect-error: the small module writes no HTML
lite.extract("<p>a", { formats: "html" });
// @ts-expect-error: the small module has no lists
lite.list("<p>a");

export { entries, lengths, some, kept, likely, many, title, words };
