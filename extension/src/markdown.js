// Markdown and CSV as text, and names for files.

/** Returns a string as a YAML scalar: a JSON string is one. */
const yaml = (text) => JSON.stringify(text);

/** Returns the page's Markdown under a head of YAML: title, authors, date, site and source. */
export function withHead(page, markdown) {
  const head = [];
  if (page.title) head.push(`title: ${yaml(page.title)}`);
  if (page.authors?.length > 0)
    head.push(`author: ${page.authors.length === 1 ? yaml(page.authors[0]) : `[${page.authors.map(yaml).join(", ")}]`}`);
  if (page.date) head.push(`date: ${yaml(page.date)}`);
  if (page.sitename) head.push(`site: ${yaml(page.sitename)}`);
  if (page.url) head.push(`source: ${yaml(page.url)}`);
  return head.length > 0 ? `---\n${head.join("\n")}\n---\n\n${markdown}` : markdown;
}

/** Names that Windows keeps for devices. */
const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/** Returns a name that all file systems take, from the title or the host. */
export function fileName(page, ending = "md") {
  const clean = (text) =>
    (text ?? "")
      .normalize("NFC")
      .replace(/[\\/:*?"<>|\p{Cc}\p{Cf}\p{Cs}]+/gu, " ")
      .replace(/\s+/g, " ")
      .replace(/^[\s.~-]+/, "");
  const cut = [...clean(page.title)]
    .slice(0, 80)
    .join("")
    .replace(/[\s.]+$/, "");
  const name = cut || clean(page.hostname) || "page";
  return `${DEVICES.test(name) ? `${name} page` : name}.${ending}`;
}

const day = (entry) => entry.date?.slice(0, 10) ?? "";

/** Returns entries as a Markdown list of links. */
export function entriesMarkdown(entries) {
  const label = (text) => text.replace(/\s+/g, " ").replace(/[\\[\]*_`<>]/g, "\\$&");
  const target = (url) => url.replace(/[\s()<>]/g, (c) => `%${c.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return entries
    .map((entry) => `- [${label(entry.title)}](${target(entry.url)})${entry.date ? ` (${day(entry)})` : ""}\n`)
    .join("");
}

/** Returns entries as CSV (RFC 4180). A field that a spreadsheet would compute begins with an apostrophe. */
export function entriesCsv(entries) {
  const field = (text) => {
    const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const more = ["author", "summary", "price", "rating", "place", "replies", "category", "image"];
  const rows = entries.map((entry) => [
    entry.title,
    entry.url ?? "",
    day(entry),
    ...more.map((name) => String(entry[name] ?? "")),
  ]);
  return [["title", "url", "date", ...more], ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}
