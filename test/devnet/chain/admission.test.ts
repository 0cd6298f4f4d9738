import { createHash } from 'node:crypto'
import { concatHex, fromRlp, type Hex, keccak256, toRlp } from 'viem'
import { privateKeyToAccount, type SignTransactionParameters } from 'viem/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import { createTestChain, type TestChain } from '../../support/chain.ts'

const TO = '0x00000000000000000000000000000000000000dd'
const GWEI = 10n ** 9n

let node: TestChain

beforeEach(async () => {
  node = await createTestChain()
})

const signer = (index = 0) =>
  privateKeyToAccount(node.accounts[index]?.privateKey ?? `0x${'01'.repeat(32)}`)

const base = {
  type: 'eip1559',
  chainId: 31337,
  nonce: 0,
  to: TO,
  value: 1n,
  gas: 21_000n,
  maxFeePerGas: 10n * GWEI,
  maxPriorityFeePerGas: 1n,
} as const

const sign = (more: object): Promise<Hex> =>
  // The tests also make what viem's types would not allow.
  signer().signTransaction({ ...base, ...more } as SignTransactionParameters['transaction'] & {
    type: 'eip1559'
  })

const versionedHash = (commitment: Hex): Hex => {
  const digest = createHash('sha256')
    .update(Buffer.from(commitment.slice(2), 'hex'))
    .digest()
  digest[0] = 1
  return `0x${digest.toString('hex')}`
}

describe("refused, with the field's words", () => {
  test.each<[string, object, number, RegExp]>([
    [
      'fee cap below the base fee',
      { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n },
      -32000,
      /^max fee per gas less than block base fee: maxFeePerGas: 1, baseFee: 875000000$/,
    ],
    [
      'too little gas',
      { gas: 20_999n },
      -32000,
      /^intrinsic gas too low: gas 20999, minimum needed 21000$/,
    ],
    [
      'too little gas for the call data floor',
      { gas: 26_000n, data: `0x${'ff'.repeat(300)}` },
      -32000,
      /^insufficient gas for floor data gas cost: gas 26000, minimum needed 33000$/,
    ],
    [
      'more gas than a transaction may have',
      { gas: 2n ** 24n + 1n },
      -32000,
      /^transaction gas limit too high \(cap: 16777216, tx: 16777217\)$/,
    ],
    [
      'not enough funds',
      { value: 10_001n * 10n ** 18n },
      -32000,
      /^insufficient funds for gas \* price \+ value: have 10000000000000000000000 want 10001000210000000000000$/,
    ],
    ['another chain', { chainId: 1 }, -32000, /^invalid chain id for signer: have 1 want 31337$/],
    [
      'another chain, legacy',
      {
        type: 'legacy',
        gasPrice: 10n * GWEI,
        maxFeePerGas: undefined,
        maxPriorityFeePerGas: undefined,
        chainId: 5,
      },
      -32000,
      /^invalid chain id for signer: have 5 want 31337$/,
    ],
    [
      'init code too long',
      { to: undefined, gas: 10_000_000n, data: `0x${'00'.repeat(49_153)}` },
      -32000,
      /^max initcode size exceeded: code size 49153, limit 49152$/,
    ],
    ['a nonce that none can follow', { nonce: Number.MAX_SAFE_INTEGER }, 0, /./],
  ])('%s', async (name, more, code, message) => {
    const sending = node.send(await sign(more))
    if (code === 0) {
      // A gap as wide as numbers go: it waits.
      await expect(sending).resolves.toMatch(/^0x/)
      expect(node.chain.mempool.runnableCount).toBe(0)
      return
    }
    await expect(sending).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
    expect(node.chain.mempool.size).toBe(0)
    expect(name).not.toBe('')
  })

  test('tip above the fee cap', async () => {
    // viem does not sign it: the bytes are made by hand, with any signature.
    const fields: Hex[] = ['0x7a69', '0x', '0x05', '0x04', '0x5208', TO, '0x', '0x']
    const raw = concatHex([
      '0x02',
      toRlp([...fields, [], '0x01', `0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`]),
    ])
    await expect(node.send(raw)).rejects.toMatchObject({
      code: -32000,
      message:
        'max priority fee per gas higher than max fee per gas: maxPriorityFeePerGas: 5, maxFeePerGas: 4',
    })
  })

  test('the nonce is used up', async () => {
    await node.send(await sign({}))
    await node.clocks.advanceTicks(1)
    await expect(node.send(await sign({ value: 2n }))).rejects.toMatchObject({
      code: -32000,
      message: 'nonce too low: next nonce 1, tx nonce 0',
    })
  })

  test('already known, in the mempool and pre-confirmed; sealed, its nonce is used up', async () => {
    const raw = await sign({})
    const known = { code: -32000, message: 'already known' }
    await node.send(raw)
    await expect(node.send(raw)).rejects.toMatchObject(known)
    await node.clocks.advanceTicks(1)
    await expect(node.send(raw)).rejects.toMatchObject(known)
    await node.clocks.seal()
    await expect(node.send(raw)).rejects.toMatchObject({
      code: -32000,
      message: 'nonce too low: next nonce 1, tx nonce 0',
    })
    // What only a cheat can do: it runs once more, as on anvil.
    const { address } = signer()
    await node.chain.write((writer) => writer.cheat({ kind: 'setNonce', address, nonce: 0n }))
    const hash = await node.send(raw)
    expect(node.chain.findTransaction(hash)).toMatchObject({ at: 'mempool' })
    await expect(node.send(raw)).rejects.toMatchObject(known)
  })

  test('replacement underpriced', async () => {
    await node.send(await sign({}))
    await expect(node.send(await sign({ value: 2n }))).rejects.toMatchObject({
      code: -32000,
      message: 'replacement transaction underpriced',
    })
  })

  test('on anvil any higher max fee replaces', async () => {
    node = await createTestChain({ anvil: true })
    const fees = { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: GWEI }
    await node.send(await sign(fees))
    for (const refused of [{ value: 2n }, { maxFeePerGas: 10n * GWEI - 1n }]) {
      await expect(node.send(await sign({ ...fees, ...refused }))).rejects.toMatchObject({
        code: -32000,
        message: 'replacement transaction underpriced',
      })
    }
    const hash = await node.send(
      await sign({ maxFeePerGas: 10n * GWEI + 1n, maxPriorityFeePerGas: 1n }),
    )
    expect(node.chain.mempool.transactions().map((one) => one.hash)).toEqual([hash])
  })

  test('the sender is a contract', async () => {
    const { address } = signer()
    await node.chain.write((writer) => writer.cheat({ kind: 'setCode', address, code: '0x00' }))
    await expect(node.send(await sign({}))).rejects.toMatchObject({
      code: -32000,
      message: expect.stringMatching(/^sender not an eoa: address 0xf39f/),
    })
  })

  test('a type that does not exist yet', async () => {
    node = await createTestChain({ hardfork: 'shanghai' })
    const blob = await sign({
      type: 'eip4844',
      maxFeePerBlobGas: GWEI,
      blobVersionedHashes: [versionedHash('0xaa')],
    })
    await expect(node.send(blob)).rejects.toMatchObject({
      code: -32000,
      message: 'transaction type not supported: type 3 under hardfork shanghai',
    })
  })

  test('the mempool is full', async () => {
    node = await createTestChain({ mempoolSize: 1 })
    await node.send(await sign({}))
    await expect(node.send(await sign({ nonce: 1 }))).rejects.toMatchObject({
      code: -32000,
      message: expect.stringMatching(/^txpool is full: 1 transactions wait; raise/),
    })
  })
})

describe('no transaction at all', () => {
  test.each<[string, Hex, number]>([
    ['empty', '0x', -32602],
    ['a byte', '0x02', -32602],
    ['not RLP', '0x02ffffff', -32602],
    ['an unknown type', '0x05c0', -32000],
    ['a list of the wrong length', '0x02c3010203', -32602],
    ['legacy without a signature', toRlp(['0x', '0x01', '0x5208', TO, '0x', '0x']), -32602],
  ])('%s', async (_name, raw, code) => {
    await expect(node.send(raw)).rejects.toMatchObject({ code })
  })

  test('a signature of nobody', async () => {
    const fields: Hex[] = ['0x7a69', '0x', '0x01', '0x3b9aca00', '0x5208', TO, '0x', '0x']
    const raw = concatHex(['0x02', toRlp([...fields, [], '0x01', '0x05', '0x05'])])
    await expect(node.send(raw)).rejects.toMatchObject({
      code: -32000,
      message: 'invalid sender: the signature is not valid',
    })
  })
})

describe('blob transactions', () => {
  const commitment: Hex = `0x${'ab'.repeat(48)}`
  const blob = {
    type: 'eip4844',
    maxFeePerBlobGas: GWEI,
    blobVersionedHashes: [versionedHash(commitment)],
  }

  test('default: bare, pre-confirmed with its blob gas', async () => {
    await node.send(await sign(blob))
    await node.clocks.advanceTicks(1)
    const [executed] = node.chain.pending.executed
    expect(executed).toMatchObject({ success: true, blobGasUsed: 131_072n, blobGasPrice: 1n })
    expect(node.chain.pending.blobGasUsed).toBe(131_072n)
    await node.clocks.seal()
    expect(node.chain.head.header.blobGasUsed).toBe(131_072n)
  })

  const blobBytes: Hex = `0x${'00'.repeat(131_072)}`
  const proof: Hex = `0x${'c0'.padEnd(96, '0')}`
  const cellProofs = Array<Hex>(128).fill(proof)

  /** With a sidecar; its parts follow the transaction. */
  const wrappedIn = async (...parts: readonly (Hex | Hex[])[]): Promise<Hex> => {
    const bare = await sign(blob)
    const payload = fromRlp(`0x${bare.slice(4)}`)
    return concatHex(['0x03', toRlp([payload, ...parts])])
  }
  const wrapped = (commitments: readonly Hex[]) => wrappedIn([blobBytes], [...commitments], [proof])

  test('args: a sidecar with 128 cell proofs a blob (EIP-7594)', async () => {
    const raw = await wrappedIn('0x01', [blobBytes], [commitment], cellProofs)
    expect(await node.send(raw)).toBe(keccak256(await sign(blob)))
  })

  test.each<[string, number, (Hex | Hex[])[]]>([
    [
      'unsupported blob tx version 2: want 1',
      -32602,
      ['0x02', [blobBytes], [commitment], cellProofs],
    ],
    ['unsupported blob tx version 0: want 1', -32602, ['0x', [blobBytes], [commitment], [proof]]],
    [
      'invalid number of 127 blob proofs expected 128: 128 a blob (version 1)',
      -32000,
      ['0x01', [blobBytes], [commitment], cellProofs.slice(1)],
    ],
    [
      'invalid number of 128 blob proofs expected 1: one a blob (version 0)',
      -32000,
      [[blobBytes], [commitment], cellProofs],
    ],
    [
      'invalid number of 0 blob proofs expected 1: one a blob (version 0)',
      -32000,
      [[blobBytes], [commitment], []],
    ],
    [
      'blob 0 of the blob sidecar has 131071 bytes and not 131072',
      -32602,
      ['0x01', [`0x${'00'.repeat(131_071)}`], [commitment], cellProofs],
    ],
    [
      'commitment 0 of the blob sidecar has 49 bytes and not 48',
      -32602,
      ['0x01', [blobBytes], [`${commitment}ab`], cellProofs],
    ],
    [
      'proof 127 of the blob sidecar has 0 bytes and not 48',
      -32602,
      ['0x01', [blobBytes], [commitment], [...cellProofs.slice(1), '0x']],
    ],
    ['blob sidecar is malformed', -32602, ['0x01', [blobBytes], [commitment]]],
    ['blob sidecar is malformed', -32602, ['0x01', [blobBytes], [commitment], cellProofs, []]],
  ])('a wrong sidecar: %s', async (message, code, parts) => {
    await expect(node.send(await wrappedIn(...parts))).rejects.toMatchObject({ code, message })
  })

  test('args: with its sidecar: the same hash as bare', async () => {
    const hash = await node.send(await wrapped([commitment]))
    node = await createTestChain()
    expect(await node.send(await sign(blob))).toBe(hash)
  })

  test('a sidecar that belongs to other hashes', async () => {
    await expect(node.send(await wrapped([`0x${'cd'.repeat(48)}`]))).rejects.toMatchObject({
      code: -32000,
      message: 'blob 0 does not belong to its versioned hash',
    })
  })

  test('the blob fee cap is below the price', async () => {
    await expect(node.send(await sign({ ...blob, maxFeePerBlobGas: 0n }))).rejects.toMatchObject({
      code: -32000,
      message:
        'max fee per blob gas less than block blob gas fee: maxFeePerBlobGas: 0, blobBaseFee: 1',
    })
  })
})

test('unprotected legacy transactions are accepted, as keyless deployments need', async () => {
  const raw = await sign({
    type: 'legacy',
    chainId: undefined,
    gasPrice: 10n * GWEI,
    maxFeePerGas: undefined,
    maxPriorityFeePerGas: undefined,
  })
  await node.send(raw)
  await node.clocks.advanceTicks(1)
  expect(node.chain.pending.executed.length).toBe(1)
})
