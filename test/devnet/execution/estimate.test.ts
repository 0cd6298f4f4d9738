import { type Hex, pad } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import type { CallRequest } from '../../../devnet/json/schemas/callRequest.ts'
import {
  type CallChanges,
  CODE,
  createExecutionChain,
  ETHER,
  type ExecutionChain,
  GWEI,
  NOBODY,
  OTHER,
} from './harness.ts'

let node: ExecutionChain

beforeAll(async () => {
  node = await createExecutionChain()
})

const TRANSACTION_CAP = 2n ** 24n

/** The value 1 in slot 0. */
const ONE_AT_0 = new Map<Hex, Hex>([[pad('0x'), pad('0x01')]])

/** The least gas with which a call succeeds, found by calls alone. */
async function leastGas(request: CallRequest, changes: CallChanges): Promise<bigint> {
  let fails = 20_999n
  let succeeds = TRANSACTION_CAP
  while (fails + 1n < succeeds) {
    const gas = (fails + succeeds) / 2n
    const enough = await node.call({ ...request, gas }, changes).then(
      () => true,
      () => false,
    )
    if (enough) succeeds = gas
    else fails = gas
  }
  return succeeds
}

describe('transfers', () => {
  test.each<[string, object]>([
    ['to an account', {}],
    ['to an account that does not exist', { to: NOBODY }],
    ['of nothing', { value: undefined }],
    ['with fees', { maxFeePerGas: 2n * GWEI, maxPriorityFeePerGas: 1n }],
    ['with much gas', { gas: 30_000_000n }],
  ])('default: 21,000 %s', async (_, changes) => {
    const to = node.accounts[1]?.address
    expect(await node.estimate({ from: node.from, to, value: 1n, ...changes })).toBe(21_000n)
  })

  test('to an account with code', async () => {
    const state = { [CODE]: { code: '0x60015f55' as Hex } }
    const request = { from: node.from, to: CODE, value: 1n }
    expect(await node.estimate(request, { state })).toBeGreaterThan(43_000n)
  })
})

describe('code', () => {
  /** CALL(OTHER) with all gas, and a revert if that fails. */
  const calling: Hex = `0x5f5f5f5f5f73${OTHER.slice(2)}5af16022575f5ffd5b00`

  /** MSTORE at byte 640,000: 0.84 M gas in one go, of which the caller must keep one 64th back. */
  const hungry: Hex = '0x5f6209c4005200'

  test.each<[string, CallRequest, CallChanges]>([
    ['a write', { to: CODE }, { state: { [CODE]: { code: '0x60015f55' } } }],
    ['an access list', { to: NOBODY, accessList: [{ address: OTHER, storageKeys: [] }] }, {}],
    ['call data', { to: NOBODY, data: `0x${'ff'.repeat(1000)}` }, {}],
    // SSTORE(0, 0) over 1 refunds 4,800, which must be provided first.
    [
      'a refund',
      { to: CODE },
      {
        state: {
          [CODE]: {
            code: '0x5f5f55',
            stateDiff: ONE_AT_0,
          },
        },
      },
    ],
    [
      'a call inside, which gets 63 of 64 parts',
      { to: CODE },
      { state: { [CODE]: { code: calling }, [OTHER]: { code: hungry } } },
    ],
    // Reverts below 200,000 gas: LT(GAS, 200000), JUMPI.
    [
      'code that looks at its gas',
      { to: CODE },
      { state: { [CODE]: { code: '0x62030d405a10600a57005b5f5ffd' } } },
    ],
    ['a creation', { data: '0x6103e85ff3' }, {}],
  ])('default: %s', async (_, request, changes) => {
    const least = await leastGas({ from: node.from, ...request }, changes)
    const estimate = await node.estimate({ from: node.from, ...request }, changes)
    expect(estimate).toBeGreaterThanOrEqual(least)
    expect(Number(estimate - least) / Number(estimate)).toBeLessThanOrEqual(0.015)
    await node.call({ from: node.from, ...request, gas: estimate }, changes)
  })

  test('a transaction with the gas that was estimated succeeds', async () => {
    const own = await createExecutionChain()
    const { address: to, encode } = await own.deploy('Playground')
    const requests: { data: Hex; value?: bigint }[] = [
      { data: encode('storeMany', 0n, 20n, 1n) },
      { data: encode('storeMany', 0n, 20n, 0n) },
      { data: encode('tryAndFail', 5n, 6n) },
      { data: encode('burnGas', 500n) },
      { data: encode('create', 1n, own.from), value: 3n },
    ]
    for (const request of requests) {
      const gas = await own.estimate({ from: own.from, to, ...request })
      await own.send({ to, ...request, gas })
      await own.tick()
    }
    expect(own.chain.pending.executed.map(({ success }) => success)).toEqual([
      true,
      ...requests.map(() => true),
    ])
  })

  test('args: overrides', async () => {
    const code: Hex = '0x60015f55'
    const first = await node.estimate({ to: CODE }, { state: { [CODE]: { code } } })
    const written = { state: { [CODE]: { code, stateDiff: ONE_AT_0 } } }
    const again = await node.estimate({ to: CODE }, written)
    expect(first - again).toBeGreaterThan(19_000n)
    const small = { state: { [CODE]: { code } }, header: { gasLimit: 30_000n } }
    await expect(node.estimate({ to: CODE }, small)).rejects.toMatchObject({
      message: 'gas required exceeds allowance (30000)',
    })
  })
})

describe('failures', () => {
  test('a revert', async () => {
    const code: Hex = '0x5f5ffd'
    await expect(
      node.estimate({ to: CODE }, { state: { [CODE]: { code } } }),
    ).rejects.toMatchObject({ code: 3, message: 'execution reverted', data: '0x' })
  })

  test('another halt', async () => {
    await expect(
      node.estimate({ to: CODE }, { state: { [CODE]: { code: '0xfe' } } }),
    ).rejects.toMatchObject({ code: -32000, message: 'invalid opcode: INVALID' })
  })

  const endless = { state: { [CODE]: { code: '0x5b5f56' as Hex } } }

  test.each<[string, CallRequest, CallChanges, bigint]>([
    ['what a transaction may ask for', {}, {}, TRANSACTION_CAP],
    ['the gas given', { gas: 100_000n }, {}, 100_000n],
    ['the cap', {}, { gasCap: 50_000n }, 50_000n],
    ['what a transaction may ask for, given more', { gas: 40_000_000n }, {}, TRANSACTION_CAP],
    ['a block, given more', { gas: 40_000_000n }, { header: { gasLimit: 90_000n } }, 90_000n],
  ])('out of gas at %s', async (_, request, changes, allowance) => {
    await expect(
      node.estimate({ to: CODE, ...request }, { ...endless, ...changes }),
    ).rejects.toMatchObject({
      code: -32000,
      message: `gas required exceeds allowance (${allowance})`,
    })
  })

  test('before Osaka only the block limits a transaction', async () => {
    const old = await createExecutionChain({ hardfork: 'prague', gasLimit: 17_000_000 })
    await expect(old.estimate({ to: CODE }, endless)).rejects.toMatchObject({
      message: 'gas required exceeds allowance (17000000)',
    })
  })

  test('funds for less gas than needed', async () => {
    const state = { ...endless.state, [NOBODY]: { balance: 90_000n * GWEI + 7n } }
    const request = { from: NOBODY, to: CODE, gasPrice: GWEI, value: 7n }
    await expect(node.estimate(request, { state })).rejects.toMatchObject({
      message: 'gas required exceeds allowance (90000)',
    })
  })

  test.each<[string, CallRequest, string]>([
    [
      'value without funds',
      { from: NOBODY, to: OTHER, value: ETHER },
      `insufficient funds for gas * price + value: address ${NOBODY} have 0 want ${ETHER}`,
    ],
    [
      'value that leaves nothing for gas',
      { from: NOBODY, to: OTHER, value: ETHER, gasPrice: GWEI },
      `insufficient funds for transfer: address ${NOBODY} have 0 want ${ETHER + 21_000n * GWEI}`,
    ],
    [
      'a fee cap below the base fee',
      { to: OTHER, from: NOBODY, maxFeePerGas: 1n },
      `insufficient funds for transfer: address ${NOBODY} have 0 want 21000`,
    ],
  ])('%s', async (_, request, message) => {
    await expect(node.estimate(request)).rejects.toMatchObject({ code: -32000, message })
  })

  test('a fee cap below the base fee is no reason', async () => {
    const request = { from: node.from, to: OTHER }
    expect(await node.estimate({ ...request, maxFeePerGas: 1n })).toBe(21_000n)
    expect(await node.estimate({ ...request, gasPrice: 1n })).toBe(21_000n)
  })
})
