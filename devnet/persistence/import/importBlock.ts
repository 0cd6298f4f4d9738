import { executeListed } from '../../chain/building/executeListed.ts'
import { openBlock } from '../../chain/building/openPendingBlock.ts'
import { sealBlock } from '../../chain/building/sealing.ts'
import type { ChainBase } from '../../chain/chainBase.ts'
import type { Engine } from '../../engine/engine.ts'
import { sameBytes, ZERO_HASH } from '../../primitives/bytes.ts'
import { toHex } from '../../primitives/hex.ts'
import { InvalidBlockError, type SealedBlock, unclesHash } from '../../protocol/block.ts'
import { decodeBlockAccessList } from '../../protocol/blockAccessList.ts'
import { type BlockEnvironment, headerContext } from '../../protocol/environment.ts'
import { withdrawalsRoot } from '../../protocol/withdrawals.ts'
import { IndexTrie } from '../../state/trie/indexTrie.ts'
import type { DecodedBlock } from './decodeBlock.ts'
import { expectSame, verifyHeader } from './verifyHeader.ts'

/**
 * Executes a block on top of `base` as this node executes its own blocks, and appends it. All
 * results of the execution must match the header.
 *
 * @param signal - cancels the execution when aborted
 * @throws {InvalidBlockError} if the block breaks a rule; `store` may then hold some of its changes
 */
export async function importBlock(
  block: DecodedBlock,
  base: ChainBase,
  engine: Engine,
  signal: AbortSignal | undefined,
): Promise<SealedBlock> {
  const { header } = block
  const { history, store } = base
  const parent = history.head
  const rules = engine.schedule.at(header.number, header.timestamp)
  verifyHeader(header, parent, rules)
  if (rules.blockSizeCap !== undefined && block.size > rules.blockSizeCap) {
    throw new InvalidBlockError(`has ${block.size} bytes, expected ${rules.blockSizeCap} at most`)
  }
  verifyBody(block, engine)
  verifyUncles(block)
  const environment: BlockEnvironment = {
    parent,
    rules,
    ...headerContext({ header, rules }),
    excessBlobGas: header.excessBlobGas ?? 0n,
    parentBeaconBlockRoot: header.parentBeaconBlockRoot ?? ZERO_HASH,
  }
  const opened = openBlock(environment, { engine, store })
  const blockHashes = (number: bigint) => history.hashOf(Number(number)) ?? ZERO_HASH
  const { view } = await executeListed(block, opened, { engine, store, blockHashes }, signal)
  const contents = { ...block, extraData: header.extraData, nonce: header.nonce }
  const sealed = await sealBlock(view, { engine, store, blockHashes, contents })
  for (const field of RESULTS) {
    const [got, expected] = [header[field], sealed.header[field]]
    if (got !== undefined && expected !== undefined) expectSame(field, got, expected)
  }
  if (sealed.accessList !== undefined) verifyListSize(sealed.accessList, header.gasLimit)
  // Catches whatever the checks above do not: children name their parent by this hash.
  if (!sameBytes(block.hash, sealed.hashBytes)) {
    throw new InvalidBlockError(
      `has hash ${toHex(block.hash)}, but its execution makes a block with hash ${sealed.hash}`,
    )
  }
  history.push(sealed)
  return sealed
}

/** Compares the body with the roots in the header. */
function verifyBody(block: DecodedBlock, { crypto: { keccak256 } }: Engine): void {
  const { header } = block
  const transactions = IndexTrie.empty(keccak256).append(block.transactions, 0).rootHash()
  expectSame('transactionsRoot', header.transactionsRoot, transactions)
  expectSame('sha3Uncles', header.sha3Uncles, unclesHash(block.uncles, keccak256))
  const hasRoot = header.withdrawalsRoot !== undefined
  if (hasRoot !== block.hasWithdrawals) {
    throw new InvalidBlockError(`has ${hasRoot ? 'no list of' : 'a list of'} withdrawals`)
  }
  if (header.withdrawalsRoot === undefined) return
  const root = withdrawalsRoot(block.withdrawals, keccak256)
  expectSame('withdrawalsRoot', header.withdrawalsRoot, root)
}

/** Maximum number of uncles in one block. */
const MOST_UNCLES = 2

/** An uncle is a sibling of one of so many ancestors. */
const UNCLE_REACH = 6n

/** Checks what the rewards of uncles follow from; their headers are not verified. */
function verifyUncles({ header: { number }, uncles }: DecodedBlock): void {
  if (uncles.length > MOST_UNCLES) {
    throw new InvalidBlockError(`has ${uncles.length} uncles, expected ${MOST_UNCLES} at most`)
  }
  for (const [index, { header }] of uncles.entries()) {
    if (header.number < number && header.number >= number - UNCLE_REACH) continue
    throw new InvalidBlockError(
      `has uncle ${index} with number ${header.number}, expected ${number - UNCLE_REACH} to ${number - 1n}`,
    )
  }
}

/** Gas of a block for each item of its access list (EIP-7928). */
const ITEM_COST = 2000n

function verifyListSize(list: Uint8Array, gasLimit: bigint): void {
  const items = decodeBlockAccessList(list).reduce(
    (sum, { storageChanges, storageReads }) =>
      sum + 1 + storageChanges.length + storageReads.length,
    0,
  )
  const most = gasLimit / ITEM_COST
  if (BigInt(items) <= most) return
  throw new InvalidBlockError(`has ${items} items in its access list, expected ${most} at most`)
}

/** Header fields that execution computes, causes before effects: the first mismatch is reported. */
const RESULTS = [
  'gasUsed',
  'blobGasUsed',
  'receiptsRoot',
  'logsBloom',
  'requestsHash',
  'blockAccessListHash',
  'stateRoot',
] as const
