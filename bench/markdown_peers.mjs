// Writes the Markdown of Defuddle: `node markdown_peers.mjs`.
//
// Reads one JSON object per line, {"id", "html", "url"}, and answers each with {"id", "markdown"}. bench/structure.py starts this program.
import { Console } from "node:console";
import { createInterface } from "node:readline";
import { parseHTML } from "linkedom";
import { Defuddle } from "defuddle/node";

// Only answers go to standard output; anything a library prints goes to standard error.
globalThis.console = new Console(process.stderr, process.stderr);
// Extractors must not use the network.
globalThis.fetch = () => Promise.reject(new Error("no network"));

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const { id, html, url } = JSON.parse(line);
  let markdown = null;
  try {
    const { document } = parseHTML(html);
    const found = await Defuddle(document, url ?? undefined, { useAsync: false, markdown: true });
    markdown = found.contentMarkdown ?? found.content;
  } catch {
    // A page on which a peer fails counts as empty.
  }
  process.stdout.write(`${JSON.stringify({ id, markdown })}\n`);
}
