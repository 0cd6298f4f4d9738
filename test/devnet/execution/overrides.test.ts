import { type Hex, keccak256, numberToHex, pad } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import type { BlockOverrides } from '../../../devnet/json/schemas/blockOverrides.ts'
import type { AccountOverride } from '../../../devnet/json/schemas/stateOverrides.ts'
import { CODE, createExecutionChain, type ExecutionChain, OTHER, returning } from './harness.ts'

let node: ExecutionChain

beforeAll(async () => {
  node = await createExecutionChain()
})

const word = (value: bigint | number) => pad(numberToHex(value))

const push = (address: Hex) => `73${address.slice(2)}`

/** What `code` at CODE returns with these overrides. */
const run = (code: string, state: Record<Hex, AccountOverride> = {}, header?: BlockOverrides) =>
  node.call(
    { from: node.from, to: CODE },
    {
      state: { ...state, [CODE]: { code: returning(code), ...state[CODE] } },
      ...(header === undefined ? {} : { header }),
    },
  )

describe('accounts', () => {
  test('args: balance', async () => {
    expect(await run(`${push(OTHER)}31`, { [OTHER]: { balance: 77n } })).toBe(word(77))
    expect(await run('47', { [CODE]: { balance: 5n } })).toBe(word(5))
  })

  test('args: code', async () => {
    const state = { [OTHER]: { code: '0x60aa' as const } }
    expect(await run(`${push(OTHER)}3b`, state)).toBe(word(2))
    expect(await run(`${push(OTHER)}3f`, state)).toBe(keccak256('0x60aa'))
  })

  test('args: nonce', async () => {
    // CREATE without code: the address follows from the nonce.
    const address = await run('5f5f5ff0', { [CODE]: { nonce: 9n } })
    expect(address).not.toBe(await run('5f5f5ff0', { [CODE]: { nonce: 10n } }))
    expect(BigInt(address)).toBeGreaterThan(0n)
  })

  test('args: stateDiff, state', async () => {
    const own = await createExecutionChain()
    const { address, encode } = await own.deploy('Playground')
    await own.send({ to: address, data: encode('storeMany', 1n, 2n, 11n) })
    await own.tick()
    const slotOf = (key: bigint) => keccak256(`${word(key)}${word(0).slice(2)}`)
    const stored = (state: AccountOverride, key: bigint) =>
      own.call({ to: address, data: encode('stored', key) }, { state: { [address]: state } })
    const changes = new Map([[slotOf(1n), word(99)]])
    expect(await stored({ stateDiff: changes }, 1n)).toBe(word(99))
    expect(await stored({ stateDiff: changes }, 2n)).toBe(word(11))
    expect(await stored({ state: changes }, 1n)).toBe(word(99))
    expect(await stored({ state: changes }, 2n)).toBe(word(0))
    expect(await stored({ state: new Map() }, 1n)).toBe(word(0))
    await expect(stored({ state: changes, stateDiff: changes }, 1n)).rejects.toMatchObject({
      code: -32000,
      message: `account ${address} has both 'state' and 'stateDiff'`,
    })
  })
})

test('a code may have 256 KiB, and no more', async () => {
  const call = (size: number) => {
    const code: Hex = `${returning('602a')}${'5b'.repeat(size - (returning('602a').length / 2 - 1))}`
    return node.call({ to: CODE }, { state: { [CODE]: { code } } })
  }
  expect(await call(262_144)).toBe(word(42))
  await expect(call(262_145)).rejects.toMatchObject({
    code: -32000,
    message: `the code of account ${CODE} has 262145 bytes, and an override may have at most 262144`,
  })
  expect(await call(100)).toBe(word(42))
})

describe('precompiles', () => {
  const SHA256: Hex = '0x0000000000000000000000000000000000000002'
  const IDENTITY: Hex = '0x0000000000000000000000000000000000000004'
  const sha256Of0x01 = '0x4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a'

  /** Calls `to` with one byte 0x01. */
  const ask = (to: Hex, state: Record<Hex, AccountOverride> = {}) =>
    node.call({ from: node.from, to, data: '0x01' }, { state })

  test('args: movePrecompileToAddress', async () => {
    const state = { [SHA256]: { movePrecompileToAddress: OTHER } }
    expect(await ask(OTHER, state)).toBe(sha256Of0x01)
    expect(await ask(SHA256, state)).toBe('0x')
  })

  test('the next call has them where they belong', async () => {
    await ask(OTHER, { [SHA256]: { movePrecompileToAddress: OTHER } })
    expect(await ask(SHA256)).toBe(sha256Of0x01)
    expect(await ask(OTHER)).toBe('0x')
    await expect(
      node.call(
        { to: CODE },
        { state: { [CODE]: { code: '0xfe' }, [SHA256]: { movePrecompileToAddress: OTHER } } },
      ),
    ).rejects.toThrow('invalid opcode')
    expect(await ask(SHA256)).toBe(sha256Of0x01)
  })

  test('what stands at the source runs there', async () => {
    const state = {
      [SHA256]: { movePrecompileToAddress: OTHER, code: returning('602a') },
    }
    expect(await ask(SHA256, state)).toBe(word(42))
    expect(await ask(OTHER, state)).toBe(sha256Of0x01)
  })

  test('any override of a precompile takes it away', async () => {
    expect(await ask(SHA256, { [SHA256]: { balance: 1n } })).toBe('0x')
    expect(await ask(SHA256, { [SHA256]: { code: returning('602a') } })).toBe(word(42))
  })

  test('moved onto another, which is gone then', async () => {
    expect(await ask(IDENTITY, { [SHA256]: { movePrecompileToAddress: IDENTITY } })).toBe(
      sha256Of0x01,
    )
  })

  test.each<[string, Record<Hex, AccountOverride>, string]>([
    [
      'an account that is none',
      { [OTHER]: { movePrecompileToAddress: CODE } },
      `account ${OTHER} is not a precompile`,
    ],
    [
      'onto itself',
      { [SHA256]: { movePrecompileToAddress: SHA256 } },
      `account ${SHA256} is already overridden`,
    ],
    [
      'onto an account that is overridden',
      { [SHA256]: { movePrecompileToAddress: OTHER }, [OTHER]: { nonce: 1n } },
      `account ${OTHER} is already overridden`,
    ],
  ])('%s', async (_, state, message) => {
    await expect(ask(OTHER, state)).rejects.toMatchObject({ code: -32000, message })
  })
})

describe('block', () => {
  test.each<[string, string, BlockOverrides, Hex]>([
    ['number', '43', { number: 1000n }, word(1000)],
    ['time', '42', { time: 2000n }, word(2000)],
    ['gasLimit', '45', { gasLimit: 3000n }, word(3000)],
    ['feeRecipient', '41', { feeRecipient: OTHER }, pad(OTHER)],
    ['prevRandao', '44', { prevRandao: `0x${'ab'.repeat(32)}` }, `0x${'ab'.repeat(32)}`],
    ['blobBaseFee', '4a', { blobBaseFee: 4000n }, word(4000)],
  ])('args: %s', async (_, code, header, expected) => {
    expect(await run(code, {}, header)).toBe(expected)
  })

  test('args: baseFeePerGas', async () => {
    const request = { from: node.from, to: CODE, gas: 100_000n, maxFeePerGas: 5n }
    const state = { [CODE]: { code: returning('48') } }
    expect(await node.call(request, { state, header: { baseFeePerGas: 5n } })).toBe(word(5))
    // Below the base fee of the block, a call runs without one.
    expect(await node.call(request, { state })).toBe(word(0))
  })

  test('args: blockHash', async () => {
    const hash: Hex = `0x${'cd'.repeat(32)}`
    const blockHash = new Map([[999n, hash]])
    expect(await run('6103e740', {}, { number: 1000n, blockHash })).toBe(hash)
    expect(await run('6103e640', {}, { number: 1000n, blockHash })).toBe(word(0))
  })

  test.each<[string, BlockOverrides]>([
    ['beaconRoot', { beaconRoot: `0x${'00'.repeat(32)}` }],
    ['withdrawals', { withdrawals: [] }],
  ])('%s is for simulated blocks', async (name, header) => {
    await expect(run('43', {}, header)).rejects.toMatchObject({
      code: -32000,
      message: `block override "${name}" is not supported for this RPC method`,
    })
  })
})
