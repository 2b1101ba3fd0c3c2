// The messages for a page that could not be read.
import { Problem } from "./backend";
import { button, h } from "./dom";
import { maybe, t } from "./i18n";

/** Returns the message and advice. `again` tries once more, if that can help. */
export function failureBox(error: Error, again: (() => void) | null): HTMLElement[] {
  const code = error instanceof Problem ? error.code : "";
  const ours = ["address", "cors", "unauthorized", "unknown_token"].includes(code);
  const actions = [
    ...(again && code !== "address" ? [button(t("again"), again)] : []),
    button(t("paste"), () => document.getElementById("paste-open")?.click()),
  ];
  return [
    h("h2", {}, t("error")),
    h("p", {}, (code && maybe(`error_${code}`)) || error.message || code),
    ...(ours ? [] : [h("p", { class: "soft" }, t("error_hint"))]),
    h("div", { class: "row" }, ...actions),
  ];
}
