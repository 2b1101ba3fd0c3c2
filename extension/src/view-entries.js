// The entries of a list page.
import { say } from "./api.js";
import { webAddress } from "./article.js";
import { download, h } from "./dom.js";
import { entries as entriesOf } from "./engine.js";
import { entriesCsv, entriesMarkdown, fileName } from "./markdown.js";

/** Groups beside the best are shown from this size on. */
const SMALLEST = 3;

function item(entry) {
  const address = webAddress(entry.url);
  const facts = [entry.date?.slice(0, 10), entry.author, entry.price, entry.rating, entry.place].filter(Boolean).join(" · ");
  return h(
    "li",
    { dir: "auto" },
    h("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, entry.title),
    facts ? h("span", { className: "facts" }, facts) : undefined,
    entry.summary ? h("p", {}, entry.summary) : undefined,
  );
}

export function showEntries(panel, page, toast) {
  const all = entriesOf(page);
  const groups = all.filter((group, i) => i === 0 || group.length >= SMALLEST);
  const entries = groups.flat();
  panel.dataset.markdown = entriesMarkdown(entries);
  panel.append(h("h1", {}, page.title || say("viewEntries")));
  if (entries.length === 0) {
    panel.append(h("p", { className: "soft" }, say("noEntries")));
    return;
  }
  const csv = () => entriesCsv(entries);
  const copyCsv = h("button", { type: "button", id: "copy-csv" }, say("copyCsv"));
  copyCsv.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(csv());
      toast(say("copied"));
    } catch {
      toast(say("copyFailed"));
    }
  });
  const saveCsv = h("button", { type: "button", id: "save-csv" }, say("saveCsv"));
  saveCsv.addEventListener("click", () => {
    const name = fileName({ title: page.title, hostname: new URL(page.url).hostname }, "csv");
    download(csv(), name, "text/csv");
    toast(say("saved", name));
  });
  panel.append(
    h("p", { className: "row" }, h("span", { className: "soft" }, say("entriesFound", entries.length)), copyCsv, saveCsv),
  );
  groups.forEach((group, i) => {
    if (groups.length > 1) panel.append(h("h2", {}, say("group", i + 1, group.length)));
    panel.append(h("ol", { className: "entries" }, ...group.map(item)));
  });
}
