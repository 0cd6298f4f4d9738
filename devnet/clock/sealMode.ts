interface State {
  readonly automine: boolean
  readonly onInterval: boolean
  /** Whether a command, e.g. `evm_setIntervalMining`, set the interval: `setAutomine` keeps it. */
  readonly intervalChosen: boolean
  readonly frozen: boolean
}

/**
 * When blocks are sealed: one per transaction (instant mode), at the interval of the sealing clock,
 * both or neither. A freeze suspends them.
 */
export class SealMode {
  #state: State

  constructor({ instant, frozen }: { readonly instant: boolean; readonly frozen: boolean }) {
    this.#state = { automine: instant, onInterval: !instant, intervalChosen: false, frozen }
  }

  get instant(): boolean {
    return this.#state.automine && !this.#state.frozen
  }

  get onInterval(): boolean {
    return this.#state.onInterval && !this.#state.frozen
  }

  freeze(): void {
    this.#change({ frozen: true })
  }

  /** Ends a freeze. If neither instant mode nor the sealing clock was on, starts the latter. */
  resume(): void {
    this.#change({ frozen: false, onInterval: this.#state.onInterval || !this.#state.automine })
  }

  /** Enabling ends a freeze. The sealing clock stops unless a command set its interval. */
  setAutomine(automine: boolean): void {
    const { frozen, onInterval, intervalChosen } = this.#state
    this.#change({
      automine,
      frozen: frozen && !automine,
      onInterval: onInterval && intervalChosen,
    })
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
