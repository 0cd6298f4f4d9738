import { toHex, ZERO_HASH } from '../../chain/bytes.ts'
import type { Chain } from '../../chain/chain.ts'
import { BlockFormatError } from '../../chain/import/blockFormatError.ts'
import { type DecodedBlock, decodeBlock } from '../../chain/import/decodeBlock.ts'
import { Pace } from '../../engine/pace.ts'
import { RefusedError } from '../../errors.ts'
import { headerContext } from '../target.ts'
import { type TracedBlock, type TracedTransaction, tracedBlock } from './tracedBlock.ts'

/**
 * The block that these bytes of RLP are: one of the chain, or any other on top of one of the chain.
 *
 * @param signal - ends the work when aborted
 * @throws {RefusedError} where they are no block, there is no such parent, or a transaction is refused
 */
export async function foreignBlock(
  chain: Chain,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<TracedBlock> {
  const { engine, history } = chain
  const decoded = decode(bytes, chain)
  const known = history.byHash(toHex(decoded.hash))
  if (known !== undefined) return tracedBlock(chain, known)
  const { header } = decoded
  const rules = engine.schedule.at(header.number, header.timestamp)
  const executor = await engine.executor(rules)
  const transactions: TracedTransaction[] = []
  const pace = new Pace()
  pace.begin({ signal })
  for (const raw of decoded.transactions) {
    const pause = pace.breathe()
    if (pause !== undefined) await pause
    const { tx, hash, sender } = executor.identify(executor.decode(raw))
    transactions.push({ tx, hash: toHex(hash), from: sender })
  }
  const parent = history.byHash(toHex(header.parentHash))
  if (parent === undefined || BigInt(parent.number) + 1n !== header.number) {
    throw new RefusedError(`parent ${toHex(header.parentHash)} of block ${header.number} not found`)
  }
  return {
    parentState: chain.store.view(parent.version),
    parentHash: header.parentHash,
    context: headerContext({ header, rules }),
    parentBeaconBlockRoot: header.parentBeaconBlockRoot ?? ZERO_HASH,
    rules,
    hash: toHex(decoded.hash),
    transactions,
    isForeign: true,
  }
}

function decode(bytes: Uint8Array, { engine }: Chain): DecodedBlock {
  try {
    return decodeBlock(bytes, engine.crypto.keccak256)
  } catch (error) {
    if (!(error instanceof BlockFormatError)) throw error
    throw new RefusedError(`could not decode block: it ${error.message}`, { cause: error })
  }
}
