import type { RuleAt } from './faultPlaces.ts'
import { allows } from './rule.ts'

type SliceRule = RuleAt<'stream'>

/** Faults of the flashblock stream. */
export class SliceFaults {
  readonly #rules: readonly SliceRule[]
  readonly #report: (rule: SliceRule, block: number) => void
  /** A message that comes after the next one. */
  #swapped: { readonly message: unknown } | undefined

  constructor(rules: readonly SliceRule[], report: (rule: SliceRule, block: number) => void) {
    this.#rules = rules
    this.#report = report
  }

  messages<Message>(
    message: Message,
    { block, index }: { block: number; index: number },
  ): Message[] {
    const rule = this.#rules.find(
      (one) =>
        allows(one.spec.block, block) &&
        allows(one.spec.index, index) &&
        // The one that another waits for is not swapped itself.
        (one.spec.kind !== 'swapSlices' || this.#swapped === undefined) &&
        one.tryToFire(),
    )
    if (rule !== undefined) this.#report(rule, block)
    const kind = rule?.spec.kind
    if (kind === 'swapSlices') {
      this.#swapped = { message }
      return []
    }
    const sent =
      kind === 'loseSlice' ? [] : kind === 'duplicateSlice' ? [message, message] : [message]
    if (this.#swapped === undefined) return sent
    // A stream has messages of one type.
    const swapped = this.#swapped.message as Message
    this.#swapped = undefined
    return [...sent, swapped]
  }
}
