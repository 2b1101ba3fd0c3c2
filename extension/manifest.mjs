// The manifest of each browser.
import { readFileSync } from "node:fs";

const { version } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
const SIZES = [16, 32, 48, 128];

/** What the extension's own pages may do: run its own code, and show the pictures of the article. */
const POLICY = {
  "default-src": "'none'",
  "script-src": "'self' 'wasm-unsafe-eval'",
  "style-src": "'self'",
  "img-src": "'self' http: https: data:",
  "media-src": "http: https:",
  "connect-src": "'self'",
  "form-action": "'none'",
  "frame-ancestors": "'none'",
  "base-uri": "'none'",
};

/** Returns the manifest for `chromium` or `firefox`. */
export function manifest(browser) {
  const icons = Object.fromEntries(SIZES.map((size) => [size, `icons/icon-${size}.png`]));
  return {
    manifest_version: 3,
    name: "__MSG_name__",
    description: "__MSG_description__",
    version,
    default_locale: "en",
    icons,
    action: { default_title: "__MSG_open__", default_icon: icons },
    permissions: ["activeTab", "scripting", "contextMenus"],
    content_security_policy: {
      extension_pages: Object.entries(POLICY)
        .map((rule) => rule.join(" "))
        .join("; "),
    },
    commands: {
      _execute_action: { suggested_key: { default: "Alt+R" } },
      copy: { suggested_key: { default: "Alt+Shift+M" }, description: "__MSG_copyPage__" },
      save: { description: "__MSG_savePage__" },
      why: { description: "__MSG_showWhy__" },
      entries: { description: "__MSG_showEntries__" },
    },
    ...(browser === "chromium" ? CHROMIUM : FIREFOX),
  };
}

const CHROMIUM = {
  minimum_chrome_version: "116",
  background: { service_worker: "background.js", type: "module" },
};

const FIREFOX = {
  background: { scripts: ["background.js"], type: "module" },
  browser_specific_settings: {
    gecko: {
      id: "reader@maintext.example",
      strict_min_version: "140.0",
      data_collection_permissions: { required: ["none"] },
    },
    gecko_android: { strict_min_version: "142.0" },
  },
};
