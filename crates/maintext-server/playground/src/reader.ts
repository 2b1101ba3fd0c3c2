// The article: a frame as high as its text, so that the reader scrolls one page.
import type { Backend, Inspection } from "./backend";
import { button, h } from "./dom";
import { EXAMPLES } from "./examples";
import { Frame, type Message } from "./frames";
import { day, t } from "./i18n";
import type { Opened } from "./open";
import { size } from "./panels";

/** Characters of an article that are laid out at first. */
const SHOWN = 150_000;
/** No article is higher, in pixels. */
const HIGHEST = 5e6;

export class Reader {
  readonly frame: Frame;
  readonly element: HTMLElement;
  private pictures = h("div", { class: "pictures" });
  private rest = h("div", { class: "rest" });
  /** Whether the reader has asked for the pictures of this page: another page has other servers. */
  private loads = false;
  private whole = false;
  private shown: { seen: Inspection; opened: Opened | null } | null = null;

  constructor(backend: Backend) {
    this.frame = new Frame(backend, "article", t("article"), (message) => this.hear(message));
    this.element = h("section", { class: "card article-box" }, this.pictures, this.frame.element, this.rest);
  }

  show(seen: Inspection, opened: Opened | null) {
    if (this.shown?.seen !== seen) this.whole = false;
    if (this.shown?.opened?.key !== opened?.key) this.loads = false;
    this.shown = { seen, opened };
    this.draw();
  }

  private draw() {
    if (!this.shown) return;
    const { page } = this.shown.seen;
    const own = EXAMPLES.find((e) => e.id === this.shown?.opened?.example)?.pictures ?? {};
    const sources = [...page.html.matchAll(/<img\b[^>]*\bsrc="([^"]*)"/g)].map(([, src]) => src ?? "");
    const foreign = sources.some((src) => /^https?:/.test(src) && !(src in own));
    const change = () => {
      this.loads = !this.loads;
      this.draw();
    };
    const note = h("span", { class: "soft small" }, t(this.loads ? "pictures_on" : "pictures_off"));
    const toggle = button(t(this.loads ? "pictures_hide" : "pictures_show"), change, { class: "plain small", id: "pictures" });
    this.pictures.replaceChildren(...(foreign ? [note, toggle] : []));
    const minutes = page.reading_minutes ? t("minutes", { n: Math.max(1, Math.round(page.reading_minutes)) }) : "";
    this.frame.send({
      type: "article",
      html: page.html,
      title: page.title,
      language: page.language,
      kicker: page.sitename ?? page.hostname ?? "",
      byline: [page.author, day(page.date), minutes].filter(Boolean),
      pictures: this.loads,
      own,
      limit: this.whole ? Infinity : SHOWN,
      words: { picture: t("picture"), media: t("media"), empty: t("nothing_kept") },
    });
  }

  private hear(message: Message) {
    const { style } = this.frame.element;
    const height = Number(message.height);
    const top = Number(message.top);
    if (message.type === "height" && height >= 0) style.height = `${Math.min(height, HIGHEST)}px`;
    else if (message.type === "scroll" && Number.isFinite(top)) {
      scrollBy({ top: this.frame.element.getBoundingClientRect().top + top - 24, behavior: "smooth" });
    } else if (message.type === "shown") this.drawRest(message.whole === true);
  }

  private drawRest(whole: boolean) {
    const html = this.shown?.seen.page.html ?? "";
    const more = () => {
      this.whole = true;
      this.draw();
    };
    this.rest.replaceChildren(
      ...(whole
        ? []
        : [h("p", { class: "soft" }, t("cut_article")), button(t("show_all", { size: size(html.length) }), more, { class: "more" })]),
    );
  }
}
