import type { Engine } from '../../engine/engine.ts'
import type { Scheduler } from '../../engine/scheduler.ts'
import { EMPTY_BYTES } from '../../primitives/bytes.ts'
import { ChainFileError } from '../../primitives/errors.ts'
import { fromHex, type Hex, toHex } from '../../primitives/hex.ts'
import { RlpError } from '../../primitives/rlpReader.ts'
import { type BlockBody, type SealedBlock, unclesHash } from '../../protocol/block.ts'
import { decodeBlockAccessList } from '../../protocol/blockAccessList.ts'
import { blobBaseFee } from '../../protocol/fees.ts'
import { type ForkRules, initCodeLimit, sharedRules } from '../../protocol/forks.ts'
import { hashHeader } from '../../protocol/header.ts'
import { type ExecutedTransaction, encodeReceipts, makeExecuted } from '../../protocol/receipt.ts'
import { type ChainTransaction, createdAddress } from '../../protocol/transaction.ts'
import { type Withdrawal, withdrawalsRoot } from '../../protocol/withdrawals.ts'
import { IndexTrie } from '../../state/trie/indexTrie.ts'
import { expectSame } from '../import/verifyHeader.ts'
import type { JsonFields } from '../jsonFields.ts'
import { type BlockEntry, headerFromJson, outcomeFromJson } from './blockJson.ts'
import { type ReadTransaction, transactionFromJson } from './transactionJson.ts'

export type RestoredBlock = Omit<SealedBlock, 'version' | 'sealedVersion' | 'trie'>

export interface BlockSource {
  /** Name of the dump in errors. */
  readonly label: string
  readonly engine: Engine
  readonly scheduler: Scheduler
  readonly read: ReadTransaction
  /** Rules of a block. @throws {ChainFileError} if no hardfork has such headers */
  rulesOf(entry: BlockEntry): ForkRules
  /** The entries of `transactions`, grouped by block hash and sorted by transaction index. */
  readonly receipts: ReadonlyMap<Hex, readonly JsonFields[]>
  /** True if the dump names the inner frames of its transactions. */
  readonly tellsFrames: boolean
}

/**
 * Reads a block of a dump, and compares its content with its header. Yields regularly.
 *
 * @throws {ChainFileError} if it is malformed, or they differ
 */
export async function restoreBlock(entry: BlockEntry, source: BlockSource): Promise<RestoredBlock> {
  const { json, header, hash, hashBytes } = entry
  const { keccak256 } = source.engine.crypto
  const fail = (problem: string) =>
    new ChainFileError(`${source.label}: block ${header.number} ${problem}.`)
  const rules = source.rulesOf(entry)
  const body = bodyFromJson(json, keccak256)
  expectSame('sha3Uncles', header.sha3Uncles, unclesHash(body.uncles, keccak256), fail)
  if (header.withdrawalsRoot !== undefined) {
    const root = withdrawalsRoot(body.withdrawals, keccak256)
    expectSame('withdrawalsRoot', header.withdrawalsRoot, root, fail)
  }
  const executed = await restoreExecuted(entry, rules, source)
  const trie = (values: Uint8Array[]) => IndexTrie.empty(keccak256).append(values, 0).rootHash()
  const raws = executed.map(({ transaction }) => transaction.raw)
  expectSame('transactionsRoot', header.transactionsRoot, trie(raws), fail)
  expectSame('receiptsRoot', header.receiptsRoot, trie(encodeReceipts(executed)), fail)
  // Since EIP-7778, the gas of a block is not the sum of its receipts.
  if (!rules.stateGas) {
    expectSame('gasUsed', header.gasUsed, executed.at(-1)?.cumulativeGasUsed ?? 0n, fail)
  }
  const accessList = accessListFromJson(json)
  if (accessList !== undefined) {
    const hash = header.blockAccessListHash ?? EMPTY_BYTES
    expectSame('blockAccessListHash', hash, keccak256(accessList), fail)
  }
  const number = Number(header.number)
  return { header, rules, ...body, number, hash, hashBytes, executed, steps: [], accessList }
}

/** `undefined` in a dump of anvil, which keeps no access lists. */
function accessListFromJson(json: JsonFields): Uint8Array | undefined {
  const hex = json.bytes('access_list')
  if (hex === undefined) return undefined
  const list = fromHex(hex)
  try {
    decodeBlockAccessList(list)
  } catch (error) {
    if (error instanceof RlpError) throw json.error('access_list', error.message)
    throw error
  }
  return list
}

/** `rules` with the terms that a block's transactions show: anvil's dumps do not name them. */
export function rulesShown({ json }: BlockEntry, rules: ForkRules): ForkRules {
  let { chainId, codeSizeLimit } = rules
  for (const entry of json.objects('transactions')) {
    const signed = signedOf(entry)
    chainId = Number(signed.number('chainId') || chainId)
    const length = signed.has('to') ? 0 : (signed.bytes('input')?.length ?? 0) / 2
    if (length > initCodeLimit(rules) + 1) codeSizeLimit = Infinity
  }
  return sharedRules({ ...rules, chainId, codeSizeLimit })
}

/** Before 2024-08, anvil wrote the transaction itself instead of an object that contains it. */
function signedOf(entry: JsonFields): JsonFields {
  return entry.object('transaction') ?? entry
}

function bodyFromJson(json: JsonFields, keccak256: Engine['crypto']['keccak256']): BlockBody {
  return {
    uncles: [...json.objects('ommers')].map((ommer) => {
      const header = headerFromJson(ommer)
      return { header, hash: toHex(hashHeader(header, keccak256)) }
    }),
    withdrawals: [...json.objects('withdrawals')].map(
      (one): Withdrawal => ({
        index: one.requiredNumber('index'),
        validatorIndex: one.requiredNumber('validatorIndex'),
        address: one.requiredBytes('address', 20),
        amount: one.requiredNumber('amount'),
      }),
    ),
  }
}

async function restoreExecuted(
  { json, header, hash }: BlockEntry,
  rules: ForkRules,
  source: BlockSource,
): Promise<ExecutedTransaction[]> {
  const entries = [...json.objects('transactions')]
  const receipts = source.receipts.get(hash) ?? []
  if (entries.length !== receipts.length) {
    throw new ChainFileError(
      `${source.label}: block ${header.number} (${hash}) has ${entries.length} transactions and ${receipts.length} receipts.`,
    )
  }
  const prices = {
    baseFeePerGas: header.baseFeePerGas ?? 0n,
    blobBaseFee: blobBaseFee(header.excessBlobGas ?? 0n, rules.blobSchedule),
  }
  const executed: ExecutedTransaction[] = []
  for (const [index, entry] of entries.entries()) {
    const receipt = receipts[index]
    if (receipt === undefined) break
    await source.scheduler.yieldIfDue()
    const transaction = await restoreTransaction(entry, receipt, rules, source)
    const outcome = outcomeFromJson(receipt, source.tellsFrames)
    const last = executed.at(-1)
    executed.push(
      makeExecuted(transaction, prices, {
        ...outcome,
        index,
        gasUsed: outcome.cumulativeGasUsed - (last?.cumulativeGasUsed ?? 0n),
        firstLogIndex: last === undefined ? 0 : last.firstLogIndex + last.logs.length,
        createdAddress: createdAddress(transaction, source.engine.crypto.keccak256),
        // Not kept: irrelevant once a transaction is sealed.
        tick: 0,
      }),
    )
  }
  return executed
}

/** Placeholder that is valid as `r` and as `s` of a signature. */
const ANY_SIGNATURE = 1n

async function restoreTransaction(
  json: JsonFields,
  receipt: JsonFields,
  rules: ForkRules,
  { read }: BlockSource,
): Promise<ChainTransaction> {
  const signed = signedOf(json)
  const impersonated = json.bytes('impersonated_sender', 20)
  const raw = transactionFromJson(signed)
  const info = receipt.requiredObject('info')
  const hash = info.requiredBytes('transaction_hash', 32)
  if (impersonated !== undefined && signed.number('r', 256) === 0n) {
    // anvil gives impersonated transactions an empty signature, which cannot be decoded, and
    // includes the sender in their hash.
    const readable = transactionFromJson(signed, ANY_SIGNATURE)
    return { ...(await read(readable, impersonated, rules)), raw, hash }
  }
  const transaction = await read(raw, impersonated, rules)
  if (hash === transaction.hash) {
    // Only the execution of a deposit gives it a nonce.
    return transaction.deposit === undefined
      ? transaction
      : { ...transaction, nonce: info.requiredNumber('nonce') }
  }
  throw info.error('transaction_hash', `is ${hash}, expected ${transaction.hash}`)
}
