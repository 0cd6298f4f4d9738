import type { Hex } from 'viem'

/** Gas that a round of the loop costs, and that all the rest of the transaction does. */
const ROUND = 46
const REST = 21_000 + 20

const ROUNDS = Math.floor((10_000_000 - REST) / ROUND)

/** Gas that a transaction uses which runs {@link LOOP_CODE}: 10M, to the next whole round. */
export const loopGas = ROUNDS * ROUND + REST

/**
 * Multiplies, adds and counts down in a tight loop, on numbers that soon fill the 256 bits, and answers the sum:
 * PUSH0 PUSH3 rounds JUMPDEST SWAP1 PUSH1 3 MUL DUP2 ADD SWAP1 PUSH1 1 SWAP1 SUB DUP1 PUSH1 5 JUMPI POP PUSH0 MSTORE
 * PUSH1 32 PUSH0 RETURN.
 */
export const LOOP_CODE: Hex = `0x5f62${ROUNDS.toString(16).padStart(6, '0')}5b906003028101906001900380600557505f5260205ff3`

/** What {@link LOOP_CODE} answers. */
export function loopResult(): Hex {
  let sum = 0n
  for (let left = ROUNDS; left > 0; left--) sum = BigInt.asUintN(256, sum * 3n + BigInt(left))
  return `0x${sum.toString(16).padStart(64, '0')}`
}
