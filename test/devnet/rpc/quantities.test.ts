import { describe, expect, test } from 'vitest'
import { optionTable } from '../../../devnet/options/optionTable.ts'
import { profileOf } from '../../../devnet/options/profileTable.ts'
import { type Hex, quantity } from '../../../devnet/primitives/hex.ts'
import { methodTable } from '../../../devnet/rpc/methodTable.ts'
import { methodParams } from '../../support/methodParams.ts'
import { createRpcChain, hex, type RpcChain } from './methods/rpcChain.ts'

/** Emits an event, then reverts if the value is odd. */
const CONTRACT: Hex = `0x${'c0'.repeat(20)}`
const CONTRACT_CODE = '0x60015f5fa160013416600f57005b5f5ffd'

/** Members whose value is a quantity wherever they stand. */
const QUANTITIES = new Set(
  `balance baseFeePerGas baseFeePerBlobGas blobGasPrice blobGasUsed blockNumber blockTimestamp
  chainId cumulativeGasUsed currentBlock difficulty effectiveGasPrice excessBlobGas gas gasLimit
  gasPrice gasUsed l1BlobBaseFee l1Fee l1GasPrice l1GasUsed logIndex maxFeePerBlobGas maxFeePerGas
  maxPriorityFeePerGas mint number oldestBlock reward size timestamp transactionIndex type value
  yParity`.split(/\s+/),
)

/** Reads an answer as a strict client does. Returns where it is malformed. */
function malformed(value: unknown, name = '', path = ''): string[] {
  if (Array.isArray(value)) {
    return value.flatMap((one, index) => malformed(one, name, `${path}[${index}]`))
  }
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, one]) => malformed(one, key, `${path}.${key}`))
  }
  const isNumber = typeof value === 'number' && Number.isFinite(value) && value >= 0
  if (typeof value === 'number') return isNumber ? [] : [`${path}: ${value}`]
  if (typeof value !== 'string' || !value.startsWith('0x')) return []
  const form = QUANTITIES.has(name) ? /^0x(?:0|[1-9a-f][0-9a-f]*)$/ : /^0x[0-9a-fA-F]*$/
  return form.test(value) ? [] : [`${path}: ${value}`]
}

test('the reader finds what is malformed', () => {
  const answer = {
    reward: [['0x-1', '0x0']],
    gas: '0x01',
    input: '0x01',
    ratio: Number.NaN,
    of: -1,
  }
  expect(malformed(answer)).toEqual(['.reward[0][0]: 0x-1', '.gas: 0x01', '.ratio: NaN', '.of: -1'])
})

test('no quantity has a sign', () => {
  for (const value of [-1, -1n, Number.NaN]) expect(() => quantity(value)).toThrow(RangeError)
})

/** Transactions of every kind, sealed and pre-confirmed: tips of 0, deposits, reverts, creations. */
async function createBusyChain(profile: (typeof optionTable.profile.choices)[number]) {
  const node = await createRpcChain({ profile, frozen: true, frozenTicks: true })
  const { call, account } = node
  await call('hardhat_setCode', CONTRACT, CONTRACT_CODE)
  const send = (index: number, fields: object) =>
    call<Hex>('eth_sendTransaction', {
      from: account(index).address,
      gas: hex(100_000n),
      ...fields,
    })
  const sendAll = async () => [
    await send(1, { to: account(2).address, value: '0x1', gasPrice: hex(10n ** 11n) }),
    await send(2, { to: CONTRACT, maxPriorityFeePerGas: '0x0', maxFeePerGas: hex(10n ** 11n) }),
    await send(3, { to: CONTRACT, value: '0x1' }),
    await send(4, { data: '0x5f5ff3' }),
    await send(5, { to: CONTRACT, accessList: [{ address: CONTRACT, storageKeys: [] }] }),
    ...(profileOf(profile).opStack
      ? [await call<Hex>('preconf_deposit', { to: account(1).address, mint: '0x1' })]
      : []),
  ]
  const sealed = await sendAll()
  await call('preconf_advance', { blocks: 1 })
  await call('preconf_advance', { blocks: 1 })
  await sendAll()
  await call('preconf_advance', { ticks: 1 })
  await send(6, { to: CONTRACT, nonce: '0x3' })
  return { ...node, sealed }
}

/** Answers sentences, which begin with an address. */
const PROSE = 'txpool_inspect'

/** These change the chain under the others, and answer no quantity of its blocks. */
const COMMANDS =
  /^(?:evm|hardhat|anvil|ganache|preconf)_(?!getAutomine|getInterval|nodeInfo|metadata|status)/

describe.each(optionTable.profile.choices)('every method, profile %s', (profile) => {
  test('numbers that clients can read', async () => {
    const node = await createBusyChain(profile)
    const { number, hash: block } = await node.call<{ number: Hex; hash: Hex }>(
      'eth_getBlockByNumber',
      '0x1',
      false,
    )
    expect(number).toBe('0x1')
    const answered = new Set<string>()
    for (const method of Object.keys(methodTable).filter(
      (name) => !COMMANDS.test(name) && name !== PROSE,
    )) {
      for (const transaction of node.sealed) {
        const named = { account: node.account(1).address, transaction, block }
        const args = await methodParams(method, named)
        for (const given of tagged(args)) {
          const answer = await answerOf(node, method, given)
          if (answer === undefined) continue
          answered.add(method)
          expect(malformed(answer), `${method} ${JSON.stringify(given)}`).toEqual([])
        }
        if (!args.includes(transaction)) break
      }
    }
    // The fees are those of blocks with deposits and with tips of 0.
    expect(answered).toContain('eth_feeHistory')
    expect(answered.size).toBeGreaterThan(90)
    const fees = ['0x3', 'pending', [0, 10, 50, 100]]
    expect(malformed(await node.call('eth_feeHistory', ...fees))).toEqual([])
  })
})

/** The parameters, and, if they name the newest block, also those for others. */
function tagged(args: readonly unknown[]): (readonly unknown[])[] {
  const at = args.indexOf('latest')
  return at === -1 ? [args] : ['latest', 'pending', '0x1', '0x0'].map((tag) => args.with(at, tag))
}

/** The answer; `undefined` if it is an error, whose form other tests are about. */
async function answerOf({ call }: RpcChain, method: string, args: readonly unknown[]) {
  try {
    return await call(method, ...args)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}
