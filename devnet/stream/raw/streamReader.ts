import type { Chain } from '../../chain/chain.ts'
import { Scheduler } from '../../engine/scheduler.ts'
import type { Hex } from '../../primitives/hex.ts'
import { runPaced } from '../../primitives/paced.ts'
import { ScratchCodes } from '../../state/codes.ts'
import { type ReceivedFlashblock, readFlashblock } from './readFlashblock.ts'

/** A message of a stream: the build that it belongs to, and its place there. */
export interface StreamPosition {
  readonly payloadId: Hex
  readonly index: number
}

/**
 * The effect of a message: `applied`; `ignored`, as it came before, or nothing is known of its
 * block; `gap`, as messages before it are missing; `lost`, as a block before it is.
 */
export type Effect = 'applied' | 'ignored' | 'gap' | 'lost'

/**
 * Reads a flashblock stream into a chain, which then is the other node's at every message. It
 * applies messages as the nodes of Base do: after a gap, what is pending is forgotten until the
 * next block opens.
 */
export class StreamReader {
  readonly #chain: Chain
  readonly #source: string
  /** The last message that was applied; `undefined` if the pending block is not known. */
  #position: StreamPosition | undefined

  /**
   * @param chain - of the same genesis and hardforks, or a state of the other node
   * @param source - name of the stream in errors
   * @param position - the last message that the pending block holds. Default: it is not known
   */
  constructor(chain: Chain, source: string, position?: StreamPosition) {
    this.#chain = chain
    this.#source = source
    this.#position = position
  }

  /**
   * Applies a message, as one job on the write queue.
   *
   * @throws {ChainFileError} if it is malformed
   * @throws {InvalidBlockError} if the chain comes to another result than the other node
   */
  async read(text: string): Promise<Effect> {
    const codes = new ScratchCodes(this.#chain.engine.codes)
    const flashblock = await runPaced(readFlashblock(text, this.#source, codes), new Scheduler())
    return this.#chain.writeNow(async (writer) => {
      const verdict = judge(this.#position, flashblock)
      if (verdict === 'ignored') return verdict
      const { payloadId, index, slice } = flashblock
      const isWhole = this.#position !== undefined
      if (verdict === 'gap') {
        this.#position = undefined
        await writer.forget()
        return verdict
      }
      // If anything below fails, the opened block differs from that of the other node.
      if (slice.opening !== undefined) this.#position = undefined
      codes.publish()
      if (await writer.follow(slice, isWhole)) {
        this.#position = { payloadId, index }
        return 'applied'
      }
      await writer.forget()
      return 'lost'
    })
  }
}

/** Treatment of a message behind the one at `position`. */
function judge(
  position: StreamPosition | undefined,
  { payloadId, index, slice }: ReceivedFlashblock,
): 'applied' | 'ignored' | 'gap' {
  const isSame = position?.payloadId === payloadId
  if (isSame && index <= position.index) return 'ignored'
  // Ids count up: this one is of an earlier build.
  if (position !== undefined && payloadId < position.payloadId) return 'ignored'
  if (slice.opening !== undefined) return 'applied'
  if (position === undefined) return 'ignored'
  return isSame && index === position.index + 1 ? 'applied' : 'gap'
}
