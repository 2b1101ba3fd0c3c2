// The same extraction as code: for a shell, Python and JavaScript.
import type { Ask, Settings } from "./backend";
import { h } from "./dom";
import { t } from "./i18n";
import { copyButton } from "./panels";

export const LANGUAGES = ["curl", "python", "javascript"] as const;
export type Language = (typeof LANGUAGES)[number];

function quoted(text: string): string {
  return `'${text.replace(/'/g, "'\\''")}'`;
}

/** Returns code that extracts a page. `origin` is the address of the service, empty without a service; `secured`: it needs a token. */
export function code(language: Language, ask: Ask, settings: Settings, origin: string, secured: boolean): string {
  const url = ask.url;
  const given: { [name: string]: string } = {};
  if (settings.method !== "learned") given.method = settings.method;
  if (settings.favor !== "balance") given.favor = settings.favor;
  const source = url && !ask.html && !ask.bytes;
  if (language === "curl") {
    if (!origin) {
      const flags = Object.entries(given)
        .map(([name, value]) => ` --${name} ${value}`)
        .join("");
      return source
        ? `curl -sL ${quoted(url)} | maintext extract -f markdown --url ${quoted(url)}${flags} -`
        : `maintext extract -f markdown${flags} page.html`;
    }
    const token = secured ? ' \\\n  -H "Authorization: Bearer $TOKEN"' : "";
    if (!source) {
      const query = Object.entries({ ...(url ? { url } : {}), ...given })
        .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
        .join("&");
      const address = quoted(`${origin}/v1/extract${query ? `?${query}` : ""}`);
      return `curl ${address}${token} \\\n  -H 'Content-Type: text/html' --data-binary @page.html`;
    }
    const body = { url, ...(Object.keys(given).length ? { options: given } : {}) };
    const address = quoted(`${origin}/v1/extract`);
    return `curl ${address}${token} \\\n  -H 'Content-Type: application/json' \\\n  -d ${quoted(JSON.stringify(body))}`;
  }
  if (language === "python") {
    const named = Object.entries({ ...(url ? { url } : {}), ...given })
      .map(([name, value]) => `, ${name}=${JSON.stringify(value)}`)
      .join("");
    const read = source
      ? `import urllib.request\n\nimport maintext\n\nhtml = urllib.request.urlopen(${JSON.stringify(url)}).read()\n`
      : 'from pathlib import Path\n\nimport maintext\n\nhtml = Path("page.html").read_bytes()\n';
    return `${read}page = maintext.extract(html${named})\nprint(page.title, page.author, page.date)\nprint(page.markdown)\n`;
  }
  const options = { ...(url ? { url } : {}), ...given };
  const values = Object.entries(options).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const named = values.length ? `, { ${values.join(", ")} }` : "";
  const read = source
    ? `const response = await fetch(${JSON.stringify(url)});\nconst html = new Uint8Array(await response.arrayBuffer());\n`
    : 'import { readFile } from "node:fs/promises";\n\nconst html = await readFile("page.html");\n';
  const show = "console.log(page.title, page.author, page.date);\nconsole.log(page.markdown);\n";
  return `import { extract } from "maintext";\n${source ? "\n" : ""}${read}const page = extract(html${named});\n${show}`;
}

/** Opens a dialog with the code. */
export function showCode(ask: Ask, settings: Settings, origin: string, secured: boolean) {
  let chosen: Language = "curl";
  const text = h("pre", { class: "result", tabindex: "0" });
  const choices = LANGUAGES.map((language) =>
    h("button", { type: "button", "data-code": language, onclick: () => draw(language) }, t(language)),
  );
  const dialog = h(
    "dialog",
    { "aria-labelledby": "code-title", onclose: () => dialog.remove() },
    h(
      "div",
      { class: "row tools" },
      h("h2", { id: "code-title" }, t("code_title")),
      h("span", { class: "spring" }),
      h("button", { type: "button", class: "plain", onclick: () => dialog.close() }, t("close")),
    ),
    h(
      "div",
      { class: "row tools" },
      h("div", { class: "segments", role: "group", "aria-label": t("code") }, ...choices),
      h("span", { class: "spring" }),
      copyButton(() => text.textContent ?? ""),
    ),
    text,
  );
  const draw = (language: Language) => {
    chosen = language;
    choices.forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.code === chosen)));
    text.textContent = code(language, ask, settings, origin, secured);
  };
  draw(chosen);
  document.body.append(dialog);
  dialog.showModal();
}
