interface State {
  readonly automine: boolean
  readonly onInterval: boolean
  /** True if a command, e.g. `evm_setIntervalMining`, set the interval: `setAutomine` keeps it. */
  readonly intervalChosen: boolean
  readonly frozen: boolean
  /** True if a freeze stopped the tick clock, too: only {@link SealMode.resume} ends that. */
  readonly frozenTicks: boolean
  /**
   * True if a command has turned automine off on a chain that started with it; true until what was
   * sent meanwhile is sealed, even if automine is on again.
   */
  readonly collecting: boolean
}

/**
 * Times at which blocks are sealed: one per transaction (instant mode), at the interval of the
 * sealing clock, both or neither. A freeze suspends them. Also whether the tick clock runs, which
 * depends on that.
 */
export class SealMode {
  readonly #startedInstant: boolean
  #state: State

  constructor({
    instant,
    frozen,
    frozenTicks,
  }: Pick<State, 'frozen' | 'frozenTicks'> & { readonly instant: boolean }) {
    this.#startedInstant = instant
    this.#state = {
      automine: instant,
      onInterval: !instant,
      intervalChosen: false,
      frozen: frozen || frozenTicks,
      frozenTicks,
      collecting: false,
    }
  }

  get instant(): boolean {
    return this.#state.automine && !this.#state.frozen
  }

  get onInterval(): boolean {
    return this.#state.onInterval && !this.#state.frozen
  }

  /** True if transactions wait for a block, as on Hardhat's network without automine. */
  get collecting(): boolean {
    return this.#state.collecting && !this.#state.frozen
  }

  /** True if the tick clock runs. It stays stopped if a freeze comes while it is collecting. */
  get ticking(): boolean {
    return !this.#state.frozenTicks && !this.#state.collecting
  }

  /** @param ticks - whether to stop the tick clock, too. Default: false */
  freeze(ticks = false): void {
    this.#change({ frozen: true, frozenTicks: this.#state.frozenTicks || ticks })
  }

  /**
   * Ends a freeze. If neither instant mode nor the sealing clock was on, starts the latter.
   *
   * @param ticks - whether ticks go on, too, so that nothing stays {@link collecting}
   */
  resume(ticks: boolean): void {
    const { automine, onInterval, collecting, frozenTicks } = this.#state
    this.#change({
      frozen: false,
      frozenTicks: frozenTicks && !ticks,
      onInterval: onInterval || !automine,
      collecting: collecting && !ticks,
    })
  }

  /**
   * Enabling ends a freeze. The sealing clock stops unless a command set its interval.
   *
   * @param isWaiting - whether transactions wait, which then stay {@link collecting}.
   *   Default: false
   */
  setAutomine(automine: boolean, isWaiting = false): void {
    const { frozen, onInterval, intervalChosen, collecting } = this.#state
    this.#change({
      automine,
      frozen: frozen && !automine,
      onInterval: onInterval && intervalChosen,
      collecting: automine ? collecting && isWaiting : this.#startedInstant,
    })
  }

  /** To be called when nothing waits: ends {@link collecting} if automine is on. */
  endCollecting(): void {
    if (this.#state.automine) this.#change({ collecting: false })
  }

  /** Starts or stops the sealing clock; starting it ends a freeze. */
  setInterval(enabled: boolean): void {
    const frozen = this.#state.frozen && !enabled
    this.#change({ onInterval: enabled, intervalChosen: enabled, frozen })
  }

  snapshot(): State {
    return this.#state
  }

  restore(snapshot: State): void {
    this.#state = snapshot
  }

  #change(changes: Partial<State>): void {
    this.#state = { ...this.#state, ...changes }
  }
}
