// Pages to try: of several kinds and languages, written for this purpose.
import bread from "./examples/bread.svg";
import docs from "./examples/docs.html";
import forum from "./examples/forum.html";
import harbour from "./examples/harbour.svg";
import list from "./examples/list.html";
import news from "./examples/news.html";
import recipe from "./examples/recipe.html";
import tea from "./examples/tea.svg";
import zh from "./examples/zh.html";

export type Example = {
  id: string;
  kind: "news" | "recipe" | "forum" | "docs" | "list";
  language: string;
  title: string;
  url: string;
  html: string;
  /** Its pictures, by address: these pages have no servers. */
  pictures: { [address: string]: string };
};

function drawn(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

export const EXAMPLES: Example[] = [
  {
    id: "news",
    kind: "news",
    language: "en",
    title: "The last night ferry sails on",
    html: news,
    url: "https://www.sound-courier.example/islands/night-ferry-bought-by-islanders",
    pictures: { "https://www.sound-courier.example/media/2026/kittiwake-dusk.jpg": drawn(harbour) },
  },
  {
    id: "zh",
    kind: "news",
    language: "zh",
    title: "云岭茶山的最后一班慢车",
    html: zh,
    url: "https://news.yuanchuan.example/local/20260405/1187.html",
    pictures: { "https://news.yuanchuan.example/upload/2026/04/tea.jpg": drawn(tea) },
  },
  {
    id: "recipe",
    kind: "recipe",
    language: "en",
    title: "Overnight rye and honey loaf",
    html: recipe,
    url: "https://patient-oven.example/rye-honey-loaf",
    pictures: { "https://patient-oven.example/img/rye-loaf.jpg": drawn(bread) },
  },
  {
    id: "forum",
    kind: "forum",
    language: "de",
    title: "Regenrinne tropft nach Frost",
    html: forum,
    url: "https://werkbank-forum.example/t/4711",
    pictures: {},
  },
  {
    id: "docs",
    kind: "docs",
    language: "en",
    title: "Retries and backoff",
    html: docs,
    url: "https://courier.example/docs/retries",
    pictures: {},
  },
  {
    id: "list",
    kind: "list",
    language: "fr",
    title: "Carnet de l’atelier des quais",
    html: list,
    url: "https://atelier-des-quais.example/carnet/",
    pictures: {},
  },
];
