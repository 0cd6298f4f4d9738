import { type Hex, isBytes, isSameHex, quantityFrom, toHex } from '../primitives/hex.ts'
import { isObject } from '../primitives/json.ts'
import { UpstreamError } from '../state/remote/remoteSource.ts'
import type { BatchClient } from './client/batchClient.ts'
import { FailureAnswer } from './client/question.ts'
import type { UpstreamPending } from './types.ts'
import { readBlock, readHeader } from './upstreamBlock.ts'

/** Number of times that both blocks are asked for if the upstream seals between the two answers. */
const ATTEMPTS = 3

/**
 * Asks for the newest block and the pending one on top of it, in one batch.
 *
 * @param onWarning - hears if the pending block is left out because it stands on another block.
 * Default: nobody
 * @returns `parent`: hash of the newest block; `pending`: `undefined` if the upstream has none
 * @throws {NoAnswer} @throws {FailureAnswer} if there is no newest block
 */
export async function askPending(
  client: BatchClient,
  onWarning: ((message: string) => void) | undefined,
): Promise<{ readonly parent: Hex; readonly pending: UpstreamPending | undefined }> {
  for (let attempt = 1; ; attempt++) {
    const method = 'eth_getBlockByNumber'
    const [latest, pending] = await Promise.all([
      client.ask({ method, params: ['latest', false], read: readBlock }),
      client
        .ask({ method, params: ['pending', true], read: readPending })
        // Some upstreams do not know the tag.
        .catch((error: unknown) => {
          if (!(error instanceof FailureAnswer)) throw error
          return undefined
        }),
    ])
    if (latest === undefined) {
      throw new UpstreamError(`${client.origin} does not have block latest.`)
    }
    const parent = latest.hash
    if (pending === undefined || isSameHex(pending.hash, parent))
      return { parent, pending: undefined }
    if (toHex(pending.header.parentHash) === parent) return { parent, pending }
    if (attempt === ATTEMPTS) {
      onWarning?.(
        `the pending block of ${client.origin}, ${pending.header.number}, does not stand on its newest one, ${latest.number}: it is left out`,
      )
      return { parent, pending: undefined }
    }
  }
}

/**
 * Asks for the block of a transaction, and cuts off what comes after it.
 *
 * @returns as {@link askPending}
 * @throws {UpstreamError} if no block has it
 */
export async function askUpTo(client: BatchClient, hash: Hex) {
  const { origin } = client
  const ask = <Value>(method: string, params: unknown[], read: (result: unknown) => Value) =>
    client.ask({ method, params, read })
  const found = await ask('eth_getTransactionByHash', [hash], (result) => result)
  if (!isObject(found)) throw new UpstreamError(`${origin} does not know transaction ${hash}.`)
  const { blockHash } = found
  const block = isBytes(blockHash, 32)
    ? await ask('eth_getBlockByHash', [blockHash, true], readPending)
    : undefined
  if (block === undefined) {
    throw new UpstreamError(
      `Transaction ${hash} of ${origin} is in no sealed block yet: wait for it, or stand on block pending.`,
    )
  }
  const end = block.transactions.findIndex((one) => isSameHex(one.hash, hash)) + 1
  if (end === 0 || quantityFrom(found.blockNumber) !== block.header.number) {
    throw new UpstreamError(
      `${origin} contradicts itself: its block ${block.header.number} is not the one that has transaction ${hash}.`,
    )
  }
  const transactions = block.transactions.slice(0, end)
  const pending = { ...block, transactions, json: { ...block.json, transactions } }
  return { parent: toHex(block.header.parentHash), pending }
}

/** @returns `undefined` for no block @throws {Error} that says what is wrong with it */
export function readPending(json: unknown) {
  if (json === null) return undefined
  if (!isObject(json)) throw new Error('a block that is no object')
  const { hash, transactions, mixHash } = json
  const header = readHeader(json)
  if (!Array.isArray(transactions) || !transactions.every(isObject)) {
    throw new Error('a pending block without its transactions')
  }
  const prevRandao = typeof mixHash === 'string' ? header.mixHash : undefined
  return { header, prevRandao, transactions, json, hash }
}
