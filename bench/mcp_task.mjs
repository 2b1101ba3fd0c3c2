// An agent's task of five steps through the MCP SDK of npm: find the index of a site from its front page, list its entries, open three,
// follow a link of the last one, and quote a passage of the page behind it. Counts the tokens of all tool output with gpt-tokenizer
// (o200k_base, the vocabulary of current GPT models) as an agent program passes it to its model: the text alone, the structured content
// alone, or both. Fails above 10,000 in the first two, or if the quotation is wrong.
//
//   npm install @modelcontextprotocol/sdk gpt-tokenizer
//   node mcp_task.mjs target/release/maintext [--http] [--results text]
//   MAINTEXT_DATA=DIR node mcp_task.mjs target/release/maintext --tasks 200   # a list page and three pages, of real sites
//
// All answers have the default max_chars.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { execSync, spawn } from 'node:child_process'
import http from 'node:http'

const LIMIT = 10_000
const REAL_LIMIT = 8000
const [binary, ...flags] = process.argv.slice(2)
const tasks = Number(flags[flags.indexOf('--tasks') + 1] ?? 0) || 0

// ---- pages -------------------------------------------------------------------------------------------------------------------------

const BIRDS = ['heron', 'swallow', 'kestrel', 'curlew', 'lapwing', 'dipper', 'wren', 'bittern', 'snipe', 'plover', 'redstart', 'osprey']
const sections = ['Home', 'News', 'Walks', 'Maps', 'Weather', 'Shop', 'Contact', 'Subscribe']
const frame = (title, main) => `<!doctype html><html lang="en"><head><title>${title} | The Daily Bank</title><script>${'track();'.repeat(400)}</script>
<style>${'.a{b:c}'.repeat(900)}</style></head><body><header><nav><ul>${sections.map((s) => `<li><a href="/${s.toLowerCase()}">${s}</a>`).join('')}</ul></nav>
</header>${main}<aside><h2>Most read</h2>${BIRDS.map((b) => `<p><a href="/most/${b}">Why the ${b} came late</a></p>`).join('')}</aside>
<footer><p>We use cookies to improve your visit. <a href="/privacy">Privacy</a></p></footer></body></html>`
const slug = (i) => `/2024/05/${i}-the-${BIRDS[i % BIRDS.length]}-of-bank-number-${i}`
const title = (i) => `The ${BIRDS[i % BIRDS.length]} of bank number ${i}`
const front = () => frame('Front page', `<main><h1>The Daily Bank</h1>${Array.from({ length: 8 }, (_, i) =>
  `<section><h2><a href="/news/${i}">The bridge at mile ${i + 3} is open again</a></h2><p>The council repaired it in the spring.</p></section>`).join('')}</main>`)
const map = (k) => frame(`The old map, sheet ${k}`, `<article><h1>The old map, sheet ${k}</h1>${Array.from({ length: 6 }, (_, i) =>
  `<p>The sheet shows the river ${i + 1} miles above the mill, with the fords and the bridges of its time, and a road where there is a path now.</p>`).join('')}
  <p>Sheet ${k} was drawn in ${1790 + k} by a surveyor who never saw the hills.</p></article>`)
const index = () => frame('Walks', `<main><h1>Walks</h1>${Array.from({ length: 40 }, (_, i) =>
  `<article><h2><a href="${slug(i + 1)}">${title(i + 1)}</a></h2><time datetime="2024-05-${String((i % 28) + 1).padStart(2, '0')}">May ${(i % 28) + 1}</time>
   <p>We left early, and the road to bank number ${i + 1} was empty until the hills.</p></article>`).join('')}<a rel="next" href="/walks/2">Older walks</a></main>`)
const article = (i) => frame(title(i), `<article><h1>${title(i)}</h1><p class="byline">By Ada Reed, May ${i}, 2024</p>${Array.from({ length: 24 }, (_, k) =>
  `<p>At mile ${k + 1} the ${BIRDS[(i + k) % BIRDS.length]} stood by the water, and the path, which <a href="/map/${k}">the old map</a> shows as a road,
   turned towards bank number ${i}. Nobody spoke for an hour; the wind had dropped, the reeds were still, and the only sound came from the mill
   across the river, whose wheel had been repaired in the winter.</p>`).join('')}<p>The last count of the year at bank number ${i} was ${i * 7} birds.</p></article>`)

const set = (name, count) => execSync(`zstd -dc "$MAINTEXT_DATA/train/${name}.jsonl.zst" | head -n ${count}`, { maxBuffer: 2 ** 31 })
  .toString().split('\n').filter(Boolean).map((line) => JSON.parse(line).html)
const real = tasks ? { lists: set('autopager-pagination', tasks), articles: set('wcxb-dev', tasks * 3) } : null

const server = http.createServer((request, response) => {
  const [, kind, number] = request.url.split('/')
  const html = kind === 'real-list' ? real.lists[number] : kind === 'real-article' ? real.articles[number]
    : request.url === '/' ? front() : request.url === '/walks' ? index() : kind === 'map' ? map(Number(number)) : kind === '2024' ? article(parseInt(request.url.split('/')[3])) : null
  response.writeHead(html ? 200 : 404, { 'Content-Type': 'text/html; charset=utf-8' }).end(html ?? '')
})
await new Promise((ready) => server.listen(0, '127.0.0.1', ready))
const port = server.address().port
const site = `http://127.0.0.1:${port}`

// ---- the agent ---------------------------------------------------------------------------------------------------------------------

const at = flags.indexOf('--results')
const results = at < 0 ? [] : flags.slice(at, at + 2)
const network = [...results, '--allow-network', '127.0.0.0/8', '--allow-port', String(port)]
const client = new Client({ name: 'bench', version: '1' })
let service
if (flags.includes('--http')) {
  service = spawn(binary, ['serve', '--listen', '127.0.0.1:0', ...network], { stdio: ['ignore', 'ignore', 'pipe'] })
  const address = await new Promise((found) => service.stderr.on('data', (d) => {
    const match = /http:\/\/127\.0\.0\.1:\d+/.exec(String(d))
    if (match) found(match[0])
  }))
  await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`)))
} else {
  await client.connect(new StdioClientTransport({ command: binary, args: ['mcp', ...network] }))
}
const { tools } = await client.listTools()
const described = encode(JSON.stringify(tools)).length
console.log(`tools: ${tools.map((t) => t.name).join(', ')}; their descriptions take ${described} tokens once`)

// What an agent program may pass to its model.
const views = { text: 0, structured: 0, both: 0 }
const call = async (name, args) => {
  const result = await client.callTool({ name, arguments: args })
  const text = result.content.map((c) => c.text).join('\n')
  const structured = result.structuredContent ? JSON.stringify(result.structuredContent) : ''
  const [inText, inStructured] = [text, structured].map((t) => encode(t).length)
  views.text += inText
  views.structured += inStructured || inText
  views.both += inText + inStructured
  // Both forms say the same, so that the agent reads either. Without structured content, the text names the rest.
  const object = result.structuredContent
  const next = object ? object.next_offset : /\[next_offset: (\d+) of/.exec(text)?.[1]
  return { text: object ? `${text}\n${object.content ?? ''}` : text, lines: object ? Object.values(object).find(Array.isArray) ?? [] : text.split('\n'),
    next: next == null ? null : Number(next), failed: result.isError }
}
const addresses = (answer) => answer.lines.map((line) => /^- .* (http\S+)$/.exec(line)?.[1]).filter(Boolean)
/** Reads a page part by part until a pattern matches, and returns the match. */
const read = async (url, pattern) => {
  for (let offset = 0; offset !== null;) {
    const page = await call('extract', { url, offset })
    const found = pattern.exec(page.text)
    if (found) return found[0]
    offset = page.next
  }
}
let before = { ...views }
const step = (what) => {
  const spent = Object.entries(views).map(([view, n]) => `${view} ${n - before[view]}`).join(', ')
  console.log(`${what}: tokens ${spent}`)
  before = { ...views }
}

const [indexUrl] = addresses(await call('links', { url: `${site}/`, scope: 'page', contains: '/walks' }))
step(`1. the index is ${indexUrl}`)
let list = await call('list', { url: indexUrl })
const entries = addresses(list)
while (list.next !== null && entries.length < 30) entries.push(...addresses(list = await call('list', { url: indexUrl, offset: list.next })))
step(`2. it has ${entries.length} entries`)
const opened = [entries[2], entries[6], entries[11]]
const counts = []
for (const url of opened) counts.push(await read(url, /The last count of the year at bank number \d+ was \d+ birds\./))
step(`3. three pages end with ${counts.map((c) => c?.split(' ').at(-2)).join(', ')} birds`)
const [sheet] = addresses(await call('links', { url: opened[2], contains: '/map/7' }))
step(`4. the last one leads to ${sheet}`)
const quotation = await read(sheet, /Sheet \d+ was drawn in \d+ by a surveyor who never saw the hills\./)
step(`5. "${quotation}"`)
console.log(`the task: ${views.text} tokens of text, ${views.structured} of structured content, ${views.both} of both`)
const right = entries.length >= 30 && opened.every((url, i) => counts[i]?.includes(`number ${url.split('-').at(-1)} was`))
  && quotation === 'Sheet 7 was drawn in 1797 by a surveyor who never saw the hills.'
let good = right && views.text <= LIMIT && views.structured <= LIMIT

if (real) {
  const sums = []
  let failures = 0
  for (let i = 0; i < Math.min(real.lists.length, Math.floor(real.articles.length / 3)); i++) {
    const start = { ...views }
    const answers = [await call('list', { url: `${site}/real-list/${i}` })]
    for (let k = 0; k < 3; k++) answers.push(await call('extract', { url: `${site}/real-article/${3 * i + k}` }))
    failures += answers.filter((a) => a.failed).length
    sums.push(views.text - start.text)
  }
  sums.sort((a, b) => a - b)
  const at = (q) => sums[Math.min(sums.length - 1, Math.floor(q * sums.length))]
  console.log(`${sums.length} real tasks (a list page, three pages): median ${at(0.5)}, 95 % ${at(0.95)}, largest ${at(1)} tokens; `
    + `${sums.filter((n) => n > REAL_LIMIT).length} above ${REAL_LIMIT}; ${failures} failed calls`)
}
await client.close()
service?.kill()
server.close()
if (!good) console.error('failed')
process.exit(good ? 0 : 1)
