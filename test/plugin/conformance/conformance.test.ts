import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createDevnet, type OptionsInput } from '../../../devnet/index.ts'
import { optionTable } from '../../../devnet/options/optionTable.ts'
import { conformance, conformanceChecks } from '../../../plugin/conformance/index.ts'

async function start(options: OptionsInput): Promise<string> {
  const devnet = createDevnet({ port: 0, noWallet: true, ...options })
  onTestFinished(() => devnet.stop())
  await devnet.start()
  return devnet.url
}

/** A server that answers everything with one text, or nothing at all. */
async function serve(text: string): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    response.end(text)
  })
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  // A server that listens on a port has no path.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** JSON-RPC answers of the same result. */
const answering = (result: unknown) => JSON.stringify({ jsonrpc: '2.0', id: 1, result })

test('default: a node of unichain passes, and says before what it spends', async () => {
  const url = await start({ profile: 'unichain' })
  const lines: string[] = []
  const report = await conformance(url, {
    profile: 'unichain',
    log: (line) => lines.push(line),
  })
  expect(report.failed).toEqual([])
  expect(report.passed.length).toBeGreaterThan(75)
  expect(report.notApplicable.every(({ why }) => why.length > 10)).toBe(true)
  expect(lines).toEqual([
    expect.stringMatching(
      /^0xf39f.* on chain 31337 spends at most 0\.00\d* ETH, .* transactions\.$/,
    ),
  ])
})

test('args: only, ws: what sends nothing needs no funds, and no WebSocket', async () => {
  const url = await start({ profile: 'unichain' })
  const key = `0x${'5a'.repeat(32)}`
  const only = ['kinds.newHeads', 'errors.send', 'opStack.deposit']
  const options = { profile: 'unichain', key, only } as const
  const { passed, failed, notApplicable } = await conformance(url, { ...options, ws: 'none' })
  expect(failed).toEqual([])
  expect(passed.map(({ name }) => name).sort()).toEqual(['errors.send', 'opStack.deposit'])
  expect(notApplicable).toMatchObject([{ name: 'kinds.newHeads', why: 'the run has no WebSocket' }])
  await expect(conformance(url, { ...options, only: ['receipts'] })).rejects.toThrow(
    /has 0\.000000 ETH on chain 31337, but a run spends .* --key or --mnemonic/,
  )
})

test('each check has a name of its own, an expectation and a source', async () => {
  let count = 0
  for (const profile of optionTable.profile.choices) {
    const checks = await conformanceChecks({ profile })
    expect(new Set(checks.map(({ name }) => name)).size).toBe(checks.length)
    for (const { expected, source } of checks) {
      expect(expected).toMatch(/: \S/)
      expect(source).not.toBe('')
    }
    count += checks.length
  }
  expect(count).toBeGreaterThan(150)
})

test.each([
  ['an address of no node', 'http://127.0.0.1:1', {}, /^No node answers at http:\/\/127/],
  ['no address', 'localhost:8545', {}, /is not an http:\/\/ address/],
  ['a key that is none', 'http://127.0.0.1:1', { key: '0x12' }, /--key must be a private key/],
  ['a wrong mnemonic', 'http://127.0.0.1:1', { mnemonic: 'one two' }, /mnemonic must be 12/],
  [
    'a name of no check',
    'http://127.0.0.1:1',
    { only: ['pendingHach.block'] },
    /did you mean pendingHash\.block\?/,
  ],
])('refuses %s', async (_, url, options, message) => {
  await expect(conformance(url, { profile: 'base', ...options })).rejects.toThrow(message)
})

test('a key in the address is in no message', async () => {
  const options = { profile: 'base', only: ['kinds.newHeads'] } as const
  const failure = (url: string) => conformance(url, options).then(() => 'none', String)
  const broken = `${await serve('Hello')}/v2/secret?key=secret`
  const text = await failure(broken)
  const silent = `${await serve(answering('0x1'))}/v2/secret`
  const socket = await failure(silent)
  const refusing = `${await serve('{"error":{"code":-32601,"message":"no"}}')}/v2/secret`
  const refused = await failure(refusing)
  expect(text).toMatch(/What answers at http:/)
  expect(socket).toMatch(/No WebSocket answers at ws:/)
  expect(refused).toMatch(/The node at http:.* refuses eth_chainId: no/)
  expect([text, socket, refused].join()).not.toContain('secret')
})

test.each([
  ['text', 'Hello', /is not a JSON-RPC node/],
  ['nonsense', answering('no quantity'), /answers eth_chainId with "no quantity"/],
  ['no WebSocket', answering('0x10000000000000000'), /^No WebSocket answers at ws:.*--ws/],
])('an endpoint with %s', async (_, text, message) => {
  const run = conformance(await serve(text), { profile: 'base', only: ['kinds.newHeads'] })
  await expect(run).rejects.toThrow(message)
})
