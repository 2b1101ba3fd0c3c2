// What the two browsers name differently, and the way into a page.

/** The browser's extension functions; both answer with promises. */
export const api = globalThis.browser ?? globalThis.chrome;

/** Returns a message in the user's language. */
export const say = (name, ...values) => api.i18n.getMessage(name, values.map(String)) || name;

/** The language of the messages, with the user's region where it is the same language. */
export function language() {
  const [ours, theirs] = [say("locale"), api.i18n.getUILanguage()];
  return theirs.split("-")[0] === ours ? theirs : ours;
}

/** A page that cannot be read. `reason` is the name of its message. */
export class Refusal extends Error {
  constructor(reason, detail = "") {
    super(detail || reason);
    this.reason = reason;
  }
}

const STORES =
  /^https:\/\/(chromewebstore\.google\.com|chrome\.google\.com\/webstore|addons\.mozilla\.org|microsoftedge\.microsoft\.com\/addons)/;

/** Why a script cannot run in a page, from its address and the browser's error. */
export function refusal(url, detail) {
  if (/No tab with id|Invalid tab ID/i.test(detail)) return new Refusal("gone", detail);
  if (STORES.test(url) || /gallery/i.test(detail)) return new Refusal("store", detail);
  if (/\.pdf([?#]|$)/i.test(url)) return new Refusal("pdf", detail);
  if (/^file:/.test(url)) return new Refusal("file", detail);
  if (/^https?:/.test(url)) return new Refusal("expired", detail);
  const own = /^[a-z-]+:/.test(url) || /chrome:|about:|edge:|view-source:|chrome-extension:/i.test(detail);
  return new Refusal(own ? "browserPage" : "expired", detail);
}

/** Returns `{ url, title, html, selection }` of a tab's page, or throws a `Refusal`. */
export async function gather(tabId, { visible = false } = {}) {
  const target = { tabId };
  let found;
  try {
    await api.scripting.executeScript({ target, files: ["gather.js"] });
    [{ result: found }] = await api.scripting.executeScript({
      target,
      func: (see) => globalThis.maintextGather(see),
      args: [visible],
    });
  } catch (error) {
    const tab = await api.tabs.get(tabId).catch(() => undefined);
    throw refusal(tab?.url ?? "", String(error?.message ?? error));
  }
  if (!found) throw new Refusal("empty");
  if (/pdf/i.test(found.type)) throw new Refusal("pdf");
  if (found.html === undefined) throw new Refusal("notHtml", found.type);
  return found;
}
