import { type Hex, numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { createDevnet } from '../../../../devnet/index.ts'
import { blockReference } from '../../../../devnet/rpc/schemas/blockReference.ts'
import { simulationPayload } from '../../../../devnet/rpc/schemas/simulationPayload.ts'
import type { Devnet } from '../../../../devnet/types.ts'
import { Random } from '../../../support/random.ts'
import { artifact } from '../../../support/solidity.ts'
import { type Site, sitesOf } from '../schemas/sites.ts'

let devnet: Devnet
let account: Hex
let contract: Hex

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

async function request(method: string, params: unknown): Promise<Answer> {
  const response = await fetch(devnet.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(20_000),
  })
  expect(response.status).toBe(200)
  // An answer of the node; what is in it is looked at below.
  return (await response.json()) as Answer
}

const simulate = (...params: unknown[]) => request('eth_simulateV1', params)

/** Everything that readers of "pending" see of the block and of who takes part in it. */
async function readPending(): Promise<unknown> {
  const reads: [string, unknown[]][] = [
    ['eth_getBlockByNumber', ['pending', true]],
    ['eth_getBlockReceipts', ['pending']],
    ['eth_getCode', [contract, 'pending']],
    ['eth_getStorageAt', [contract, '0x0', 'pending']],
    ...devnet.accounts.flatMap(({ address }): [string, unknown[]][] => [
      ['eth_getBalance', [address, 'pending']],
      ['eth_getTransactionCount', [address, 'pending']],
    ]),
    ['txpool_content', []],
    ['preconf_status', []],
  ]
  return Promise.all(reads.map(async ([method, params]) => (await request(method, params)).result))
}

beforeAll(async () => {
  devnet = createDevnet({
    port: 0,
    frozenTicks: true,
    accounts: 3,
    timestamp: 1_800_000_000,
    // Small, so that no request takes long.
    callGasLimit: 300_000,
  })
  await devnet.start()
  account = devnet.accounts[0]?.address ?? '0x'
  await request('eth_sendTransaction', [{ from: account, data: artifact('Playground').bytecode }])
  await devnet.clock.advance({ blocks: 2 })
  const deployed = await request('eth_sendTransaction', [
    { from: account, data: artifact('Playground').bytecode },
  ])
  await devnet.clock.advance({ ticks: 1 })
  const { result } = await request('eth_getTransactionReceipt', [deployed.result])
  contract = (result as { contractAddress: Hex }).contractAddress
})

afterAll(() => devnet.stop())

/** Codes that a simulation may be refused with (execution-apis); -32603 only where nothing else fits. */
const CODES = [
  -32602, -32000, -32603, -38010, -38011, -38012, -38013, -38014, -38015, -38020, -38021, -38025,
  -38026,
]

/** Messages of refusals that execution-apis has no code for. */
const UNCLASSIFIED =
  /^(?:nonce has max value|blob|max fee per blob gas|EIP-7702|authorization|transaction type not)/

function expectAnswer(answer: Answer, said: unknown): void {
  const { result, error } = answer
  const about = JSON.stringify(said).slice(0, 500)
  if (error === undefined) {
    expect(result, about).toBeInstanceOf(Array)
    return
  }
  expect(result, about).toBeUndefined()
  expect(CODES, `${about} → ${error.message}`).toContain(error.code)
  if (error.code === -32603) expect(error.message, about).toMatch(UNCLASSIFIED)
  expect(error.message.length, about).toBeLessThan(400)
}

const WRONG: Record<Site['kind'], readonly unknown[]> = {
  object: [0, 1.5, true, '', 'x', '0x1', [], [[]]],
  list: [0, 1.5, true, '', 'x', '0x1', {}, { length: 1 }],
  flag: [0, 1, '', 'true', '0x1', [], {}],
  text: [0, 1, -1, 1e300, true, false, [], ['0x1'], {}, { toString: '0x1' }],
}

const STRANGE = [
  '',
  'x',
  'latest',
  '0x',
  '0X1',
  '0xg',
  '0x0',
  '0x01',
  '0x123',
  '-0x1',
  ' 0x1',
  '1',
  '0x1n',
  `0x${'f'.repeat(16)}`,
  `0x${'f'.repeat(17)}`,
  `0x${'f'.repeat(40)}`,
  `0x${'f'.repeat(64)}`,
  `0x${'f'.repeat(65)}`,
  `0x${'0'.repeat(63)}1`,
  `0x${'00'.repeat(500)}`,
  `0x${'5b'.repeat(50_000)}`,
  'z'.repeat(100_000),
  '\u0000',
  '💥',
]

const KEYS = [
  '',
  'x',
  '0x',
  '0xg',
  '1',
  '-1',
  '__proto__',
  'constructor',
  'toString',
  'z'.repeat(1000),
]

describe.each<[string, z.ZodType, (value: unknown) => unknown[]]>([
  ['payload', simulationPayload(), (payload) => [payload]],
  ['block', blockReference(), (block) => [{ blockStateCalls: [{}] }, block]],
])('every field of the %s', (_, schema, params) => {
  const sites = sitesOf(schema)

  test.each(sites.map((site) => [site.name === '' ? 'the whole' : site.name, site] as const))(
    'behavior: %s',
    async (_name, site) => {
      const before = await readPending()
      // An EIP-1898 block is an object in the place of a text.
      const wrong = schema === blockReference() ? [0, true, [], {}, '0x'] : WRONG[site.kind]
      for (const value of wrong) {
        const { error } = await simulate(...params(site.place(value)))
        expect(error, `${site.name}: ${JSON.stringify(value)}`).toMatchObject({ code: -32602 })
      }
      const { error } = await simulate(...params(site.place(null)))
      if (!site.optional && schema !== blockReference())
        expect(error).toMatchObject({ code: -32602 })
      if (site.kind === 'text') {
        for (const value of STRANGE) {
          const answer = await simulate(...params(site.place(value)))
          expectAnswer(answer, [site.name, value])
          if (!site.schema.safeParse(value).success) {
            expect(answer.error, `${site.name}: ${value}`).toMatchObject({ code: -32602 })
          }
        }
      }
      for (const key of site.placeKey === undefined ? [] : KEYS) {
        const answer = await simulate(...params(site.placeKey?.(key)))
        expectAnswer(answer, [site.name, key])
        // Block numbers may be decimal.
        if (key !== '1') expect(answer.error, key).toMatchObject({ code: -32602 })
      }
      expect(await readPending()).toEqual(before)
    },
  )
})

/** Texts of every kind that some field takes, which are put together at random. */
const texts = (): string[] => [
  ...['0x0', '0x1', '0x2', '0x5', '0xff', '0x5208', '0x30d40', '0x3b9aca00'],
  ...[numberToHex(1_800_000_100), numberToHex(2n ** 64n - 1n), numberToHex(2n ** 256n - 1n)],
  account,
  contract,
  `0x${'00'.repeat(20)}`,
  ...['02', '05', '09', '0a'].map((last) => `0x${'00'.repeat(19)}${last}`),
  '0x000f3df6d732807ef1319fb7b8bb8522d0beac02',
  '0x00000961ef480eb55e80d19ad83579a64c007002',
  `0x01${'ab'.repeat(31)}`,
  `0x${'00'.repeat(31)}01`,
  ...['0x', '0xfe', '0x5b5f56', '0x5f5ffd', '0x60ff5f5360015ff3', '0x335f5260205ff3'],
  ...['0x5f5f5f5f5f305af1', '0x6001600155', '0x30ff', '0xef0100'],
  `0xef0100${contract.slice(2)}`,
]

/** What a request may be made of, by its field. */
class Composer {
  readonly #random: Random
  readonly #byName = new Map<string, readonly string[]>()
  readonly #sites: readonly Site[]

  constructor(seed: number, sites: readonly Site[]) {
    this.#random = new Random(seed)
    this.#sites = sites
    for (const site of sites) {
      if (site.kind !== 'text') continue
      this.#byName.set(
        site.name,
        texts().filter((text) => site.schema.safeParse(text).success),
      )
    }
  }

  /** Mostly right, now and then wrong. */
  value(name: string): unknown {
    const right = this.#byName.get(name) ?? []
    if (right.length === 0 || this.#random.once(40))
      return this.#random.pick([...STRANGE, 5, null, {}])
    return this.#random.pick(right)
  }

  /** Some of the fields under `name`. */
  fields(name: string, most: number): Record<string, unknown> {
    const under = this.#sites.filter(
      (site) => site.kind === 'text' && site.name.slice(0, site.name.lastIndexOf('.')) === name,
    )
    const result: Record<string, unknown> = {}
    for (let count = this.#random.below(most + 1); count > 0; count--) {
      const site = this.#random.pick(under)
      result[site.name.slice(name.length + 1)] = this.value(site.name)
    }
    return result
  }

  list<Item>(most: number, make: () => Item): Item[] {
    return Array.from({ length: this.#random.below(most + 1) }, make)
  }

  payload(): unknown {
    const once = (times: number) => this.#random.once(times)
    const block = 'blockStateCalls[0]'
    const override = () => ({
      ...this.fields(`${block}.stateOverrides[0xabab]`, 3),
      ...(once(3) ? { stateDiff: { '0x0': this.#random.pick(texts()) } } : {}),
    })
    const call = () => ({
      // Mostly somebody who can pay.
      ...(once(3) ? {} : { from: account }),
      ...this.fields(`${block}.calls[0]`, 4),
      ...(once(8)
        ? { accessList: this.list(2, () => this.fields(`${block}.calls[0].accessList[0]`, 2)) }
        : {}),
      ...(once(8)
        ? {
            blobVersionedHashes: this.list(2, () =>
              this.value(`${block}.calls[0].blobVersionedHashes[0]`),
            ),
          }
        : {}),
      ...(once(8)
        ? {
            authorizationList: this.list(2, () => ({
              chainId: '0x0',
              address: contract,
              nonce: '0x0',
              yParity: '0x1',
              r: '0x1',
              s: '0x1',
              ...this.fields(`${block}.calls[0].authorizationList[0]`, 1),
            })),
          }
        : {}),
    })
    return {
      blockStateCalls: [
        ...this.list(3, () => ({
          ...(once(2) ? { blockOverrides: this.fields(`${block}.blockOverrides`, 2) } : {}),
          ...(once(2)
            ? {
                stateOverrides: Object.fromEntries(
                  this.list(3, () => [
                    this.#random.pick(texts().filter((text) => text.length === 42)),
                    override(),
                  ]),
                ),
              }
            : {}),
          calls: this.list(3, call),
        })),
        {},
      ],
      ...(once(4) ? { validation: true } : {}),
      ...(once(2) ? { traceTransfers: true } : {}),
      ...(once(3) ? { returnFullTransactions: true } : {}),
    }
  }
}

describe('requests put together at random', () => {
  test.each([1, 2, 3, 4])('behavior: seed %i', async (seed) => {
    const composer = new Composer(seed, sitesOf(simulationPayload()))
    const before = await readPending()
    const seen = new Map<number, number>()
    for (let index = 0; index < 300; index++) {
      const payload = composer.payload()
      const answer = await simulate(payload, index % 2 === 0 ? 'pending' : 'latest')
      expectAnswer(answer, payload)
      const code = answer.error?.code ?? 0
      seen.set(code, (seen.get(code) ?? 0) + 1)
    }
    expect(await readPending()).toEqual(before)
    // Neither all refused at the door nor none: the fuzz reaches what it is meant for.
    expect(seen.get(0)).toBeGreaterThan(30)
    expect(seen.size).toBeGreaterThan(4)
  })

  test('behavior: the node goes on', async () => {
    const nonce = async () =>
      Number((await request('eth_getTransactionCount', [account, 'latest'])).result)
    const before = await nonce()
    await request('eth_sendTransaction', [{ from: account, to: account }])
    await devnet.clock.advance({ blocks: 1 })
    expect(await nonce()).toBe(before + 2)
  })
})
