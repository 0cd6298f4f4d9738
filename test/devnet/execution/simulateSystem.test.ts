import { type Hex, numberToHex, pad, sha256 } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import type { AccountOverride } from '../../../devnet/json/schemas/stateOverrides.ts'
import { fromHex } from '../../../devnet/primitives/hex.ts'
import { addressKeyFromHex } from '../../../devnet/state/keys.ts'
import { START } from '../../support/chain.ts'
import { CODE, createExecutionChain, type ExecutionChain, overrides, returning } from './harness.ts'
import { hashOf } from './headerHash.ts'

const BEACON_ROOTS: Hex = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02'
const BLOCK_HASHES: Hex = '0x0000f90827f1c53a10cb7a02335b175320002935'
const WITHDRAWALS: Hex = '0x00000961ef480eb55e80d19ad83579a64c007002'
const CONSOLIDATIONS: Hex = '0x0000bbddc7ce488642fb579f8b00f3a590007251'
const SYSTEM: Hex = '0xfffffffffffffffffffffffffffffffffffffffe'

let node: ExecutionChain

beforeAll(async () => {
  node = await createExecutionChain()
})

const word = (value: bigint | number) => pad(numberToHex(value))

/** `SLOAD(slot)` as an account's code, that anybody may call. */
const reader = (slot: number) => returning(`60${slot.toString(16).padStart(2, '0')}54`)

/** Slots that code at `address` left behind in the first of two blocks. */
async function slotsAfter(address: Hex, override: AccountOverride, slots: readonly number[]) {
  const beaconRoot = word(77)
  const [first, second] = await node.simulate({
    blockStateCalls: [
      { stateOverrides: overrides({ [address]: override }), blockOverrides: { beaconRoot } },
      ...slots.map((slot) => ({
        stateOverrides: overrides({ [address]: { code: reader(slot) } }),
        calls: [{ to: address }],
      })),
    ],
  })
  if (first === undefined || second === undefined) throw new Error('There are two blocks')
  return { first, calls: second.calls }
}

describe('at the start of a block', () => {
  test.each<[string, Hex, (parent: Hex) => Hex]>([
    ['EIP-4788', BEACON_ROOTS, () => word(77)],
    ['EIP-2935', BLOCK_HASHES, (parent) => parent],
  ])('code laid over the contract runs: %s', async (_, address, data) => {
    // SSTORE(1, CALLER), SSTORE(2, CALLDATALOAD(0)), SSTORE(3, GAS)
    const code = '0x336001555f356002555a600355' as const
    const run = async (slot: number) =>
      (await slotsAfter(address, { code }, [slot])).calls[0]?.returnData
    expect(await run(1)).toBe(pad(SYSTEM))
    expect(await run(2)).toBe(data(node.chain.head.hash))
    // 30 M gas, of which the code has used some by then.
    const gas = Number(await run(3))
    expect(gas).toBeLessThan(30_000_000)
    expect(gas).toBeGreaterThan(29_900_000)
    // The usual code does not.
    const usual = await slotsAfter(address, {}, [1])
    expect(usual.calls[0]?.returnData).toBe(word(0))
  })

  test.each([BEACON_ROOTS, BLOCK_HASHES])(
    'a call that fails changes nothing: %s',
    async (address) => {
      const { calls } = await slotsAfter(address, { code: '0x60016001555f5ffd' }, [1])
      expect(calls[0]).toMatchObject({ status: '0x1', returnData: word(0) })
    },
  )

  test('a contract without code is not called', async () => {
    const time = START + 12
    const [first, second] = await node.simulate({
      blockStateCalls: [
        { stateOverrides: overrides({ [BEACON_ROOTS]: { code: '0x' } }) },
        {
          stateOverrides: overrides({
            [BEACON_ROOTS]: {
              code: returning(`61${(time % 8191).toString(16).padStart(4, '0')}54`),
            },
          }),
          calls: [{ to: BEACON_ROOTS }],
        },
      ],
    })
    expect(first?.parentBeaconBlockRoot).toBe(word(0))
    expect(second?.calls[0]?.returnData).toBe(word(0))
  })

  test('it sees the overrides of its block', async () => {
    const state = { state: new Map([[word(1), word(5)]]) }
    // SSTORE(2, SLOAD(1) + 1)
    const { calls } = await slotsAfter(
      BEACON_ROOTS,
      { ...state, code: '0x60015460010160025500' },
      [2],
    )
    expect(calls[0]?.returnData).toBe(word(6))
  })
})

describe('at the end of a block', () => {
  const simulateWith = (address: Hex, code: Hex) =>
    node.simulate(
      { blockStateCalls: [{ stateOverrides: overrides({ [address]: { code } }) }] },
      // Code that never ends has 30 M gas to burn, which takes a busy machine long.
      { limits: { timeout: 30_000 } },
    )

  /** EIP-7685, of one request. */
  const hashOfRequest = (type: number, data: Hex) => sha256(sha256(`0x0${type}${data.slice(2)}`))

  test.each<[number, Hex]>([
    [1, WITHDRAWALS],
    [2, CONSOLIDATIONS],
  ])('code laid over the contract of type %i runs', async (type, address) => {
    // Returns 32 bytes: CALLER.
    const [block] = await simulateWith(address, returning('33'))
    expect(block?.requestsHash).toBe(hashOfRequest(type, pad(SYSTEM)))
    expect(block?.hash).toBe(block && hashOf(block))
    const [silent] = await simulateWith(address, '0x00')
    expect(silent?.requestsHash).toBe(sha256('0x'))
  })

  test.each<[string, Hex, Hex, string]>([
    [
      'no code',
      WITHDRAWALS,
      '0x',
      `failed to process withdrawal queue: empty system contract: no code at ${WITHDRAWALS}; leave its code alone in the state overrides`,
    ],
    [
      'no code',
      CONSOLIDATIONS,
      '0x',
      `failed to process consolidation queue: empty system contract: no code at ${CONSOLIDATIONS}; leave its code alone in the state overrides`,
    ],
    [
      'code that reverts',
      WITHDRAWALS,
      '0x5f5ffd',
      'failed to process withdrawal queue: system call failed to execute: execution reverted',
    ],
    [
      'code that never ends',
      CONSOLIDATIONS,
      '0x5b5f56',
      'failed to process consolidation queue: system call failed to execute: out of gas',
    ],
  ])('the request fails for %s', async (_, address, code, message) => {
    await expect(simulateWith(address, code)).rejects.toMatchObject({ code: -32000, message })
  })

  test('a chain that lives without the contracts is simulated without them', async () => {
    const own = await createExecutionChain()
    await own.chain.write((writer) => {
      const address = WITHDRAWALS
      writer.cheat({ kind: 'setStorage', address, slot: pad('0x'), value: pad('0x') })
      writer.cheat({ kind: 'setCode', address, code: '0x' })
      writer.cheat({ kind: 'setNonce', address, nonce: 0n })
    })
    expect(own.chain.pending.state.account(addressKeyFromHex(WITHDRAWALS))).toBeNull()
    const [block] = await own.simulate({ blockStateCalls: [{}] })
    expect(block?.requestsHash).toBe(sha256('0x'))
  })

  test('the calls of the block come before', async () => {
    // EIP-7002: a public key of 48 bytes, and an amount of 8.
    const request: Hex = `0x${'ab'.repeat(48)}${'00'.repeat(7)}05`
    const [block] = await node.simulate({
      blockStateCalls: [
        { calls: [{ from: node.from, to: WITHDRAWALS, value: 1n, data: request }] },
      ],
    })
    // Source address, key, and the amount turned around.
    const data: Hex = `0x${node.from.slice(2)}${'ab'.repeat(48)}05${'00'.repeat(7)}`
    expect(block?.requestsHash).toBe(hashOfRequest(1, data))
  })
})

test('who makes the calls is no account', async () => {
  const own = await createExecutionChain()
  const executor = await own.engine.executor()
  const machine = await executor.acquire(own.chain.pending.state, own.chain.blockHashes)
  const { environment } = own.chain.pending
  const called = await executor.systemCall(machine, fromHex(WITHDRAWALS), environment)
  expect(called).toEqual({ returnData: new Uint8Array(0), failure: undefined })
  const { accounts } = machine.overlay.takeDiff()
  expect(accounts.get(addressKeyFromHex(SYSTEM)) ?? null).toBeNull()
  // Code that reverts: told apart from what a contract hands over.
  machine.overlay.setCode(addressKeyFromHex(CODE), fromHex('0x5f5ffd'))
  expect(await executor.systemCall(machine, fromHex(CODE), environment)).toMatchObject({
    failure: 'revert',
  })
})
