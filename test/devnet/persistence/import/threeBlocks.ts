import type { Hex, TransactionSerializableEIP1559 } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { type LoadedChain, loadChain } from '../../../../devnet/node/loadChain.ts'
import { type OptionsInput, resolveOptions } from '../../../../devnet/options/options.ts'
import { concatBytes } from '../../../../devnet/primitives/bytes.ts'
import { ChainFileError } from '../../../../devnet/primitives/errors.ts'
import { encodeBlock, type SealedBlock } from '../../../../devnet/protocol/block.ts'
import type { BlockHeader } from '../../../../devnet/protocol/header.ts'
import { IndexTrie } from '../../../../devnet/state/trie/indexTrie.ts'
import { createTestChain, START, type TestChain } from '../../../support/chain.ts'
import { BLOCK_FORKS, genesisOf, temporaryFile } from '../../../support/genesisFile.ts'

/** Under Prague from the genesis on. */
export const GENESIS = genesisOf(
  { ...BLOCK_FORKS, shanghaiTime: 0, cancunTime: 0, pragueTime: 0 },
  { timestamp: START - 100 },
)

/** Creates a contract that logs its caller. */
const LOGGER = '0x6007600c60003960076000f3335f5fa160015f55'

export const TO: Hex = `0x${'dd'.repeat(20)}`

/** A chain of three blocks: two transactions, none, three; and what can be made of it. */
export class ThreeBlocks {
  readonly node: TestChain

  private constructor(node: TestChain) {
    this.node = node
  }

  static async create(): Promise<ThreeBlocks> {
    const node = await createTestChain({ genesis: temporaryFile('genesis.json', GENESIS) })
    const blocks = new ThreeBlocks(node)
    const transfers = [1n, 2n, 3n].map((value) => ({ value }))
    let nonce = 0
    for (const drafts of [[{ to: null, data: LOGGER } as const, { value: 5n }], [], transfers]) {
      for (const draft of drafts) await node.send(await blocks.sign({ ...draft, nonce: nonce++ }))
      await node.clocks.advanceBlocks(1)
    }
    return blocks
  }

  /** The first account. */
  get signer(): PrivateKeyAccount {
    return privateKeyToAccount(this.node.accounts[0]?.privateKey ?? '0x')
  }

  /** A transaction of the first account. */
  sign(draft: Partial<TransactionSerializableEIP1559>): Promise<Hex> {
    return this.signer.signTransaction({
      type: 'eip1559',
      chainId: 4242,
      to: TO,
      gas: 200_000n,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 1n,
      ...draft,
    })
  }

  block(number: number): SealedBlock {
    const block = this.node.chain.history.byNumber(number)
    if (block === undefined) throw new Error(`No block ${number}`)
    return block
  }

  encoded(number: number): Uint8Array {
    return encodeBlock(this.block(number))
  }

  /** Where the third block begins in a file of all. */
  get third(): number {
    return this.encoded(1).length + this.encoded(2).length
  }

  /** The chain whose third block has another header, or other contents. */
  withThird(header: Partial<BlockHeader>, contents: Partial<SealedBlock> = {}): Uint8Array {
    const block = this.block(3)
    const changed = { ...block, ...contents, header: { ...block.header, ...header } }
    return concatBytes(this.encoded(1), this.encoded(2), encodeBlock(changed))
  }

  /** The chain whose third block has this transaction in place of its last one, with the root that belongs to it. */
  withTransaction(raw: Uint8Array): Uint8Array {
    const executed = this.block(3).executed.map((one, index) =>
      index === 2 ? { ...one, transaction: { ...one.transaction, raw } } : one,
    )
    const transactionsRoot = IndexTrie.empty(this.node.engine.crypto.keccak256)
      .append(
        executed.map(({ transaction }) => transaction.raw),
        0,
      )
      .rootHash()
    return this.withThird({ transactionsRoot }, { executed })
  }
}

/** What a node that imports these bytes goes on from. */
export function load(
  bytes: Uint8Array,
  { genesis = GENESIS, ...more }: Omit<OptionsInput, 'genesis'> & { genesis?: object } = {},
): Promise<LoadedChain> {
  const files = {
    genesis: temporaryFile('genesis.json', genesis),
    import: temporaryFile('chain.rlp', bytes),
  }
  return loadChain(resolveOptions({ ...files, ...more }), new AbortController().signal)
}

/** The sentence with which an import fails, without the folders of its file. */
export async function failure(...parts: Parameters<typeof load>): Promise<string> {
  try {
    await load(...parts)
  } catch (error) {
    if (!(error instanceof ChainFileError)) throw error
    return error.message.replace(/^\S*-chain\.rlp/, 'chain.rlp')
  }
  throw new Error('The chain was imported')
}

export const OTHER_HASH: Uint8Array = new Uint8Array(32).fill(7)
