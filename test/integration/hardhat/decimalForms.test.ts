import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answer, type Networks, openNetworks } from './ownNetwork.ts'

const FROM = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const TO = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const HASH = `0x${'11'.repeat(32)}`
/** After all that a test of today can see as its own time. */
const LATE = 4_102_444_800

/** A parameter that is a number, and the rest of the request around it. */
interface Place {
  readonly name: string
  readonly method: string
  readonly value: number
  readonly params: (value: unknown) => readonly unknown[]
}

const place = (
  method: string,
  value: number,
  params: Place['params'] = (it) => [it],
  what = '',
): Place => ({ name: what === '' ? method : `${method}: ${what}`, method, value, params })

const call = (field: string, value: number, method = 'eth_call'): Place =>
  place(method, value, (it) => [{ from: FROM, to: TO, [field]: it }], field)

/** What Hardhat's own network reads as it reads every number. */
const PLACES: readonly Place[] = [
  place('evm_increaseTime', 3600),
  place('evm_setNextBlockTimestamp', LATE),
  place('evm_mine', LATE),
  place('hardhat_mine', 2),
  place('hardhat_mine', 5, (it) => ['0x2', it], 'interval'),
  place('hardhat_setNextBlockBaseFeePerGas', 1_000_000_000),
  place('evm_setBlockGasLimit', 30_000_000),
  place('evm_revert', 9999),
  place('eth_feeHistory', 1, (it) => [it, 'latest', []]),
  place('eth_getBlockByNumber', 0, (it) => [it, false]),
  place('eth_getBlockTransactionCountByNumber', 0),
  place('eth_getTransactionByBlockNumberAndIndex', 0, (it) => [it, '0x0'], 'block'),
  place('eth_getTransactionByBlockNumberAndIndex', 0, (it) => ['0x0', it], 'index'),
  place('eth_getTransactionByBlockHashAndIndex', 0, (it) => [HASH, it]),
  call('value', 0),
  call('gas', 100_000),
  call('gasPrice', 1_000_000_000),
  call('maxFeePerGas', 1_000_000_000),
  call('maxPriorityFeePerGas', 0),
  call('nonce', 0),
  call('chainId', 31_337),
  call('gas', 100_000, 'eth_estimateGas'),
  call('value', 0, 'debug_traceCall'),
  call('value', 1, 'eth_sendTransaction'),
  call('gas', 21_000, 'eth_sendTransaction'),
  call('nonce', 0, 'eth_sendTransaction'),
]

/** What it reads as text of its own, which must be hexadecimal. Here these are numbers as others. */
const STRICT_THERE: readonly Place[] = [
  place('eth_getBalance', 0, (it) => [FROM, it]),
  place('eth_getCode', 0, (it) => [FROM, it]),
  place('eth_getTransactionCount', 0, (it) => [FROM, it]),
  place('eth_call', 0, (it) => [{ from: FROM, to: TO }, it], 'block'),
  place('eth_getLogs', 0, (it) => [{ fromBlock: it }]),
  place('hardhat_setBalance', 77, (it) => [TO, it]),
  place('hardhat_setNonce', 77, (it) => [TO, it]),
]

const FORMS = {
  integer: (value: number) => value,
  'decimal text': String,
  'zeros before it': (value: number) => `00${value}`,
} as const

const NUMBERLESS = {
  'a space before it': (value: number) => ` ${value}`,
  'a sign': (value: number) => `-${value + 1}`,
  'a negative integer': (value: number) => -value - 1,
  'a fraction': (value: number) => value + 0.5,
  'another base': (value: number) => `${value}n`,
} as const

let networks: Networks

beforeAll(async () => {
  networks = await openNetworks('instant')
})
afterAll(() => networks[Symbol.asyncDispose]())

/** The answers of both, and the block that each then makes; undone afterwards. */
async function play(method: string, params: readonly unknown[]) {
  const { theirs, ours } = networks
  return await Promise.all(
    [theirs, ours].map(async (connection) => {
      const id = await connection.rpc('evm_snapshot')
      const answered = await answer(connection, method, params)
      await connection.rpc('evm_mine')
      const { number, gasLimit, baseFeePerGas, timestamp } = await connection.rpc<
        Record<'number' | 'gasLimit' | 'baseFeePerGas' | 'timestamp', string>
      >('eth_getBlockByNumber', 'latest', false)
      await connection.rpc('evm_revert', id)
      // Each network has the time of day as its own.
      const chosen = Number(timestamp) >= LATE ? timestamp : 'now'
      return { answered, block: { number, gasLimit, baseFeePerGas, timestamp: chosen } }
    }),
  )
}

/** What can be held against each other, as nodes differ in hashes and in further fields. */
function comparable(method: string, answered: object): unknown {
  if (!('result' in answered)) return 'refused'
  return /^evm_(?!increaseTime)|^hardhat_|_call$/.test(method) ? answered.result : 'taken'
}

describe.each(Object.entries(FORMS))('as %s', (_, form) => {
  test.each(PLACES)('$name', async ({ method, value, params }) => {
    const [theirs, ours] = await play(method, params(form(value)))
    const [, hexadecimal] = await play(method, params(`0x${value.toString(16)}`))
    expect(ours?.answered).toHaveProperty('result')
    expect(comparable(method, ours?.answered ?? {})).toEqual(
      comparable(method, theirs?.answered ?? {}),
    )
    expect(ours?.block).toEqual(theirs?.block)
    expect(ours).toEqual(hexadecimal)
  })

  test.each(['eth_getFilterChanges', 'eth_getFilterLogs', 'eth_uninstallFilter'])(
    '%s',
    async (method) => {
      const answers = [networks.theirs, networks.ours].map(async ({ rpc }) =>
        rpc(method, form(Number(await rpc('eth_newFilter', {})))),
      )
      const [theirs, ours] = await Promise.all(answers)
      expect(ours).toEqual(theirs)
    },
  )

  test.each(STRICT_THERE)('$name, here only', async ({ method, value, params }) => {
    const [theirs, ours] = await play(method, params(form(value)))
    expect(theirs?.answered).toHaveProperty('refused')
    expect(ours?.answered).toHaveProperty('result')
  })
})

describe.each(Object.entries(NUMBERLESS))('with %s', (_, form) => {
  // Hardhat's own network does not look at these two fields of a call.
  const read = PLACES.filter(({ name }) => !/^eth_call: (?:nonce|chainId)$/.test(name))

  test.each(read)('$name', async ({ method, value, params }) => {
    const [theirs, ours] = await play(method, params(form(value)))
    expect(theirs?.answered).toHaveProperty('refused')
    expect(ours?.answered).toHaveProperty('refused')
  })
})
