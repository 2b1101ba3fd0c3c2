// The article, as a page to read.
import { language, say } from "./api.js";
import { articleOf, pictureAddress, webAddress } from "./article.js";
import { h } from "./dom.js";

/** Languages whose scripts run from right to left. */
const RIGHT_TO_LEFT = new Set(["ar", "arc", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "ug", "ur", "yi"]);

/** Below this expected F1, the reader says that it is not sure. */
const SURE = 0.5;

/** Returns a date in the user's way of writing; a date without a time has no zone. */
function dateText(date) {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(date)?.[0];
  if (!day) return date;
  return new Intl.DateTimeFormat(language(), { dateStyle: "long", timeZone: "UTC" }).format(new Date(`${day}T00:00:00Z`));
}

function head(result, page) {
  const address = webAddress(page.url);
  const site = result.sitename || result.hostname || "";
  const facts = [
    result.author ? h("span", { className: "author" }, result.author) : undefined,
    result.date ? h("time", { dateTime: result.date }, dateText(result.date)) : undefined,
    h("span", {}, say("minutes", Math.max(1, result.reading_minutes))),
  ];
  return h(
    "header",
    {},
    address && site ? h("a", { className: "site", href: address, target: "_blank", rel: "noopener noreferrer" }, site) : site,
    h("h1", { dir: "auto" }, result.title || page.title || say("untitled")),
    h("p", { className: "facts" }, ...facts),
  );
}

/** Gives pictures the captions that the page has for them, and wide content a box of its own to scroll in. */
function finish(body, result) {
  const captions = new Map(result.images.filter(({ caption }) => caption).map(({ src, caption }) => [src, caption]));
  for (const picture of body.querySelectorAll("img")) {
    const caption = captions.get(picture.getAttribute("src"));
    const figure = picture.closest("figure");
    if (caption && figure && !figure.querySelector("figcaption")) figure.append(h("figcaption", {}, caption));
    picture.addEventListener("error", () => (figure && figure.querySelectorAll("img").length === 1 ? figure : picture).remove());
  }
  for (const wide of body.querySelectorAll("table, pre")) {
    const box = h("div", {
      className: "wide",
      tabIndex: 0,
      role: "group",
      "aria-label": say(wide.localName === "table" ? "table" : "code"),
    });
    wide.replaceWith(box);
    box.append(wide);
  }
}

/** A picture of the page's metadata, if the article has none and it is large enough to be one. */
function lead(result) {
  const address = result.image && pictureAddress(result.image);
  if (!address || result.images.length > 0) return undefined;
  const picture = h("img", { alt: "", referrerPolicy: "no-referrer" });
  const figure = h("figure", { className: "lead", hidden: true }, picture);
  picture.addEventListener("load", () => {
    figure.hidden = picture.naturalWidth < 500 || picture.naturalHeight < 250;
  });
  picture.src = address;
  return figure;
}

export function showArticle(panel, result, page) {
  const body = h("div", { className: "body", dir: "auto" });
  body.append(articleOf(result.html ?? "", document));
  finish(body, result);
  const article = h("article", {}, head(result, page));
  if (result.language) article.lang = result.language;
  if (RIGHT_TO_LEFT.has(result.language)) article.dir = "rtl";
  if (result.confidence !== null && result.confidence < SURE && result.text)
    article.append(h("p", { className: "unsure" }, say("unsure")));
  const picture = lead(result);
  if (picture) article.append(picture);
  article.append(result.text ? body : h("p", {}, say("emptyText")));
  const address = webAddress(page.url);
  if (address) {
    const link = h("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, address);
    article.append(h("footer", {}, h("span", {}, say("source")), " ", link));
  }
  panel.append(article);
}
