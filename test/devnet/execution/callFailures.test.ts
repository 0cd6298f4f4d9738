import { encodeErrorResult, type Hex, numberToHex, pad } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { artifact } from '../../support/solidity.ts'
import {
  CODE,
  createExecutionChain,
  type ExecutionChain,
  GWEI,
  NOBODY,
  OTHER,
  returning,
} from './harness.ts'

let node: ExecutionChain

beforeAll(async () => {
  node = await createExecutionChain()
})

const word = (value: bigint) => pad(numberToHex(value))

describe('failures', () => {
  test('reverts with a reason, a panic, an error of its own and nothing', async () => {
    const own = await createExecutionChain()
    const { address: to, encode } = await own.deploy('Playground')
    const failure = (data: Hex) =>
      own.call({ from: own.from, to, data }).catch(({ code, message, data }) => ({
        code,
        message,
        data,
      }))
    expect(await failure(encode('failWithReason', 'nope'))).toEqual({
      code: 3,
      message: 'execution reverted: nope',
      data: encodeErrorResult({
        abi: [{ type: 'error', name: 'Error', inputs: [{ type: 'string' }] }],
        args: ['nope'],
      }),
    })
    expect(await failure(encode('failWithPanic', []))).toEqual({
      code: 3,
      message: 'execution reverted: out-of-bounds access of an array or bytesN',
      data: `0x4e487b71${word(0x32n).slice(2)}`,
    })
    expect(await failure(encode('failWithError', 9n))).toEqual({
      code: 3,
      message: 'execution reverted',
      data: encodeErrorResult({
        abi: artifact('Playground').abi,
        errorName: 'Refused',
        args: [own.from, 9n],
      }),
    })
    expect(await failure('0xffffffff')).toEqual({
      code: 3,
      message: 'execution reverted',
      data: '0x',
    })
  })

  test.each<[string, Hex, string]>([
    ['a loop', '0x5b5f56', 'out of gas'],
    ['INVALID', '0xfe', 'invalid opcode: INVALID'],
    ['an unknown opcode', '0x0c', 'invalid opcode: opcode 0xc not defined'],
    ['an unknown opcode after a jump', '0x6003565b0c', 'invalid opcode: opcode 0xc not defined'],
    ['a jump to no JUMPDEST', '0x5f56', 'invalid jump destination'],
    ['POP without anything', '0x50', 'stack underflow'],
    ['1025 words', `0x${'5f'.repeat(1025)}`, 'stack limit reached 1024 (1023)'],
    ['RETURNDATACOPY beyond the end', '0x60015f5f3e', 'return data out of bounds'],
    ['RETURNDATACOPY beyond the end and all gas', '0x630fffffff5f5f3e', 'out of gas'],
    ['RETURNDATACOPY without anything', '0x3e', 'stack underflow'],
  ])('%s', async (_, code, message) => {
    await expect(
      node.call({ to: CODE, gas: 100_000n }, { state: { [CODE]: { code } } }),
    ).rejects.toMatchObject({ name: 'ExecutionHaltedError', code: -32000, message })
  })

  test('an opcode of a later hardfork has its name', async () => {
    const old = await createExecutionChain({ hardfork: 'london' })
    const state = { [CODE]: { code: '0x5f' } } as const
    await expect(old.call({ to: CODE, gas: 100_000n }, { state })).rejects.toMatchObject({
      message: 'invalid opcode: PUSH0',
    })
  })

  // (1, 1) is not on the curve.
  test.each<[string, string, string, string]>([
    [
      'ADD of bn254: point',
      '06',
      `${word(1n).slice(2)}${word(1n).slice(2)}`,
      'point is not on curve',
    ],
    ['MUL of bn254: coordinate', '07', 'ff'.repeat(33), 'invalid fp.Element encoding'],
    [
      'MUL of bn254: point',
      '07',
      `${word(1n).slice(2)}01${'00'.repeat(40)}`,
      'point is not on curve',
    ],
    ['pairing of bn254: length', '08', '00', 'bad elliptic curve pairing size'],
    ['BLAKE2F: length', '09', '00', 'invalid input length'],
    ['BLAKE2F: final flag', '09', `${'00'.repeat(212)}02`, 'invalid final flag'],
    ['KZG: length', '0a', '00', 'invalid input length'],
    ['KZG: hash', '0a', '00'.repeat(192), 'mismatched versioned hash'],
    ['G1MSM of BLS12-381: nothing', '0c', '', 'invalid input length'],
    ['SHA256: gas', '02', '', 'out of gas'],
  ])('a precompile: %s', async (_, address, input, message) => {
    const to: Hex = `0x${address.padStart(40, '0')}`
    const data: Hex = `0x${input}`
    const gas = address === '02' ? 21_010n : 200_000n
    // Not a revert, whatever the library calls it.
    const halted = { name: 'ExecutionHaltedError', code: -32000, message }
    await expect(node.call({ to, data, gas })).rejects.toMatchObject(halted)
    const moved = { [to]: { movePrecompileToAddress: OTHER } }
    await expect(node.call({ to: OTHER, data, gas }, { state: moved })).rejects.toMatchObject(
      halted,
    )
  })

  test('a write in a static call fails that call alone', async () => {
    // STATICCALL(OTHER) with all gas; OTHER does SSTORE(0, 0).
    const code = returning(`5f5f5f5f73${OTHER.slice(2)}5afa`)
    const state = { [CODE]: { code }, [OTHER]: { code: '0x5f5f55' as const } }
    expect(await node.call({ to: CODE, gas: 200_000n }, { state })).toBe(word(0n))
  })

  test('creations', async () => {
    const create = (data: Hex) => node.call({ from: node.from, data })
    // Init code that returns one byte of code.
    expect(await create('0x60015ff3')).toBe('0x00')
    await expect(create('0x60ef5f5360015ff3')).rejects.toMatchObject({
      message: 'invalid code: must not begin with 0xef',
    })
    // PUSH3 24577, PUSH0, RETURN.
    await expect(create('0x620060015ff3')).rejects.toMatchObject({
      message: 'max code size exceeded',
    })
  })
})

describe('refusals', () => {
  test.each<[string, object, string]>([
    [
      'tip above the fee cap',
      { maxFeePerGas: GWEI, maxPriorityFeePerGas: 2n * GWEI },
      'max priority fee per gas higher than max fee per gas: address FROM, maxPriorityFeePerGas: 2000000000, maxFeePerGas: 1000000000',
    ],
    [
      'both kinds of fees',
      { gasPrice: GWEI, maxFeePerGas: GWEI },
      'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified',
    ],
    ['another chain', { chainId: 1n }, "chainId does not match node's (have=1, want=31337)"],
    [
      'value without funds',
      { from: NOBODY, value: 1n },
      `insufficient funds for gas * price + value: address ${NOBODY} have 0 want 1`,
    ],
    [
      'gas without funds',
      { from: NOBODY, gas: 21_000n, gasPrice: GWEI },
      `insufficient funds for gas * price + value: address ${NOBODY} have 0 want 21000000000000`,
    ],
    ['too little gas', { gas: 20_999n }, 'intrinsic gas too low: have 20999, want 21000'],
    [
      'too little gas for the call data floor',
      { gas: 26_000n, data: `0x${'ff'.repeat(300)}` },
      'insufficient gas for floor data gas cost: have 26000, want 33000',
    ],
    [
      'init code too long',
      { to: undefined, data: `0x${'00'.repeat(49_153)}` },
      'max initcode size exceeded: code size 49153, limit 49152',
    ],
    [
      'no blob',
      { blobVersionedHashes: [], maxFeePerBlobGas: GWEI },
      'blob transaction missing blob hashes',
    ],
    [
      'a blob of another version',
      { blobVersionedHashes: [`0x02${'00'.repeat(31)}`] },
      'blob 0 has invalid hash version',
    ],
    [
      'seven blobs',
      { blobVersionedHashes: Array(7).fill(`0x01${'00'.repeat(31)}`) },
      'blob transaction has too many blobs',
    ],
    [
      'a creation with blobs',
      { to: undefined, blobVersionedHashes: [`0x01${'00'.repeat(31)}`] },
      'blob transaction of type create',
    ],
    [
      'no authorization',
      { authorizationList: [] },
      'EIP-7702 transaction with empty auth list (sender FROM)',
    ],
    [
      'a creation with authorizations',
      { to: undefined, authorizationList: [] },
      'EIP-7702 transaction cannot be used to create contract (sender FROM)',
    ],
  ])('%s', async (_, request, message) => {
    await expect(node.call({ from: node.from, to: NOBODY, ...request })).rejects.toMatchObject({
      code: -32000,
      message: message.replace('FROM', node.from),
      data: undefined,
    })
  })

  test('types that the hardfork lacks', async () => {
    const old = await createExecutionChain({ hardfork: 'shanghai' })
    const blob = { to: NOBODY, blobVersionedHashes: [`0x01${'00'.repeat(31)}`] as Hex[] }
    await expect(old.call(blob)).rejects.toMatchObject({
      message: 'transaction type not supported: type 3 under hardfork shanghai',
    })
    await expect(old.call({ to: NOBODY, authorizationList: [] })).rejects.toMatchObject({
      message: 'transaction type not supported: type 4 under hardfork shanghai',
    })
  })

  test('the machine stays in the pool', async () => {
    const own = await createExecutionChain()
    const executor = await own.engine.executor()
    const { state } = own.chain.pending
    const machine = await executor.acquire(state, own.chain.blockHashes)
    executor.release(machine)
    const failing = { state: { [CODE]: { code: '0xfe' as const } } }
    const requests = [
      () => own.call({ to: NOBODY, gas: 1n }),
      () => own.call({ to: CODE }, failing),
      () => own.call({ from: NOBODY, to: NOBODY, value: 1n }),
    ]
    for (const request of requests) await expect(request()).rejects.toMatchObject({ code: -32000 })
    expect(await executor.acquire(state, own.chain.blockHashes)).toBe(machine)
  })
})
