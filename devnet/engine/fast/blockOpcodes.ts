import { DONE } from './exits.ts'
import type { Frames } from './frames.ts'
import { Suspension } from './journal.ts'
import { stackTop } from './stack.ts'

/** BLOCKHASH: 0 for a block that is not one of the last 256. */
export function blockHash({ core, surroundings, fetchedHashes }: Frames, f: number): number {
  const { block, blockHashes } = surroundings
  const at = stackTop(core, f) - 32
  const number = core.word(at)
  const age = block.number - number
  if (age <= 0n || age > 256n) {
    core.setSmallWord(at, 0)
    return DONE
  }
  const hash = fetchedHashes.get(number) ?? blockHashes(number)
  if (hash instanceof Promise) {
    const keep = (fetched: Uint8Array) => void fetchedHashes.set(number, fetched)
    throw new Suspension(hash.then(keep))
  }
  core.setBytes(at, hash)
  return DONE
}

/** BLOBHASH (EIP-4844): 0 beyond the last blob. */
export function blobHash({ core, surroundings }: Frames, f: number): number {
  const at = stackTop(core, f) - 32
  const hash = surroundings.blobHashes[core.smallWord(at)]
  core.setWord(at, hash === undefined ? 0n : BigInt(hash))
  return DONE
}
