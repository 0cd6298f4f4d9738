import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDevnet } from '../../../../devnet/index.ts'
import { blockReference } from '../../../../devnet/json/params.ts'
import { simulationPayload } from '../../../../devnet/json/schemas/simulationPayload.ts'
import type { Reader } from '../../../../devnet/primitives/reader.ts'
import type { Devnet } from '../../../../devnet/types.ts'
import { sample, seeds } from '../../../support/longRuns.ts'
import { artifact } from '../../../support/solidity.ts'
import { type Site, sitesOf } from '../../json/schemas/sites.ts'
import { Composer, STRANGE } from './simulationComposer.ts'

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
    // On a busy machine it may.
    simulateTimeout: 20_000,
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

describe.each<[string, Reader<unknown>, (value: unknown) => unknown[]]>([
  ['payload', simulationPayload(), (payload) => [payload]],
  ['block', blockReference(), (block) => [{ blockStateCalls: [{}] }, block]],
])('every field of the %s', (_, read, params) => {
  const sites = sitesOf(read)

  test.each(
    sample(sites).map((site) => [site.name === '' ? 'the whole' : site.name, site] as const),
  )('%s', async (_name, site) => {
    const before = await readPending()
    // An EIP-1898 block is an object in the place of a text.
    const wrong = read === blockReference() ? [0, true, [], {}, '0x'] : WRONG[site.kind]
    for (const value of wrong) {
      const { error } = await simulate(...params(site.place(value)))
      expect(error, `${site.name}: ${JSON.stringify(value)}`).toMatchObject({ code: -32602 })
    }
    const { error } = await simulate(...params(site.place(null)))
    if (!site.optional && read !== blockReference()) expect(error).toMatchObject({ code: -32602 })
    if (site.kind === 'text') {
      for (const value of STRANGE) {
        const answer = await simulate(...params(site.place(value)))
        expectAnswer(answer, [site.name, value])
        if (!site.takes(value)) {
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
  })
})

describe('requests put together at random', () => {
  test.each(seeds(10))('seed %i', async (seed) => {
    const composer = new Composer(seed, sitesOf(simulationPayload()), account, contract)
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

  test('the node goes on', async () => {
    const nonce = async () =>
      Number((await request('eth_getTransactionCount', [account, 'latest'])).result)
    const before = await nonce()
    await request('eth_sendTransaction', [{ from: account, to: account }])
    await devnet.clock.advance({ blocks: 1 })
    expect(await nonce()).toBe(before + 2)
  })
})
