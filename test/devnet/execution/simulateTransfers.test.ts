import { type Hex, numberToHex, pad } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import type { CallRequest } from '../../../devnet/json/schemas/callRequest.ts'
import type { AccountOverride } from '../../../devnet/json/schemas/stateOverrides.ts'
import {
  CODE,
  createExecutionChain,
  type ExecutionChain,
  NOBODY,
  OTHER,
  overrides,
} from './harness.ts'

let node: ExecutionChain

beforeAll(async () => {
  node = await createExecutionChain()
})

const EMITTER = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

const push = (address: Hex) => `73${address.slice(2)}`
/** CALL(to) with all gas, no data and this value of up to 255 wei. */
const call = (to: Hex, value: number) => `5f5f5f5f60${byte(value)}${push(to)}5af150`
const callcode = (to: Hex, value: number) => `5f5f5f5f60${byte(value)}${push(to)}5af250`
const delegatecall = (to: Hex) => `5f5f5f5f${push(to)}5af450`
const LOG0 = '5f5fa0'
const REVERT = '5f5ffd'
const byte = (value: number) => value.toString(16).padStart(2, '0')

/**
 * What a call logs: transfers as `from>to:value`, others as `log@address`; addresses by their last
 * two digits.
 */
async function logs(
  request: CallRequest,
  codes: Record<Hex, string>,
  more: Record<Hex, AccountOverride> = {},
): Promise<string[]> {
  const state: Record<Hex, AccountOverride> = { ...more }
  for (const [address, code] of Object.entries(codes)) {
    // Keys of the record above.
    const key = address as Hex
    state[key] = { balance: 100n, code: `0x${code}`, ...more[key] }
  }
  const [block] = await node.simulate({
    traceTransfers: true,
    blockStateCalls: [
      { stateOverrides: overrides(state), calls: [{ from: node.from, ...request }] },
    ],
  })
  return (block?.calls[0]?.logs ?? []).map(({ address, topics, data }) => {
    if (address !== EMITTER) return `log@${address.slice(-2)}`
    expect(topics[0]).toBe(TOPIC)
    const [, from = '', to = ''] = topics
    return `${from.slice(-2)}>${to.slice(-2)}:${BigInt(data)}`
  })
}

// The first dev account is 0x…2266.
describe('transfers', () => {
  test.each<[string, CallRequest, Record<Hex, string>, string[]]>([
    ['of a transaction', { to: NOBODY, value: 5n }, {}, ['66>dd:5']],
    ['of nothing', { to: NOBODY }, {}, []],
    [
      'to the contract called, before its own logs',
      { to: CODE, value: 5n },
      { [CODE]: LOG0 },
      ['66>01:5', 'log@01'],
    ],
    [
      'of inner calls, in order with logs',
      { to: CODE, value: 9n },
      { [CODE]: `${LOG0}${call(OTHER, 3)}${LOG0}${call(NOBODY, 5)}${LOG0}`, [OTHER]: LOG0 },
      ['66>01:9', 'log@01', '01>02:3', 'log@02', 'log@01', '01>dd:5', 'log@01'],
    ],
    [
      'undone with the frame that reverts',
      { to: CODE },
      { [CODE]: `${call(OTHER, 3)}${call(NOBODY, 5)}`, [OTHER]: `${call(NOBODY, 1)}${REVERT}` },
      ['01>dd:5'],
    ],
    ['not made for want of funds', { to: CODE }, { [CODE]: call(NOBODY, 101) }, []],
    ['not by CALLCODE', { to: CODE }, { [CODE]: callcode(OTHER, 3), [OTHER]: LOG0 }, ['log@01']],
    [
      'not by DELEGATECALL, which passes the value on',
      { to: CODE, value: 5n },
      { [CODE]: delegatecall(OTHER), [OTHER]: call(NOBODY, 2) },
      ['66>01:5', '01>dd:2'],
    ],
    // Calls itself, unless it was given something.
    ['to itself', { to: CODE }, { [CODE]: `34602257${call(CODE, 7)}5b00` }, ['01>01:7']],
    [
      'to a precompile',
      { to: '0x0000000000000000000000000000000000000004', value: 5n },
      {},
      ['66>04:5'],
    ],
  ])('%s', async (_, request, codes, expected) => {
    expect(await logs(request, codes)).toEqual(expected)
  })

  test('of the sender to itself', async () => {
    expect(await logs({ to: node.from, value: 5n }, {})).toEqual(['66>66:5'])
  })

  test('a creation with value', async () => {
    const created = await logs({ value: 5n, data: `0x${LOG0}` }, {})
    expect(created).toEqual([expect.stringMatching(/^66>..:5$/), expect.stringMatching(/^log@/)])
    // CREATE with 4 wei and no code.
    expect(await logs({ to: CODE }, { [CODE]: '5f5f6004f0' })).toEqual([
      expect.stringMatching(/^01>..:4$/),
    ])
  })

  test('a failed transaction', async () => {
    expect(await logs({ to: CODE, value: 5n }, { [CODE]: `${LOG0}${REVERT}` })).toEqual([])
  })
})

describe('SELFDESTRUCT', () => {
  const destroy = (heir: Hex) => `${push(heir)}ff`

  test.each<[string, Record<Hex, string>, string[]]>([
    ['gives all it has', { [CODE]: `${LOG0}${destroy(NOBODY)}` }, ['log@01', '01>dd:100']],
    ['to itself', { [CODE]: destroy(CODE) }, ['01>01:100']],
    [
      'twice in one transaction, with what came in between',
      { [CODE]: `${call(OTHER, 3)}${call(OTHER, 4)}`, [OTHER]: destroy(NOBODY) },
      ['01>02:3', '02>dd:103', '01>02:4', '02>dd:4'],
    ],
    [
      'in a frame that reverts',
      { [CODE]: `${call(OTHER, 1)}${REVERT}`, [OTHER]: destroy(NOBODY) },
      [],
    ],
    [
      'by code of another',
      { [CODE]: delegatecall(OTHER), [OTHER]: destroy(NOBODY) },
      ['01>dd:100'],
    ],
  ])('%s', async (_, codes, expected) => {
    expect(await logs({ to: CODE }, codes)).toEqual(expected)
  })

  test('with nothing to give', async () => {
    expect(
      await logs({ to: CODE }, { [CODE]: destroy(NOBODY) }, { [CODE]: { balance: 0n } }),
    ).toEqual([])
  })
})

test('neither the bloom nor the receipts of the block know them', async () => {
  const state = overrides({ [CODE]: { balance: 100n, code: `0x${call(NOBODY, 5)}${LOG0}` } })
  const simulate = async (traceTransfers: boolean) => {
    const [block] = await node.simulate({
      traceTransfers,
      blockStateCalls: [{ stateOverrides: state, calls: [{ to: CODE }, { to: CODE }] }],
    })
    return block
  }
  const traced = await simulate(true)
  const plain = await simulate(false)
  const strip = ({ calls, ...block }: NonNullable<typeof plain>) => block
  if (traced === undefined || plain === undefined) throw new Error('There is one block')
  expect(strip(traced)).toEqual(strip(plain))
  expect(traced.calls.map(({ logs, ...rest }) => rest)).toEqual(
    plain.calls.map(({ logs, ...rest }) => rest),
  )
  // The indexes count through the block, transfers included.
  expect(traced.calls.flatMap((one) => one.logs.map(({ logIndex }) => logIndex))).toEqual(
    [0, 1, 2, 3].map((index) => numberToHex(index)),
  )
  expect(plain.calls.flatMap((one) => one.logs.map(({ logIndex }) => logIndex))).toEqual([
    '0x0',
    '0x1',
  ])
})

test('the form of a log', async () => {
  const [block] = await node.simulate({
    traceTransfers: true,
    blockStateCalls: [{ calls: [{ from: node.from, to: NOBODY, value: 5n }] }],
  })
  expect(block?.calls[0]?.logs).toEqual([
    {
      address: EMITTER,
      topics: [TOPIC, pad(node.from), pad(NOBODY)],
      data: pad('0x05'),
      blockNumber: '0x1',
      transactionHash: block?.transactions[0],
      transactionIndex: '0x0',
      blockHash: block?.hash,
      blockTimestamp: block?.timestamp,
      logIndex: '0x0',
      removed: false,
    },
  ])
})
