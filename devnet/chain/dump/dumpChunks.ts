import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { Pace } from '../../engine/pace.ts'
import { concatBytes } from '../bytes.ts'
import type { Capture } from './capture.ts'
import { dumpText } from './dumpText.ts'

/** Characters that are written at once. */
const CHUNK = 1 << 16

/**
 * The bytes of a dump, in pieces. Others get their turn meanwhile, and ticks before them.
 *
 * @param signal - ends it when aborted
 * @throws {ExecutionAbortedError}
 */
export async function* dumpChunks(
  capture: Capture,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const pace = new Pace()
  pace.begin({ signal })
  let text = ''
  for (const piece of dumpText(capture)) {
    if (piece !== undefined) text += piece
    if (text.length >= CHUNK) {
      yield Buffer.from(text)
      text = ''
    }
    const pause = pace.breathe()
    if (pause !== undefined) await pause
  }
  yield Buffer.from(text)
}

/** A dump as anvil answers it: gzip of its text. Equal captures give equal bytes. */
export async function packedDump(capture: Capture, signal?: AbortSignal): Promise<Uint8Array> {
  const packed: Uint8Array[] = []
  await pipeline(dumpChunks(capture, signal), createGzip(), async (bytes) => {
    for await (const piece of bytes) packed.push(piece)
  })
  return concatBytes(...packed)
}
