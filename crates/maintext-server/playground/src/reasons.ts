// The reasons for a decision in words: features that mean the same to a reader are one theme, and the heaviest themes are named.
import type { Block, Explanation, Part } from "./backend";
import { t, type Word } from "./i18n";

const THEMES: [name: string, features: RegExp][] = [
  ["links", /^(link_density|after_link|before_link)/],
  ["sentence", /^(ends_sentence|stops|commas)/],
  ["length", /^(words$|chars$|text_per_markup|text_run|max_words|words_per_block|words_deviation)/],
  ["length", /^(chars_per_block|long_share|tags_per_char|inline_depth)/],
  ["densest", /^(in_densest|in_most_paragraphs|best_density|most_paragraphs|text_share)/],
  ["names", /^(tokens|document|bag_names)(_|$)/],
  ["vocabulary", /^(word_score|bag_text)/],
  ["above", /^bag_(heading|label)/],
  ["repeats", /^(repeats|siblings_alike|blocks_path|span_path|blocks_up)/],
  ["place", /^(position|words_before_share|words_after_share|blocks_after|place_up)/],
  ["heading", /^(blocks_since|words_since_heading|last_heading|title_distance)/],
  ["landmark", /^distance_/],
  ["tag", /^(tag_|heading$|depth$)/],
  ["title", /^(title_|description_)/],
  ["hidden", /^hidden/],
  ["comments", /^role_/],
  ["letters", /^(digit_share|upper_share|symbols_per_word|emphasis_share|code_share)/],
];
/** An element at this distance or farther does not enclose the block. */
const FAR = 99;

type Theme = { name: string; weight: number; parts: Part[] };

function themes(explanation: Explanation): Theme[] {
  const found = new Map<string, Theme>();
  for (const part of [...explanation.forest.parts, ...explanation.network.parts]) {
    const name = THEMES.find(([, features]) => features.test(part.feature))?.[0];
    if (!name) continue;
    const theme = found.get(name) ?? { name, weight: 0, parts: [] };
    theme.weight += part.weight;
    theme.parts.push(part);
    found.set(name, theme);
  }
  return [...found.values()].sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
}

/** Returns the words for a theme, `null` if its heaviest features have no words that are true of the block. */
function phrase(theme: Theme, block: Block, share: number): string | null {
  const pro = theme.weight > 0;
  const side = (name: string) => t(`${name}_${pro ? "pro" : "con"}` as Word);
  const heaviest = theme.parts.filter((p) => p.weight > 0 === pro).sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight))[0];
  switch (theme.name) {
    case "length":
      if (pro) return block.words >= 12 ? t("length_pro") : t("length_pro_near");
      return block.words < 25 ? t("length_con") : null;
    case "links":
      return pro && block.link_density > 0.4 ? null : side("links");
    case "sentence": {
      const ends = theme.parts.find((p) => p.feature === "ends_sentence");
      return ends && ends.value > 0 !== pro ? null : side("sentence");
    }
    case "densest": {
      const own = theme.parts.find((p) => p.feature.startsWith("in_"));
      return own && own.value > 0 !== pro ? null : side("densest");
    }
    case "place":
      if (pro) return share > 0.15 && share < 0.85 ? t("place_pro") : null;
      return share < 0.3 ? t("place_con") : share > 0.7 ? t("place_end") : null;
    case "heading": {
      const since = theme.parts.find((p) => p.feature === "blocks_since_h1" || p.feature === "title_distance");
      if (pro) return since && since.value < 0 ? null : t("heading_pro");
      return since && since.value < 0 ? t("heading_con") : t("heading_far");
    }
    case "landmark": {
      if (!heaviest) return null;
      const tag = heaviest.feature.slice("distance_".length);
      return t(heaviest.value < FAR ? "inside" : "outside", { tag });
    }
    case "hidden":
      return block.hidden === pro ? null : side("hidden");
    case "comments":
      return pro ? null : side("comments");
    case "title": {
      const own = theme.parts.find(
        (p) => p.feature === "title_share" || p.feature === "title_overlap" || p.feature === "description_share",
      );
      return own && own.value > 0 !== pro ? null : side("title");
    }
    default:
      return side(theme.name);
  }
}

export type Reasons = { because: string[]; although: string[] };

/** Returns the reasons for and against a decision. `share` is the part of the page's words before the block, 0 to 1. */
export function reasons(block: Block, keep: boolean, share: number, explanation: Explanation): Reasons {
  const all = themes(explanation);
  const least = Math.max(0.06, 0.12 * Math.abs(all[0]?.weight ?? 0));
  const side = (pro: boolean, most: number) =>
    all
      .filter((theme) => theme.weight > 0 === pro && Math.abs(theme.weight) >= least)
      .flatMap((theme) => phrase(theme, block, share) ?? [])
      .slice(0, most);
  const because = side(keep, 4);
  const own = explanation.forest.score + explanation.network.score;
  // Alike passages lend their score where it differs.
  if (Math.abs(explanation.kin - own) > 1 && explanation.kin > own === keep) because.splice(1, 0, t(keep ? "kin_pro" : "kin_con"));
  return { because: because.slice(0, 4), although: side(!keep, 2) };
}
