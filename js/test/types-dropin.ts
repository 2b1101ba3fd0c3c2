// Programs written for @mozilla/readability and defuddle, with their own types and with ours.
import { isProbablyReaderable, Readability } from "maintext/readability";
import Defuddle, { Defuddle as fromNode, createMarkdownContent, type DefuddleResponse } from "maintext/defuddle";

declare const page: Document;

export const article = new Readability(page).parse();
export const title: string | null | undefined = article?.title;
export const html: string | null | undefined = article?.content;
export const tree: Node | null | undefined = new Readability<Node>(page, { serializer: (node) => node.cloneNode(true) }).parse()?.content;
export const all = new Readability(page, {
  debug: true,
  maxElemsToParse: 9,
  nbTopCandidates: 5,
  charThreshold: 500,
  classesToPreserve: ["a"],
  keepClasses: true,
  disableJSONLD: true,
  allowedVideoRegex: /v/,
  linkDensityModifier: 1,
});
export const readable: boolean = isProbablyReaderable(page, {
  minScore: 1,
  minContentLength: 1,
  visibilityChecker: (node: Node) => node.isConnected,
});

export const found: DefuddleResponse = new Defuddle(page, { markdown: true, contentSelector: "main" }).parse();
export const later: Promise<DefuddleResponse> = fromNode("<p>", "https://example.org/", { separateMarkdown: true });
export const markdown: string = createMarkdownContent("<p>", "https://example.org/");

// @ts-expect-error a document is needed
new Readability("<p>");
// @ts-expect-error not an option
new Readability(page, { threshold: 1 });
// @ts-expect-error not an option
new Defuddle(page, { markdwon: true });

import { generateText, type LanguageModel } from "ai";
import { readPage } from "maintext/ai";
import { MaintextLoader, readPage as forLangChain } from "maintext/langchain";

declare const model: LanguageModel;
const { toolResults } = await generateText({ model, prompt: "", tools: { readPage: readPage({ favor: "precision", maxCharacters: 9 }) } });
export const content: string[] = toolResults.filter((result) => !result.dynamic).map((result) => result.output.content);

export const texts: string[] = (await new MaintextLoader(["https://example.org/"]).load()).map((document) => document.pageContent);
export const toolName: string = forLangChain({ name: "read" }).name;

// @ts-expect-error not an option
readPage({ formats: "text" });
