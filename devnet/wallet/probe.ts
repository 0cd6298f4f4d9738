import { isLoopback } from '../server/hostNames.ts'
import type { Hex } from '../types.ts'
import { boundedPost } from './boundedPost.ts'
import { createTurns } from './turns.ts'
import type { ChainProbe } from './types.ts'

/** All that is told of an RPC URL: more would let a page look into places that it cannot reach itself. */
export type ProbeOutcome = 'match' | 'mismatch' | 'no answer' | 'not asked'

/** Asks RPC URLs whether they are of a chain. */
export type Probe = (url: string, chainId: Hex) => Promise<ProbeOutcome>

const LIMITS = { timeout: 3000, maxSize: 64 * 1024 } as const
/** URLs that are asked at a time, over all sessions. */
const MOST_AT_ONCE = 32
const QUESTION = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'

/**
 * Makes the probe of one wallet.
 *
 * @param given - asks in place of the wallet; `false` asks nobody
 * @param isCi - whether public hosts are left alone, so that a test does not hang on them
 */
export function createProbe(given: ChainProbe | false | undefined, isCi = runsInCi()): Probe {
  const inTurn = createTurns(MOST_AT_ONCE)

  return async (url, chainId) => {
    if (given === false) return 'not asked'
    if (given === undefined && isCi && !isLoopback(new URL(url).hostname)) return 'not asked'
    let answer: unknown
    try {
      answer = await inTurn(() => (given ?? askForChainId)(url))
    } catch {
      // Whatever it was, nobody is told what is there.
      return 'no answer'
    }
    if (typeof answer !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(answer)) return 'no answer'
    return BigInt(answer) === BigInt(chainId) ? 'match' : 'mismatch'
  }
}

async function askForChainId(url: string): Promise<string> {
  const answer: unknown = JSON.parse(await boundedPost(url, QUESTION, LIMITS))
  if (typeof answer === 'object' && answer !== null && 'result' in answer) {
    return String(answer.result)
  }
  throw new Error('no result')
}

function runsInCi(): boolean {
  const { CI } = process.env
  return CI !== undefined && CI !== '' && CI !== 'false' && CI !== '0'
}
