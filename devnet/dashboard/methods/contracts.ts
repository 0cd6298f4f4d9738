import { shorten } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import { askContracts } from '../../rpc/naming/contractNames.ts'
import { type Creation, first } from '../chainIndex.ts'
import { fullNameOf } from '../contractRows.ts'
import { defineQuery, fields } from '../query.ts'

/** Number of contracts that are listed, and of created ones that are looked at. */
const MOST_CONTRACTS = 500
const MOST_CREATIONS = 1000

/** Longest name, in characters. */
const MAX_NAME = 80

/** Number of addresses of one contract that are listed. */
const MOST_ADDRESSES = 100

export interface ContractRow {
  readonly name: string
  /** With its source, e.g. `contracts/Token.sol:Token`. */
  readonly fullName: string
  /** Newest first, at most 100. */
  readonly addresses: readonly { readonly address: Hex; readonly block: number | null }[]
}

/** The contracts of the project, and where they are deployed. */
export default defineQuery(fields({}), async (dashboard, _params, { signal }) => {
  const { index, naming: source, node } = dashboard
  const { contracts } = node.context.options
  await index.sync(signal)
  const { naming } = dashboard.work(signal)
  const places = new Map<string, Creation[]>()
  for (const creation of first(index.creations(), MOST_CREATIONS)) {
    // A proxy is listed once: by the contract whose functions it has.
    for (const { found } of (await dashboard.contracts.at(creation.address)).slice(0, 1)) {
      const name = fullNameOf(found[0])
      if (name === null) continue
      const list = places.get(name) ?? []
      if (list.length < MOST_ADDRESSES) list.push(creation)
      places.set(name, list)
    }
    await naming.pause()
  }
  const known = await askContracts(source, (given) => given.all())
  const named = known.map((contract) => ({ contract, fullName: fullNameOf(contract) ?? '' }))
  const [deployed, others] = [true, false].map((wanted) =>
    named.filter(({ fullName }) => places.has(fullName) === wanted),
  )
  const rows: ContractRow[] = []
  for (const { contract, fullName } of [...(deployed ?? []), ...(others ?? [])]) {
    if (rows.length >= MOST_CONTRACTS) break
    const addresses = places.get(fullName) ?? []
    const name = shorten(contract.name, MAX_NAME)
    rows.push({ name, fullName, addresses })
    await naming.pause()
  }
  return {
    /** `null` if the node was given no contracts. */
    folder: contracts === undefined ? null : (contracts.folder ?? ''),
    /** Those with addresses first. */
    contracts: rows,
    omitted: known.length - rows.length,
  }
})
