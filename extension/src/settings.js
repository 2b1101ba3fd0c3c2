// The look of the reader: kept in the extension's own local storage, on this device.
import { language, say } from "./api.js";

const DEFAULTS = { theme: "auto", font: "serif", size: 20, width: 36, visible: false };
const KEY = "settings";

function load() {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return { ...DEFAULTS };
  }
}

export const settings = load();

function apply() {
  const root = document.documentElement;
  root.dataset.theme = settings.theme;
  root.dataset.font = settings.font;
  root.style.setProperty("--size", `${settings.size}px`);
  root.style.setProperty("--width", `${settings.width}em`);
}

/** Shows the settings in the form and follows its changes. `reread` runs if the page has to be read again. */
export function bindSettings(form, reread) {
  apply();
  for (const [name, value] of Object.entries(settings)) {
    const field = form.elements[name];
    if (field.type === "checkbox") field.checked = value;
    else field.value = value;
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => {
    const { name, type, value, checked } = event.target;
    settings[name] = type === "checkbox" ? checked : type === "range" ? Number(value) : value;
    localStorage.setItem(KEY, JSON.stringify(settings));
    apply();
    if (name === "visible") reread();
  });
}

/** Puts the messages of the user's language into the page. */
export function translate(root) {
  root.documentElement.lang = language();
  for (const element of root.querySelectorAll("[data-text]")) element.textContent = say(element.dataset.text);
  for (const element of root.querySelectorAll("[data-label]")) {
    const label = say(element.dataset.label);
    element.setAttribute("aria-label", label);
    if (element.localName === "button") element.title = label;
  }
}
