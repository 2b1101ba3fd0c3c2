// Copies text and saves files.

/** Copies text. Without the clipboard interface, which plain-http names lack, a selection is copied. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const before = document.activeElement;
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "visually-hidden";
    area.setAttribute("aria-hidden", "true");
    // An open dialog makes everything outside of it inert.
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (before instanceof HTMLElement) before.focus();
    return done;
  }
}

export function save(content: Blob | string, name: string, type = "text/plain") {
  const blob = typeof content === "string" ? new Blob([content], { type: `${type};charset=utf-8` }) : content;
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Returns a file name without an ending from a title. */
export function fileName(title: string | null): string {
  const name = (title ?? "")
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  return [...name].slice(0, 60).join("").toLowerCase() || "page";
}
