// Calls all tools of maintext with the official MCP clients of npm: the SDK of the revisions with a handshake, the SDK of the stateless
// revision, and the command line of the inspector. Ends with status 1 if anything fails.
//
//   npm install @modelcontextprotocol/sdk @modelcontextprotocol/client @modelcontextprotocol/inspector
//   node mcp_clients.mjs target/release/maintext
import { Client as Modern, StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio'
import { Client as Legacy } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const binary = process.argv[2]
const version = (name) => JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url))).version

let asked = 0
const story = Array.from({ length: 28 }, (_, i) => `<p>By noon we had seen ${i + 2} herons, a fox, and the first swallows of the year.</p>`).join('')
const links = Array.from({ length: 12 }, (_, i) => `<li><a href=/walks/${i}>Walk number ${i} to the herons of the bank</a></li>`).join('')
const server = http.createServer(async (request, response) => {
  const isPage = request.url.startsWith('/walks/')
  asked += isPage
  if (isPage) await sleep(200)
  const html = isPage ? `<title>A walk</title><nav><a href=/>Home</a></nav><article><h1>A walk</h1>${story}</article>`
    : request.url === '/' ? `<title>Walks</title><main><h1>Walks</h1><ul>${links}</ul></main>` : null
  response.writeHead(html ? 200 : 404, { 'Content-Type': 'text/html; charset=utf-8' }).end(html ?? '')
})
await new Promise((ready) => server.listen(0, '127.0.0.1', ready))
const site = `http://127.0.0.1:${server.address().port}/`
const network = ['--allow-network', '127.0.0.0/8', '--allow-port', String(server.address().port)]
const service = spawn(binary, ['serve', '--listen', '127.0.0.1:0', ...network], { stdio: ['ignore', 'ignore', 'pipe'] })
const address = await new Promise((found) => service.stderr.on('data', (data) => {
  const match = /http:\/\/127\.0\.0\.1:\d+/.exec(String(data))
  if (match) found(match[0])
}))

/** Runs all checks over one connection. `call` hides that the signatures of the two SDKs differ. */
async function check(name, client, transport, call) {
  await client.connect(transport)
  const { tools } = await client.listTools()
  assert(tools.length >= 7 && tools.every((tool) => tool.outputSchema))
  const page = `${site}walks/3`
  const calls = [
    ['extract', { url: page }], ['extract', { url: page, format: 'json' }], ['list', { url: site }],
    ['list', { url: site, format: 'json' }], ['links', { url: site, scope: 'page' }], ['classify', { url: page }],
    ['inspect', { url: page }], ['map', { url: site, max_pages: 5 }], ['crawl', { url: site, max_pages: 2 }],
  ]
  for (const [tool, args] of calls) {
    const result = await call(tool, args)
    assert(!result.isError && result.structuredContent && result.content[0].text, `${name}: ${tool}`)
  }
  const refused = await call('extract', { url: 'http://10.0.0.8/' })
  assert(refused.isError && refused.content[0].text.includes('address_refused'))
  const steps = []
  await call('crawl', { url: site, max_pages: 4 }, { onprogress: (step) => steps.push(step.progress) })
  assert(steps.length && steps.every((n, i) => i === 0 || n > steps[i - 1]), `${name}: ${steps}`)
  const stop = new AbortController()
  const before = asked
  const crawl = call('crawl', { url: site, max_pages: 12 }, { signal: stop.signal }).catch((error) => error)
  while (asked < before + 2) await sleep(20)
  stop.abort('enough')
  assert(await crawl instanceof Error || typeof await crawl === 'string', `${name}: the crawl answered`)
  await sleep(1000)
  const then = asked
  await sleep(1500)
  assert.equal(asked, then, `${name}: the crawl went on`)
  await client.close()
  console.log(`${name}: ${calls.length} calls of ${tools.length} tools, ${steps.length} steps of progress, cancelled`)
}

const about = { name: 'bench', version: '1' }
const stdio = { command: binary, args: ['mcp', ...network] }
const url = new URL(`${address}/mcp`)
const sdk = `@modelcontextprotocol/sdk ${version('@modelcontextprotocol/sdk')}`
for (const [where, transport] of [['standard input and output', new LegacyStdio(stdio)], ['HTTP', new LegacyHttp(url)]]) {
  const client = new Legacy(about)
  await check(`${sdk}, ${where}`, client, transport, (name, args, options) => client.callTool({ name, arguments: args }, undefined, options))
}
const next = `@modelcontextprotocol/client ${version('@modelcontextprotocol/client')}`
for (const mode of ['legacy', 'auto', { pin: '2026-07-28' }]) {
  for (const [where, transport] of [['standard input and output', new ModernStdio(stdio)], ['HTTP', new ModernHttp(url)]]) {
    const client = new Modern(about, { versionNegotiation: { mode } })
    const call = (name, args, options) => client.callTool({ name, arguments: args }, options)
    await check(`${next}, ${where}, ${mode.pin ?? mode}`, client, transport, call)
  }
}

const inspector = `@modelcontextprotocol/inspector ${version('@modelcontextprotocol/inspector')}`
const program = new URL('node_modules/.bin/mcp-inspector', import.meta.url).pathname
for (const [where, target] of [['standard input and output', [binary, 'mcp']], ['HTTP', [String(url)]]]) {
  const inspect = async (...flags) => JSON.parse((await promisify(execFile)(program, ['--cli', ...target, ...flags])).stdout)
  const { tools } = await inspect('--method', 'tools/list', '--strict')
  assert(tools.length >= 7)
  const answer = await inspect('--method', 'tools/call', '--tool-name', 'classify', '--tool-arg', `html=<p>${story}`)
  assert(answer.structuredContent.page_type, JSON.stringify(answer))
  console.log(`${inspector}, ${where}: ${tools.length} tools without a problem of portability, one call`)
}
service.kill()
server.close()
