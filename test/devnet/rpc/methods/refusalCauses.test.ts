import { BrowserProvider, isError, Wallet } from 'ethers'
import { BaseError, createWalletClient, custom, NonceTooLowError } from 'viem'
import { describe, expect, test } from 'vitest'
import type { OptionsInput } from '../../../../devnet/options/options.ts'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import { createRpcChain, SLOW_CLOCKS } from './rpcChain.ts'

async function create(options: OptionsInput = {}) {
  const node = await createRpcChain(options)
  const { call, failure, account } = node
  const from = account(0).address
  const sign = (nonce: number, fields: object = {}) =>
    call<Hex>('eth_signTransaction', {
      from,
      to: from,
      gas: '0x5208',
      nonce: `0x${nonce}`,
      ...fields,
    })
  return {
    ...node,
    from,
    sign,
    send: async (nonce: number, fields: object = {}) =>
      call<Hex>('eth_sendRawTransaction', await sign(nonce, fields)),
    refusal: async (nonce: number, fields: object = {}) =>
      failure('eth_sendRawTransaction', await sign(nonce, fields)),
    /** Seals block 1 with nonces 0 and 1, and pre-confirms 2 and 3 in block 2. */
    async fill() {
      for (const nonce of [0, 1]) await this.send(nonce)
      await call('preconf_seal')
      for (const nonce of [2, 3]) await this.send(nonce)
      await call('preconf_advance', { ticks: 1 })
    },
  }
}

const OTHER = { value: '0x9' }
const LOW = 'nonce too low: next nonce 4, tx nonce 2'
const CURE = 'read pending, or start the node with --latest ticks or --receipts sealed'
const LAG = '`latest` says 2 until block 2 is sealed: '

describe('nonce too low', () => {
  test.each<[string, OptionsInput, string]>([
    ['names both options', {}, `${LOW}; ${LAG}${CURE}`],
    [
      'names the other option',
      { receipts: 'sealed' },
      `${LOW}; ${LAG}read pending, or start the node with --latest ticks`,
    ],
    ['names no option of another profile', { profile: 'xlayer' }, `${LOW}; ${LAG}read pending`],
    ['has another cause if latest is no later', { latest: 'ticks' }, LOW],
  ])('%s', async (_, options, message) => {
    const node = await create({ ...SLOW_CLOCKS, ...options })
    await node.fill()
    expect(await node.refusal(2, OTHER)).toMatchObject({ message })
  })

  test('has another cause if latest knows of the nonce', async () => {
    const node = await create()
    // With ticks frozen, the seal does not run what was sent.
    for (const nonce of [0, 1]) await node.send(nonce)
    await node.call('preconf_advance', { ticks: 1 })
    await node.call('preconf_seal')
    expect(await node.refusal(1, OTHER)).toEqual({
      code: -32000,
      message: 'nonce too low: next nonce 2, tx nonce 1',
    })
  })
})

describe('already known', () => {
  test.each<[string, OptionsInput, (node: Awaited<ReturnType<typeof create>>) => unknown, string]>([
    ['waits', SLOW_CLOCKS, () => undefined, 'it waits in the mempool for the next tick'],
    ['frozen', {}, () => undefined, 'it waits in the mempool for a tick, and ticks are frozen'],
    [
      'pre-confirmed',
      SLOW_CLOCKS,
      ({ call }) => call('preconf_advance', { ticks: 1 }),
      `it is pre-confirmed in block 1, which is not sealed: ${CURE}`,
    ],
    [
      'pre-confirmed, on a chain that others show',
      { ...SLOW_CLOCKS, profile: 'xlayer' },
      ({ call }) => call('preconf_advance', { ticks: 1 }),
      'it is pre-confirmed in block 1, which is not sealed: read pending',
    ],
    [
      'pre-confirmed, with --latest ticks',
      { ...SLOW_CLOCKS, latest: 'ticks' },
      ({ call }) => call('preconf_advance', { ticks: 1 }),
      'it is pre-confirmed in block 1, which is not sealed',
    ],
  ])('%s', async (_, options, bring, place) => {
    const node = await create(options)
    await node.send(0)
    await bring(node)
    const message = `already known; ${place}`
    expect(await node.refusal(0)).toEqual({ code: -32000, message })
    expect(await node.failure('eth_sendRawTransactionSync', await node.sign(0))).toMatchObject({
      message,
    })
  })

  test('behind a gap', async () => {
    const node = await create(SLOW_CLOCKS)
    await node.send(7)
    expect(await node.refusal(7)).toMatchObject({
      message: 'already known; it waits in the mempool behind a nonce gap',
    })
  })
})

describe('replacement transaction underpriced', () => {
  test.each<[string, OptionsInput, number, string]>([
    ['waits', SLOW_CLOCKS, 0, 'waits in the mempool for the next tick'],
    ['frozen', {}, 0, 'waits in the mempool for a tick, and ticks are frozen'],
    ['behind a gap', SLOW_CLOCKS, 7, 'waits in the mempool behind a nonce gap'],
  ])('%s', async (_, options, nonce, place) => {
    const node = await create(options)
    await node.send(nonce)
    expect(await node.refusal(nonce, OTHER)).toEqual({
      code: -32000,
      message: `replacement transaction underpriced; one with its nonce ${place}: take the next nonce, or raise all fees further`,
    })
  })
})

test('instant mode says no more than ever', async () => {
  const node = await create({ ...SLOW_CLOCKS, instant: true })
  await node.send(0)
  expect(await node.refusal(0)).toMatchObject({
    message: 'nonce too low: next nonce 1, tx nonce 0',
  })
  await node.call('evm_setAutomine', false)
  await node.send(1)
  expect(await node.refusal(1)).toMatchObject({ message: 'already known' })
})

describe('clients know the refusals', () => {
  const FEES = { gas: 21_000n, maxFeePerGas: 4_000_000_000n, maxPriorityFeePerGas: 1n }

  /** A client of each kind on a node that has pre-confirmed its transfer of 1 wei with nonce 0. */
  async function connect() {
    const node = await create(SLOW_CLOCKS)
    const { call, from } = node
    const request = async ({ method, params }: { method: string; params?: unknown }) =>
      call(method, ...(Array.isArray(params) ? params : []))
    const client = createWalletClient({
      account: from,
      transport: custom({ request }, { retryCount: 0 }),
    })
    const transfer = (value: bigint) =>
      client.sendTransaction({ ...FEES, to: from, nonce: 0, chain: null, value })
    await transfer(1n)
    await call('preconf_advance', { ticks: 1 })
    return { node, request, transfer }
  }

  test.each([
    ['nonce too low', 2n],
    ['already known', 1n],
  ])('viem, %s', async (words, value) => {
    const { transfer } = await connect()
    const error = await transfer(value).catch((one: unknown) => one)
    if (!(error instanceof BaseError)) throw new Error('viem has sent it')
    expect(error.walk((one) => one instanceof NonceTooLowError)).toBeInstanceOf(NonceTooLowError)
    expect(error.details).toMatch(words)
  })

  test('ethers, nonce too low', async () => {
    const { node, request } = await connect()
    const signer = new Wallet(node.account(0).privateKey, new BrowserProvider({ request }))
    const error = await signer
      .sendTransaction({ to: node.from, nonce: 0, value: 2n })
      .catch((one: unknown) => one)
    expect(isError(error, 'NONCE_EXPIRED')).toBe(true)
  })

  // Of go-ethereum's clients, and of tools that look for these words in a message.
  test.each([
    [0, {}, /^already known/],
    [0, OTHER, /^nonce too low/],
  ])('the words come first', async (nonce, fields, words) => {
    const node = await create(SLOW_CLOCKS)
    await node.send(nonce)
    await node.call('preconf_advance', { ticks: 1 })
    expect(await node.refusal(nonce, fields)).toMatchObject({
      message: expect.stringMatching(words),
    })
  })
})
