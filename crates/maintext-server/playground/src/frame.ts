// Runs in the sandboxed frame: builds the page from steps, colours its blocks, and reports clicks.
// The frame has a separate origin and cannot load anything; steps create only elements and text nodes.
type Step = string | 0 | [number | "img" | "hidden", string];
type Paint = { p: number; keep: boolean; role: string; label: boolean | null };

const SHOWN = new Set(
  (
    "address article aside b blockquote br caption cite code dd del div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 " +
    "header hr i ins kbd li main mark nav ol p pre q s samp section small span strong sub sup table tbody td tfoot th thead tr u ul"
  ).split(" "),
);
/** More steps take seconds to lay out; the parent offers to show them. */
const MANY = 12_000;
let spans: HTMLElement[][] = [];
let selected = -1;
let scrolled = false;

function build(all: Step[], whole: boolean) {
  const root = document.createElement("div");
  const steps = whole ? all : all.slice(0, MANY);
  spans = [];
  let at: Element = root;
  for (const step of steps) {
    if (step === 0) at = at.parentElement ?? root;
    else if (typeof step === "string") {
      const element = document.createElement(SHOWN.has(step) ? step : "span");
      at.append(element);
      at = element;
    } else if (step[0] === "img" || step[0] === "hidden") {
      const note = document.createElement("span");
      note.className = step[0] === "img" ? "image" : "unseen";
      note.textContent = step[1];
      at.append(note);
    } else {
      const span = document.createElement("span");
      const block = Number(step[0]);
      span.className = "block";
      span.dataset.block = String(block);
      span.textContent = step[1];
      (spans[block] ??= []).push(span);
      at.append(span);
    }
  }
  document.body.replaceChildren(root);
  selected = -1;
  scrolled = false;
  tell({ type: "built", whole: steps.length === all.length });
}

/** Scrolls to the first kept block, once for each page: the reader's own place is kept afterwards. */
function scroll() {
  const first = spans.flat().find((span) => span.classList.contains("kept"));
  if (scrolled || !first || !innerHeight) return;
  scrolled = true;
  scrollTo({ top: first.getBoundingClientRect().top + scrollY - 24 });
}

function paint(blocks: Paint[]) {
  blocks.forEach((b, i) => {
    for (const [part, span] of (spans[i] ?? []).entries()) {
      span.style.setProperty("--p", String(Math.round(b.p * 100) / 100));
      span.classList.toggle("kept", b.keep);
      span.dataset.role = b.role;
      span.classList.toggle("marked", b.label !== null && part === 0);
      span.dataset.label = b.label === null ? "" : b.label ? "+" : "−";
    }
  });
}

function select(block: number, scroll: boolean) {
  for (const span of spans[selected] ?? []) {
    span.classList.remove("selected");
    span.removeAttribute("tabindex");
  }
  selected = block;
  const own = spans[block] ?? [];
  own.forEach((span) => span.classList.add("selected"));
  const first = own[0];
  if (!first) return;
  first.tabIndex = 0;
  if (scroll) {
    first.focus({ preventScroll: true });
    first.scrollIntoView({ block: "center" });
  }
}

function tell(message: unknown) {
  parent.postMessage(message, "*");
}

function move(by: number) {
  let next = selected < 0 ? (by > 0 ? 0 : spans.length - 1) : selected + by;
  while (next >= 0 && next < spans.length && !spans[next]) next += by;
  if (next < 0 || next >= spans.length) return;
  select(next, true);
  tell({ type: "select", block: next });
}

addEventListener("message", (event) => {
  if (event.source !== parent) return;
  const message = event.data;
  if (message.type === "page") build(message.steps, message.whole);
  else if (message.type === "scroll") scroll();
  else if (message.type === "paint") paint(message.blocks);
  else if (message.type === "select") select(message.block, true);
});

document.addEventListener("click", (event) => {
  const span = (event.target as Element).closest<HTMLElement>(".block");
  if (!span) return;
  const block = Number(span.dataset.block);
  select(block, false);
  tell({ type: "select", block });
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "ArrowDown" || event.key === "j") move(1);
  else if (event.key === "ArrowUp" || event.key === "k") move(-1);
  else if (["+", "-", "0"].includes(event.key)) tell({ type: "key", key: event.key });
  else return;
  event.preventDefault();
});

document.body.tabIndex = 0;
tell({ type: "ready" });
