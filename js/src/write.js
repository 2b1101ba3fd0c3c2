// The outputs of the command: a page in one format, with or without its metadata.

const FIELDS = "title author url hostname description sitename date date_modified language image license".split(" ");
const LISTS = ["categories", "tags"];

/** Returns the output for a page. It ends with a line break unless it is empty. */
export function written(page, { format, metadata = false, oneLine = false }) {
  const out = inFormat(page, format, metadata, oneLine);
  return out === "" || out.endsWith("\n") ? out : `${out}\n`;
}

function inFormat(page, format, metadata, oneLine) {
  switch (format) {
    case "json":
      return JSON.stringify(page, null, oneLine ? undefined : 2);
    case "blocks": {
      const blocks =
        oneLine || page.blocks.length === 0
          ? JSON.stringify(page.blocks)
          : `[\n${page.blocks.map((b) => JSON.stringify(b)).join(",\n")}\n]`;
      return metadata ? `{"metadata":${JSON.stringify(metadataOf(page))},\n"blocks":${blocks}}` : blocks;
    }
    case "html":
      return metadata ? document(page) : page.html;
    case "xml":
      return page.xml;
    default:
      return (metadata ? frontMatter(page) : "") + page[format];
  }
}

function fields(page) {
  return FIELDS.filter((name) => page[name] !== null).map((name) => [name, page[name]]);
}

function lists(page) {
  return LISTS.filter((name) => page[name].length > 0).map((name) => [name, page[name]]);
}

function metadataOf(page) {
  return Object.fromEntries([...fields(page), ...lists(page)]);
}

/** Returns the metadata as YAML; JSON strings are valid YAML. */
function frontMatter(page) {
  const quoted = fields(page).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
  const listed = lists(page).map(
    ([name, list]) => `${name}: [${list.map((item) => JSON.stringify(item)).join(", ")}]\n`,
  );
  return `---\n${quoted.join("")}${listed.join("")}---\n\n`;
}

function document(page) {
  const lang = page.language === null ? "" : ` lang="${escape(page.language)}"`;
  const meta = [
    ...fields(page).filter(([name]) => name !== "title"),
    ...lists(page).map(([name, list]) => [name, list.join(", ")]),
  ];
  const head = meta.map(([name, value]) => `<meta name="${name}" content="${escape(value)}">\n`).join("");
  const end = page.html.endsWith("\n") ? "" : "\n";
  return `<!DOCTYPE html>\n<html${lang}>\n<head>\n<meta charset="utf-8">\n<title>${escape(page.title ?? "")}</title>\n${head}</head>\n<body>\n${page.html}${end}</body>\n</html>\n`;
}

function escape(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
