import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import type { FormattedReceipt } from '../../../../devnet/json/receiptForm.ts'
import type { OptionsInput } from '../../../../devnet/options/options.ts'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import { createRpcChain, hex } from './rpcChain.ts'

interface AccessListAnswer {
  readonly accessList: readonly { readonly address: Hex; readonly storageKeys: readonly Hex[] }[]
  readonly error?: string
  readonly gasUsed: Hex
}

const CODE: Hex = `0x${'c0de'.padStart(40, '0')}`
const OTHER: Hex = `0x${'c0df'.padStart(40, '0')}`
const THIRD: Hex = `0x${'aa'.repeat(20)}`
const ZERO: Hex = `0x${'0'.repeat(40)}`
const IDENTITY: Hex = `0x${'4'.padStart(40, '0')}`

const slot = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`

/** Code as hexadecimal digits. */
const push1 = (value: number) => `60${value.toString(16).padStart(2, '0')}`
const sload = (number: number) => `${push1(number)}5450`
const sstore = (number: number) => `${push1(1)}${push1(number)}55`
const balance = (address: Hex) => `73${address.slice(2)}3150`
/** Calls without value, input or output. */
const call = (address: Hex) => `${'6000'.repeat(5)}73${address.slice(2)}5af150`
const REVERT = '60006000fd'

/** {@link CODE} and {@link OTHER} with this code; account 0 asks. */
async function createWithCode(code: string, other = '', options: OptionsInput = {}) {
  const node = await createRpcChain(options)
  const from = node.account(0).address
  await node.call('hardhat_setCode', CODE, `0x${code}`)
  if (other !== '') await node.call('hardhat_setCode', OTHER, `0x${other}`)
  const list = (fields: object = {}, ...rest: unknown[]) =>
    node.call<AccessListAnswer>('eth_createAccessList', { from, to: CODE, ...fields }, ...rest)
  /** Gas of the same call as a transaction. */
  const spend = async (fields: object) => {
    const hash = await node.call('eth_sendTransaction', { from, to: CODE, ...fields })
    await node.call('preconf_advance', { ticks: 1 })
    return (await node.call<FormattedReceipt>('eth_getTransactionReceipt', hash)).gasUsed
  }
  return { ...node, from, list, spend }
}

test('default: slots of the recipient and others, accounts, by address', async () => {
  const { list, from } = await createWithCode(
    sload(9) + sload(2) + call(OTHER) + balance(THIRD) + balance(CODE) + call(IDENTITY),
    sstore(1),
  )
  expect(await list({ from })).toEqual({
    accessList: [
      { address: CODE, storageKeys: [slot(2), slot(9)] },
      { address: OTHER, storageKeys: [slot(1)] },
      { address: THIRD, storageKeys: [] },
    ],
    gasUsed: expect.stringMatching(/^0x/),
  })
})

test('sender, recipient and precompiles without slots are not listed', async () => {
  const { list, from } = await createWithCode('')
  const { accessList, gasUsed } = await list({ value: '0x1' })
  expect({ accessList, gasUsed }).toEqual({ accessList: [], gasUsed: hex(21_000) })
  const looks = await createWithCode(balance(from) + balance(CODE) + call(IDENTITY))
  expect((await looks.list()).accessList).toEqual([])
})

test('the gas is that of a transaction with the list', async () => {
  const { list, spend } = await createWithCode(sload(1) + call(OTHER), sload(1) + sload(2))
  const { accessList, gasUsed } = await list()
  const gas = '0x30d40'
  expect(await spend({ accessList, gas })).toBe(gasUsed)
  expect(await spend({ gas })).not.toBe(gasUsed)
})

test('repeats until nothing is added', async () => {
  // Slot 2 only where slot 1 is warm, which only its gas tells: GAS, SLOAD(1), GAS, SWAP1, SUB, 500 GT, ISZERO, JUMPI.
  const body = `5a${sload(1)}5a90036101f41115`
  const end = body.length / 2 + 3 + sload(2).length / 2
  const { list } = await createWithCode(`${body}${push1(end)}57${sload(2)}5b00`)
  const { accessList } = await list()
  expect(accessList).toEqual([{ address: CODE, storageKeys: [slot(1), slot(2)] }])
})

test('a call that fails has a list and says why', async () => {
  const reverting = await createWithCode(call(OTHER) + sload(5) + REVERT, sload(1) + REVERT)
  expect(await reverting.list()).toEqual({
    accessList: [
      { address: CODE, storageKeys: [slot(5)] },
      { address: OTHER, storageKeys: [slot(1)] },
    ],
    error: 'execution reverted',
    gasUsed: expect.stringMatching(/^0x/),
  })
  const endless = await createWithCode(`${sload(1)}5b600456`)
  expect(await endless.list({ gas: hex(100_000) })).toMatchObject({
    accessList: [{ address: CODE, storageKeys: [slot(1)] }],
    error: 'out of gas',
    gasUsed: hex(100_000),
  })
  const invalid = await createWithCode('fe')
  expect((await invalid.list()).error).toBe('invalid opcode: INVALID')
})

test('creations', async () => {
  const { list, spend } = await createWithCode('')
  const data = `0x${sstore(1)}${balance(THIRD)}`
  const created = '0x5fbdb2315678afecb367f032d93f642f64180aa3'
  const { accessList, gasUsed } = await list({ to: undefined, data })
  expect(accessList).toEqual([
    { address: created, storageKeys: [slot(1)] },
    { address: THIRD, storageKeys: [] },
  ])
  // What the code creates is warm by that alone: CREATE without value or code.
  const factory = await createWithCode(`${'6000'.repeat(3)}f050`)
  expect((await factory.list()).accessList).toEqual([])
  expect(await spend({ to: undefined, data, accessList, gas: '0x30d40' })).toBe(gasUsed)
})

test.each(['fast', 'library'] as const)(
  'whatever an opcode names is listed, warm or not, %s engine',
  async (engine) => {
    const { list } = await createWithCode(
      // CREATE without value or code, then BALANCE of what it has created, and of COINBASE.
      `${'6000'.repeat(3)}f03150${'413150'}`,
      '',
      { engine },
    )
    const created = '0x8bbc3514477d75ec797bbe4e19d7961660bb849c'
    expect((await list()).accessList).toEqual([
      { address: ZERO, storageKeys: [] },
      { address: created, storageKeys: [] },
    ])
    // An access that cannot be paid is one too; an opcode without its operands names nothing.
    for (const [code, listGas] of [
      [balance(THIRD), 2_400],
      [sstore(7), 2_400 + 1_900],
    ] as const) {
      const unpaid = await createWithCode(code, '', { engine })
      const { accessList, error } = await unpaid.list({ gas: hex(21_010 + listGas) })
      expect(error).toBe('out of gas')
      expect(accessList).toHaveLength(1)
    }
    const empty = await createWithCode('31', '', { engine })
    expect(await empty.list()).toMatchObject({ accessList: [], error: /^stack underflow/ })
  },
)

test('authorities are warm without the list', async () => {
  const [ours, theirs] = [31337, 1].map((chainId) => ({ chainId, key: generatePrivateKey() }))
  if (ours === undefined || theirs === undefined) throw new Error('No keys')
  const authorizationList = await Promise.all(
    [ours, theirs].map(async ({ chainId, key }) => {
      const authorization = { address: THIRD, chainId, nonce: 0 }
      const { r, s, yParity } = await privateKeyToAccount(key).signAuthorization(authorization)
      return {
        address: THIRD,
        chainId: hex(chainId),
        nonce: '0x0',
        r,
        s,
        yParity: hex(yParity ?? 0),
      }
    }),
  )
  const [authority, stranger] = [ours, theirs].map(({ key }): Hex => {
    const { address } = privateKeyToAccount(key)
    // Addresses are lower-case in answers.
    return `0x${address.slice(2).toLowerCase()}`
  })
  if (authority === undefined || stranger === undefined) throw new Error('No addresses')
  const { list } = await createWithCode(balance(authority) + balance(stranger) + balance(authority))
  expect((await list({ authorizationList })).accessList).toEqual([
    { address: stranger, storageKeys: [] },
  ])
})

test('args: accessList', async () => {
  const { list, from } = await createWithCode(sload(1))
  const { accessList } = await list({
    accessList: [
      { address: THIRD, storageKeys: [slot(7)] },
      { address: THIRD, storageKeys: [slot(7), slot(3)] },
      { address: OTHER, storageKeys: [] },
      { address: CODE, storageKeys: [slot(9)] },
      // Warm without it.
      { address: from, storageKeys: [] },
      { address: IDENTITY, storageKeys: [] },
    ],
  })
  expect(accessList).toEqual([
    { address: CODE, storageKeys: [slot(1), slot(9)] },
    { address: OTHER, storageKeys: [] },
    { address: THIRD, storageKeys: [slot(3), slot(7)] },
  ])
})

test('args: block, state overrides', async () => {
  const { list, call: ask } = await createWithCode(sload(1))
  await ask('preconf_advance', { blocks: 2 })
  await ask('hardhat_setCode', CODE, `0x${sload(2)}`)
  const slots = async (...rest: unknown[]) => (await list({}, ...rest)).accessList[0]?.storageKeys
  expect(await slots('0x1')).toEqual([slot(1)])
  for (const block of [
    undefined,
    'latest',
    'pending',
    'safe',
    'finalized',
    { blockNumber: '0x2' },
  ]) {
    expect(await slots(block)).toEqual([slot(2)])
  }
  expect(await slots('latest', { [CODE]: { code: `0x${sload(3)}` } })).toEqual([slot(3)])
})

test('pending shows what is pre-confirmed', async () => {
  const { list, call: ask, from } = await createWithCode('')
  // Deploys code that reads slot 4.
  const code = sload(4)
  const data = `0x${push1(code.length / 2)}600c600039${push1(code.length / 2)}6000f3${code}`
  const hash = await ask('eth_sendTransaction', { from, data })
  await ask('preconf_advance', { ticks: 1 })
  const { contractAddress: to } = await ask<FormattedReceipt>('eth_getTransactionReceipt', hash)
  expect((await list({ to }, 'pending')).accessList).toEqual([
    { address: to, storageKeys: [slot(4)] },
  ])
  expect((await list({ to }, 'latest')).accessList).toEqual([])
})

test('what no block could hold is refused', async () => {
  const { failure, from } = await createWithCode('')
  const refused = (fields: object, ...rest: unknown[]) =>
    failure('eth_createAccessList', { from, to: CODE, ...fields }, ...rest)
  expect(await refused({ gas: '0x5207' })).toMatchObject({
    code: -32000,
    message: expect.stringMatching(/^intrinsic gas too low/),
  })
  expect(await refused({ value: hex(10n ** 30n) })).toMatchObject({
    code: -32000,
    message: expect.stringMatching(/^insufficient funds/),
  })
  expect(await refused({}, '0x99')).toEqual({ code: -32001, message: 'block not found: 0x99' })
})

test('leaves no trace, also where it fails', async () => {
  const { list, chain } = await createWithCode(sstore(1) + REVERT)
  const before = chain.pending
  await list()
  await list()
  expect(chain.pending).toBe(before)
})

test.each(['fast', 'library'] as const)(
  'a list that grows for ever ends at the time limit, and others are answered, %s engine',
  async (engine) => {
    const { call, failure } = await createRpcChain({ engine, simulateTimeout: 100 })
    await call('eth_chainId')
    // GAS SLOAD: each entry takes gas, so that the next round reads another slot.
    const list = failure('eth_createAccessList', { data: '0x5a5400' })
    let hasEnded = false
    const ended = list.then(() => {
      hasEnded = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(await call('eth_chainId')).toBe('0x7a69')
    expect(hasEnded).toBe(false)
    expect(await list).toMatchObject({
      code: -32000,
      message: 'execution aborted (timeout: longer than the option simulateTimeout allows)',
    })
    await ended
  },
)
