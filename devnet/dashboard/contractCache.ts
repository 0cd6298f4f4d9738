import type { Hex } from '../primitives/hex.ts'
import { setNewest } from '../primitives/memo.ts'
import {
  ContractFinder,
  type FoundContracts,
  type NamingSource,
} from '../rpc/naming/contractNames.ts'
import { EMPTY_CODE_HASH } from '../state/codes.ts'
import { addressKeyFromHex } from '../state/keys.ts'
import type { DashboardNode } from './handle.ts'
import { askOwn } from './ownView.ts'

/** Number of addresses that are remembered. */
const MOST = 1000

/** ms for which it is remembered that an address has no known contract, or a proxy's. */
const RETRY = 2000

interface Known {
  readonly codeHash: Uint8Array
  readonly contracts: readonly FoundContracts[]
  /** Time at which to look again; never for code that is a contract's own. */
  readonly until: number
}

/** The contracts at addresses, found by their code in the pending state. */
export class ContractCache {
  readonly #node: DashboardNode
  readonly #finder: ContractFinder
  readonly #known = new Map<Hex, Known>()

  constructor(node: DashboardNode, source: NamingSource) {
    this.#node = node
    const ask = askOwn(node.context, new AbortController().signal)
    this.#finder = new ContractFinder(
      source,
      // All methods that it asks with answer bytes.
      async (...request) => (await ask(...request)) as Hex,
    )
  }

  /** The contracts that the code at an address can be of, first those behind a proxy. */
  async at(address: Hex): Promise<readonly FoundContracts[]> {
    const codeHash = this.codeHash(address)
    if (codeHash === undefined) return []
    const known = this.#known.get(address)
    if (known?.codeHash === codeHash && known.until > performance.now()) return known.contracts
    const contracts = await this.#finder.allAt(address)
    const isOwn = contracts.length === 1 && contracts[0]?.behind === undefined
    const until = isOwn ? Number.POSITIVE_INFINITY : performance.now() + RETRY
    setNewest(this.#known, address, { codeHash, contracts, until }, MOST)
    return contracts
  }

  /** True if there is code at an address; false also while that is not known. */
  hasCode(address: Hex): boolean {
    return this.codeHash(address) !== undefined
  }

  /** `undefined` without code. */
  codeHash(address: Hex): Uint8Array | undefined {
    const { state } = this.#node.context.chain.pending
    const key = addressKeyFromHex(address)
    const loading = state.lazyReads?.account(key)
    // A name is not worth a wait for an upstream; the next answer has it.
    loading?.catch(() => undefined)
    const hash = loading === undefined ? state.account(key)?.codeHash : undefined
    return hash === EMPTY_CODE_HASH ? undefined : hash
  }
}
