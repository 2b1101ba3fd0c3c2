// The language of the page, and its texts.
import { EN, type Words } from "./words/en";
import { ZH } from "./words/zh";

export type Word = keyof Words;
const LANGUAGE = "maintext-language";
const WORDS: { [language: string]: Words } = { en: EN, zh: ZH };

/** Reads a stored choice. A browser may refuse all storage. */
function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function store(key: string, value: string) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The choice holds until the page is left.
  }
}

function chosen(): string {
  const choice = stored(LANGUAGE);
  return choice && choice in WORDS ? choice : navigator.language.startsWith("zh") ? "zh" : "en";
}

export let language = chosen();

export function switchLanguage() {
  language = language === "en" ? "zh" : "en";
  store(LANGUAGE, language);
}

/** Returns a text in the current language, with its placeholders in braces filled in. */
export function t(key: Word, values: { [name: string]: string | number } = {}): string {
  const text = (WORDS[language] ?? EN)[key];
  // "{pages|page|pages}" is a number with its noun.
  const counted = text.replace(/\{(\w+)\|(.*?)\|(.*?)\}/g, (_, name: string, one: string, many: string) => {
    return `${values[name]} ${Number(values[name]) === 1 ? one : many}`;
  });
  return counted.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}

/** Returns the text of a key that is made at run time, if there is one. */
export function maybe(key: string): string | null {
  return key in EN ? t(key as Word) : null;
}

/** Returns a warning in the reader's language; the library's own words, which are English, are the most exact. */
export function warning({ code, message }: { code: string; message: string }): string {
  return (language !== "en" && maybe(`warning_${code}`)) || message;
}

/** Formats a whole number with separators. */
export function count(n: number): string {
  return n.toLocaleString(language);
}

/** Formats an ISO date for readers; other texts stay as they are. */
export function day(date: string | null): string {
  const parts = /^(\d{4})-(\d{2})-(\d{2})/.exec(date ?? "");
  if (!parts) return date ?? "";
  const at = new Date(Date.UTC(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3])));
  return at.toLocaleDateString(language, { year: "numeric", month: "long", day: "numeric", timeZone: "UTC" });
}

/** Formats an ISO duration of days, hours and minutes; other texts stay as they are. */
export function duration(text: string): string {
  const parts = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?)?$/.exec(text);
  if (!parts || text.length < 3) return text;
  const units = ["day", "hour", "minute"];
  return (
    units
      .flatMap((unit, i) => {
        const n = Number(parts[i + 1] ?? 0);
        return n ? [n.toLocaleString(language, { style: "unit", unit, unitDisplay: "short" })] : [];
      })
      .join(" ") || text
  );
}
