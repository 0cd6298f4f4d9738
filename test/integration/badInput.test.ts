import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDevnet } from '../../devnet/index.ts'
import type { Hex } from '../../devnet/primitives/hex.ts'
import { methodTable } from '../../devnet/rpc/methodTable.ts'
import type { Devnet } from '../../devnet/types.ts'
import { sample } from '../support/longRuns.ts'
import { methodParams } from '../support/methodParams.ts'

let devnet: Devnet
let account: Hex

beforeAll(async () => {
  devnet = createDevnet({ port: 0, tickInterval: 50, frozen: true })
  await devnet.start()
  account = devnet.accounts[0]?.address ?? '0x'
})

afterAll(async () => {
  await devnet.stop()
})

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

async function post(body: string): Promise<{ status: number; answer: Answer }> {
  const response = await fetch(devnet.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  const text = await response.text()
  return { status: response.status, answer: text === '' ? {} : JSON.parse(text) }
}

const request = async (method: string, params: unknown): Promise<Answer> =>
  (await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))).answer

/** A transaction still comes through: the node is alive and ticks are on time. */
async function expectAlive(): Promise<void> {
  const nonce = async () =>
    Number((await request('eth_getTransactionCount', [account, 'pending'])).result)
  const before = await nonce()
  const { result: hash, error } = await request('eth_sendTransaction', [
    { from: account, to: account, value: '0x1' },
  ])
  expect(error).toBeUndefined()
  // Waits for its tick.
  expect((await request('eth_getTransactionByHash', [hash])).result).toMatchObject({
    transactionIndex: expect.any(String),
  })
  // At least: the case before may have sent one in the same tick.
  expect(await nonce()).toBeGreaterThan(before)
}

const HASH = `0x${'ab'.repeat(32)}` as const

/** Parameters that each method takes, so that one after the other can be spoilt. */
const validParams = (method: string) =>
  methodParams(method, { account, transaction: HASH, block: HASH })

/** Values of every kind; some are valid somewhere. */
const junk: unknown[] = [
  -1,
  1.5,
  1e300,
  true,
  null,
  {},
  [],
  '',
  'zz',
  '0x',
  '0xzz',
  '0x123',
  `0x${'f'.repeat(65)}`,
  `0x${'00'.repeat(500)}`,
  'latest ',
  { blockNumber: '0x0', blockHash: HASH },
  { toString: 1, __proto__: null, constructor: [] },
  ['0x1', ['0x1']],
  [[[]]],
]

/** Resume would start the sealing clock under the other cases. */
const methods = Object.keys(methodTable).filter((name) => name !== 'preconf_resume')

describe('every method, every parameter', () => {
  test('methodParams.ts has parameters of them all', async () => {
    for (const method of Object.keys(methodTable)) await validParams(method)
  })

  test.each(sample(methods))('%s', async (method) => {
    const valid = await validParams(method)
    const good = await request(method, valid)
    // The right types: whatever is refused is refused for another reason.
    if (good.error !== undefined)
      expect(good.error).not.toMatchObject({
        code: -32602,
        message: expect.stringMatching(/argument/),
      })
    for (const [index] of valid.entries()) {
      for (const value of junk) {
        const params = valid.with(index, value)
        const { error } = await request(method, params)
        const said = { method, params, error }
        if (error === undefined) continue
        expect(said).toMatchObject({
          error: { code: expect.any(Number), message: expect.any(String) },
        })
        expect(error.code, JSON.stringify(said)).not.toBe(-32603)
        expect(error.message.length, JSON.stringify(said)).toBeLessThan(400)
      }
      // A list in a list in a list is right nowhere.
      expect(await request(method, valid.with(index, [[[]]]))).toMatchObject({
        error: { code: -32602 },
      })
    }
    const tooMany = [...valid, ...Array.from({ length: 5 }, () => '0x1')]
    expect(await request(method, tooMany)).toMatchObject({ error: { code: -32602 } })
    for (const params of ['latest', 5, true, { a: 1 }]) {
      const { error } = await request(method, params)
      expect([-32602, -32600]).toContain(error?.code)
    }
    // Some of the junk is right: a block may be left without room for any transaction.
    if (/^(evm|hardhat|anvil)_/.test(method)) await request('hardhat_reset', [])
    await expectAlive()
  })
})

describe('bodies', () => {
  test.each<[string, string, number, number]>([
    ['nothing', '', 200, -32700],
    ['not JSON', '{"jsonrpc":"2.0"', 200, -32700],
    ['a number', '5', 200, -32600],
    ['null', 'null', 200, -32600],
    ['an empty batch', '[]', 200, -32600],
    ['deep nesting', `${'['.repeat(50_000)}${']'.repeat(50_000)}`, 200, -32700],
    ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"eth_nope","params":[]}', 200, -32601],
    [
      'a name of the prototype',
      '{"jsonrpc":"2.0","id":1,"method":"__proto__","params":[]}',
      200,
      -32601,
    ],
    [
      'a wallet method',
      '{"jsonrpc":"2.0","id":1,"method":"wallet_addEthereumChain","params":[]}',
      200,
      -32601,
    ],
  ])('%s', async (_name, body, status, code) => {
    const { status: got, answer } = await post(body)
    expect(got).toBe(status)
    expect(answer.error?.code).toBe(code)
    await expectAlive()
  })

  test('a batch of 1,000 is answered, one of 1,001 is not', async () => {
    const batch = (count: number) =>
      JSON.stringify(
        Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId' })),
      )
    const { answer } = await post(batch(1000))
    expect(answer).toHaveLength(1000)
    const refused = (await post(batch(1001))).answer
    expect(JSON.stringify(refused)).toContain('1000')
    expect(JSON.stringify(refused)).toContain('"error"')
    await expectAlive()
  })

  test('5 MiB is read, more is refused', async () => {
    const body = (size: number) =>
      `{"jsonrpc":"2.0","id":1,"method":"web3_sha3","params":["0x${'00'.repeat((size - 70) / 2)}"]}`
    expect((await post(body(5 * 2 ** 20))).answer.result).toMatch(/^0x/)
    expect((await post(body(6 * 2 ** 20))).status).toBe(413)
    await expectAlive()
  })

  test('half a body, then nothing; half-closed; reset', async () => {
    const { hostname, port } = new URL(devnet.url)
    const head = `POST / HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n`
    for (const end of ['end', 'reset', 'stay'] as const) {
      const socket = connect(Number(port), hostname)
      // However the node ends it, it is no error here.
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      socket.write(`${head}{"jsonrpc"`)
      await expectAlive()
      if (end === 'end') socket.end()
      else if (end === 'reset') socket.resetAndDestroy()
      await expectAlive()
      socket.destroy()
    }
  })

  test('a WebSocket frame of garbage is answered', async () => {
    const socket = new WebSocket(devnet.url.replace('http', 'ws'))
    await once(socket, 'open')
    const next = async () => JSON.parse((await once(socket, 'message'))[0].data)
    socket.send('garbage')
    expect(await next()).toMatchObject({ error: { code: -32700 } })
    socket.send(new Uint8Array([0xff, 0xfe, 0x00]))
    expect(await next()).toMatchObject({ error: { code: -32700 } })
    socket.send('{"jsonrpc":"2.0","id":7,"method":"eth_chainId"}')
    expect(await next()).toEqual({ jsonrpc: '2.0', id: 7, result: '0x7a69' })
    socket.close()
    await expectAlive()
  })
})
