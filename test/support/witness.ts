import { type Hex, hexToBigInt, numberToHex, slice } from 'viem'

/**
 * Code that logs all that a command can change, then adds 1 to slot 0. {@link readWitness} names
 * the words of the log: TIMESTAMP, SELFBALANCE, slot 0, the caller's balance, BASEFEE, COINBASE,
 * PREVRANDAO, GASLIMIT and NUMBER.
 */
export const WITNESS_CODE: Hex =
  '0x425f52476020525f546040523331606052486080524160a0524460c0524560e05243610100526101205fa05f546001015f5500'

/** What a call of {@link WITNESS_CODE} found. */
export interface Witnessed {
  readonly timestamp: number
  /** wei of the contract, with what the call brought. */
  readonly balance: bigint
  /** Slot 0, before the call added 1. */
  readonly count: bigint
  /** wei of the caller, after it paid for the gas limit and the value. */
  readonly callerBalance: bigint
  readonly baseFee: bigint
  readonly coinbase: Hex
  readonly prevRandao: Hex
  readonly gasLimit: bigint
  readonly number: number
}

/** @param data - of the log */
export function readWitness(data: Hex): Witnessed {
  const word = (index: number) => slice(data, 32 * index, 32 * index + 32)
  const number = (index: number) => hexToBigInt(word(index))
  return {
    timestamp: Number(number(0)),
    balance: number(1),
    count: number(2),
    callerBalance: number(3),
    baseFee: number(4),
    coinbase: numberToHex(number(5), { size: 20 }),
    prevRandao: word(6),
    gasLimit: number(7),
    number: Number(number(8)),
  }
}
