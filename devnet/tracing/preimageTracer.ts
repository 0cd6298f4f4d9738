import { type Hex, toHex } from '../primitives/hex.ts'
import { stringifyJson } from '../primitives/json.ts'
import type { TraceBudget, Tracer } from './tracer.ts'

/** Bytes of the longest key of a mapping that is recorded, with the slot behind it. */
const LONGEST = 288n

/** Number of preimages of one transaction that are recorded. */
const MOST = 2000

/**
 * Slots, and keys of mappings with their slot, that a transaction hashed to find where a value
 * lies: each once, in their order, by the account whose storage it is.
 */
export function preimageTracer(budget: TraceBudget): Tracer {
  const found: Record<Hex, Hex[]> = {}
  const known = new Set<string>()
  return {
    hash(self, bytes, length) {
      if (length < 32n || length > LONGEST || known.size >= MOST) return
      const [address, preimage] = [toHex(self), toHex(bytes())]
      const key = address + preimage
      if (known.has(key)) return
      known.add(key)
      budget.spend(preimage.length + 3)
      const list = found[address] ?? []
      list.push(preimage)
      found[address] = list
    },
    result: () => stringifyJson(found),
  }
}
