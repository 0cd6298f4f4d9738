import { decodeFunctionResult, type Hex, numberToHex, pad } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import type { PendingView } from '../../../devnet/chain/building/pendingView.ts'
import type { SealedBlock } from '../../../devnet/protocol/block.ts'
import {
  CODE,
  createExecutionChain,
  ETHER,
  type ExecutionChain,
  GAS_CAP,
  GWEI,
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

  test('commits nothing', async () => {
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

  test('without fees the base fee is 0', async () => {
    expect(await run('48')).toBe(word(0n))
    expect(await run('3a')).toBe(word(0n))
    expect(await run('48', {}, { header: { baseFeePerGas: 7n } })).toBe(word(0n))
  })

  test('with less than the base fee, too, as on hardhat node', async () => {
    for (const fees of [{ maxFeePerGas: 1n }, { gasPrice: 1n }]) {
      expect(await run('48', fees)).toBe(word(0n))
    }
    // GASPRICE.
    expect(await run('3a', { gasPrice: 1n })).toBe(word(1n))
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

  test('the nonce is not checked', async () => {
    expect(await run('33', { nonce: 77n })).toBe(pad(node.from))
  })

  test('an account with code may call, and keeps its code', async () => {
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
