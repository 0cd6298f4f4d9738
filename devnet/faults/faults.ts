import type { TickLimits } from '../chain/building/blockProducer.ts'
import type { Chain } from '../chain/chain.ts'
import type { Undo } from '../chain/chainWork.ts'
import type { ChainWriter } from '../chain/chainWriter.ts'
import type { ReorgRequest } from '../chain/reorg.ts'
import type { Executor } from '../engine/executor.ts'
import type { Hex } from '../primitives/hex.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'
import { type AnsweredRequest, AnswerFaults } from './answerFaults.ts'
import { FaultMemory } from './faultMemory.ts'
import { actsOn, type RuleAt } from './faultPlaces.ts'
import { allows, isAbout, Rule, type RuleOf } from './rule.ts'
import { shuffled } from './shuffled.ts'
import type { FaultEvent, FaultKind, FaultRule, FaultScript, FaultStatus } from './types.ts'

/** Objects that faults act on, besides the jobs of ticks and seals. */
export interface FaultSurroundings {
  readonly chain: Pick<Chain, 'engine' | 'firstHead' | 'head' | 'history' | 'mempool' | 'pending'>
  /** Called with each fault that fires. */
  report(event: FaultEvent): void
  /** Breaks all WebSockets off. */
  cutSockets(): void
}

/** Subject of a fault that has fired. Default: the pending block as it is */
type Occasion = Partial<Omit<FaultEvent, 'kind' | 'rule'>>

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
  readonly #slices: readonly RuleAt<'stream'>[]
  readonly #memory: FaultMemory

  constructor({ rules, seed = DEFAULT_SEED }: FaultScript, surroundings: FaultSurroundings) {
    this.#seed = seed
    this.#rules = rules.map((rule, index) => new Rule(rule, index, seed))
    this.#byKind = Map.groupBy(this.#rules, ({ spec }) => spec.kind)
    this.#surroundings = surroundings
    this.#memory = new FaultMemory((hash) => surroundings.chain.mempool.get(hash) !== undefined)
    this.#answers = new AnswerFaults(
      this.#rules.filter(actsOn('answers')),
      () => this.#decoder(),
      (rule, method) => this.#tryToFire(rule, { method }),
    )
    this.#slices = this.#rules.filter(actsOn('stream'))
  }

  get status(): FaultStatus {
    const { held, stall } = this.#memory
    const isHeld = (hash: Hex, left: number) =>
      left > 0 && this.#surroundings.chain.mempool.get(hash) !== undefined
    return {
      seed: this.#seed,
      rules: this.#rules.map(({ spec, fired }) => ({ ...spec, fired })),
      held: [...held].flatMap(([hash, { rule, left }]) =>
        isHeld(hash, left) ? { hash, rule: rule.index } : [],
      ),
      stall: stall?.rule.index ?? null,
    }
  }

  /** Virtual time, in ms, of the next tick if it is late; `undefined` if it is not. */
  get lateTick(): number | undefined {
    return this.#memory.lateTick?.until
  }

  /** Virtual time, in ms, at which the seal comes that is late at `now`; `undefined`: none is. */
  lateSeal(now: number): number | undefined {
    const { lateSeal } = this.#memory
    if (lateSeal?.block !== this.#block) return undefined
    // A command has set time back: the seal is no longer late.
    if (now < lateSeal.since) this.#memory.lateSeal = { ...lateSeal, until: now }
    return now >= lateSeal.since && now < lateSeal.until ? lateSeal.until : undefined
  }

  /**
   * Number of ticks of the pending block that have executed nothing, as a fault has omitted them.
   */
  get omittedTicks(): number {
    const { block, ticks } = this.#memory.omitted
    return block === this.#block ? ticks : 0
  }

  /** True if a fault keeps what waits out of the pending block. */
  get keepsOut(): boolean {
    const { held, lateTick, stall } = this.#memory
    const isKept = this.omittedTicks > 0 || stall !== undefined || lateTick !== undefined
    return (isKept || held.size > 0) && this.#surroundings.chain.mempool.runnableCount > 0
  }

  /** Forgets what it knows of a block and of transactions that a command has taken back. */
  forgetUndone({ command }: Undo): void {
    if (command === 'reorg') this.#memory.endBuild()
    else if (command !== 'drop' && command !== 'rearrange') this.#memory.reset()
  }

  /**
   * Runs a tick as the rules want it.
   *
   * @param now - virtual time, ms
   * @returns what it has executed; `undefined` if it was omitted
   */
  async tick(
    writer: ChainWriter,
    limits: TickLimits | undefined,
    now: number,
  ): Promise<readonly ExecutedTransaction[] | undefined> {
    if (this.#tryToOmitTick(now)) {
      this.#memory.omitted = { block: this.#block, ticks: this.omittedTicks + 1 }
      if (this.#memory.lateTick === undefined) writer.omitTick()
      return undefined
    }
    for (const rule of this.#of('drop')) if (rule.spec.at === 'tick') await this.#drop(writer, rule)
    const passesBy = this.#passing()
    const executed = await writer.tick(passesBy === undefined ? limits : { ...limits, passesBy })
    this.afterTick()
    return executed
  }

  /** Decides whether the tick that is due executes nothing. */
  #tryToOmitTick(now: number): boolean {
    const memory = this.#memory
    if (memory.stall !== undefined) return true
    const tick = this.#tick
    const tryRule = (rule: Rule<RuleOf<'skipTick' | 'delayTick' | 'stall'>>) =>
      this.#isAtBlock(rule.spec) && allows(rule.spec.tick, tick) && this.#tryToFire(rule)
    if (memory.lateTick !== undefined) {
      // A command may have set time back, too.
      if (now >= memory.lateTick.since && now < memory.lateTick.until) return true
      // The late tick runs now, and must not be delayed a second time.
      memory.lateTick = undefined
    } else {
      const delay = this.#of('delayTick').find(tryRule)
      if (delay !== undefined) {
        memory.lateTick = { since: now, until: now + delay.spec.ms }
        return true
      }
    }
    const stall = this.#of('stall').find(tryRule)
    if (stall !== undefined) {
      memory.stall = { rule: stall, seals: stall.spec.blocks ?? 1 }
      return true
    }
    return this.#of('skipTick').some(tryRule)
  }

  /** Drops what a rule picks of the pre-confirmed transactions. */
  async #drop(writer: ChainWriter, rule: Rule<RuleOf<'drop'>>): Promise<void> {
    const { spec } = rule
    if (rule.isSpent || !this.#isAtBlock(spec)) return
    const hashes = new Set<Hex>()
    for (const one of this.#surroundings.chain.pending.executed) {
      const { hash } = one.transaction
      if (this.#memory.hasDecided(rule, hash) || !allows(spec.tick, one.tick)) continue
      if (!isAbout(spec, one.transaction, one)) continue
      this.#memory.decide(rule, hash)
      if (this.#tryToFire(rule, { transactions: [hash] })) hashes.add(hash)
    }
    if (hashes.size === 0) return
    // Nothing may come in between: the block could be sealed without the fault that has fired.
    const isAtSeal = spec.at !== 'tick'
    await writer.drop(hashes, `dropped by fault ${rule.index}`, { isWhole: false, isAtSeal })
  }

  /** The transactions that a tick passes by; asked again about one, it answers the same. */
  #passing(): TickLimits['passesBy'] {
    if (this.#of('hold').length === 0) return undefined
    const tick = this.#tick
    const answers = new Map<Hex, boolean>()
    return (transaction) => {
      const { hash } = transaction
      const answer = answers.get(hash) ?? this.#passBy(transaction, tick)
      answers.set(hash, answer)
      return answer
    }
  }

  /** Has a tick pass a transaction by if it is held, or if a rule takes hold of it now. */
  #passBy(transaction: ChainTransaction, tick: number): boolean {
    const { hash } = transaction
    const { held } = this.#memory
    const hold = held.get(hash) ?? this.#tryToHold(transaction, tick)
    if (hold === undefined || hold.left === 0) return false
    held.set(hash, { ...hold, left: hold.left - 1 })
    // Commands tick only if something can run: after the last held tick, this transaction can.
    if (hold.left === 1) this.#surroundings.chain.mempool.touch()
    return true
  }

  #tryToHold(transaction: ChainTransaction, tick: number) {
    const { hash } = transaction
    for (const rule of this.#of('hold')) {
      const { spec } = rule
      if (rule.isSpent || !this.#isAtBlock(spec) || !allows(spec.tick, tick)) continue
      if (this.#memory.hasDecided(rule, hash) || !isAbout(spec, transaction)) continue
      this.#memory.decide(rule, hash)
      if (!this.#tryToFire(rule, { transactions: [hash] })) continue
      return { rule, left: spec.ticks ?? Number.POSITIVE_INFINITY }
    }
    return undefined
  }

  /**
   * Decides whether the seal that is due is late, once for each block.
   *
   * @param now - virtual time, ms
   */
  tryToDelaySeal(now: number): boolean {
    const block = this.#block
    if (this.#memory.lateSeal?.block === block) return false
    const rule = this.#of('delaySeal').find(
      (one) => this.#isAtBlock(one.spec) && this.#tryToFire(one),
    )
    if (rule === undefined) return false
    this.#memory.lateSeal = { block, since: now, until: now + rule.spec.ms }
    return true
  }

  /**
   * Changes the pending block right before its seal.
   *
   * @param isInstant - whether the block holds one transaction, which is sealed at once
   * @returns limits of a last tick, whose transactions nobody is to see in the pending block;
   *   `undefined`: there is none
   */
  async beforeSeal(writer: ChainWriter, isInstant: boolean): Promise<TickLimits | undefined> {
    this.#memory.sealedTicks = this.#tick
    for (const rule of this.#of('drop')) if (rule.spec.at !== 'tick') await this.#drop(writer, rule)
    // Instant mode would execute a returned transaction again at once, in an endless loop.
    const lost = isInstant ? new Set<Hex>() : await this.#truncate(writer)
    await this.#reorder(writer)
    const memory = this.#memory
    memory.endBlock()
    if (memory.stall === undefined) return undefined
    const { rule, seals } = memory.stall
    memory.stall = seals > 1 ? { rule, seals: seals - 1 } : undefined
    const passesBy = this.#passing()
    return {
      // A seal must not wait for an upstream.
      isWhole: false,
      passesBy: (one) => lost.has(one.hash) || passesBy?.(one) === true,
    }
  }

  /** @returns hashes of what the block has lost */
  async #truncate(writer: ChainWriter): Promise<ReadonlySet<Hex>> {
    const hashes = new Set<Hex>()
    for (const rule of this.#of('truncate')) {
      const { executed } = this.#surroundings.chain.pending
      const own = executed.filter(isOwn)
      if (own.length === 0) break
      if (!this.#isAtBlock(rule.spec)) continue
      const ticks = [...new Set(own.map(({ tick }) => tick))]
      const depth = Math.min(rule.spec.slices ?? 1, ticks.length)
      const lost = new Set(ticks.slice(-depth))
      const isLost = (one: ExecutedTransaction) => isOwn(one) && lost.has(one.tick)
      const transactions = hashesOf(executed.filter(isLost))
      if (!this.#tryToFire(rule, { transactions, depth })) continue
      for (const hash of transactions) hashes.add(hash)
      await writer.rearrange(executed.filter((one) => !isLost(one)))
    }
    return hashes
  }

  async #reorder(writer: ChainWriter): Promise<void> {
    for (const rule of this.#of('reorder')) {
      const { executed, steps } = this.#surroundings.chain.pending
      const { spec, random } = rule
      if (!this.#isAtBlock(spec)) continue
      // Transactions are reordered only between two commands.
      const bounds = [0, ...steps.map(({ after }) => after), executed.length]
      const parts = bounds.slice(1).map((end, index) => executed.slice(bounds[index], end))
      if (!parts.some((part) => hasSeveralSenders(part.filter(isOwn)))) continue
      if (!this.#tryToFire(rule)) continue
      await writer.rearrange(
        parts.flatMap((part) => {
          const own = shuffled(part.filter(isOwn), random)
          return part.map((one) => (isOwn(one) ? (own.shift() ?? one) : one))
        }),
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
      if (rule.isSpent) continue
      const about = { block: head.number, tick: this.#memory.sealedTicks, depth: possible }
      const transactions = this.#sealedIn(head.number - possible + 1)
      if (!this.#tryToFire(rule, { ...about, transactions })) continue
      await reorg({ depth: possible, requeues: !drops })
    }
  }

  /** Hashes of what anybody sent to the blocks from this number on. */
  #sealedIn(first: number): Hex[] {
    const { head, history } = this.#surroundings.chain
    const hashes: Hex[] = []
    for (let number = first; number <= head.number; number = history.skipReserved(number + 1)) {
      const executed = history.byNumber(number)?.executed ?? []
      hashes.push(...hashesOf(executed.filter(isOwn)))
    }
    return hashes
  }

  /** Runs after each tick, be it another node's. */
  afterTick(): void {
    // The tick that has just ended is already counted.
    const tick = this.#tick - 1
    for (const rule of this.#of('cutSockets')) {
      if (!this.#isAtBlock(rule.spec) || !allows(rule.spec.tick, tick)) continue
      if (this.#tryToFire(rule, { tick })) this.#surroundings.cutSockets()
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

  /**
   * The messages that the flashblock stream sends in place of this one.
   *
   * @param waiting - the message that comes after the next one, which other rules do not change
   */
  messages<Message>(
    message: Message,
    { block, index }: { block: number; index: number },
    waiting: Message[],
  ): Message[] {
    // The tick of this message has ended, and is already counted.
    const tick = Math.max(0, this.#tick - 1)
    const rule = this.#slices.find(
      (one) =>
        allows(one.spec.block, block) &&
        allows(one.spec.index, index) &&
        // If one message is held back to be swapped, the next is the one that it is swapped with.
        (one.spec.kind !== 'swapSlices' || waiting.length === 0) &&
        this.#tryToFire(one, { block, tick }),
    )
    const kind = rule?.spec.kind
    if (kind === 'swapSlices') {
      waiting.push(message)
      return []
    }
    const copies = kind === 'loseSlice' ? 0 : kind === 'duplicateSlice' ? 2 : 1
    return [...new Array<Message>(copies).fill(message), ...waiting.splice(0)]
  }

  get #block(): number {
    return Number(this.#surroundings.chain.pending.environment.number)
  }

  /** Number of ticks that the pending block has had, those included that executed nothing. */
  get #tick(): number {
    return this.#surroundings.chain.pending.ticks + this.omittedTicks
  }

  #isAtBlock({ block }: Pick<FaultRule, 'block'>): boolean {
    return allows(block, this.#block)
  }

  #of<Kind extends FaultKind>(kind: Kind): readonly Rule<RuleOf<Kind>>[] {
    // A rule of this kind has its spec.
    return (this.#byKind.get(kind) ?? NONE) as readonly Rule<RuleOf<Kind>>[]
  }

  #tryToFire(rule: Rule, occasion: Occasion = {}): boolean {
    if (!rule.tryToFire()) return false
    this.#surroundings.report({
      kind: rule.spec.kind,
      rule: rule.index,
      block: this.#block,
      tick: this.#tick,
      transactions: [],
      depth: null,
      method: null,
      ...occasion,
    })
    return true
  }
}

/** True if a transaction is no deposit of the OP Stack: the L1 decides on those. */
function isOwn({ transaction }: ExecutedTransaction): boolean {
  return transaction.deposit === undefined
}

function hashesOf(executed: readonly ExecutedTransaction[]): Hex[] {
  return executed.map(({ transaction }) => transaction.hash)
}

function hasSeveralSenders(executed: readonly ExecutedTransaction[]): boolean {
  return executed.some(({ transaction }) => transaction.sender !== executed[0]?.transaction.sender)
}
