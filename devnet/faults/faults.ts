import type { TickLimits } from '../chain/blockProducer.ts'
import type { Chain } from '../chain/chain.ts'
import type { ReorgRequest } from '../chain/reorg.ts'
import type { WriteJob } from '../chain/writeJob.ts'
import type { Executor } from '../engine/executor.ts'
import type { Hex } from '../primitives/hex.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'
import { type AnsweredRequest, AnswerFaults, isAnswerRule } from './answerFaults.ts'
import { allows, isAbout, Rule, type RuleOf } from './rule.ts'
import { shuffled } from './shuffled.ts'
import { isSliceRule, SliceFaults } from './sliceFaults.ts'
import type { FaultEvent, FaultKind, FaultRule, FaultScript, FaultStatus } from './types.ts'

/** What faults act on, besides the jobs of ticks and seals. */
export interface FaultSurroundings {
  readonly chain: Pick<Chain, 'engine' | 'firstHead' | 'head' | 'history' | 'mempool' | 'pending'>
  /** Called with each fault that fires. */
  report(event: FaultEvent): void
  /** Breaks all WebSockets off. */
  cutSockets(): void
}

/** Names what a fault that has fired is about. Default: the pending block as it is */
type Occasion = Partial<Pick<FaultEvent, 'block' | 'transaction' | 'method'>>

const DEFAULT_SEED = 1

const NONE: readonly Rule[] = []

/**
 * The rules that a node misbehaves by. Ticks, seals, requests and the flashblock stream ask for
 * them at their points, if there are any: where nobody has set rules, there is no such object.
 */
export class Faults {
  readonly #seed: number
  readonly #rules: readonly Rule[]
  readonly #byKind: ReadonlyMap<FaultKind, readonly Rule[]>
  readonly #surroundings: FaultSurroundings
  readonly #answers: AnswerFaults
  readonly #slices: SliceFaults
  /** Transactions that rules of `drop` and `hold` have decided on, in the pending block. */
  readonly #decided = new Map<Rule, Set<Hex>>()
  /** Transactions held in the mempool, each with the number of ticks that are to pass it by. */
  readonly #held = new Map<Hex, number>()
  /** Between these times, virtual and in ms, no tick executes anything. */
  #late: { readonly since: number; readonly until: number } | undefined
  /** Number of the last block whose seal was delayed. */
  #lateBlock: number | undefined
  /** How many ticks of a block have executed nothing; they are not among those of the view. */
  #omitted = { block: 0, ticks: 0 }
  /** How many seals are still to come during a stall. */
  #stalled = 0

  constructor({ rules, seed = DEFAULT_SEED }: FaultScript, surroundings: FaultSurroundings) {
    this.#seed = seed
    this.#rules = rules.map((rule, index) => new Rule(rule, index, seed))
    this.#byKind = Map.groupBy(this.#rules, ({ spec }) => spec.kind)
    this.#surroundings = surroundings
    this.#answers = new AnswerFaults(
      this.#rules.filter(isAnswerRule),
      () => this.#decoder(),
      (rule, method) => this.#report(rule, { method }),
    )
    this.#slices = new SliceFaults(this.#rules.filter(isSliceRule), (rule, block) =>
      this.#report(rule, { block }),
    )
  }

  get status(): FaultStatus {
    const rules = this.#rules.map(({ spec, fired }) => ({ ...spec, fired }))
    return { seed: this.#seed, rules }
  }

  /** Virtual time, in ms, of the next tick if it is late; `undefined` if it is not. */
  get lateUntil(): number | undefined {
    return this.#late?.until
  }

  /**
   * Runs a tick as the rules want it.
   *
   * @param now - virtual time, ms
   */
  async tick(
    job: WriteJob,
    limits: TickLimits | undefined,
    now: number,
  ): Promise<readonly ExecutedTransaction[]> {
    if (this.#omitsTick(now)) {
      this.#omitted = { block: this.#block, ticks: this.#omittedTicks + 1 }
      if (this.#late === undefined) job.omitTick()
      return []
    }
    await this.#dropAtTick(job)
    const executed = await job.tick({ ...limits, passesBy: this.#passing() })
    this.#cutSockets()
    return executed
  }

  /** Whether the tick that is due executes nothing. */
  #omitsTick(now: number): boolean {
    const tick = this.#tick
    if (this.#stalled > 0) return true
    const isAtTick = ({ spec }: { spec: RuleOf<'skipTick' | 'delayTick' | 'stall'> }) =>
      this.#isAtBlock(spec) && allows(spec.tick, tick)
    if (this.#late !== undefined) {
      // A command may have set time back, too.
      if (now >= this.#late.since && now < this.#late.until) return true
      // This is the late tick: it is not delayed again.
      this.#late = undefined
    } else {
      for (const rule of this.#of('delayTick')) {
        if (!isAtTick(rule) || !this.#fires(rule)) continue
        this.#late = { since: now, until: now + rule.spec.ms }
        return true
      }
    }
    for (const rule of this.#of('stall')) {
      if (!isAtTick(rule) || !this.#fires(rule)) continue
      this.#stalled = rule.spec.blocks ?? 1
      return true
    }
    return this.#of('skipTick').some((rule) => isAtTick(rule) && this.#fires(rule))
  }

  async #dropAtTick(job: WriteJob): Promise<void> {
    for (const rule of this.#of('drop')) {
      if (rule.spec.at === 'tick') await this.#drop(job, rule)
    }
  }

  /** Drops what a rule picks of the pre-confirmed transactions. */
  async #drop(job: WriteJob, rule: Rule<RuleOf<'drop'>>): Promise<void> {
    const { spec } = rule
    const { executed } = this.#surroundings.chain.pending
    if (!this.#isAtBlock(spec)) return
    const hashes = new Set<Hex>()
    for (const one of executed) {
      const { hash } = one.transaction
      if (!allows(spec.tick, one.tick) || !isAbout(spec, one.transaction, one)) continue
      if (this.#decides(rule, hash) && this.#fires(rule, { transaction: hash })) hashes.add(hash)
    }
    // Nothing may come in between: the block could be sealed without the fault that has fired.
    if (hashes.size > 0) {
      await job.drop(hashes, `dropped by fault ${rule.index}`, { isWhole: false })
    }
  }

  /** Which transactions a tick passes by; asked again about one, it answers the same. */
  #passing(): NonNullable<TickLimits['passesBy']> {
    const tick = this.#tick
    const answers = new Map<Hex, boolean>()
    return (transaction) => {
      const { hash } = transaction
      const answer = answers.get(hash) ?? this.#holds(transaction, tick)
      answers.set(hash, answer)
      return answer
    }
  }

  #holds(transaction: ChainTransaction, tick: number): boolean {
    const { hash } = transaction
    if (!this.#held.has(hash)) {
      const holder = this.#of('hold').find(
        (rule) =>
          this.#isAtBlock(rule.spec) &&
          allows(rule.spec.tick, tick) &&
          isAbout(rule.spec, transaction) &&
          this.#decides(rule, hash) &&
          this.#fires(rule, { transaction: hash }),
      )
      if (holder === undefined) return false
      this.#held.set(hash, holder.spec.ticks ?? Number.POSITIVE_INFINITY)
    }
    const left = this.#held.get(hash) ?? 0
    if (left === 0) return false
    this.#held.set(hash, left - 1)
    // Commands tick only if that can execute anything, which changes with the last of these ticks.
    if (left === 1) this.#surroundings.chain.mempool.touch()
    return true
  }

  /** Whether a rule has not decided on a transaction before; remembers that it does now. */
  #decides(rule: Rule, hash: Hex): boolean {
    const decided = this.#decided.get(rule) ?? new Set()
    this.#decided.set(rule, decided)
    if (decided.has(hash)) return false
    decided.add(hash)
    return true
  }

  /** The ms by which the seal that is due is late; 0 if it is on time. */
  sealDelay(): number {
    const block = this.#block
    if (block === this.#lateBlock) return 0
    const rule = this.#of('delaySeal').find((one) => this.#isAtBlock(one.spec) && this.#fires(one))
    if (rule === undefined) return 0
    this.#lateBlock = block
    return rule.spec.ms
  }

  /**
   * Changes the pending block right before its seal.
   *
   * @param isInstant - whether the block holds one transaction, which is sealed at once
   */
  async beforeSeal(job: WriteJob, isInstant: boolean): Promise<void> {
    if (this.#stalled > 0) {
      this.#stalled--
      // The sealing clock waits for no upstream.
      await job.tick({ passesBy: this.#passing(), isWhole: false })
    }
    for (const rule of this.#of('drop')) {
      if (rule.spec.at !== 'tick') await this.#drop(job, rule)
    }
    // Instant mode would try what returns to the mempool again at once, and for ever.
    if (!isInstant) await this.#truncate(job)
    await this.#reorder(job)
    this.#forget()
  }

  async #truncate(job: WriteJob): Promise<void> {
    for (const rule of this.#of('truncate')) {
      const { executed } = this.#surroundings.chain.pending
      const own = executed.filter(isOwn)
      if (own.length === 0) return
      if (!this.#isAtBlock(rule.spec) || !this.#fires(rule)) continue
      const ticks = [...new Set(own.map(({ tick }) => tick))]
      const lost = new Set(ticks.slice(-(rule.spec.slices ?? 1)))
      await job.rearrange(executed.filter((one) => !isOwn(one) || !lost.has(one.tick)))
    }
  }

  async #reorder(job: WriteJob): Promise<void> {
    for (const rule of this.#of('reorder')) {
      const { executed, steps } = this.#surroundings.chain.pending
      const { spec, random } = rule
      if (!this.#isAtBlock(spec)) continue
      // What came before a command stays before it.
      const bounds = [0, ...steps.map(({ after }) => after), executed.length]
      const parts = bounds.slice(1).map((end, index) => executed.slice(bounds[index], end))
      if (!parts.some((part) => hasSeveralSenders(part.filter(isOwn)))) continue
      if (!this.#fires(rule)) continue
      await job.rearrange(
        parts.flatMap((part) => [
          ...part.filter((one) => !isOwn(one)),
          ...shuffled(part.filter(isOwn), random),
        ]),
      )
    }
  }

  /**
   * Replaces blocks, the one just sealed last.
   *
   * @param reorg - does so
   * @param isInstant - whether transactions are sealed as soon as they wait in the mempool
   */
  async afterSeal(
    reorg: (request: ReorgRequest) => Promise<unknown>,
    isInstant: boolean,
  ): Promise<void> {
    const { firstHead, head, history } = this.#surroundings.chain
    for (const rule of this.#of('reorg')) {
      const { block, depth = 1, drops = false } = rule.spec
      const possible = Math.min(depth, head.number - Math.max(firstHead, history.oldest))
      if (possible < 1 || (isInstant && !drops) || !allows(block, head.number)) continue
      if (!this.#fires(rule, { block: head.number })) continue
      await reorg({ depth: possible, requeues: !drops })
    }
  }

  /** Forgets what it knows of transactions that are gone, and of the block that is sealed. */
  #forget(): void {
    const { mempool } = this.#surroundings.chain
    for (const hash of this.#held.keys()) {
      if (mempool.get(hash) === undefined) this.#held.delete(hash)
    }
    for (const [rule, hashes] of this.#decided) {
      if (rule.spec.kind === 'drop') hashes.clear()
      else for (const hash of hashes) if (mempool.get(hash) === undefined) hashes.delete(hash)
    }
  }

  #cutSockets(): void {
    // The tick is over, and has counted.
    const tick = this.#tick - 1
    for (const rule of this.#of('cutSockets')) {
      if (!this.#isAtBlock(rule.spec) || !allows(rule.spec.tick, tick)) continue
      if (this.#fires(rule)) this.#surroundings.cutSockets()
    }
  }

  /** Answers a request as the rules want it; `answer` does what it asks for. */
  answer(request: AnsweredRequest, answer: () => unknown): unknown {
    return this.#answers.answer({ ...request, block: this.#block, tick: this.#tick }, answer)
  }

  #decoder(): Executor | Promise<Executor> {
    const { engine, pending } = this.#surroundings.chain
    const { rules } = pending.environment
    return engine.loaded(rules) ?? engine.executor(rules)
  }

  /** The messages that the flashblock stream sends in place of this one. */
  messages<Message>(message: Message, place: { block: number; index: number }): Message[] {
    return this.#slices.messages(message, place)
  }

  get #block(): number {
    return Number(this.#surroundings.chain.pending.environment.number)
  }

  /** How many ticks the pending block has had, those included that executed nothing. */
  get #tick(): number {
    return this.#surroundings.chain.pending.ticks + this.#omittedTicks
  }

  get #omittedTicks(): number {
    return this.#omitted.block === this.#block ? this.#omitted.ticks : 0
  }

  #isAtBlock({ block }: Pick<FaultRule, 'block'>): boolean {
    return allows(block, this.#block)
  }

  #of<Kind extends FaultKind>(kind: Kind): readonly Rule<RuleOf<Kind>>[] {
    // A rule of this kind has its spec.
    return (this.#byKind.get(kind) ?? NONE) as readonly Rule<RuleOf<Kind>>[]
  }

  #fires(rule: Rule, occasion: Occasion = {}): boolean {
    const fires = rule.fires()
    if (fires) this.#report(rule, occasion)
    return fires
  }

  #report(rule: Rule, { block = this.#block, transaction = null, method = null }: Occasion): void {
    this.#surroundings.report({
      kind: rule.spec.kind,
      rule: rule.index,
      block,
      tick: this.#tick,
      transaction,
      method,
    })
  }
}

/** Whether a transaction is no deposit of the OP Stack: the L1 decides on those. */
function isOwn({ transaction }: ExecutedTransaction): boolean {
  return transaction.deposit === undefined
}

function hasSeveralSenders(executed: readonly ExecutedTransaction[]): boolean {
  return executed.some(({ transaction }) => transaction.sender !== executed[0]?.transaction.sender)
}
