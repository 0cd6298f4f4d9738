import { encodeErrorResult, type Hex, parseAbi } from 'viem'
import { beforeAll, describe, test } from 'vitest'
import { useArena } from './arena.ts'
import { type Case, play } from './cases.ts'

const world = useArena('npx vitest run test/integration/edr/failingCalls.test.ts')

/** Reverts with what it is called with. */
const ECHO: Hex = '0x00000000000000000000000000000000000000ec'
const HALTING: Hex = '0x00000000000000000000000000000000000000ed'
const FROM: Hex = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const TO: Hex = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

const abi = parseAbi([
  'error Error(string)',
  'error Panic(uint256)',
  'error Refused(address,uint256)',
])
const reason = (text: string): Hex => encodeErrorResult({ abi, errorName: 'Error', args: [text] })
const panic = (code: bigint): Hex => encodeErrorResult({ abi, errorName: 'Panic', args: [code] })

beforeAll(async () => {
  // CALLDATACOPY(0, 0, CALLDATASIZE), REVERT(0, CALLDATASIZE)
  await world().duel.result('hardhat_setCode', [ECHO, '0x365f5f37365ffd'])
})

const METHODS = ['eth_call', 'eth_estimateGas'] as const

describe.each(METHODS)('%s: reverts', (method) => {
  test.each<[string, Hex]>([
    ['nothing', '0x'],
    ['a reason', reason('no')],
    ['an empty reason', reason('')],
    ['a reason in many characters', reason('ünïcödé \n"x" \'y\'')],
    ['an error', encodeErrorResult({ abi, errorName: 'Refused', args: [FROM, 3n] })],
    ['less than a selector', '0x010203'],
    ...[0n, 1n, 0x11n, 0x12n, 0x21n, 0x22n, 0x31n, 0x32n, 0x41n, 0x51n, 0x99n].map(
      (code): [string, Hex] => [`panic 0x${code.toString(16)}`, panic(code)],
    ),
  ])('with %s', async (name, data) => {
    await play(world(), { name, method, params: [{ from: FROM, to: ECHO, data }] })
  })
})

describe.each(METHODS)('%s: halts', (method) => {
  test.each<[string, Hex]>([
    ['INVALID', '0xfe'],
    ['an opcode that is none', '0x0c'],
    ['stack underflow', '0x01'],
    ['stack overflow', '0x5b5f5f56'],
    ['a jump to nowhere', '0x6005565b'],
    ['an endless loop', '0x5b5f56'],
    ['RETURNDATACOPY beyond the end', '0x60015f5f3e'],
    ['too much memory', '0x63ffffffff5f5260ff63ffffffff20'],
  ])('%s', async (name, code) => {
    const before: Case['before'] = async ({ duel }) => {
      await duel.result('hardhat_setCode', [HALTING, code])
    }
    // Not much gas: EDR keeps every step.
    await play(world(), {
      name,
      method,
      params: [{ from: FROM, to: HALTING, gas: '0x186a0' }],
      before,
    })
  })

  test.each<[string, Hex]>([
    ['code that begins with 0xef', '0x60ef5f5360015ff3'],
    ['code of 24,577 bytes', '0x6160015ff3'],
    ['INVALID', '0xfe'],
    ['a revert', '0x5f5ffd'],
    ['49,153 bytes to begin with', `0x${'00'.repeat(49_153)}`],
  ])('creation with %s', async (name, data) => {
    await play(world(), { name, method, params: [{ from: FROM, data }] })
  })
})

describe.each(METHODS)('%s: precompiles', (method) => {
  test.each<[string, string, Hex]>([
    ['ECADD of what is no point', '06', `0x${'ff'.repeat(128)}`],
    ['ECPAIRING of half a pair', '08', '0x1234'],
    ['BLAKE2F of two bytes', '09', '0x1234'],
    ['point evaluation of two bytes', '0a', '0x1234'],
    ['BLS12_G1ADD of two bytes', '0b', '0x1234'],
  ])('%s', async (name, precompile, data) => {
    const to = `0x${precompile.padStart(40, '0')}`
    await play(world(), { name, method, params: [{ from: FROM, to, data, gas: '0x186a0' }] })
  })
})

const GETH = 'as geth, which execution-apis follow'
const CALL = { from: FROM, to: TO }

const REFUSED: readonly (Omit<Case, 'method'> & { readonly method?: Case['method'] })[] = [
  { name: 'unknown block', params: [CALL, '0x999'] },
  { name: 'unknown block hash', params: [CALL, { blockHash: `0x${'11'.repeat(32)}` }] },
  {
    name: 'tip above the cap',
    params: [{ ...CALL, maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' }],
  },
  {
    name: 'both kinds of fees',
    params: [{ ...CALL, gasPrice: '0x1', maxPriorityFeePerGas: '0x2' }],
  },
  { name: 'less gas than a transfer', method: 'eth_call', params: [{ ...CALL, gas: '0x10' }] },
  {
    name: 'less gas than a transfer',
    method: 'eth_estimateGas',
    params: [{ ...CALL, gas: '0x10' }],
    only: { refuses: 'EDR', why: `${GETH}: less cannot be meant as a limit` },
  },
  {
    name: 'more value than there is',
    params: [{ ...CALL, value: '0xffffffffffffffffffffffff' }],
    only: { refuses: 'ours', why: `${GETH}: balances are always held against` },
  },
  {
    name: 'neither recipient nor data',
    params: [{ from: FROM }],
    only: { refuses: 'EDR', why: `${GETH}: a call creates nothing with nothing` },
  },
  {
    name: 'more gas than a transaction may have',
    params: [{ ...CALL, gas: '0xfffffff' }],
    only: { refuses: 'EDR', why: 'the cap of EIP-7825 is for transactions' },
  },
  { name: 'an address too short', params: [{ ...CALL, to: '0x12' }] },
  { name: 'data of half a byte', params: [{ ...CALL, data: '0x1' }] },
  { name: 'a negative value', params: [{ ...CALL, value: '-1' }] },
  { name: 'no parameters', params: [] },
]

describe.each(METHODS)('%s: refused', (method) => {
  const cases = REFUSED.filter((one) => one.method === undefined || one.method === method)
  test.each(cases)('$name', (one) => play(world(), { ...one, method }))
})
