// Creates elements. Text becomes text nodes, so that no part of a foreign page is parsed as HTML.
export type Child = Node | string | number | null | undefined | false;
type Props = { [name: string]: unknown };

function put(element: Element, props: Props, children: Child[]) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((c) => c !== null && c !== undefined && c !== false).map((c) => (c instanceof Node ? c : String(c))));
}

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  put(element, props, children);
  return element;
}

export function button(text: string, onclick: (event: Event) => void, props: Props = {}): HTMLButtonElement {
  return h("button", { type: "button", onclick, ...props }, text);
}

export function svg(tag: string, props: Props = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  put(element, props, children);
  return element;
}

/** Formats a number with at most this many decimals, without trailing zeros. */
export function number(x: number, digits = 2): string {
  return Number(x.toFixed(digits)).toString();
}
