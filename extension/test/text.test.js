// What needs no browser: file names, Markdown heads, lists, CSV, messages and manifests.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { manifest } from "../manifest.mjs";
import { entriesCsv, entriesMarkdown, fileName, withHead } from "../src/markdown.js";

test("file names are safe on all systems", () => {
  const name = (title, hostname = "example.org") => fileName({ title, hostname });
  assert.equal(name("A walk"), "A walk.md");
  assert.equal(name("../../etc/passwd"), "etc passwd.md");
  assert.equal(name('a/b\\c:d*e?f"g<h>i|j\u0000k\u202el'), "a b c d e f g h i j k l.md");
  assert.equal(name("  ...hidden. "), "hidden.md");
  assert.equal(name("con"), "con page.md");
  assert.equal(name("末班渡轮"), "末班渡轮.md");
  assert.equal(name("x".repeat(300)), `${"x".repeat(80)}.md`);
  assert.equal(name(null), "example.org.md");
  assert.equal(name(" / ", null), "page.md");
});

test("the head holds the page's metadata as YAML", () => {
  const page = {
    title: 'He said: "no"\n---\nx: 1',
    authors: ["A", "B"],
    date: "2026-05-17",
    sitename: null,
    url: "https://example.org/",
  };
  const head = 'title: "He said: \\"no\\"\\n---\\nx: 1"\nauthor: ["A", "B"]\ndate: "2026-05-17"\nsource: "https://example.org/"';
  assert.equal(withHead(page, "Text.\n"), `---\n${head}\n---\n\nText.\n`);
  assert.equal(withHead({ authors: [] }, "Text.\n"), "Text.\n");
});

test("entries as Markdown and CSV", () => {
  const entry = {
    title: "a [b](c)\n*d*",
    url: "https://example.org/(x) y",
    date: "2026-05-17T10:00",
    author: null,
    summary: 'a "b",\nc',
    price: "12 €",
    replies: 3,
  };
  assert.equal(entriesMarkdown([entry]), "- [a \\[b\\](c) \\*d\\*](https://example.org/%28x%29%20y) (2026-05-17)\n");
  const rows = entriesCsv([entry, { ...entry, title: "@SUM(A1)", summary: "-1", date: null }]);
  assert.equal(
    rows,
    "title,url,date,author,summary,price,rating,place,replies,category,image\r\n" +
      '"a [b](c)\n*d*",https://example.org/(x) y,2026-05-17,,"a ""b"",\nc",12 €,,,3,,\r\n' +
      "'@SUM(A1),https://example.org/(x) y,,,'-1,12 €,,,3,,\r\n",
  );
});

test("both languages have the same messages, with the same places, and the code uses no other", () => {
  const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");
  const [en, zh] = ["en", "zh_CN"].map((language) => JSON.parse(read(`../src/_locales/${language}/messages.json`)));
  assert.deepEqual(Object.keys(zh), Object.keys(en));
  const places = ({ message }) => [...new Set(message.match(/\$\d/g))].sort();
  for (const name of Object.keys(en)) assert.deepEqual(places(zh[name]), places(en[name]), name);
  const used = new Set(JSON.stringify(manifest("chromium")).match(/(?<=__MSG_)\w+(?=__)/g));
  for (const [, name] of read("../src/reader.html").matchAll(/data-(?:text|label)="(\w+)"/g)) used.add(name);
  for (const file of ["api", "background", "reader", "view-article", "view-entries", "view-why"]) {
    for (const [call] of read(`../src/${file}.js`).matchAll(/say\([^)]*/g)) {
      for (const [, name] of call.matchAll(/"(\w+)"/g)) used.add(name);
    }
    for (const [, name] of read(`../src/${file}.js`).matchAll(/title: "(\w+)"/g)) used.add(name);
  }
  for (const [, name] of read("../src/api.js").matchAll(/(?:Refusal\(|\? )"(\w+)"/g)) used.add(name).add(`${name}Title`);
  assert.deepEqual(
    [...used].filter((name) => !(name in en)),
    [],
  );
});

test("the manifests ask for no more than they need", () => {
  for (const browser of ["chromium", "firefox"]) {
    const made = manifest(browser);
    assert.deepEqual(made.permissions, ["activeTab", "scripting", "contextMenus"]);
    for (const key of [
      "host_permissions",
      "optional_host_permissions",
      "content_scripts",
      "web_accessible_resources",
      "externally_connectable",
    ]) {
      assert.equal(made[key], undefined, key);
    }
    assert.match(made.content_security_policy.extension_pages, /script-src 'self' 'wasm-unsafe-eval';/);
    assert.doesNotMatch(made.content_security_policy.extension_pages, /unsafe-(inline|eval)'?(?<!wasm-unsafe-eval'?)/);
  }
  assert.equal(manifest("chromium").background.scripts, undefined);
  assert.equal(manifest("firefox").background.service_worker, undefined);
});
