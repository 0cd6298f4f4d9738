type SealModeSnapshot = ReturnType<SealMode['snapshot']>

/**
 * When blocks are sealed: one per transaction (instant mode), at the interval of the sealing clock,
 * both or neither. A freeze stops both and forgets neither.
 */
export class SealMode {
  #automine: boolean
  #onInterval: boolean
  /** Whether `evm_setIntervalMining` asked for the interval: then automine leaves it alone. */
  #intervalChosen = false
  #frozen: boolean

  constructor({ instant, frozen }: { readonly instant: boolean; readonly frozen: boolean }) {
    this.#automine = instant
    this.#onInterval = !instant
    this.#frozen = frozen
  }

  /** Whether each transaction is sealed at once. */
  get instant(): boolean {
    return this.#automine && !this.#frozen
  }

  /** Whether the sealing clock runs. */
  get onInterval(): boolean {
    return this.#onInterval && !this.#frozen
  }

  freeze(): void {
    this.#frozen = true
  }

  /** Continues as before the freeze; on the interval if nothing would ever be sealed otherwise. */
  resume(): void {
    this.#frozen = false
    if (!this.#automine) this.#onInterval = true
  }

  /** Enabling ends a freeze. Either way, an interval that no command chose ends. */
  setAutomine(enabled: boolean): void {
    this.#automine = enabled
    if (enabled) this.#frozen = false
    if (!this.#intervalChosen) this.#onInterval = false
  }

  /** Starts or stops the sealing clock; starting ends a freeze. */
  setInterval(enabled: boolean): void {
    this.#onInterval = enabled
    this.#intervalChosen = enabled
    if (enabled) this.#frozen = false
  }

  snapshot() {
    return {
      automine: this.#automine,
      onInterval: this.#onInterval,
      intervalChosen: this.#intervalChosen,
      frozen: this.#frozen,
    }
  }

  restore(snapshot: SealModeSnapshot): void {
    this.#automine = snapshot.automine
    this.#onInterval = snapshot.onInterval
    this.#intervalChosen = snapshot.intervalChosen
    this.#frozen = snapshot.frozen
  }
}
