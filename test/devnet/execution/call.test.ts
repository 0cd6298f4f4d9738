import { decodeFunctionResult, encodeErrorResult, type Hex, numberToHex, pad } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SealedBlock } from '../../../devnet/chain/block.ts'
import type { PendingView } from '../../../devnet/chain/pendingView.ts'
import { artifact } from '../../support/solidity.ts'
import {
  CODE,
  createExecutionChain,
  ETHER,
  type ExecutionChain,
  GAS_CAP,
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

/** What `code` returns when `request` calls it. */
const run = (code: string, request: object = {}, changes: object = {}) =>
  node.call(
    { from: node.from, to: CODE, ...request },
    { state: { [CODE]: { code: returning(code) } }, ...changes },
  )

describe('blocks', () => {
  test('default: on the pending state, in the pending block', async () => {
    const own = await createExecutionChain()
    const { address, abi, encode } = await own.deploy('Playground')
    await own.seal()
    await own.send({ to: address, data: encode('store', 7n, 42n) })
    await own.tick()
    const stored = (block: SealedBlock | PendingView) =>
      own.call({ to: address, data: encode('stored', 7n) }, { block })
    expect(await stored(own.chain.pending)).toBe(word(42n))
    expect(await stored(own.chain.head)).toBe(word(0n))
    const environment = async (block: SealedBlock | PendingView) =>
      decodeFunctionResult({
        abi,
        functionName: 'environment',
        data: await own.call({ to: address, data: encode('environment') }, { block }),
      })
    const pending = own.chain.pending.environment
    const latest = own.chain.head
    const genesis = own.chain.history.byNumber(0)
    const coinbase = '0xC014BA5EC014ba5ec014Ba5EC014ba5Ec014bA5E'
    expect(await environment(own.chain.pending)).toEqual([
      2n,
      pending.timestamp,
      0n,
      coinbase,
      BigInt(`0x${Buffer.from(pending.prevRandao).toString('hex')}`),
      latest.hash,
    ])
    expect(await environment(latest)).toEqual([
      1n,
      latest.header.timestamp,
      0n,
      coinbase,
      BigInt(`0x${Buffer.from(latest.header.mixHash).toString('hex')}`),
      genesis?.hash,
    ])
  })

  test('behavior: commits nothing', async () => {
    const own = await createExecutionChain()
    const before = own.chain.store.head
    const { pending } = own.chain
    // SSTORE(0, 1), and value to an account that does not exist.
    await own.call(
      { from: own.from, to: CODE, value: 5n },
      { state: { [CODE]: { code: '0x60015f55' } } },
    )
    expect(own.chain.store.head).toBe(before)
    expect(own.chain.pending).toBe(pending)
    expect(await own.call({ to: CODE }, { state: { [CODE]: { code: returning('5f54') } } })).toBe(
      word(0n),
    )
  })
})

describe('failures', () => {
  test('behavior: reverts with a reason, a panic, an error of its own and nothing', async () => {
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
    ['RETURNDATACOPY beyond the end', '0x60015f5f3e', 'out of gas'],
  ])('behavior: %s', async (_, code, message) => {
    await expect(
      node.call({ to: CODE, gas: 100_000n }, { state: { [CODE]: { code } } }),
    ).rejects.toMatchObject({ name: 'ExecutionHaltedError', code: -32000, message })
  })

  test('behavior: a write in a static call fails that call alone', async () => {
    // STATICCALL(OTHER) with all gas; OTHER does SSTORE(0, 0).
    const code = returning(`5f5f5f5f73${OTHER.slice(2)}5afa`)
    const state = { [CODE]: { code }, [OTHER]: { code: '0x5f5f55' as const } }
    expect(await node.call({ to: CODE, gas: 200_000n }, { state })).toBe(word(0n))
  })

  test('behavior: creations', async () => {
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
      'fee cap below the base fee',
      { maxFeePerGas: 1n },
      'max fee per gas less than block base fee: address FROM, maxFeePerGas: 1, baseFee: 875000000',
    ],
    [
      'gas price below the base fee',
      { gasPrice: 7n },
      'max fee per gas less than block base fee: address FROM, maxFeePerGas: 7, baseFee: 875000000',
    ],
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
  ])('behavior: %s', async (_, request, message) => {
    await expect(node.call({ from: node.from, to: NOBODY, ...request })).rejects.toMatchObject({
      code: -32000,
      message: message.replace('FROM', node.from),
      data: undefined,
    })
  })

  test('behavior: types that the hardfork lacks', async () => {
    const old = await createExecutionChain({ hardfork: 'shanghai' })
    const blob = { to: NOBODY, blobVersionedHashes: [`0x01${'00'.repeat(31)}`] as Hex[] }
    await expect(old.call(blob)).rejects.toMatchObject({
      message: 'transaction type not supported: type 3 under hardfork shanghai',
    })
    await expect(old.call({ to: NOBODY, authorizationList: [] })).rejects.toMatchObject({
      message: 'transaction type not supported: type 4 under hardfork shanghai',
    })
  })

  test('behavior: the machine stays in the pool', async () => {
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

describe('gas', () => {
  // GAS costs 2, a call 21,000.
  test.each<[string, bigint | undefined, bigint, bigint]>([
    ['the cap by default', undefined, GAS_CAP, GAS_CAP],
    ['as asked for', 100_000n, GAS_CAP, 100_000n],
    ['above the limit of transactions', 2n ** 25n, GAS_CAP, 2n ** 25n],
    ['above the block gas limit', 100_000_000n, 200_000_000n, 100_000_000n],
    ['cut to the cap', 100_000n, 50_000n, 50_000n],
  ])('args: gas: %s', async (_, gas, gasCap, expected) => {
    expect(await run('5a', { gas }, { gasCap })).toBe(word(expected - 21_000n - 2n))
  })

  test('args: access list', async () => {
    // GAS, SLOAD(0), POP, GAS, SWAP1, SUB: what the SLOAD cost.
    const code = '5a5f54505a9003'
    const accessList = [{ address: CODE, storageKeys: [word(0n)] }]
    expect(await run(code)).toBe(word(2100n + 6n))
    expect(await run(code, { accessList })).toBe(word(100n + 6n))
    expect(await run(code, { accessList, gasPrice: GWEI, gas: 100_000n })).toBe(word(100n + 6n))
  })
})

describe('fees', () => {
  const paid = { gas: 100_000n }

  test('behavior: without fees the base fee is 0', async () => {
    expect(await run('48')).toBe(word(0n))
    expect(await run('3a')).toBe(word(0n))
    expect(await run('48', {}, { header: { baseFeePerGas: 7n } })).toBe(word(0n))
  })

  test('args: fees', async () => {
    const base = node.chain.pending.environment.baseFeePerGas
    expect(await run('48', { ...paid, maxFeePerGas: 2n * GWEI })).toBe(word(base))
    expect(await run('3a', { ...paid, maxFeePerGas: 2n * GWEI, maxPriorityFeePerGas: 5n })).toBe(
      word(base + 5n),
    )
    expect(await run('3a', { ...paid, gasPrice: 3n * GWEI })).toBe(word(3n * GWEI))
    // The gas is paid for beforehand: BALANCE of the caller.
    expect(await run('3331', { ...paid, gasPrice: GWEI })).toBe(
      word(10_000n * ETHER - 100_000n * GWEI),
    )
  })

  test('args: blobs', async () => {
    const hash: Hex = `0x01${'ab'.repeat(31)}`
    const blobVersionedHashes = [hash]
    expect(await run('5f49', { blobVersionedHashes })).toBe(hash)
    expect(await run('4a')).toBe(word(1n))
    expect(await run('4a', { blobVersionedHashes })).toBe(word(0n))
    expect(await run('4a', { blobVersionedHashes, maxFeePerBlobGas: 2n })).toBe(word(1n))
    await expect(
      run('4a', { blobVersionedHashes, maxFeePerBlobGas: 2n }, { header: { blobBaseFee: 3n } }),
    ).rejects.toMatchObject({
      message: `max fee per blob gas less than block blob gas fee: address ${node.from} blobGasFeeCap: 2, blobBaseFee: 3`,
    })
  })
})

describe('senders', () => {
  test('default: the zero address', async () => {
    expect(await run('33', { from: undefined })).toBe(word(0n))
  })

  test('behavior: the nonce is not checked', async () => {
    expect(await run('33', { nonce: 77n })).toBe(pad(node.from))
  })

  test('behavior: an account with code may call, and keeps its code', async () => {
    // EXTCODEHASH(CALLER) is that of the code, not of none.
    const hash = await node.call(
      { from: OTHER, to: CODE },
      { state: { [CODE]: { code: returning('333f') }, [OTHER]: { code: '0x00' } } },
    )
    expect(hash).toBe('0xbc36789e7a1e281436464229828f817d6612f7b477d66591ff96a9e064bcc98a')
  })

  test('args: authorization list', async () => {
    const authority = node.account(3)
    const signed = await authority.signAuthorization({
      address: CODE,
      chainId: node.options.chainId,
      nonce: 0,
    })
    const authorization = {
      chainId: BigInt(signed.chainId),
      address: CODE,
      nonce: 0n,
      yParity: BigInt(signed.yParity ?? 0),
      r: BigInt(signed.r),
      s: BigInt(signed.s),
    }
    const request = { to: authority.address.toLowerCase() as Hex }
    const state = { [CODE]: { code: returning('602a') } }
    expect(await node.call(request, { state })).toBe('0x')
    expect(await node.call({ ...request, authorizationList: [authorization] }, { state })).toBe(
      word(42n),
    )
  })
})
