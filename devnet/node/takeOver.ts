import type { PendingView } from '../chain/building/pendingView.ts'
import type { SavedPending } from '../chain/chainBase.ts'
import type { Engine } from '../engine/engine.ts'
import { blockRefOf } from '../json/blockRef.ts'
import { formatReceipt } from '../json/formatReceipt.ts'
import { opStackProfiles } from '../options/profileTable.ts'
import {
  type ReadTransaction,
  transactionFromJson,
  transactionReader,
} from '../persistence/dump/transactionJson.ts'
import { JsonFields } from '../persistence/jsonFields.ts'
import { ChainFileError } from '../primitives/errors.ts'
import { fromHex, type Hex, isBytes, isSameHex, quantity, toHex } from '../primitives/hex.ts'
import { isObject } from '../primitives/json.ts'
import type { ForkRules } from '../protocol/forks.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import { DEPOSIT_TYPE } from '../protocol/rollup/depositTransaction.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'
import { UpstreamError } from '../state/remote/remoteSource.ts'
import type { Upstream, UpstreamPending } from '../upstream/types.ts'

/** The parts of its upstream's pending block that a chain takes over. */
export interface TakenOver {
  readonly block: UpstreamPending
  /** Transactions of the upstream, which are executed again here. */
  readonly pending: SavedPending
  /**
   * Holds the receipts of the upstream against those of this node; one line for each transaction
   * that has another outcome here.
   */
  differences(view: PendingView): Promise<readonly string[]>
}

/**
 * Reads the pre-confirmed transactions of an upstream.
 *
 * @param rules - those of the pending block
 * @returns `undefined` if it has no pending block
 * @throws {UpstreamError} if one of them cannot be executed here
 */
export async function takeOver(
  { origin, pending: block, request }: Pick<Upstream, 'origin' | 'pending' | 'request'>,
  engine: Engine,
  rules: ForkRules,
): Promise<TakenOver | undefined> {
  if (block === undefined) return undefined
  const reader = transactionReader(engine, origin)
  const source = { origin, request, engine, rules }
  const read = block.transactions.map((json) => readTransaction(json, source))
  // Requested together with the transactions, but compared only after their execution.
  const receipts = Promise.allSettled(
    block.transactions.map(({ hash }) => request('eth_getTransactionReceipt', [hash])),
  )
  const executed: { transaction: ChainTransaction; tick: number }[] = []
  for (const { raw, sender } of await Promise.all(read)) {
    executed.push({ transaction: await decode(reader, raw, sender, rules), tick: 0 })
  }
  const { timestamp } = block.header
  return {
    block,
    pending: {
      ticks: Math.min(executed.length, 1),
      timestamp,
      executed,
      steps: [],
      isForeign: true,
    },
    async differences(view) {
      const byHash = new Map(view.executed.map((one) => [one.transaction.hash, one]))
      const found = (await receipts).map((answer) =>
        answer.status === 'fulfilled' && isObject(answer.value) ? answer.value : undefined,
      )
      if (found.length > 0 && found.every((receipt) => receipt === undefined)) {
        return [`${origin} gave no receipts to hold those of this node against`]
      }
      return executed.flatMap(({ transaction: { hash } }, index) => {
        const here = byHash.get(hash)
        if (here === undefined) return [`transaction ${hash} of ${origin} could not be executed`]
        const there = found[index]
        if (there === undefined) return [`${origin} gave no receipt of transaction ${hash}`]
        const other = differing(here, there, view)
        if (other.length === 0) return []
        return [`transaction ${hash} has another outcome than at ${origin}: ${other.join(', ')}`]
      })
    },
  }
}

/** Signed bytes of a transaction, and the sender that the upstream names. */
async function readTransaction(
  json: Readonly<Record<string, unknown>>,
  {
    origin,
    request,
    engine: {
      crypto: { keccak256 },
    },
    rules,
  }: Pick<Upstream, 'origin' | 'request'> & { readonly engine: Engine; readonly rules: ForkRules },
): Promise<{ readonly raw: Uint8Array; readonly sender: Hex }> {
  const { hash, type } = json
  if (!isBytes(hash, 32))
    throw refused(`${origin} shows a pre-confirmed transaction without a hash`)
  if (type === quantity(BigInt(DEPOSIT_TYPE)) && !rules.opStack) {
    throw refused(
      `The pending block of ${origin} holds a deposit (type 0x7e): start with --profile ${opStackProfiles()} to execute it, or leave forkBlockNumber out to stand on its newest block`,
    )
  }
  const fields = new JsonFields(origin, `pre-confirmed transaction ${hash}: `, json)
  try {
    const sender = fields.requiredBytes('from', 20)
    const raw = transactionFromJson(fields)
    if (isSameHex(hash, toHex(keccak256(raw)))) return { raw, sender }
    const given = await request('eth_getRawTransactionByHash', [hash]).catch((error: unknown) => {
      // Not every upstream knows the method.
      if (error instanceof UpstreamError) throw error
      return undefined
    })
    if (isBytes(given)) {
      const bytes = fromHex(given)
      if (isSameHex(hash, toHex(keccak256(bytes)))) return { raw: bytes, sender }
    }
  } catch (error) {
    throw asRefused(error)
  }
  throw refused(
    `${origin} shows a pre-confirmed transaction whose fields do not give its hash, ${hash}: it cannot be executed here`,
  )
}

/** A transaction that its sender has not signed is an impersonated one. */
async function decode(
  read: ReadTransaction,
  raw: Uint8Array,
  sender: Hex,
  rules: ForkRules,
): Promise<ChainTransaction> {
  // Only a wrong signature is excused here: the second read below reports all other faults.
  const signed = await read(raw, undefined, rules).catch((error: unknown) => {
    if (!(error instanceof ChainFileError)) throw error
    return undefined
  })
  if (signed !== undefined && isSameHex(sender, signed.sender)) return signed
  return await read(raw, sender, rules).catch((error: unknown) => {
    throw asRefused(error)
  })
}

/** Fields of a receipt that execution decides, but for the logs. */
const OUTCOME = ['status', 'root', 'gasUsed', 'effectiveGasPrice', 'contractAddress'] as const

/** The fields of a receipt that execution decides, if they differ: `gasUsed 0x5208, not 0x5209`. */
function differing(
  executed: ExecutedTransaction,
  there: Readonly<Record<string, unknown>>,
  view: PendingView,
): string[] {
  const here = formatReceipt(executed, blockRefOf(view))
  const names = OUTCOME.filter((name) => text(here[name]) !== text(there[name]))
  return [
    ...names.map((name) => `${name} ${text(here[name])}, not ${text(there[name])}`),
    ...(logsText(here.logs) === logsText(there.logs) ? [] : ['other logs']),
  ]
}

/** Addresses may be written with a checksum. */
function text(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : JSON.stringify(value ?? null)
}

function logsText(logs: unknown): string {
  const list: unknown[] = Array.isArray(logs) ? logs : []
  return text(
    JSON.stringify(list.map((log) => isObject(log) && [log.address, log.topics, log.data])),
  )
}

function refused(message: string): UpstreamError {
  return new UpstreamError(`${message}.`, { transient: false })
}

/** Reads an upstream's answer like a file, which it is not. */
function asRefused(error: unknown): unknown {
  if (!(error instanceof ChainFileError)) return error
  return new UpstreamError(error.message, { transient: false, cause: error })
}
