import type { TracerChoice } from '../json/schemas/tracerChoice.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import { stringifyJson } from '../primitives/json.ts'
import { CallTracer } from './callTracer.ts'
import { Erc7562Tracer } from './erc7562Tracer.ts'
import { FailureTracer } from './failureTracer.ts'
import { flatCallTracer } from './flatCallTracer.ts'
import { otterscanTracer } from './otterscanTracer.ts'
import { PrestateTracer } from './prestateTracer.ts'
import { StructLogger } from './structLogger.ts'
import type { TraceBudget, TraceContext, Tracer, TraceStep } from './tracer.ts'

export function createTracer(choice: TracerChoice, budget: TraceBudget): Tracer {
  switch (choice.name) {
    case 'structLogger':
      return new StructLogger(choice.config, budget)
    case 'callTracer':
      return new CallTracer(choice.config, budget)
    case 'flatCallTracer':
      return flatCallTracer(choice.config, budget)
    case 'prestateTracer':
      return new PrestateTracer(choice.config, budget)
    case 'erc7562Tracer':
      return new Erc7562Tracer(choice.config, budget)
    case '4byteTracer':
      return fourByteTracer(budget)
    case 'noopTracer':
      // Records nothing, to measure the overhead of tracing itself.
      return { result: () => stringifyJson({}) }
    case 'failureTracer':
      return new FailureTracer(budget)
    case 'otterscan':
      return otterscanTracer(choice.list, budget)
    case 'preimages':
      return preimageTracer(budget)
    case 'muxTracer':
      return muxTracer(
        new Map(choice.tracers.map((each) => [each.name, createTracer(each, budget)])),
      )
  }
  choice satisfies never // Names the tracer that has no case.
}

/** Approximate bytes of an entry in JSON. */
const ENTRY_SIZE = 30

/**
 * Counts calls by function selector and bytes of arguments, e.g. `0xa9059cbb-64`: geth's
 * `4byteTracer`.
 */
function fourByteTracer(budget: TraceBudget): Tracer {
  const counts = new Map<string, number>()
  let context: TraceContext | undefined
  return {
    isLight: true,
    start(started) {
      context = started
    },
    enter({ type, input, to }) {
      if (input.length < 4 || to === undefined) return
      if (type === 'CREATE' || type === 'CREATE2' || type === 'SELFDESTRUCT') return
      if (context?.isPrecompile(to) === true) return
      const key = `${toHex(input.subarray(0, 4))}-${input.length - 4}`
      const count = counts.get(key)
      if (count === undefined) budget.spend(ENTRY_SIZE)
      counts.set(key, (count ?? 0) + 1)
    },
    result: () => stringifyJson(Object.fromEntries(counts)),
  }
}

/** Several tracers over one execution, with their results by name: geth's `muxTracer`. */
function muxTracer(tracers: ReadonlyMap<string, Tracer>): Tracer {
  const all = [...tracers.values()]
  const stepped = all.filter((tracer) => tracer.step !== undefined)
  const visiting = all.find((tracer) => tracer.visit !== undefined)
  const each = (tell: (tracer: Tracer) => void) => {
    for (const tracer of all) tell(tracer)
  }
  const step = (one: TraceStep) => {
    for (const tracer of stepped) tracer.step?.(one)
  }
  return {
    isLight: all.every(({ isLight }) => isLight === true),
    // Reporting steps is expensive, so `step` exists only if one of the tracers uses it.
    ...(stepped.length > 0 ? { step } : undefined),
    ...(visiting === undefined ? undefined : { visit: (one) => visiting.visit?.(one) }),
    start: (context) => each((tracer) => tracer.start?.(context)),
    access: (access) => each((tracer) => tracer.access?.(access)),
    undoAccess: () => each((tracer) => tracer.undoAccess?.()),
    enter: (frame) => each((tracer) => tracer.enter?.(frame)),
    exit: (end) => each((tracer) => tracer.exit?.(end)),
    log: (log) => each((tracer) => tracer.log?.(log)),
    hash: (...hashed) => each((tracer) => tracer.hash?.(...hashed)),
    end: (execution) => each((tracer) => tracer.end?.(execution)),
    *result() {
      const pieces: string[] = []
      for (const [name, tracer] of tracers) {
        pieces.push(`${pieces.length === 0 ? '{' : ','}${JSON.stringify(name)}:`)
        for (const piece of yield* tracer.result()) pieces.push(piece)
      }
      return pieces.length === 0 ? ['{}'] : [...pieces, '}']
    },
  }
}

/** Maximum bytes of a recorded preimage: the key of a mapping and its slot. */
const LONGEST = 288n

/** Number of preimages of one transaction that are recorded. */
const MOST = 2000

/**
 * Slots, and keys of mappings with their slot, that a transaction hashed to find where a value
 * lies: each once, in their order, by the account whose storage it is.
 */
function preimageTracer(budget: TraceBudget): Tracer {
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
