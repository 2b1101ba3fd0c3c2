// The reader's page: reads the tab it was opened for, and shows its views.
import { Refusal, api, gather, say } from "./api.js";
import { entries, kindOf, markdown, markdownOfPart, read, ready } from "./engine.js";
import { download } from "./dom.js";
import { fileName, withHead } from "./markdown.js";
import { bindSettings, settings, translate } from "./settings.js";
import { showArticle } from "./view-article.js";
import { showEntries } from "./view-entries.js";
import { showWhy } from "./view-why.js";

const $ = (id) => document.getElementById(id);
const VIEWS = ["read", "why", "entries", "markdown"];
const query = new URLSearchParams(location.search);
const tabId = Number(query.get("tab"));
/** Whether the user wanted a copy that the page did not allow. */
const asked = query.get("ask") === "copy";

/** The gathered page, the results of reading it, and the views that are filled. */
let page;
let result;
let filled = new Set();
let current = "read";

/** A gathered page outlives a reload, up to a size; session storage ends with the tab. */
const STORE = "page";
const LARGEST_KEPT = 2_000_000;

function recall() {
  try {
    return JSON.parse(sessionStorage.getItem(STORE) ?? "null");
  } catch {
    return null;
  }
}

function remember(found) {
  sessionStorage.removeItem(STORE);
  if (found.html.length > LARGEST_KEPT) return;
  try {
    sessionStorage.setItem(STORE, JSON.stringify(found));
  } catch {
    // A full store only costs the reload.
  }
}

let hiding;
function toast(text) {
  clearTimeout(hiding);
  $("toast").textContent = text;
  $("toast").classList.add("shown");
  hiding = setTimeout(() => $("toast").classList.remove("shown"), 2500);
}

function complain(reason, detail) {
  const box = $("message");
  const [heading, text] = box.children;
  heading.textContent = say(`${reason}Title`);
  text.textContent = say(reason, detail);
  document.title = heading.textContent;
  box.hidden = false;
  box.querySelector("button").hidden = !["empty", "failed"].includes(reason);
  document.body.classList.add("refused");
  for (const id of ["copy", "save", ...VIEWS.map((view) => `tab-${view}`)]) $(id).disabled = true;
}

/** Fills a view when it is first shown. */
function fill(view) {
  if (filled.has(view)) return;
  filled.add(view);
  const panel = $(view);
  panel.replaceChildren();
  if (view === "read") showArticle(panel, result, page);
  if (view === "why") showWhy(panel, page);
  if (view === "entries") showEntries(panel, page, toast);
  if (view === "markdown") {
    const text = document.createElement("pre");
    text.tabIndex = 0;
    text.setAttribute("aria-label", say("viewMarkdown"));
    text.textContent = asked && page.selection !== null ? markdownOfPart(page.selection, page.url) : file() || say("emptyText");
    panel.append(text);
  }
}

/** Returns the page's Markdown as it is saved. */
function file() {
  const whole = markdown(page);
  return whole.markdown ? withHead(whole, whole.markdown) : "";
}

function show(view) {
  current = view;
  fill(view);
  for (const name of VIEWS) {
    $(name).hidden = name !== view;
    const tab = $(`tab-${name}`);
    tab.setAttribute("aria-selected", String(name === view));
    tab.tabIndex = name === view ? 0 : -1;
  }
  $("copy").hidden = view === "why";
  $("save").hidden = view === "why" || view === "entries";
  history.replaceState(null, "", `#${view}`);
  scrollTo(0, 0);
  progress();
}

async function start(keep) {
  document.body.classList.add("busy");
  $("message").hidden = true;
  $("notice").hidden = true;
  filled = new Set();
  try {
    const loading = ready();
    page = (keep && recall()) || (await gather(tabId, { visible: settings.visible }));
    remember(page);
    await loading;
    result = read(page);
  } catch (error) {
    complain(error instanceof Refusal ? error.reason : "failed", error?.message ?? String(error));
    return;
  } finally {
    document.body.classList.remove("busy");
  }
  document.title = result.title || page.title || "maintext";
  const wanted = VIEWS.find((view) => location.hash === `#${view}`) ?? "read";
  const kind = kindOf(result);
  const isList = kind === "list";
  const instead = wanted === "read" && kind !== "article" && entries(page).length > 0;
  if (instead || kind === "nothing") {
    $("notice").textContent = say(!instead ? "empty" : isList ? "noArticle" : "noText");
    $("notice").hidden = false;
  }
  show(instead ? "entries" : wanted);
  if (asked && current === "markdown") {
    $("notice").textContent = say("askCopy");
    $("notice").hidden = false;
    $("copy").focus();
  }
}

/** The selection within the article, as HTML. */
function selectedPart() {
  const selection = getSelection();
  if (current !== "read" || selection.isCollapsed || !selection.toString().trim()) return undefined;
  const range = selection.getRangeAt(0);
  if (!$("read").contains(range.commonAncestorContainer)) return undefined;
  const box = document.createElement("div");
  box.append(range.cloneContents());
  return box.innerHTML;
}

async function copy() {
  const part = selectedPart();
  let text;
  if (part !== undefined) text = markdownOfPart(part, page.url);
  else if (current === "entries") text = $("entries").dataset.markdown;
  else text = current === "markdown" ? $("markdown").textContent : markdown(page).markdown;
  if (!text) return toast(say("nothingToCopy"));
  try {
    await navigator.clipboard.writeText(text);
    toast(say(part === undefined ? "copied" : "copiedSelection"));
  } catch {
    toast(say("copyFailed"));
  }
}

function save() {
  const whole = markdown(page);
  if (!whole.markdown) return toast(say("nothingToCopy"));
  const name = fileName(whole);
  download(withHead(whole, whole.markdown), name, "text/markdown");
  toast(say("saved", name));
}

async function close() {
  const me = await api.tabs.getCurrent();
  await api.tabs.update(tabId, { active: true }).catch(() => {});
  await api.tabs.remove(me.id);
}

function progress() {
  const space = document.documentElement.scrollHeight - innerHeight;
  const share = current === "read" && space > 200 ? Math.min(1, scrollY / space) : 0;
  $("progress").style.transform = `scaleX(${share})`;
}

function tabKeys(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const to = step
    ? VIEWS[(VIEWS.indexOf(current) + step + VIEWS.length) % VIEWS.length]
    : { Home: VIEWS[0], End: VIEWS.at(-1) }[event.key];
  if (!to) return;
  event.preventDefault();
  show(to);
  $(`tab-${to}`).focus();
}

function keys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.key === "Escape" && !$("settings").matches(":popover-open") && getSelection().isCollapsed) close();
}

translate(document);
bindSettings($("settings"), () => {
  sessionStorage.removeItem(STORE);
  start(false);
});
for (const view of VIEWS) $(`tab-${view}`).addEventListener("click", () => show(view));
$("tabs").addEventListener("keydown", tabKeys);
$("copy").addEventListener("click", copy);
$("save").addEventListener("click", save);
$("close").addEventListener("click", close);
$("message")
  .querySelector("button")
  .addEventListener("click", () => location.reload());
document.addEventListener("keydown", keys);
document.addEventListener("scroll", progress, { passive: true });
addEventListener("resize", progress);
await start(true);
document.documentElement.dataset.ready = "";
