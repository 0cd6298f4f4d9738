import type { TokenUnit } from '../../primitives/amounts.ts'
import { DevnetError } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import { setNewest } from '../../primitives/memo.ts'
import { callTasks } from '../../rpc/heavy/callTasks.ts'
import { readTokenUnit } from '../../rpc/naming/tokenFacts.ts'
import { ETHER, wordIn } from '../../rpc/naming/tokenMoves.ts'
import { callTarget } from '../../rpc/queries/callTarget.ts'
import { untilKnown } from '../../rpc/untilKnown.ts'
import type { ContractCache } from '../contractCache.ts'
import type { DashboardNode } from '../handle.ts'

export interface TokenFacts extends TokenUnit {
  /** True if it says that it is an ERC-721. */
  readonly isCollectible: boolean
}

/** Gas of one question, and ms that it may take: a token may burn all that it is given. */
const GAS = 150_000n
const TIMEOUT = 500

/** Number of tokens that are remembered. */
const MOST = 1000

/** ms for which facts are remembered, as a proxy can change them; shorter if some are lacking. */
const KEPT = 60_000
const RETRY = 5000

/** Call of `supportsInterface(0x80ac58cd)`: ERC-721. */
const ASK_COLLECTIBLE: Hex = `0x01ffc9a780ac58cd${'0'.repeat(56)}`

interface Known {
  readonly codeHash: Uint8Array
  readonly facts: Promise<TokenFacts>
  until: number
}

/** Decimals and symbols of tokens, asked by calls on the pending state. */
export class TokenRegistry {
  readonly #node: DashboardNode
  readonly #contracts: ContractCache
  readonly #known = new Map<Hex, Known>()

  constructor(node: DashboardNode, contracts: ContractCache) {
    this.#node = node
    this.#contracts = contracts
  }

  /** Facts that the token does not tell, or not in time, are `null`. */
  async factsOf(token: Hex): Promise<TokenFacts> {
    if (token === ETHER) return { decimals: 18, symbol: 'ETH', isCollectible: false }
    const codeHash = this.#contracts.codeHash(token)
    if (codeHash === undefined) return NOTHING
    const now = performance.now()
    const known = this.#known.get(token)
    if (known?.codeHash === codeHash && known.until > now) return known.facts
    const fresh: Known = { codeHash, facts: this.#ask(token), until: now + KEPT }
    setNewest(this.#known, token, fresh, MOST)
    const facts = await fresh.facts
    if (facts.decimals === null || facts.symbol === null) fresh.until = now + RETRY
    return facts
  }

  async #ask(token: Hex): Promise<TokenFacts> {
    const unit = await readTokenUnit((data) => this.call(token, data, 'pending'))
    const answer = wordIn(await this.call(token, ASK_COLLECTIBLE, 'pending'))
    return { ...unit, isCollectible: answer === 1n }
  }

  /** Calls a token; `undefined` if it reverts, or does not answer within its gas and in time. */
  async call(token: Hex, data: Hex, block: 'latest' | 'pending'): Promise<Hex | undefined> {
    const { context } = this.#node
    const signal = AbortSignal.timeout(TIMEOUT)
    const ask = () => {
      const target = callTarget(context, { tag: block })
      const request = { to: token, data, gas: GAS }
      const call = { block: target.block, request, gasCap: GAS, likeHardhat: false }
      return context.heavy.run(callTasks.call, target, call, { signal, timeout: TIMEOUT })
    }
    try {
      return (await untilKnown(ask, signal)).returnData
    } catch (error) {
      if (error instanceof DevnetError || signal.aborted) return undefined
      throw error
    }
  }
}

const NOTHING: TokenFacts = { decimals: null, symbol: null, isCollectible: false }
