import type { Core } from '../core/core.ts'

/**
 * The gas for state of one execution (EIP-8037). It comes from a reservoir, which all frames share,
 * and once that is empty from the gas of the frame. Gas that comes back goes to the frame first, as
 * far as it has paid. All numbers stay zero before Amsterdam.
 */
export class StateMeter {
  reservoir = 0
  reservoirAtStart = 0
  /** Gas for the state that was created, less what came back. */
  used = 0
  /** State gas that the gas of the innermost frame has paid, and of its frames that succeeded. */
  spilled = 0

  begin(reservoir: number): void {
    this.reservoir = reservoir
    this.reservoirAtStart = reservoir
    this.used = 0
    this.spilled = 0
  }

  /** Takes gas from the reservoir, and from a frame. @returns false if it does not suffice */
  charge(core: Core, f: number, amount: number): boolean {
    const spill = Math.max(0, amount - this.reservoir)
    if (spill > 0 && !core.charge(f, spill)) return false
    this.#take(amount, spill)
    return true
  }

  /**
   * Takes gas from the reservoir, and from `gas`, which no frame of the core holds.
   *
   * @returns the rest of `gas`; negative if it does not suffice
   */
  chargeFrom(gas: number, amount: number): number {
    const spill = Math.max(0, amount - this.reservoir)
    if (spill <= gas) this.#take(amount, spill)
    return gas - spill
  }

  #take(amount: number, spill: number): void {
    this.reservoir -= amount - spill
    this.spilled += spill
    this.used += amount
  }

  /** Gives gas back whose state was not created after all. @returns what the frame gets of it */
  refill(amount: number): number {
    const repaid = Math.min(amount, this.spilled)
    this.spilled -= repaid
    this.reservoir += amount - repaid
    this.used -= amount
    return repaid
  }
}
