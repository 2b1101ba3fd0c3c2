// maintext/readability and maintext/defuddle beside the packages whose interfaces they have.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import * as theirs from "@mozilla/readability";
import TheirDefuddle from "defuddle";
import { Defuddle as theirNodeDefuddle } from "defuddle/node";
import { JSDOM, VirtualConsole } from "jsdom";
import { parseHTML } from "linkedom";
import { createMarkdownContent, Defuddle } from "maintext/defuddle";
import OtherDefuddle from "maintext/defuddle";
import { isProbablyReaderable, Readability } from "maintext/readability";

const URL_OF_PAGE = "https://www.example.org/notes/ferry";
const LD = `<script type="application/ld+json">{"@context": "https://schema.org", "@type": "NewsArticle", "headline": "The ferry at dusk",
  "author": {"@type": "Person", "name": "Ada Ferry"}, "publisher": {"@type": "Organization", "name": "Harbour Notes"},
  "datePublished": "2026-05-17T18:30:00+02:00"}</script>`;
const head = (more) =>
  `<title>The ferry at dusk | Harbour Notes</title><meta name="description" content="How the last ferry is loaded &amp; leaves.">${more}`;
const body = (
  article,
) => `<nav><ul><li><a href="/">Home</a><li><a href="/about">About</a></ul></nav><main dir="ltr"><article class="post h-entry">${article}
  </article></main><aside><h3>Related</h3><a href="/x">Another story</a></aside><footer>Copyright 2026</footer>`;
const ARTICLE = `<h1>The ferry at dusk</h1><p class="lead big">The last ferry leaves at nine, and <em>nobody</em> waits for those who are late &amp;
  lost; the <a href="quay?a=1&amp;b=2">quay</a> is empty by then, and the gulls have it to themselves until the morning.</p>
  <h2>Loading</h2><p>Cars come first, in two rows, and the lorries last, since they leave first on the other side, where the ramp is steep.</p>
  <iframe src="https://www.youtube.com/embed/abc" width="560" height="315"></iframe>
  <figure><img src="img/ferry.jpg" alt="The ferry" class="wide" width="800" height="600"><figcaption>The ferry at the quay.</figcaption></figure>
  <p>Then <a href="javascript:alert(1)">a horn</a> sounds three times, and the water is dark, with the lamps of the town in it and no stars.</p>
  <iframe src="https://video.example.net/e/1"></iframe>
  <p>Whoever stays on deck sees the lighthouse first, then the church, and after an hour the long pier of the other harbour.</p>`;
const PAGE = `<!DOCTYPE html><html lang="en-GB"><head>${head(`${LD}<meta property="og:site_name" content="Harbour Notes">
  <meta property="og:image" content="https://www.example.org/og.jpg"><link rel="icon" href="https://www.example.org/icon.png">`)}</head><body>${body(ARTICLE)}</body></html>`;
const BARE = `<!DOCTYPE html><html><head><title>The ferry at dusk</title></head><body>${body(ARTICLE)}</body></html>`;
const EMPTY = "<!DOCTYPE html><html><head><title>Nothing</title></head><body><div id=app></div></body></html>";
const SHORT = `<body><header><h1>Harbour office</h1><p>Open from nine</p></header><main><p>We left at six, and the road was empty until the hills.</p>
  <p class=note>Cake: 4</p><p>Tea: 3</p></main><div class=box><p>Write to us about the tickets and the boats.</p></div><footer><p>Call us: 555 0101</p>
  <p>All rights reserved by the harbour.</p></footer></body>`;

const doms = {
  jsdom: (html) => new JSDOM(html, { url: URL_OF_PAGE, virtualConsole: new VirtualConsole() }).window.document,
  linkedom: (html) => {
    const { document } = parseHTML(html);
    // linkedom knows no address; its users say which it is.
    Object.defineProperty(document, "URL", { value: URL_OF_PAGE });
    return document;
  },
};
/** Runs as a program of Readability would, with its class and with ours. */
const both = (html, options) => [theirs.Readability, Readability].map((Class) => new Class(doms.jsdom(html), options).parse());

test("readability: the same keys, and the same values where the page states them", () => {
  const [expected, found] = both(PAGE);
  assert.deepEqual(Object.keys(found).sort(), Object.keys(expected).sort());
  for (const key of ["title", "byline", "dir", "lang", "excerpt", "siteName", "publishedTime"])
    assert.equal(found[key], expected[key], key);
  const [, bare] = both(BARE);
  // A site without a name has its host's.
  assert.deepEqual([bare.byline, bare.siteName, bare.publishedTime], [null, "example.org", null]);
  assert.match(bare.excerpt, /^The last ferry leaves at nine/);
  // Where the page does not say its language, the text does.
  assert.equal(bare.lang, "en");
});

test("readability: the content is the article, with absolute links and the players that are allowed", () => {
  for (const [name, parse] of Object.entries(doms)) {
    const { content, textContent, length } = new Readability(parse(PAGE)).parse();
    assert.match(content, /^<div id="readability-page-1" class="page"><p>The last ferry[^]*<\/div>$/, name);
    assert.doesNotMatch(content, /Home|Related|Copyright|javascript:|<h1/);
    assert.match(content, /<a href="https:\/\/www\.example\.org\/notes\/quay\?a=1&amp;b=2">quay<\/a>/);
    assert.match(content, /<img src="https:\/\/www\.example\.org\/notes\/img\/ferry\.jpg"/);
    assert.match(
      content,
      /ramp is steep\.<\/p>\n<iframe src="https:\/\/www\.youtube\.com\/embed\/abc" width="560" height="315"><\/iframe>\n<figure>/,
    );
    assert.doesNotMatch(content, /video\.example\.net/);
    const element = parse("<p>").createElement("div");
    element.innerHTML = content;
    assert.deepEqual([textContent, length], [element.textContent, element.textContent.length]);
  }
});

test("readability: a player takes the place of a link to its video", () => {
  const film = '<iframe title="A film" src="https://www.youtube.com/embed/abc123def45"></iframe>';
  const html = PAGE.replace(
    /<iframe src="https:\/\/www[^]*?<\/iframe>/,
    `${film}<div><iframe src="https://player.vimeo.com/video/1234567"></iframe></div>`,
  );
  for (const [name, parse] of Object.entries(doms)) {
    const { content } = new Readability(parse(html)).parse();
    const found = content.match(/<(iframe|a) (src|href)="[^"]*(abc123def45|1234567)"/g);
    assert.deepEqual(
      found,
      ['<iframe src="https://www.youtube.com/embed/abc123def45"', '<iframe src="https://player.vimeo.com/video/1234567"'],
      name,
    );
    assert.match(content, /is steep\.<\/p>\n<iframe [^]*<\/iframe>\n<iframe [^]*<\/iframe>\n<figure>/);
  }
  const begins = BARE.replace("<h1>", '<iframe src="https://archive.org/embed/harbour-film"></iframe><h1>');
  assert.match(
    new Readability(doms.jsdom(begins)).parse().content,
    /class="page"><iframe src="https:\/\/archive\.org\/embed\/harbour-film"><\/iframe>\n<p>The last ferry/,
  );
});

test("readability: base addresses", () => {
  const based = PAGE.replace("<title>", '<base href="/elsewhere/"><title>');
  for (const [name, parse] of Object.entries(doms)) {
    assert.match(new Readability(parse(based)).parse().content, /href="https:\/\/www\.example\.org\/elsewhere\/quay/, name);
  }
  const [, absolute] = [doms.jsdom, (html) => parseHTML(html).document].map(
    (parse) => new Readability(parse(PAGE.replace("<title>", '<base href="https://other.example/a/"><title>'))).parse().content,
  );
  assert.match(absolute, /href="https:\/\/other\.example\/a\/quay/);
});

test("readability: the document stays as it is", () => {
  const document = doms.jsdom(PAGE);
  const before = document.documentElement.outerHTML;
  const { title } = new Readability(document, { keepClasses: true, debug: false }).parse();
  assert.deepEqual([document.documentElement.outerHTML, title], [before, "The ferry at dusk"]);
});

test("readability: null and errors", () => {
  assert.deepEqual(both(EMPTY), [null, null]);
  for (const Class of [theirs.Readability, Readability]) {
    for (const wrong of [undefined, "<p>", {}]) {
      assert.throws(() => new Class(wrong), { message: "First argument to Readability constructor should be a document object." });
    }
    const count = doms.jsdom(PAGE).getElementsByTagName("*").length;
    assert.throws(() => new Class(doms.jsdom(PAGE), { maxElemsToParse: 5 }).parse(), {
      message: `Aborting parsing document; ${count} elements found`,
    });
    assert.ok(new Class(doms.jsdom(PAGE), { maxElemsToParse: count }).parse());
    // An address in front, as in old programs.
    assert.equal(new Class(URL_OF_PAGE, doms.jsdom(PAGE), {}).parse().title, "The ferry at dusk");
  }
});

test("readability: options", () => {
  const read = (options, html = PAGE) => new Readability(doms.jsdom(html), options).parse();
  const plain = read();
  assert.deepEqual(read({ nbTopCandidates: 9, linkDensityModifier: 0.5 }), plain);
  assert.equal(read({ serializer: (element) => element }).content.firstElementChild.id, "readability-page-1");
  assert.equal(read({ serializer: (element) => element.innerHTML }).content, plain.content);
  assert.match(
    read({ allowedVideoRegex: /video\.example\.net/g }).content,
    /no stars\.<\/p>\n<iframe src="https:\/\/video\.example\.net\/e\/1">/,
  );
  assert.match(read({ keepClasses: true }).content, /<p class="lead big">[^]*class="wide"/);
  assert.match(read({ classesToPreserve: ["lead", "wide"] }).content, /<p class="lead">[^]*class="wide"/);
  assert.doesNotMatch(plain.content, /lead|wide/);
  const unnamed = PAGE.replace('<meta property="og:site_name" content="Harbour Notes">', "");
  assert.equal(read({}, unnamed).byline, "Ada Ferry");
  const [expected, found] = both(unnamed, { disableJSONLD: true });
  assert.deepEqual([found.byline, found.publishedTime], [null, null]);
  assert.equal(expected.publishedTime, null);
});

test("readability: a text below charThreshold is extracted with favor recall", () => {
  const [plain, wide] = [undefined, 500].map((charThreshold) => new Readability(doms.jsdom(SHORT), { charThreshold }).parse());
  assert.doesNotMatch(plain.textContent, /Write to us/);
  assert.match(wide.textContent, /road was empty[^]*Cake: 4[^]*Write to us/);
  assert.deepEqual(new Readability(doms.jsdom(SHORT), { charThreshold: 10 }).parse(), plain);
});

test("readability: debug writes to the console", (t) => {
  const log = t.mock.method(console, "log", () => {});
  new Readability(doms.jsdom(PAGE), { debug: true }).parse();
  assert.ok(log.mock.calls.some(({ arguments: [first] }) => first === "Reader: (maintext)"));
});

test("isProbablyReaderable agrees with Readability's", () => {
  const long = "A sentence of some length about the ferry, the harbour and the people who wait there. ".repeat(8);
  const pages = [
    PAGE,
    BARE,
    EMPTY,
    "<p>Short.</p>",
    `<p>${long}</p>`,
    `<p hidden>${long}</p>`,
    `<p style="display:none">${long}</p>`,
    `<ul><li><p>${long}</p></ul>`,
    `<p class="sidebar">${long}</p>`,
    `<p class="sidebar content">${long}</p>`,
    `<div>${long}<br>${long}</div>`,
    `<div>${long}</div>`,
    `<p aria-hidden=true>${long}</p>`,
    `<p aria-hidden=true class=fallback-image>${long}</p>`,
    `<pre>${long}</pre>`,
    `<p>${long.slice(0, 200)}</p>`.repeat(2),
    `<p>${long.slice(0, 200)}</p>`.repeat(3),
  ];
  const options = [
    undefined,
    {},
    { minScore: 5 },
    { minContentLength: 20 },
    { minScore: 200 },
    { visibilityChecker: () => true },
    () => false,
  ];
  let readable = 0;
  for (const html of pages) {
    for (const option of options) {
      const found = isProbablyReaderable(doms.jsdom(html), option);
      assert.equal(found, theirs.isProbablyReaderable(doms.jsdom(html), option), `${html.slice(0, 60)} ${JSON.stringify(option)}`);
      readable += Number(found);
    }
  }
  assert.ok(readable > 30 && readable < 90);
});

test("defuddle: the same keys, and the same values where the page states them", async () => {
  const expected = await theirNodeDefuddle(parseHTML(PAGE).document, URL_OF_PAGE, { separateMarkdown: true, useAsync: false });
  const forms = [
    Defuddle(PAGE, URL_OF_PAGE, { separateMarkdown: true }),
    Defuddle(parseHTML(PAGE).document, URL_OF_PAGE, { separateMarkdown: true }),
    Defuddle(new JSDOM(PAGE, { url: URL_OF_PAGE }), undefined, { separateMarkdown: true }),
    new Defuddle(doms.jsdom(PAGE), { separateMarkdown: true }).parseAsync(),
    new OtherDefuddle(doms.linkedom(PAGE), { separateMarkdown: true }).parse(),
  ];
  for (const found of await Promise.all(forms)) {
    assert.deepEqual(Object.keys(found).sort(), Object.keys(expected).sort());
    const same = [
      "title",
      "description",
      "domain",
      "favicon",
      "image",
      "language",
      "published",
      "author",
      "site",
      "schemaOrgData",
      "metaTags",
    ];
    for (const key of same) assert.deepEqual(found[key], expected[key], key);
    assert.equal(typeof found.parseTime, "number");
    assert.ok(Math.abs(found.wordCount - expected.wordCount) <= 8, `${found.wordCount} and ${expected.wordCount} words`);
    assert.match(found.content, /^<p>The last ferry/);
    assert.match(
      found.contentMarkdown,
      /^The last ferry[^]*\[quay\]\(https:\/\/www\.example\.org\/notes\/quay\?a=1&b=2\)[^]*\n## Loading\n/,
    );
    assert.doesNotMatch(found.content, /Home|Related|Copyright|javascript:/);
  }
});

test("defuddle: what a page does not state is an empty string", async () => {
  const expected = new TheirDefuddle(doms.jsdom(BARE), { url: URL_OF_PAGE }).parse();
  const found = new Defuddle(doms.jsdom(BARE), { url: URL_OF_PAGE }).parse();
  assert.deepEqual(Object.keys(found).sort(), Object.keys(expected).sort());
  for (const key of ["title", "description", "author", "published", "domain", "favicon", "site"])
    assert.equal(found[key], expected[key], key);
  // The image that a page does not state is the first of its content.
  assert.deepEqual([expected.image, found.image], ["", "https://www.example.org/notes/img/ferry.jpg"]);
  assert.deepEqual([found.schemaOrgData, found.metaTags], [[], []]);
  const nowhere = await Defuddle(BARE);
  assert.deepEqual([nowhere.domain, nowhere.favicon], ["", ""]);
  assert.equal(
    (await Defuddle(BARE.replace("<title>", '<link rel=canonical href="https://www.example.com/ferry"><title>'))).domain,
    "example.com",
  );
  assert.equal((await Defuddle(EMPTY)).content, "");
});

test("defuddle: options", async () => {
  const read = (options, html = PAGE) => Defuddle(html, URL_OF_PAGE, options);
  const plain = await read();
  assert.match((await read({ markdown: true })).content, /^The last ferry[^]*!\[The ferry\]/);
  assert.equal((await read({ markdown: true, separateMarkdown: true })).contentMarkdown, undefined);
  assert.doesNotMatch((await read({ removeImages: true })).content, /<img/);
  assert.match((await read({ contentSelector: "aside" })).content, /Another story/);
  for (const contentSelector of ["#none", "p["]) assert.equal((await read({ contentSelector })).content, plain.content);
  for (const name of ["useAsync", "removeSmallImages", "standardize"]) assert.equal((await read({ [name]: false })).content, plain.content);
  for (const name of ["removeLowScoring", "removePartialSelectors", "removeExactSelectors", "removeContentPatterns"]) {
    assert.match((await read({ [name]: false }, SHORT)).content, /Write to us/, name);
    assert.doesNotMatch((await read({ [name]: true }, SHORT)).content, /Write to us/, name);
  }
  const { profile } = await read({ profile: true });
  assert.ok(profile.total >= profile.extract && profile.extract > 0);
  const { debug } = new Defuddle(doms.linkedom(PAGE), { debug: true }).parse();
  assert.equal(debug.contentSelector, "body > main > article");
  assert.deepEqual(debug.removals.find(({ text }) => text === "Copyright 2026").step, "removeLowScoring");
  assert.throws(() => new Defuddle(undefined), TypeError);
});

test("defuddle: replies follow the content if they are wanted", async () => {
  const comment = (
    i,
  ) => `<li class="comment" id="comment-${i}"><article><footer><b class="fn">Reader ${i}</b> <time datetime="2026-05-1${i}">May 1${i}</time></footer>
    <div class="comment-content"><p>I took this ferry ${i} years ago, &lt;and&gt; the horn was just as loud as it is in this story.</p></div></article></li>`;
  const html = PAGE.replace(
    "</main>",
    `</main><section id="comments"><h2>4 comments</h2><ol class="comment-list">${[1, 2, 3, 4].map(comment).join("")}</ol></section>`,
  );
  for (const includeReplies of [false, "extractors", undefined]) {
    assert.doesNotMatch((await Defuddle(html, URL_OF_PAGE, { includeReplies })).content, /years ago/);
  }
  const { content, contentMarkdown } = await Defuddle(html, URL_OF_PAGE, { includeReplies: true, separateMarkdown: true });
  assert.match(
    content,
    /other harbour\.<\/p>\n<hr>\n<h2>Comments<\/h2>\n<blockquote>\n<p><strong>Reader 1 · 2026-05-11<\/strong><\/p>\n<p>I took this ferry 1 years ago, &lt;and&gt;/,
  );
  assert.match(
    contentMarkdown,
    /other harbour\.\n\n---\n\n## Comments\n\n> \*\*Reader 1 · 2026-05-11\*\*\n>\n> I took this ferry 1 years ago, \\<and\\>/,
  );
});

test("defuddle: JSON-LD in its wrappings, and graphs", async () => {
  const scripts = [
    '<script type=application/ld+json>{"@type": "A"}</script>',
    `<script class=x type='application/ld+json'>//<![CDATA[\n{"@type": "B"}\n//]]></script>`,
    '<script type="application/ld+json">{"@graph": [{"@type": "C"}, {"@type": "D"}]}</script>',
    '<!-- <script type="application/ld+json">{"@type": "E"}</script> -->',
    '<script type="application/ld+json">{broken</script>',
    '<script>var a = "application/ld+json";</script>',
  ];
  const { schemaOrgData } = await Defuddle(PAGE.replace(LD, scripts.join("\n")), URL_OF_PAGE);
  assert.deepEqual(
    schemaOrgData.map((item) => item["@type"]),
    ["A", "B", "C", "D"],
  );
});

test("a post that is nothing but its title keeps it", async () => {
  const title = "The harbour office says that the ferry of half past nine will not run on Sundays before the end of the summer";
  const html = `<!DOCTYPE html><html><head><title>${title}</title><meta property="og:title" content="${title}"></head><body><main><article><h1>${title}</h1></article></main></body></html>`;
  assert.match(new Readability(doms.jsdom(html)).parse().content, /<h2[^>]*>The harbour office/);
  assert.match((await Defuddle(html)).content, /^<h2[^>]*>The harbour office/);
});

test("createMarkdownContent converts all of the HTML", () => {
  assert.equal(
    createMarkdownContent('<h1>Tea</h1><p>A <b>cup</b> of <a href="/t">it</a></p><footer>End</footer>', "https://example.org/"),
    "# Tea\n\nA **cup** of [it](https://example.org/t)\n\nEnd",
  );
});

test("CommonJS has the same exports and the same module", () => {
  const require = createRequire(import.meta.url);
  assert.deepEqual(Object.keys(require("maintext/readability")).sort(), [
    "Readability",
    "default",
    "init",
    "initSync",
    "isProbablyReaderable",
  ]);
  const { Readability: Common } = require("maintext/readability");
  const { Defuddle: CommonDefuddle } = require("maintext/defuddle");
  assert.deepEqual(new Common(doms.jsdom(PAGE)).parse(), new Readability(doms.jsdom(PAGE)).parse());
  assert.equal(new CommonDefuddle(PAGE).parse().title, "The ferry at dusk");
});
