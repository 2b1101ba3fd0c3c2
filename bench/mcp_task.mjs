// An agent's task through the MCP SDK of npm: find the entries of a page, open three of them, quote a passage. Counts the tokens of all
// tool output with gpt-tokenizer (o200k_base, the vocabulary of current GPT models) and fails above 8,000.
//
//   npm install @modelcontextprotocol/sdk gpt-tokenizer
//   node mcp_task.mjs target/release/maintext [--http]
//   MAINTEXT_DATA=DIR node mcp_task.mjs target/release/maintext --tasks 200   # the same over real list pages and articles
//
// All answers have the default max_chars.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { execSync, spawn } from 'node:child_process'
import http from 'node:http'

const LIMIT = 8000
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
    : request.url === '/walks' ? index() : kind === '2024' ? article(parseInt(request.url.split('/')[3])) : null
  response.writeHead(html ? 200 : 404, { 'Content-Type': 'text/html; charset=utf-8' }).end(html ?? '')
})
await new Promise((ready) => server.listen(0, '127.0.0.1', ready))
const port = server.address().port
const site = `http://127.0.0.1:${port}`

// ---- the agent ---------------------------------------------------------------------------------------------------------------------

const network = ['--allow-network', '127.0.0.0/8', '--allow-port', String(port)]
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

let tokens = 0
const call = async (name, args) => {
  const result = await client.callTool({ name, arguments: args })
  const text = result.content.map((c) => c.text).join('\n') + (result.structuredContent ? JSON.stringify(result.structuredContent) : '')
  tokens += encode(text).length
  return { text, failed: result.isError }
}

const list = await call('list', { url: `${site}/walks` })
console.log(`list: ${tokens} tokens`)
const entries = [...list.text.matchAll(/^- (.*) \| (http\S+)$/gm)].map(([, , url]) => url)
const quotes = []
for (const url of [entries[2], entries[6], entries[11]]) {
  const before = tokens
  let page = await call('extract', { url })
  // The passage is at the end of the article: the agent reads on until it is there.
  let next
  while (!(quotes.at(-1)?.url === url)) {
    const passage = /The last count of the year at bank number \d+ was \d+ birds\./.exec(page.text)
    if (passage) { quotes.push({ url, passage: passage[0] }); break }
    next = /\[next_offset: (\d+) of/.exec(page.text)
    if (!next) break
    page = await call('extract', { url, offset: Number(next[1]) })
  }
  console.log(`extract: ${tokens - before} tokens, "${quotes.at(-1)?.passage}"`)
}
const right = entries.length >= 30 && quotes.length === 3 && quotes.every(({ url, passage }) => passage.includes(`number ${url.split('-').at(-1)} was`))
console.log(`the task: ${tokens} tokens of tool output`)
let good = right && tokens <= LIMIT

if (real) {
  const sums = []
  let failures = 0
  for (let i = 0; i < Math.min(real.lists.length, Math.floor(real.articles.length / 3)); i++) {
    tokens = 0
    const answers = [await call('list', { url: `${site}/real-list/${i}` })]
    for (let k = 0; k < 3; k++) answers.push(await call('extract', { url: `${site}/real-article/${3 * i + k}` }))
    failures += answers.filter((a) => a.failed).length
    sums.push(tokens)
  }
  sums.sort((a, b) => a - b)
  const at = (q) => sums[Math.min(sums.length - 1, Math.floor(q * sums.length))]
  console.log(`${sums.length} real tasks (a list page, three pages): median ${at(0.5)}, 95 % ${at(0.95)}, largest ${at(1)} tokens; `
    + `${sums.filter((n) => n > LIMIT).length} above ${LIMIT}; ${failures} failed calls`)
}
await client.close()
service?.kill()
server.close()
if (!good) console.error('failed')
process.exit(good ? 0 : 1)
