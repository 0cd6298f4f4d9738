import type { RawLog } from '../../protocol/receipt.ts'
import { EXIT_OUT_OF_GAS, WORD } from '../core/layout.ts'
import { DONE, STATIC_CHANGE } from './exits.ts'
import type { Frame, Frames } from './frames.ts'
import { setStackTop, stackTop } from './stack.ts'

/** Per byte. */
const DATA_GAS = 8

/** LOG0 to LOG4. The core has charged the gas of the topics. */
export function log(frames: Frames, f: number, frame: Frame, topicCount: number): number {
  const { core } = frames
  if (frame.isStatic) return STATIC_CHANGE
  const top = stackTop(core, f)
  if (!core.useMemory(f, top - 32, top - 64, 0, DATA_GAS)) return EXIT_OUT_OF_GAS
  const { logItems } = frames
  const { output, outputLength } = core
  const data =
    outputLength === WORD
      ? logItems.shared(output, WORD)
      : core.u8.slice(output, output + outputLength)
  // Not by pushes, which reserve 16 more elements.
  const topics = new Array<Uint8Array>(topicCount)
  for (let index = 0; index < topicCount; index++) {
    topics[index] = logItems.sharedWord(top - 96 - 32 * index)
  }
  const emitted: RawLog = [logItems.sharedBytes(frame.self.bytes), topics, data]
  frames.addLog(emitted)
  frames.surroundings.hook?.log?.(emitted)
  setStackTop(core, f, top - 64 - 32 * topicCount)
  return DONE
}
