// Pages of our own writing, on a server of this machine.
import { createServer } from "node:http";
import { deflateSync } from "node:zlib";

/** Returns a PNG of one gradient, for articles with pictures. */
export function picture(width, height, [red, green, blue]) {
  const crcTable = Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let k = 0; k < 8; k += 1) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    return c >>> 0;
  });
  const chunk = (name, data) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    let crc = 0xffffffff;
    for (const byte of body) crc = crcTable[(crc ^ byte) & 255] ^ (crc >>> 8);
    const out = Buffer.alloc(body.length + 8);
    out.writeUInt32BE(data.length, 0);
    body.copy(out, 4);
    out.writeUInt32BE((crc ^ 0xffffffff) >>> 0, body.length + 4);
    return out;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const row = 1 + 3 * width;
  const raw = Buffer.alloc(row * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const wave = Math.sin(x / 60 + 2 * Math.sin(y / 40)) * 14;
      const sky = 1 - y / height;
      raw.set(
        [red, green, blue].map((c) => Math.max(0, Math.min(255, c * (0.55 + 0.45 * sky) + wave))),
        y * row + 1 + 3 * x,
      );
    }
  }
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(raw)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const around = (
  body,
) => `<header><nav><a href="/">Home</a> <a href="/news">News</a> <a href="/about">About us</a> <a href="/login">Log in</a></nav></header>
${body}<aside><h3>Most read</h3><ul><li><a href="/a">Ten harbours in a row</a><li><a href="/b">A bell under water</a></ul>
<p>Sign up for our newsletter and never miss a story.</p></aside><footer><p>© 2026 The Harbour Post. All rights reserved.</p>
<a href="/privacy">Privacy</a> <a href="/terms">Terms</a></footer>`;

export const ARTICLE = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<title>The last ferry of the day | The Harbour Post</title>
<meta name="author" content="Ada Ferry"><meta property="og:site_name" content="The Harbour Post"><meta property="og:type" content="article">
<script type="application/ld+json">{"@context": "https://schema.org", "@type": "NewsArticle", "headline": "The last ferry of the day",
"datePublished": "2026-05-17T08:30:00Z", "author": {"@type": "Person", "name": "Ada Ferry"}}</script>
<style>.offer { display: none }</style></head><body>${around(`<main><article><h1>The last ferry of the day</h1>
<p class="by">By <a rel="author" href="/ada">Ada Ferry</a>, 17 May 2026</p>
<p>The last ferry leaves the pier at nine in the evening, and nobody waits for those who are late. Its captain has steered it for
thirty-one years, through fog and through two strikes, and she has never once left a minute early.</p>
<figure><img src="/bay.png" width="900" height="500" alt="The bay at dusk">
<figcaption>The bay at dusk, seen from the old pier.</figcaption></figure>
<p>“People think that the sea is the difficult part,” she says. “The sea is patient.
It is the <a href="/timetable">timetable</a> that is not.”
The crossing takes eighteen minutes when the wind is kind and half an hour when it is not, and in all that time she hardly speaks.</p>
<p class="offer">Subscribers save half of the price in this month, and this sentence is hidden from every reader of the page.</p>
<h3><button aria-expanded="false" aria-controls="bicycles">Bicycles</button></h3>
<div id="bicycles" class="offer"><p>A bicycle costs two euros, and is tied to the rail behind the wheelhouse, as a click on the heading shows.</p></div>
<h2>A boat that nobody ordered</h2>
<p>The boat itself was built for a lake that turned out to be too shallow.
For two winters it lay in a shed, until the town council bought it
for less than the price of its engine. The papers are still in the archive, together with <em>four letters</em> that complain about its colour.</p>
<blockquote><p>It is green, and it is ours, and it floats. What more do you want from a boat?</p></blockquote>
<p>Since then it has carried, by the count of the harbour office:</p>
<ul><li>more than two million passengers,</li><li>nine thousand bicycles, and</li><li>one piano, which came back a week later.</li></ul>
<table><thead><tr><th>Season</th><th>First boat</th><th>Last boat</th></tr></thead><tbody><tr><td>Summer</td><td>06:10</td><td>21:00</td>
</tr>
<tr><td>Winter</td><td>07:00</td><td>19:30</td></tr></tbody></table>
<h2>What comes next</h2>
<p id="late"></p><x-tickets></x-tickets>
<p>A bridge has been planned for as long as anyone here can remember. The drawings hang in the library, and every ten years someone adds a
lane to them. Until it is built, the ferry leaves at nine.</p></article></main>`)}<script>
document.getElementById("late").textContent = "A script wrote this sentence after the page had been loaded, as scripts of many pages do today.";
document.querySelector("x-tickets").attachShadow({ mode: "open" }).innerHTML =
  "<p>Tickets are sold on board, in the small cabin behind the wheelhouse, and only for coins.</p>";
</script></body></html>`;

export const CHINESE = `<!DOCTYPE html><html lang="zh-CN"><head><meta charset="utf-8"><title>末班渡轮 - 海港晚报</title>
<meta name="author" content="林小舟"><meta property="og:site_name" content="海港晚报">
<meta property="article:published_time" content="2026-05-17"></head>
<body><nav><a href="/">首页</a> <a href="/news">新闻</a> <a href="/life">生活</a></nav><article><h1>末班渡轮</h1>
<p>末班渡轮每晚九点离开码头，从不等候迟到的人。船长掌舵已经三十一年，经历过大雾，也经历过两次罢工，却从来没有提前一分钟开船。</p>
<figure><img src="/bay.png" width="900" height="500" alt="黄昏的海湾"><figcaption>从旧码头望见的黄昏海湾</figcaption></figure>
<p>“人们总以为大海最难对付，”她说，“其实大海很有耐心，没有耐心的是时刻表。”风平浪静的时候，渡海只要十八分钟；遇上大风，就要半个小时，而她一路上几乎不说话。</p>
<h2>没有人订购的船</h2><p>这艘船原本是为一个湖建造的，后来发现湖水太浅。它在船坞里躺了两个冬天，直到镇政府以低于发动机的价钱把它买下。当年的文件至今还保存在档案馆里，旁边还有四封抱怨船身颜色的信。</p>
<p>修桥的计划，谁也记不清已经说了多少年。图纸就挂在图书馆的墙上，每隔十年就有人给它多画一条车道。在桥建成之前，渡轮依旧九点开船。</p></article>
<footer>版权所有 © 2026 海港晚报</footer></body></html>`;

const STORIES = [
  ["A bell under water", "Divers found it by accident, and nobody can say whose it is."],
  ["=1+1, said the harbour master, is a question of tides", "A long dispute about the depth of the basin comes to its end."],
  ['Ten harbours in a row, and one with a "view"', "A walk along the coast, with stops for soup."],
  ["Who paints the buoys?", "One man does, with two brushes and a rope."],
  ["The night the lamp went out", "For eleven minutes, nobody on the coast knew where the land was."],
  ["A piano returns", "It went over by ferry and came back a week later."],
  ["The market moves indoors", "The roof took two years, and the fish took one morning."],
];
export const LISTING = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>News | The Harbour Post</title></head><body>
<nav><a href="/">Home</a> <a href="/about">About us</a></nav><main><h1>News</h1><div class="list">${STORIES.map(
  ([title, text], i) => `<div class="card"><h2><a href="/stories/${i + 1}">${title.replaceAll('"', "&quot;")}</a></h2>
<time datetime="2026-05-${10 + i}">${10 + i} May 2026</time><p>${text}</p></div>`,
).join(
  "\n",
)}</div><a rel="next" href="/news?page=2">Older stories</a></main><footer><p>© 2026 The Harbour Post</p></footer></body></html>`;

/** Every sentence is long enough to be content, so that the attacks are kept with it. Each attack calls `attack()` or loads /leak. */
export const HOSTILE = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<title>&lt;img src=x onerror=attack(1)&gt; A &lt;script&gt;attack(2)&lt;/script&gt; title</title>
<meta name="author" content="<img src=/leak?author onerror=attack(3)>"><base href="javascript:attack(4)//">
<meta http-equiv="refresh" content="900;url=/leak?refresh"><meta http-equiv="Content-Security-Policy" content="img-src *">
<meta property="og:image" content="javascript:attack(5)"><meta property="og:site_name" content="</h1><script>attack(6)</script>">
<style>article p { background: url(/leak?page-style) }</style></head><body><article id="bar">
<h1 onclick="attack(7)">A &lt;script&gt;attack(8)&lt;/script&gt; title</h1>
<p onmouseover="attack(9)" style="background:url(/leak?style);position:fixed;inset:0" id="tabs" class="block">The first paragraph is long enough to be
the content of an article, and it carries <a href="javascript:attack(10)">a link that runs</a>, <a href=" java&#9;script:attack(11)">one with a tab</a>,
<a href="data:text/html,<script>attack(12)</script>">one with data</a> and <a href="vbscript:attack(13)">one of long ago</a>, besides an
<a href="https://example.org/honest" onclick="attack(14)" target="_self" ping="/leak?ping">honest link</a>.</p>
<img src="x" onerror="attack(15)"><img src="javascript:attack(16)">
<img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='attack(17)'/>">
<img srcset="/leak?srcset 2x" src="/bay.png" alt="&quot; onload=attack(18) x=&quot;" style="background:url(/leak?img-style)" width="900" height="500">
<p>The second paragraph also has many words, so that it is kept: &lt;img src=x onerror=attack(19)&gt; &lt;/p&gt;&lt;script&gt;attack(20)&lt;/script&gt;
is only text, and a reader shows it as text. <svg onload="attack(21)"><script>attack(22)</script><a xlink:href="javascript:attack(23)">
<text>svg</text></a>
<foreignObject><iframe srcdoc="<script>attack(24)</script>"></iframe></foreignObject></svg></p>
<iframe srcdoc="<script>parent.attack(25)</script><p>A frame that has a sentence of its own, long enough to be content.</p>"></iframe>
<iframe src="javascript:parent.attack(26)"></iframe><object data="javascript:attack(27)"></object><embed src="javascript:attack(28)">
<p>The third paragraph holds formulas: <math href="javascript:attack(29)"><mtext><img src=x onerror=attack(30)></mtext>
<mi xlink:href="javascript:attack(31)">x</mi>
<annotation-xml encoding="text/html"><img src=x onerror=attack(32)></annotation-xml>
</math>, and it goes on for some more words after them.</p>
<form action="/leak?form" id="settings">
<p>The fourth paragraph stands in a form, with enough words for an article of some length, and it has buttons.</p>
<input name="theme" autofocus onfocus="attack(33)"><button formaction="javascript:attack(34)">Send</button></form>
<noscript><p title="</noscript><img src=x onerror=attack(36)>">The fifth paragraph tries to leave its element by a title, as attacks on sanitisers do.</p></noscript>
<template><script>attack(37)</script></template><details open ontoggle="attack(38)"><summary>More</summary>
<p>The sixth paragraph is in a box that is
open from the start, and whose event would run without a click if it were kept.</p></details>
<video src="javascript:attack(39)" poster="javascript:attack(40)" onerror="attack(41)"><source src="x" onerror="attack(42)"></video>
<pre><code class="language-html x" onclick="attack(43)">&lt;script&gt;attack(44)&lt;/script&gt;</code></pre>
<p>The last paragraph is quiet again, and tells that all is well that ends well, with nothing that anybody could run or load from it.</p>
<link rel="stylesheet" href="/leak?sheet"><style>@import url(/leak?import); #read { display: none }</style>
<link rel="prefetch" href="/leak?prefetch">
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=attack(35)&gt;"></math>
</article><script>window.attack = () => {}</script></body></html>`;

const EMPTY =
  "<!DOCTYPE html><html lang=en><head><title>Log in</title></head><body><form><input><button>Log in</button></form></body></html>";

const PDF = `%PDF-1.4
1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj
3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 200 200]>> endobj
trailer <</Root 1 0 R>>
%%EOF
`;

const PAGES = { "/article": ARTICLE, "/chinese": CHINESE, "/news": LISTING, "/hostile": HOSTILE, "/empty": EMPTY };
const BAY = picture(900, 500, [120, 150, 190]);

/** Serves the pages; `asked` lists the requests. */
export async function serve() {
  const asked = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    asked.push(request.url);
    if (pathname === "/bay.png") return response.setHeader("content-type", "image/png").end(BAY);
    if (pathname === "/file.json") return response.setHeader("content-type", "application/json").end('{"a": 1}');
    if (pathname === "/paper") return response.setHeader("content-type", "application/pdf").end(PDF);
    if (pathname === "/plain.txt") return response.setHeader("content-type", "text/plain").end("Plain text.");
    if (!PAGES[pathname]) response.statusCode = 404;
    return response.setHeader("content-type", "text/html; charset=utf-8").end(PAGES[pathname] ?? "");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { origin: `http://127.0.0.1:${server.address().port}`, asked, close: () => server.close() };
}
