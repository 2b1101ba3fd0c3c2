// maintext/langchain: a tool and a document loader for LangChain.js.
import { BaseDocumentLoader } from "@langchain/core/document_loaders/base";
import { Document } from "@langchain/core/documents";
import { tool } from "@langchain/core/tools";
import { DESCRIPTION, NAME, reader, SCHEMA } from "./tools.js";

export { init, initSync } from "maintext";

/** Returns a tool that reads web pages, for agents and `bindTools`. Its answer is JSON. */
export function readPage({ name = NAME, description = DESCRIPTION, ...options } = {}) {
  const read = reader(options);
  return tool(async ({ url }) => JSON.stringify(await read(url)), { name, description, schema: SCHEMA });
}

/** Loads web pages as documents: the content as Markdown, and the metadata. */
export class MaintextLoader extends BaseDocumentLoader {
  #urls;
  #read;
  #onError;

  constructor(urls, { onError, ...options } = {}) {
    super();
    this.#urls = [urls].flat();
    this.#read = reader({ maxCharacters: Infinity, ...options });
    this.#onError = onError;
  }

  async load() {
    const documents = [];
    for await (const document of this.lazyLoad()) documents.push(document);
    return documents;
  }

  /** Yields the documents one by one. A page that fails stops the loader unless there is `onError`. */
  async *lazyLoad() {
    for (const url of this.#urls) {
      try {
        const { content, truncated: _, ...metadata } = await this.#read(url);
        const known = Object.entries(metadata).filter(([, value]) => value !== null);
        // The page's own address must not be the source: any page could take the place of another.
        yield new Document({ pageContent: content, metadata: { source: url, ...Object.fromEntries(known) } });
      } catch (error) {
        if (!this.#onError) throw error;
        this.#onError(url, error);
      }
    }
  }
}
