import { nodeStopped } from '../../chain/building/blockFiller.ts'
import type { ChainBase } from '../../chain/chainBase.ts'
import type { History } from '../../chain/history.ts'
import type { Engine } from '../../engine/engine.ts'
import { ExecutionAbortedError, Scheduler } from '../../engine/scheduler.ts'
import { ChainFileError } from '../../primitives/errors.ts'
import { toHex } from '../../primitives/hex.ts'
import { RlpError } from '../../primitives/rlpReader.ts'
import { InvalidBlockError } from '../../protocol/block.ts'
import type { ImportEvent } from '../../types.ts'
import { readBlocks } from './blockFile.ts'
import { type DecodedBlock, decodeBlock } from './decodeBlock.ts'
import { importBlock } from './importBlock.ts'

interface ImportLimits {
  /** Number of newest blocks to keep; 0 keeps all. */
  readonly keepBlocks: number
  readonly signal: AbortSignal
}

/**
 * Executes and verifies the blocks of a file, and adds them to `base`. Yields regularly.
 *
 * @param path - file of concatenated RLP blocks after `base`; a genesis block in front is skipped
 * @throws {ChainFileError} if the file is damaged, or a block breaks a rule
 */
export async function importChain(
  path: string,
  base: ChainBase,
  engine: Engine,
  { keepBlocks, signal }: ImportLimits,
): Promise<ImportEvent> {
  const start = performance.now()
  const { history, store } = base
  const scheduler = new Scheduler()
  let [blocks, transactions, gasUsed] = [0, 0, 0]
  for await (const { bytes, offset } of readBlocks(path)) {
    try {
      const block = decodeBlock(bytes, engine.crypto.keccak256)
      if (blocks === 0 && isGenesis(path, block, history)) continue
      const sealed = await importBlock(block, base, engine, signal)
      blocks += 1
      transactions += sealed.executed.length
      gasUsed += Number(sealed.header.gasUsed)
    } catch (error) {
      throw explained(error, `${path}, byte ${offset}`, history.head.number + 1)
    }
    const oldest = history.head.number - keepBlocks + 1
    const kept = history.byNumber(oldest)
    if (keepBlocks > 0 && history.dropBelow(oldest) && kept !== undefined) {
      store.forgetBefore(kept.version)
    }
    if (signal.aborted) throw nodeStopped()
    await scheduler.yieldIfDue()
  }
  return {
    file: path,
    blocks,
    transactions,
    gasUsed,
    number: history.head.number,
    hash: history.head.hash,
    elapsed: performance.now() - start,
  }
}

/** True if the block is the genesis block, with which geth begins its exports. */
function isGenesis(path: string, { header, hash }: DecodedBlock, { head }: History): boolean {
  if (header.number > 1n) return false
  const isFirst = header.number === 0n
  const genesis = toHex(isFirst ? hash : header.parentHash)
  if (genesis === head.hash) return isFirst
  throw new ChainFileError(
    `${path} belongs to another genesis file: its chain begins with block ${genesis}, expected ${head.hash}.`,
  )
}

/** The error to throw for `error`, which occurred at `place` where block `number` was expected. */
function explained(error: unknown, place: string, number: number): unknown {
  if (error instanceof ExecutionAbortedError) return nodeStopped()
  if (error instanceof RlpError) {
    return new ChainFileError(`${place}: the block there ${error.message}.`, { cause: error })
  }
  if (error instanceof InvalidBlockError) {
    return new ChainFileError(`${place}: block ${number} ${error.message}.`, { cause: error })
  }
  return error
}
