import { type ForkRules, isAtLeast } from './forks.ts'
import { type BlockHeader, EMPTY_UNCLES_HASH } from './header.ts'

/** The fields of a parent from which the next difficulty follows. */
type DifficultyParent = Pick<BlockHeader, 'number' | 'timestamp' | 'difficulty' | 'sha3Uncles'>

const MINIMUM = 131_072n
const BOUND_DIVISOR = 2048n
const LOWEST_STEP = -99n

/** The difficulty bomb doubles each time this many blocks have passed. */
const BOMB_PERIOD = 100_000n

/** Before Homestead, the difficulty rises if the next block follows in less than this many s. */
const FRONTIER_LIMIT = 13n

/**
 * Difficulty of the block after `parent` (yellow paper 4.4.4, EIP-2, EIP-100); 0 since Paris.
 *
 * @param timestamp - timestamp of the block after `parent`, in s since the epoch
 */
export function nextDifficulty(
  parent: DifficultyParent,
  timestamp: bigint,
  rules: ForkRules,
): bigint {
  if (rules.proofOfStake) return 0n
  const elapsed = timestamp - parent.timestamp
  const unit = parent.difficulty / BOUND_DIVISOR
  const moved = parent.difficulty + unit * step(elapsed, parent, rules)
  return atLeast(MINIMUM, moved + bomb(parent.number + 1n, rules.bombDelay))
}

/** Number of units by which the difficulty changes, without the bomb. */
function step(elapsed: bigint, parent: DifficultyParent, rules: ForkRules): bigint {
  if (!isAtLeast(rules.hardfork, 'homestead')) return elapsed < FRONTIER_LIMIT ? 1n : -1n
  if (!isAtLeast(rules.hardfork, 'byzantium')) return atLeast(LOWEST_STEP, 1n - elapsed / 10n)
  const uncles = !Buffer.from(EMPTY_UNCLES_HASH).equals(parent.sha3Uncles)
  return atLeast(LOWEST_STEP, (uncles ? 2n : 1n) - elapsed / 9n)
}

function bomb(number: bigint, delay: bigint): bigint {
  const late = number > delay ? number - delay : 0n
  const exponent = late / BOMB_PERIOD - 2n
  return exponent >= 0n ? 2n ** exponent : 0n
}

function atLeast(least: bigint, value: bigint): bigint {
  return value < least ? least : value
}
