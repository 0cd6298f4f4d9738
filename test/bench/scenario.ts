import type { Peer, PeerName } from './peers.ts'

/** One measured number. Several with the same `metric` are samples of it; the report shows their median. */
export interface Measurement {
  readonly metric: string
  readonly unit: string
  /** Which direction is good, and so how ratios are oriented; `neither` has no ratio. */
  readonly better: 'higher' | 'lower' | 'neither'
  readonly value: number
  /** What a reader must know to compare this peer's number with the others'. */
  readonly note?: string
}

/** One benchmark, for every peer that it makes sense for. */
export interface Scenario {
  readonly name: string
  /** One line for the head of its table. */
  readonly about: string
  /** Default: all. */
  readonly peers?: readonly PeerName[]
  /** Rounds, unless the command line says otherwise. Default: {@link defaultRounds}. */
  readonly rounds?: number
  /**
   * One round: starts `peer`, drives it, and stops it.
   *
   * @param minutes - how long, for a scenario that can last; undefined: as long as it does by itself
   */
  measure(peer: Peer, minutes?: number): Promise<readonly Measurement[]>
}

export const defaultRounds = 3
