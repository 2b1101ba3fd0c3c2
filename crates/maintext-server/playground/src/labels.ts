// The labels of the pages that the reader opened. They outlast a change of the method, and a visit to another page.
import type { Inspection, Labels } from "./backend";

/** Labels of pages that were left, by the key of the page, with the texts that they label. */
const left = new Map<string, { labels: [text: string, block: number, keep: boolean][]; unsaved: number }>();

export function park(key: string, seen: Inspection, labels: Labels, unsaved: number) {
  left.set(key, { labels: [...labels].map(([block, keep]) => [seen.blocks[block]?.text ?? "", block, keep]), unsaved });
}

/** Returns the labels of a page that was labelled before, where its passages are still the same. */
export function labelled(key: string, seen: Inspection): { labels: Labels; unsaved: number } {
  const before = left.get(key);
  const same = (before?.labels ?? []).filter(([text, block]) => seen.blocks[block]?.text === text);
  const labels = new Map(same.map(([, block, keep]) => [block, keep]));
  return { labels, unsaved: labels.size ? (before?.unsaved ?? 0) : 0 };
}
