// The two sandboxed frames: one shows the page with its passages coloured, the other the article.
import type { Backend } from "./backend";
import { h } from "./dom";

export type Message = { type: string } & { [key: string]: unknown };

/** A frame, and the latest message of each type: the frame gets them when it is ready, also after it was loaded again. */
export class Frame {
  readonly element: HTMLIFrameElement;
  private ready = false;
  private latest = new Map<string, Message>();

  constructor(backend: Backend, name: "frame" | "article", title: string, listen: (message: Message) => void) {
    const popups = name === "article" ? " allow-popups allow-popups-to-escape-sandbox" : "";
    this.element = h("iframe", {
      ...backend.frame(name),
      class: name,
      sandbox: `allow-scripts${popups}`,
      title,
      referrerpolicy: "no-referrer",
    });
    addEventListener("message", (event) => {
      if (event.source !== this.element.contentWindow) return;
      if (event.data.type !== "ready") return listen(event.data);
      this.ready = true;
      this.latest.forEach((message) => this.post(message));
    });
  }

  send(message: Message) {
    this.latest.delete(message.type);
    this.latest.set(message.type, message);
    if (this.ready) this.post(message);
  }

  private post(message: Message) {
    this.element.contentWindow?.postMessage(message, "*");
  }
}
