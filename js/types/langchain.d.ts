// maintext/langchain: a tool and a document loader for LangChain.js. Install `@langchain/core` as well.
import type { BaseDocumentLoader } from "@langchain/core/document_loaders/base";
import type { Document } from "@langchain/core/documents";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { ReaderOptions } from "./tools.js";

export { init, initSync } from "./page.js";
export type { ReaderOptions, ReadPage } from "./tools.js";

/** Returns a tool that reads web pages, for agents and `bindTools`. Its answer is a `ReadPage` as JSON. */
export declare function readPage(options?: ReaderOptions & { name?: string; description?: string }): StructuredToolInterface;

/**
 * Loads web pages as documents: the content as Markdown, and the metadata. `source` is the address as given, `url` the one that the page calls
 * its own.
 */
export declare class MaintextLoader extends BaseDocumentLoader {
  /** `onError` receives a page that fails; without it, the loader stops there. The error names the address and has it as `url`. */
  constructor(urls: string | readonly string[], options?: ReaderOptions & { onError?: (url: string, error: unknown) => void });
  load(): Promise<Document[]>;
  lazyLoad(): AsyncGenerator<Document, void, undefined>;
}
