import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createDevnet, type Devnet, DevnetError, OptionError } from '../../../devnet/index.ts'

/** JavaScript passes anything: each door says what it wants, and reports no defect of the node. */

let devnet: Devnet
let branch: Devnet

beforeAll(async () => {
  devnet = createDevnet({ port: 0, frozen: true })
  await devnet.start()
  branch = await devnet.branch()
})
afterAll(() => devnet.stop())

const cyclic: Record<string, unknown> = {}
cyclic.self = cyclic

const PLAIN: Readonly<Record<string, unknown>> = {
  null: null,
  'a number': 1,
  'a text': 'x',
  'a bigint': 1n,
  'a symbol': Symbol('s'),
  'a function': () => 1,
  'a cycle': cyclic,
  'a list': [],
  'a date': new Date(Number.NaN),
  'an object without a prototype': Object.create(null),
}

const trap = () => {
  throw new Error('of the caller')
}
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
const HOSTILE: Readonly<Record<string, () => unknown>> = {
  'a getter that throws': () =>
    Object.defineProperty({}, 'method', { get: trap, enumerable: true }),
  'a field that throws': () => Object.defineProperty({}, 'to', { get: trap, enumerable: true }),
  'a proxy that throws': () => new Proxy({}, { get: trap, has: trap, ownKeys: trap }),
  'a proxy that is revoked': revoked,
}

const ADDRESS = `0x${'11'.repeat(20)}`

// Each takes what the types forbid.
const requests: Readonly<Record<string, (value: never) => Promise<unknown>>> = {
  request: (value) => devnet.provider.request(value),
  'request of a branch': (value) => branch.provider.request(value),
  params: (value) => devnet.provider.request({ method: 'eth_call', params: value }),
  'a call': (value) => devnet.provider.request({ method: 'eth_call', params: [value] }),
  'a field': (value) => devnet.provider.request({ method: 'eth_call', params: [{ to: value }] }),
  'a block': (value) =>
    devnet.provider.request({ method: 'eth_getBalance', params: [ADDRESS, value] }),
  'a filter': (value) => devnet.provider.request({ method: 'eth_getLogs', params: [value] }),
}

const doors: Readonly<Record<string, (value: never) => unknown>> = {
  freeze: (value) => devnet.clock.freeze(value),
  'freeze of a branch': (value) => branch.clock.freeze(value),
  advance: (value) => devnet.clock.advance(value),
  'advance of a branch': (value) => branch.clock.advance(value),
  faults: (value) => devnet.faults(value),
  on: (value) => devnet.on(value, () => undefined),
  'on of a branch': (value) => branch.on(value, () => undefined),
  createDevnet: (value) => createDevnet(value),
  'an option': (value) => createDevnet({ port: value }),
  'a wallet policy': (value) => devnet.wallet.policy(value),
  'an approval': (value) => devnet.wallet.approve(value),
}

/** The error of a call; `undefined` if it succeeds. Fails if the node reports a defect of its own. */
async function errorOf(call: () => unknown): Promise<unknown> {
  const printed = vi.spyOn(process.stderr, 'write')
  try {
    await call()
    return undefined
  } catch (error) {
    return error
  } finally {
    const reports = printed.mock.calls.map(([text]) => String(text))
    printed.mockRestore()
    expect(reports).toEqual([])
  }
}

describe.each(Object.keys(PLAIN))('%s', (name) => {
  test.each(Object.keys(requests))('as %s', async (door) => {
    const error = await errorOf(() => requests[door]?.(PLAIN[name] as never))
    if (error === undefined) return
    expect(error).toMatchObject({ name: 'ProviderError' })
    expect(error).not.toHaveProperty('code', -32603)
  })

  test.each(Object.keys(doors))('as %s', async (door) => {
    const error = await errorOf(() => doors[door]?.(PLAIN[name] as never))
    const isOwn = error instanceof DevnetError || error instanceof OptionError
    expect(error === undefined || isOwn, String(error)).toBe(true)
  })
})

describe.each(Object.keys(HOSTILE))('%s', (name) => {
  test.each(Object.keys(requests))('as %s', async (door) => {
    const error = await errorOf(() => requests[door]?.(HOSTILE[name]?.() as never))
    // What is never read does no harm.
    if (error === undefined) return
    expect(error).toMatchObject({ name: 'ProviderError' })
    expect([-32600, -32602]).toContain((error as { readonly code: number }).code)
  })
})

test.each([
  [
    'request',
    () => devnet.provider.request(HOSTILE['a getter that throws']?.() as never),
    -32600,
    'invalid request: it is no JSON: of the caller',
  ],
  ['freeze', () => devnet.clock.freeze(null as never), -32602, 'freeze: want an object, got null'],
  [
    'freeze',
    () => devnet.clock.freeze({ ticks: 1 } as never),
    -32602,
    'freeze: want true or false',
  ],
  [
    'on',
    () => devnet.on('tock' as never, () => undefined),
    -32602,
    'on: want one of fork, import, load',
  ],
  ['on', () => devnet.on('tick', 1 as never), -32602, 'and a function'],
] as const)('%s: the sentence', async (_door, call, code, sentence) => {
  expect(await errorOf(call)).toMatchObject({ code, message: expect.stringContaining(sentence) })
})

const TYPES = [
  'uint256',
  'int8',
  'uint',
  'bytes',
  'bytes4',
  'address',
  'bool',
  'string',
  'uint8[]',
  'S[]',
  'S',
]
const VALUES: readonly unknown[] = [
  null,
  true,
  1.5,
  -1,
  '',
  'x',
  '0x',
  '0xg',
  '1e3',
  [],
  {},
  ['x'],
  { toString: 1 },
  2n ** 300n,
  Symbol('s'),
  () => 1,
  new Date(0),
  ...Object.values(PLAIN),
]

describe.each(TYPES)('typed data: a %s', (type) => {
  test('a value that does not fit is refused in words of the node', async () => {
    for (const value of VALUES) {
      const types = { S: [{ name: 'a', type: 'uint8' }], M: [{ name: 'v', type }] }
      const data = { types, primaryType: 'M', domain: {}, message: { v: value } }
      const params = [devnet.accounts[0]?.address, data]
      const error = await errorOf(() =>
        devnet.provider.request({ method: 'eth_signTypedData_v4', params }),
      )
      if (error === undefined) continue
      expect(error).toMatchObject({ code: -32602 })
      expect(String(error)).not.toMatch(/BigInt|TypeError|Writer|not a function|Cannot|primitive/)
    }
  })
})
