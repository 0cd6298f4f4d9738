import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevnet } from '../../devnet/index.ts'
import { type Ending, startHardhat } from './hardhatProcess.ts'
import { createProject, type TemporaryProject } from './temporaryProject.ts'

const plugin = JSON.stringify(fileURLToPath(new URL('../../plugin/index.ts', import.meta.url)))

let project: TemporaryProject

beforeAll(() => {
  project = createProject()
  writeFileSync(
    join(project.path, 'hardhat.config.ts'),
    `import plugin, { pendingNode } from ${plugin}
export default {
  plugins: [plugin],
  networks: {
    pending: { ...pendingNode({ frozen: true, coinbase: '0x${'c0'.repeat(20)}' }), chainId: 1337 },
    forked: pendingNode({
      forking: { url: 'http://127.0.0.1:1/secret', httpHeaders: { 'X-Key': 'secret' } },
      forkTimeout: 500,
    }),
    bare: pendingNode({ wallet: false, transport: 'http', defaultBlock: 'latest' }),
  },
}
`,
  )
})
afterAll(() => project[Symbol.dispose]())

const start = (...args: string[]) => startHardhat(['node', ...args], { cwd: project.path })

async function run(...args: string[]): Promise<Ending> {
  await using hardhat = start(...args)
  return await hardhat.ended
}

/** The address of a node that is up. */
const READY = /^Started HTTP and WebSocket JSON-RPC server at (http:\/\/127\.0\.0\.1:\d+)\/?$/

async function ask(line: string, method: string): Promise<unknown> {
  const url = READY.exec(line)?.[1]
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(String(url), { method: 'POST', headers, body })
  const { result } = (await response.json()) as { result: unknown }
  return result
}

test('has the options of the network', async () => {
  await using node = start('--network', 'pending', '--port', '0')
  const line = await node.firstLine
  expect(await ask(line, 'eth_chainId')).toBe('0x539')
  expect(await ask(line, 'eth_coinbase')).toBe(`0x${'c0'.repeat(20)}`)
  expect(await ask(line, 'preconf_status')).toMatchObject({
    sealing: { running: false },
    ticks: { running: true },
  })
  node.child.kill('SIGTERM')
  expect(await node.ended).toMatchObject({ code: 143, stderr: '' })
})

test('what the task is given goes first, and what is not of the node is left out', async () => {
  await using node = start('--network', 'bare', '--port', '0', '--chain-id', '77')
  const line = await node.firstLine
  expect(await ask(line, 'eth_chainId')).toBe('0x4d')
  expect(await ask(line, 'preconf_status')).toMatchObject({ sealing: { running: true } })
  node.child.kill('SIGTERM')
  expect(await node.ended).toMatchObject({ code: 143 })
})

test('forks with the flags of Hardhat, which go before the configuration', async () => {
  await using upstream = createDevnet({ port: 0, frozenTicks: true })
  await upstream.start()
  await upstream.clock.advance({ blocks: 3 })
  const network = ['--network', 'forked', '--port', '0']
  await using node = start(...network, '--fork', upstream.url, '--fork-block-number', '2')
  expect(await ask(await node.firstLine, 'eth_blockNumber')).toBe('0x2')
  node.child.kill('SIGTERM')
  expect((await node.ended).stdout).toMatch(
    /^Forked chain 31337 at block 2 0x\w{8}…, \d+ \w+ old, from http:\/\/127\.0\.0\.1:\d+ in/m,
  )
  // The configuration names a URL at which nobody answers.
  const { code, stderr, stdout } = await run(...network)
  expect(code).toBe(1)
  expect(stderr).toMatch(/^http:\/\/127\.0\.0\.1:1 [^\n]*\n$/)
  expect(stderr + stdout).not.toContain('secret')
})

test('--chain-type op makes a chain of the OP Stack', async () => {
  await using node = start('--network', 'pending', '--chain-type', 'op', '--port', '0')
  expect(await ask(await node.firstLine, 'preconf_status')).toMatchObject({
    profile: 'optimism',
  })
})

test("without such a network it is Hardhat's own", async () => {
  await using node = start('--port', '0', '--hostname', '127.0.0.1')
  expect(await ask(await node.firstLine, 'web3_clientVersion')).toMatch(/^HardhatNetwork\//)
  node.child.kill('SIGTERM')
  await node.ended
})
