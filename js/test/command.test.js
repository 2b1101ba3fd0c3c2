import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const command = fileURLToPath(new URL("../bin/maintext.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "maintext-"));
const PAGE = `<title>Price list</title><meta name=keywords content="tea, cake"><h1>Price list</h1><p>Tea costs 3 € today, and a slice of plum cake costs 4 €.
  The kettle is on from nine in the morning until the last guest has left.</p>`;
const file = join(folder, "page.html");
writeFileSync(file, PAGE);

/** Runs the command. */
function run(args, input = "") {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [command, ...args]);
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (data) => (stdout += data));
    child.stderr.setEncoding("utf8").on("data", (data) => (stderr += data));
    child.on("close", (status) => resolve({ status, stdout, stderr }));
    child.stdin.end(input);
  });
}

let server;
let address;
before(async () => {
  server = createServer((request, response) => {
    if (request.url === "/moved") return response.writeHead(302, { location: "/page" }).end();
    if (request.url === "/slow") return undefined;
    if (request.url !== "/page") return response.writeHead(404).end("none");
    response.setHeader("content-type", "text/html; charset=windows-1251");
    const cyrillic = Buffer.from([0xd6, 0xe5, 0xed, 0xfb]);
    return response.end(
      Buffer.concat([
        Buffer.from("<h1>"),
        cyrillic,
        Buffer.from("</h1><p>The kettle is on from nine in the morning, <a href=/tea>tea</a> is three.</p>"),
      ]),
    );
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${server.address().port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

test("addresses are fetched as bytes, with redirects and the header's charset", async () => {
  const { status, stdout, stderr } = await run([`${address}/moved`, "-f", "markdown"]);
  assert.deepEqual([status, stderr], [0, ""]);
  assert.equal(stdout, `# Цены\n\nThe kettle is on from nine in the morning, [tea](${address}/tea) is three.\n`);
});

test("files and standard input", async () => {
  assert.match((await run([file])).stdout, /^Price list\nTea costs 3 €|^Tea costs 3 €/);
  const { stdout } = await run(["-f", "json", "--url", "https://example.org/tea", "--page-type"], PAGE);
  const page = JSON.parse(stdout);
  assert.deepEqual([page.hostname, page.title, page.tags], ["example.org", "Price list", ["tea", "cake"]]);
  assert.ok(page.page_type);
  const lines = (await run(["-f", "json", file, file])).stdout.trimEnd().split("\n");
  assert.equal(lines.length, 2);
});

test("metadata and other formats", async () => {
  const front = (await run(["--with-metadata", file])).stdout;
  assert.match(front, /^---\ntitle: "Price list"\n[^]*tags: \["tea", "cake"\]\n---\n\n/);
  assert.match(
    (await run(["--with-metadata", "-f", "html", file])).stdout,
    /<meta name="tags" content="tea, cake">[^]*<\/body>\n<\/html>\n$/,
  );
  assert.match((await run(["-f", "xml", file])).stdout, /^<\?xml|^<TEI/);
  assert.ok(Array.isArray(JSON.parse((await run(["-f", "blocks", file])).stdout)));
  const schema = join(folder, "schema.json");
  writeFileSync(schema, '{"type": "object", "properties": {"heading": {"type": "string", "x-selector": "h1"}}}');
  assert.equal((await run(["--schema", schema, file])).stdout, '{"heading":"Price list"}\n');
  assert.equal(JSON.parse((await run(["classify", file])).stdout).warnings.length, 0);
  assert.ok("pagination" in JSON.parse((await run(["list", file])).stdout));
});

test("an input that fails does not stop the others", async () => {
  const out = join(folder, "out.txt");
  const { status, stderr } = await run([`${address}/none`, join(folder, "missing.html"), file, "-o", out]);
  assert.equal(status, 1);
  assert.match(stderr, /status 404[^]*missing\.html: ENOENT/);
  assert.match(readFileSync(out, "utf8"), /plum cake/);
  const slow = await run(["--timeout", "0.2", `${address}/slow`]);
  assert.deepEqual([slow.status, slow.stdout], [1, ""]);
  assert.match(slow.stderr, /no answer within 0\.2 seconds/);
  assert.equal(
    (await run(["-"], "%PDF-1.7")).stderr,
    "maintext: standard input: the input is a PDF, not an HTML page\n",
  );
});

test("an output that cannot be written is one line", async () => {
  const { status, stderr } = await run(["-o", join(folder, "none", "out.txt"), file]);
  assert.equal(status, 1);
  assert.match(stderr, /^maintext: .*out\.txt: ENOENT[^\n]*\n$/);
});

test("wrong usage is status 2 and says why", async () => {
  const cases = [
    [["--markdown"], /--markdown/],
    [["-f", "pdf"], /unknown format 'pdf'/],
    [["inspect", file], /'inspect' is a subcommand of the native command only/],
    [["--favor", "both"], /favor: expected/],
    [["--url", "https://example.org/", file, file], /--url/],
    [["--timeout", "soon"], /--timeout: expected a number/],
    [["--schema", join(folder, "none.json")], /--schema: ENOENT/],
    [["--field", "date"], /NAME=SELECTOR/],
    [["-", "-"], /only once/],
  ];
  for (const [args, message] of cases) {
    const { status, stderr, stdout } = await run(args);
    assert.deepEqual([status, stdout], [2, ""], args.join(" "));
    assert.match(stderr, message);
  }
  const help = await run(["--help"]);
  assert.equal(help.status, 0);
  assert.match(help.stdout, /Exit status: 0 success/);
  assert.match((await run(["-V"])).stdout, /^maintext \d+\.\d+\.\d+\n$/);
});
