import type { RuleAt } from './faultPlaces.ts'
import { allows } from './rule.ts'

type SliceRule = RuleAt<'stream'>

export class SliceFaults {
  readonly #rules: readonly SliceRule[]
  readonly #report: (rule: SliceRule, block: number) => void

  constructor(rules: readonly SliceRule[], report: (rule: SliceRule, block: number) => void) {
    this.#rules = rules
    this.#report = report
  }

  messages<Message>(
    message: Message,
    { block, index }: { block: number; index: number },
    waiting: Message[],
  ): Message[] {
    const rule = this.#rules.find(
      (one) =>
        allows(one.spec.block, block) &&
        allows(one.spec.index, index) &&
        // The one that another waits for is not swapped itself.
        (one.spec.kind !== 'swapSlices' || waiting.length === 0) &&
        one.tryToFire(),
    )
    if (rule !== undefined) this.#report(rule, block)
    const kind = rule?.spec.kind
    if (kind === 'swapSlices') {
      waiting.push(message)
      return []
    }
    const sent =
      kind === 'loseSlice' ? [] : kind === 'duplicateSlice' ? [message, message] : [message]
    return [...sent, ...waiting.splice(0)]
  }
}
