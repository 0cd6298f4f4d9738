interface State {
  readonly automine: boolean
  readonly onInterval: boolean
  /** Whether `evm_setIntervalMining` asked for the interval: then automine leaves it alone. */
  readonly intervalChosen: boolean
  readonly frozen: boolean
}

/**
 * When blocks are sealed: one per transaction (instant mode), at the interval of the sealing clock,
 * both or neither. A freeze stops both and forgets neither.
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

  /** Continues as before the freeze; on the interval if nothing would ever be sealed otherwise. */
  resume(): void {
    this.#change({ frozen: false, onInterval: this.#state.onInterval || !this.#state.automine })
  }

  /** Enabling ends a freeze. Either way, an interval that no command chose ends. */
  setAutomine(automine: boolean): void {
    const { frozen, onInterval, intervalChosen } = this.#state
    this.#change({
      automine,
      frozen: frozen && !automine,
      onInterval: onInterval && intervalChosen,
    })
  }

  /** Starts or stops the sealing clock; starting ends a freeze. */
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
