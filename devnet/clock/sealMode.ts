/** What {@link SealMode.restore} needs. */
export type SealModeSnapshot = ReturnType<SealMode['snapshot']>

/**
 * When blocks are sealed: in instant mode one for each transaction, on the beats of the sealing clock, both or neither.
 * Freezing stops both and forgets neither.
 */
export class SealMode {
  #automine: boolean
  #beats: boolean
  /** The beats were asked for with `evm_setIntervalMining`: they are the user's, and automine leaves them alone. */
  #beatsGiven = false
  #frozen: boolean

  constructor({ instant, frozen }: { readonly instant: boolean; readonly frozen: boolean }) {
    this.#automine = instant
    this.#beats = !instant
    this.#frozen = frozen
  }

  /** Each transaction is sealed at once. */
  get instant(): boolean {
    return this.#automine && !this.#frozen
  }

  /** The sealing clock beats. */
  get beats(): boolean {
    return this.#beats && !this.#frozen
  }

  freeze(): void {
    this.#frozen = true
  }

  /** Goes on as before the freeze; where nothing would ever be sealed then, with the beats. */
  resume(): void {
    this.#frozen = false
    if (!this.#automine) this.#beats = true
  }

  /** On, it ends a freeze; off, nothing seals any more but beats that were asked for. */
  setAutomine(enabled: boolean): void {
    this.#automine = enabled
    if (enabled) this.#frozen = false
    if (!this.#beatsGiven) this.#beats = false
  }

  /** On, it ends a freeze. */
  setBeats(enabled: boolean): void {
    this.#beats = enabled
    this.#beatsGiven = enabled
    if (enabled) this.#frozen = false
  }

  snapshot() {
    return {
      automine: this.#automine,
      beats: this.#beats,
      beatsGiven: this.#beatsGiven,
      frozen: this.#frozen,
    }
  }

  restore(snapshot: SealModeSnapshot): void {
    this.#automine = snapshot.automine
    this.#beats = snapshot.beats
    this.#beatsGiven = snapshot.beatsGiven
    this.#frozen = snapshot.frozen
  }
}
