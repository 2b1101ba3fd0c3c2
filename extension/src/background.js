// Opens the reader, and copies or saves without it. Has no state: the browser may stop it at any time.
import { api, gather, say } from "./api.js";
import { markdown, markdownOfPart, ready } from "./engine.js";
import { fileName, withHead } from "./markdown.js";

/** The menu's entries, by place. Views open in the reader; the others act immediately. */
const MENU = [
  { id: "read", title: "open", contexts: ["page"] },
  { id: "copySelection", title: "copySelection", contexts: ["selection"] },
  { id: "copy", title: "copyPage", contexts: ["page", "action"] },
  { id: "save", title: "savePage", contexts: ["page", "action"] },
  { id: "why", title: "showWhy", contexts: ["page", "action"] },
  { id: "entries", title: "showEntries", contexts: ["page", "action"] },
];

api.runtime.onInstalled.addListener(async () => {
  await api.contextMenus.removeAll();
  for (const { id, title, contexts } of MENU) api.contextMenus.create({ id, title: say(title), contexts });
});

api.action.onClicked.addListener((tab) => act("read", tab));
api.contextMenus.onClicked.addListener((info, tab) => act(info.menuItemId, tab));
api.commands.onCommand.addListener((command, tab) => act(command, tab));

async function act(what, tab) {
  const own = api.runtime.getURL("reader.html");
  // The key that opens the reader closes it.
  if (tab.url?.startsWith(own)) {
    if (what === "read") await api.tabs.remove(tab.id);
    return;
  }
  if (what === "copy" || what === "copySelection" || what === "save") await direct(what, tab);
  else await open(what, tab);
}

/** Opens the reader beside the page. */
function open(view, tab, more = "") {
  const url = `${api.runtime.getURL("reader.html")}?tab=${tab.id}${more}#${view}`;
  return api.tabs.create({ url, index: tab.index + 1, openerTabId: tab.id });
}

/** Copies or saves from within the page; where that is not possible, the reader offers it. */
async function direct(what, tab) {
  let done = false;
  try {
    const [page] = await Promise.all([gather(tab.id), ready()]);
    if (what === "save") {
      const result = markdown(page);
      if (!result.markdown) return await open("markdown", tab);
      done = await inject(tab.id, saveHere, withHead(result, result.markdown), fileName(result));
    } else {
      const text = page.selection === null ? markdown(page).markdown : markdownOfPart(page.selection, page.url);
      done = Boolean(text) && (await inject(tab.id, copyHere, text));
    }
  } catch {
    // The reader explains the problem with the page.
  }
  // Browsers let a page's script copy just after a click or a key in the page, and at no other time.
  if (!done) return await open("markdown", tab, what === "save" ? "" : "&ask=copy");
  await api.action.setBadgeBackgroundColor({ color: "#1e7a45" });
  await api.action.setBadgeText({ tabId: tab.id, text: "✓" });
  setTimeout(() => api.action.setBadgeText({ tabId: tab.id, text: "" }).catch(() => {}), 2500);
}

async function inject(tabId, func, ...args) {
  const [{ result }] = await api.scripting.executeScript({ target: { tabId }, func, args });
  return result === true;
}

/** Runs in the page. */
async function copyHere(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages without TLS have no clipboard of their own.
    let copied = false;
    const give = (event) => {
      event.clipboardData.setData("text/plain", text);
      event.preventDefault();
      event.stopImmediatePropagation();
      copied = true;
    };
    document.addEventListener("copy", give, { capture: true, once: true });
    const allowed = document.execCommand("copy");
    document.removeEventListener("copy", give, { capture: true });
    return allowed && copied;
  }
}

/** Runs in the page. The link is no part of the document, so the page does not see the click. */
function saveHere(text, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/markdown;charset=utf-8" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  return true;
}
