import {
  concatHex,
  fromRlp,
  type Hex,
  sha256,
  type TransactionSerializableEIP1559,
  toRlp,
} from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { decodeBlock } from '../../../../devnet/persistence/import/decodeBlock.ts'
import { importBlock } from '../../../../devnet/persistence/import/importBlock.ts'
import { concatBytes } from '../../../../devnet/primitives/bytes.ts'
import { fromHex, toHex } from '../../../../devnet/primitives/hex.ts'
import { encodeBlock } from '../../../../devnet/protocol/block.ts'
import type { BlockHeader } from '../../../../devnet/protocol/header.ts'
import { failure, load, OTHER_HASH, ThreeBlocks, TO } from './threeBlocks.ts'

let three: ThreeBlocks
beforeAll(async () => {
  three = await ThreeBlocks.create()
})

describe('a block that breaks a rule', () => {
  const word = (
    field: keyof BlockHeader,
    made: () => Uint8Array,
  ): [string, () => [Partial<BlockHeader>, string]] => [
    field,
    () => [{ [field]: OTHER_HASH }, `${field} ${toHex(OTHER_HASH)}, expected ${toHex(made())}`],
  ]
  const head = () => three.block(3).header

  test.each<[string, () => [Partial<BlockHeader>, string]]>([
    word('parentHash', () => three.block(2).hashBytes),
    word('stateRoot', () => head().stateRoot),
    word('receiptsRoot', () => head().receiptsRoot),
    word('transactionsRoot', () => head().transactionsRoot),
    word('sha3Uncles', () => head().sha3Uncles),
    word('withdrawalsRoot', () => head().withdrawalsRoot ?? OTHER_HASH),
    word('requestsHash', () => head().requestsHash ?? OTHER_HASH),
    ['gasUsed', () => [{ gasUsed: 63_001n }, 'gasUsed 63001, expected 63000']],
    [
      'gasUsed above the limit',
      () => [{ gasUsed: 30_000_001n }, 'gasUsed 30000001 above its gasLimit 30000000'],
    ],
    ['blobGasUsed', () => [{ blobGasUsed: 131_072n }, 'blobGasUsed 131072, expected 0']],
    [
      'too many blobs',
      () => [{ blobGasUsed: 10n * 131_072n }, 'blobGasUsed 1310720, expected 1179648 at most'],
    ],
    ['excessBlobGas', () => [{ excessBlobGas: 1n }, 'excessBlobGas 1, expected 0']],
    [
      'baseFeePerGas',
      () => [{ baseFeePerGas: 7n }, `baseFeePerGas 7, expected ${head().baseFeePerGas}`],
    ],
    [
      'gasLimit',
      () => [{ gasLimit: 30_029_296n }, 'gasLimit 30029296, expected 29970705 to 30029295'],
    ],
    [
      'timestamp',
      () => [
        { timestamp: three.block(2).header.timestamp },
        `timestamp ${three.block(2).header.timestamp}, expected more than its parent's ${three.block(2).header.timestamp}`,
      ],
    ],
    ['difficulty', () => [{ difficulty: 1n }, 'difficulty 1, expected 0']],
    [
      'nonce',
      () => [
        { nonce: new Uint8Array(8).fill(1) },
        'nonce 0x0101010101010101, expected 0x0000000000000000',
      ],
    ],
    [
      'extraData',
      () => [{ extraData: new Uint8Array(33) }, '33 bytes of extraData, expected 32 at most'],
    ],
    [
      'logsBloom',
      () => [
        { logsBloom: new Uint8Array(256).fill(1) },
        `logsBloom 0x${'01'.repeat(256)}, expected 0x${'00'.repeat(256)}`,
      ],
    ],
  ])('error: %s', async (_, make) => {
    const [header, problem] = make()
    expect(await failure(three.withThird(header))).toBe(
      `chain.rlp, byte ${three.third}: block 3 has ${problem}.`,
    )
  })

  test('error: the fields of another hardfork', async () => {
    const { requestsHash, ...cancun } = head()
    const block = encodeBlock({ ...three.block(3), header: cancun })
    const bytes = concatBytes(three.encoded(1), three.encoded(2), block)
    expect(await failure(bytes)).toBe(
      `chain.rlp, byte ${three.third}: block 3 has no requestsHash, which every block of prague has.`,
    )
    expect(requestsHash).toBeDefined()
  })

  test('error: withdrawals that are not in its root', async () => {
    const withdrawals = [{ index: 1n, validatorIndex: 2n, address: TO, amount: 3n }]
    expect(await failure(three.withThird({}, { withdrawals }))).toMatch(
      /block 3 has withdrawalsRoot 0x56e8\w+, expected 0x/,
    )
  })

  test('error: uncles after the merge', async () => {
    const uncles = [{ header: head(), hash: TO }]
    expect(await failure(three.withThird({}, { uncles }))).toMatch(
      /block 3 has sha3Uncles 0x1dcc\w+, expected 0x/,
    )
  })
})

test('error: a hash that is not that of the executed block', async () => {
  const { base, engine } = await load(concatBytes(three.encoded(1), three.encoded(2)))
  const block = decodeBlock(three.encoded(3), engine.crypto.keccak256)
  const imported = importBlock({ ...block, hash: OTHER_HASH }, base, engine, undefined)
  await expect(imported).rejects.toThrow(
    `has hash ${toHex(OTHER_HASH)}, but its execution makes a block with hash ${three.block(3).hash}`,
  )
  expect(base.history.head.number).toBe(2)
})

describe('a transaction that no block can hold', () => {
  async function problemOf(draft: Partial<TransactionSerializableEIP1559>) {
    const raw = fromHex(await three.sign({ nonce: 4, ...draft }))
    const message = await failure(three.withTransaction(raw))
    const hash = toHex(three.node.engine.crypto.keccak256(raw))
    const start = `chain.rlp, byte ${three.third}: block 3 has transaction 2 (${hash}), `
    expect(message.startsWith(start)).toBe(true)
    return message.slice(start.length)
  }

  test.each<[string, Partial<TransactionSerializableEIP1559>, string]>([
    ['nonce too low', { nonce: 3 }, "whose nonce is below its sender's."],
    ['nonce too high', { nonce: 5 }, "whose nonce is above its sender's."],
    ['not enough funds', { value: 10n ** 25n }, 'whose sender cannot pay for it.'],
    ['fee cap too low', { maxFeePerGas: 1n }, "whose fee cap is below the block's."],
    [
      'more gas than there is',
      { gas: 30_000_000n },
      'which asks for more gas than the block has left.',
    ],
    [
      'too little gas',
      { gas: 20_000n },
      'which is refused: intrinsic gas too low: gas 20000, minimum needed 21000.',
    ],
    [
      'the floor of the call data',
      { data: `0x${'11'.repeat(100)}`, gas: 24_000n },
      'which is refused: insufficient gas for floor data gas cost: gas 24000, minimum needed 25000.',
    ],
    [
      'another chain',
      { chainId: 1 },
      'which is refused: invalid chain id for signer: have 1 want 4242.',
    ],
  ])('error: %s', async (_, draft, problem) => {
    expect(await problemOf(draft)).toBe(problem)
  })

  test('error: a signature that belongs to no key', async () => {
    const raw = fromHex(await three.sign({ nonce: 4 })).slice()
    raw.fill(0xff, raw.length - 65, raw.length - 33)
    expect(await failure(three.withTransaction(raw))).toMatch(
      /block 3 has transaction 2 \(0x\w{64}\), which is refused: invalid sender: the signature is not valid\.$/,
    )
  })

  test('error: a blob transaction with its sidecar', async () => {
    const commitment: Hex = `0x${'c0'.repeat(48)}`
    const bare = await three.signer.signTransaction({
      type: 'eip4844',
      chainId: 4242,
      nonce: 4,
      to: TO,
      gas: 21_000n,
      maxFeePerGas: 10n ** 10n,
      maxFeePerBlobGas: 10n ** 9n,
      blobVersionedHashes: [`0x01${sha256(commitment).slice(4)}`],
    })
    const payload = fromRlp(`0x${bare.slice(4)}`)
    const sidecar = [['0x00'], [commitment], ['0x00']] as const
    for (const wrapper of [
      [payload, ...sidecar],
      [payload, '0x01', ...sidecar],
    ] as const) {
      const raw = fromHex(concatHex(['0x03', toRlp(wrapper)]))
      const hash = toHex(three.node.engine.crypto.keccak256(raw))
      expect(await failure(three.withTransaction(raw))).toBe(
        `chain.rlp, byte ${three.third}: block 3 has transaction 2 (${hash}), which is refused: ` +
          'a blob transaction in a block must not have its sidecar.',
      )
    }
    // Without it, only the results of the execution differ.
    expect(await failure(three.withTransaction(fromHex(bare)))).toMatch(/block 3 has blobGasUsed 0/)
  })

  test('error: bytes that are no transaction', async () => {
    expect(await failure(three.withTransaction(Uint8Array.of(0x05, 0x01)))).toMatch(
      /block 3 has transaction 2 \(0x\w{64}\), which is refused: transaction type not supported: type 5 under hardfork prague\.$/,
    )
  })
})
