import { toHex } from '../../chain/bytes.ts'
import type { TraceBudget } from './traceBudget.ts'
import type { Frame, TraceContext, Tracer } from './tracer.ts'

/** Bytes of an entry in JSON. */
const ENTRY_SIZE = 30

/**
 * How often each function selector was called, with the size of its arguments, such as `0xa9059cbb-64`: geth's
 * `4byteTracer`.
 */
export class FourByteTracer implements Tracer {
  readonly #budget: TraceBudget
  readonly #counts = new Map<string, number>()
  #context: TraceContext | undefined

  constructor(budget: TraceBudget) {
    this.#budget = budget
  }

  start(context: TraceContext): void {
    this.#context = context
  }

  enter({ type, input, to }: Frame): void {
    if (input.length < 4 || to === undefined) return
    if (type === 'CREATE' || type === 'CREATE2' || type === 'SELFDESTRUCT') return
    if (this.#context?.isPrecompile(to) === true) return
    const key = `${toHex(input.subarray(0, 4))}-${input.length - 4}`
    const count = this.#counts.get(key)
    if (count === undefined) this.#budget.spend(ENTRY_SIZE)
    this.#counts.set(key, (count ?? 0) + 1)
  }

  result(): string {
    return JSON.stringify(Object.fromEntries(this.#counts))
  }
}
