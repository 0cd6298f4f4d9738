import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Devnet, Hex } from '../../../devnet/index.ts'
import { JsonLog } from '../../../plugin/output/json-log.ts'
import { LineWriter } from '../../../plugin/output/line-writer.ts'
import { NodeLog } from '../../../plugin/output/node-log.ts'
import { TextLog } from '../../../plugin/output/text-log.ts'
import { openPage, tokenOf } from '../../devnet/dashboard/support.ts'
import { askNode } from '../../support/peerNode.ts'
import { UpstreamProxy } from '../../support/upstreamProxy.ts'
import { ask, count, failure, startFork, startUpstream } from './forkSupport.ts'

const root = new URL('../../..', import.meta.url)

/** One for each place that a key can be in. */
const SECRETS = ['PathKey', 'QueryKey', 'UserName', 'PassWord', 'HeaderKey'] as const
const HEADERS = ['X-Key: HeaderKey', 'Authorization: Bearer HeaderKey']

function secretUrl(url: string): string {
  const { host } = new URL(url)
  return `http://UserName:PassWord@${host}/v2/PathKey?key=QueryKey`
}

/** In plain text, in hexadecimal and in base 64 at each offset. */
function expectNoSecret(what: string, text: string): void {
  const encoded = (secret: string) => [
    secret,
    Buffer.from(secret).toString('hex'),
    ...['', 'a', 'ab'].map((start) => {
      const base64 = Buffer.from(start + secret).toString('base64')
      return base64.slice(4, 4 + 8)
    }),
  ]
  for (const secret of SECRETS) {
    for (const form of encoded(secret)) {
      expect(text.toLowerCase().includes(form.toLowerCase()), `${secret} in ${what}`).toBe(false)
    }
  }
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fork-secrets-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Everything that goes to the console of this process. */
function capturedConsole(): () => string {
  const lines: unknown[] = []
  for (const name of ['log', 'error', 'warn', 'info'] as const) {
    vi.spyOn(console, name).mockImplementation((...args: unknown[]) => void lines.push(...args))
  }
  onTestFinished(() => {
    vi.restoreAllMocks()
  })
  return () => lines.map((line) => (line instanceof Error ? line.stack : String(line))).join('\n')
}

const NAMELESS = { findNames: async () => undefined, findFrames: async () => [], verbose: true }

/** What a node prints with --verbose, and what its dashboard shows, from now until it is asked. */
async function watchedLogs(devnet: Devnet) {
  const formats = {
    text: new TextLog({
      ...NAMELESS,
      paint: (_, part) => part,
      accounts: new Map(),
      columns: () => undefined,
    }),
    json: new JsonLog(NAMELESS),
  }
  const logs = Object.entries(formats).map(([name, format]) => {
    const stream = new PassThrough()
    const writer = new LineWriter(stream, String)
    const log = new NodeLog({
      ...NAMELESS,
      ...{ devnet, writer, format: () => format, columns: () => undefined },
    })
    return { name, stream, log }
  })
  const page = await openPage({ api: `${devnet.url}/dashboard/api`, token: tokenOf(devnet) })
  /** @param last - a part of the last line of each */
  return async (last: string) => {
    const printed = logs.map(async ({ name, stream, log }) => {
      await log.close()
      stream.end()
      return [name, await text(stream)] as const
    })
    const pushed = () => JSON.stringify(page.pushed)
    await expect.poll(pushed).toContain(last)
    return [...(await Promise.all(printed)), ['dashboard', pushed()] as const]
  }
}

async function answers(devnet: Devnet): Promise<string> {
  const all = await Promise.all([
    ask(devnet, 'hardhat_metadata'),
    ask(devnet, 'anvil_metadata'),
    ask(devnet, 'anvil_nodeInfo'),
    ask(devnet, 'preconf_status'),
    ask(devnet, 'web3_clientVersion'),
    fetch(new URL('/health', devnet.url)).then((response) => response.text()),
  ])
  return JSON.stringify(all)
}

test('default: answers, events, files and the cache hold no secret', async () => {
  const upstream = await startUpstream()
  const proxy = await UpstreamProxy.start(upstream.url)
  const folder = newFolder()
  const printed = capturedConsole()
  const fork = await startFork({
    fork: secretUrl(proxy.url),
    forkHeader: HEADERS,
    forkCache: join(folder, 'cache'),
    state: join(folder, 'state.json'),
    anvil: true,
  })
  // The test can fail: the upstream gets them.
  const [first] = proxy.requests
  expect(JSON.stringify(first?.headers)).toContain('HeaderKey')
  expect(first?.url).toContain('PathKey')
  await count(fork)
  await fork.clock.seal()
  await ask(fork, 'eth_getBlockByNumber', '0x1', true)
  expectNoSecret('the events', JSON.stringify(fork.forks))
  expectNoSecret('the answers', await answers(fork))
  const dump = await ask<Hex>(fork, 'anvil_dumpState')
  expectNoSecret('a dump', gunzipSync(Buffer.from(dump.slice(2), 'hex')).toString())
  await ask(fork, 'anvil_reset', { forking: { blockNumber: 2 } })
  await ask(fork, 'anvil_setRpcUrl', secretUrl(proxy.url))
  expectNoSecret('the answers after a reset', await answers(fork))
  await fork.stop()
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  )
  expect(files.map(({ name }) => name)).toContain('state.json')
  const texts = files.map(
    ({ parentPath, name }) => name + readFileSync(join(parentPath, name), 'latin1'),
  )
  // The test can fail: the cache has answers, too.
  expect(texts.join()).toContain('"eth_getBlockByNumber')
  for (const text of texts) expectNoSecret('the files', text)
  expectNoSecret('the console', printed())
  await proxy.stop()
})

test('a recording holds no secret, whatever the upstream repeats', async () => {
  const upstream = await startUpstream()
  const hash = await count(upstream)
  await upstream.clock.seal()
  const url = secretUrl(upstream.url)
  const proxy = await UpstreamProxy.start(async ({ method, params }) => {
    // A refusal repeats the URL, and an answer a key.
    if (method === 'debug_traceTransaction') return { result: { url, key: 'HeaderKey' } }
    if (method === 'eth_getBlockReceipts') return { error: { code: -32000, message: url } }
    return { result: await ask(upstream, method, ...params) }
  })
  onTestFinished(() => proxy.stop())
  const file = join(newFolder(), 'fork.json')
  const fork = await startFork({
    fork: secretUrl(proxy.url),
    forkHeader: HEADERS,
    forkRecording: file,
  })
  await count(fork)
  await ask(fork, 'eth_getBlockByNumber', '0x1', true)
  expect(await ask(fork, 'debug_traceTransaction', hash)).toMatchObject({ key: 'HeaderKey' })
  expect((await failure(fork, 'eth_getBlockReceipts', '0x1')).code).toBe(-32000)
  await fork.stop()
  const recorded = readFileSync(file, 'utf8')
  expect(recorded).toContain('["answer","eth_getBlockByNumber')
  expect(recorded).toContain('["answer","eth_getBlockReceipts')
  expectNoSecret('the recording', recorded)
})

test('logs show no more of what commands name than its origin', async () => {
  const upstream = await startUpstream()
  const proxy = await UpstreamProxy.start(upstream.url)
  const fork = await startFork({ fork: upstream.url })
  const logsOf = await watchedLogs(fork)
  const jsonRpcUrl = secretUrl(proxy.url)
  const forking = { jsonRpcUrl, blockNumber: 2, httpHeaders: { 'X-Key': 'HeaderKey' } }
  const commands: [string, unknown][] = [
    ['anvil_setRpcUrl', jsonRpcUrl],
    ['hardhat_reset', { forking }],
    ['anvil_reset', { forking }],
    // These fail.
    ['anvil_setRpcUrl', 'PathKey'],
    ['anvil_setRpcUrl', { jsonRpcUrl }],
    ['hardhat_setRpcUrl', jsonRpcUrl],
    ['hardhat_reset', jsonRpcUrl],
    ['hardhat_reset', { forking: { ...forking, jsonRpcUrl: 'PathKey' } }],
    ['anvil_reset', { forking: { ...forking, httpHeaders: 'HeaderKey' } }],
  ]
  for (const [method, params] of commands) {
    await askNode(fork.url, method, params).catch(() => undefined)
  }
  await askNode(fork.url, 'eth_chainId')
  for (const [name, log] of await logsOf('eth_chainId')) {
    expect(log.split(`${new URL(proxy.url).origin}/***`), name).toHaveLength(7)
    for (const [method] of commands) expect(log, name).toContain(method)
    expectNoSecret(name, log)
  }
  await proxy.stop()
})

test('errors hold no secret, whatever the upstream answers', async () => {
  const upstream = await startUpstream()
  const proxy = await UpstreamProxy.start(upstream.url)
  const printed = capturedConsole()
  const options = {
    ...{ fork: secretUrl(proxy.url), forkHeader: HEADERS, forkTimeout: 3_000 },
    instant: true,
  }
  const fork = await startFork(options)
  const body = `no credits for ${SECRETS.join(' ')}: ${secretUrl(proxy.url)}`
  const faults = [
    () => ({ kind: 'http', status: 429, body }) as const,
    () => ({ kind: 'http', status: 401, body }) as const,
    () =>
      ({ kind: 'answers', change: () => ({ error: { code: -32000, message: body } }) }) as const,
  ]
  const texts: string[] = []
  for (const [index, fault] of faults.entries()) {
    proxy.play(fault)
    const address = `0x${String(index).padStart(40, '1')}`
    const sent = { from: fork.accounts[index]?.address, gas: '0x30000' }
    const starting = startFork(options).catch((error: unknown) => error)
    const problems = await Promise.all([
      failure(fork, 'eth_getBalance', address, 'latest'),
      failure(fork, 'eth_getBlockByNumber', '0x1', false),
      failure(fork, 'eth_getLogs', { fromBlock: '0x1' }),
      failure(fork, 'eth_call', { to: address, data: '0x12345678' }, 'latest'),
      failure(fork, 'eth_sendTransaction', { ...sent, to: address }),
      failure(fork, 'anvil_reset', { forking: { blockNumber: 2 } }),
    ])
    for (const problem of problems) expect(problem.code).not.toBe(0)
    texts.push(...problems.map(({ message }) => message))
    const start = await starting
    if (!(start instanceof Error)) throw new Error('It started')
    texts.push(`${start.message} ${start.stack}`, JSON.stringify(await ask(fork, 'preconf_status')))
  }
  expectNoSecret('the errors', texts.join('\n'))
  expectNoSecret('the console', printed())
  await proxy.stop()
  // Each is tried several times.
}, 60_000)

test('a plain node loads nothing of what reads other chains', () => {
  const script = `
    const { registerHooks } = await import('node:module')
    const loaded = []
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
    const { createDevnet } = await import('./devnet/index.ts')
    const node = createDevnet({ port: 0 })
    await node.start()
    const from = node.accounts[0].address
    await node.provider.request({ method: 'eth_sendTransaction', params: [{ from, to: from }] })
    await node.clock.advance({ blocks: 1 })
    await node.clock.status()
    await node.stop()
    console.log(JSON.stringify(loaded))`
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: root,
    encoding: 'utf8',
  })
  const urls: string[] = JSON.parse(output)
  expect(urls.some((url) => url.endsWith('devnet/node/nodeFork.ts'))).toBe(true)
  expect(
    urls.filter((url) => /\/undici\/|devnet\/upstream\/|rpc\/border\/|openFork\.ts/.test(url)),
  ).toEqual([])
})
