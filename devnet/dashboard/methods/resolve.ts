import type { Hex } from '../../primitives/hex.ts'
import { text } from '../../primitives/reader.ts'
import { askContracts, entriesOf } from '../../rpc/naming/contractNames.ts'
import type { Match } from '../api.ts'
import { fullNameOf } from '../contractRows.ts'
import type { Dashboard } from '../dashboard.ts'
import { defineQuery, fields } from '../query.ts'

/** Number of matches that are answered. */
const MOST = 20

/** The end of an address of any explorer (EIP-3091). */
const EXPLORER = /\/(?:tx|block|address|token)\/(\w+)\/?(?:[?#].*)?$/

const TEXT = text('a text', { max: 1000 })

/** Meaning of a text in the search field. */
export default defineQuery(
  'resolve',
  fields({ text: TEXT }),
  async (dashboard, { text }, { signal }) => {
    const plain = text.trim()
    const wantedText = EXPLORER.exec(plain)?.[1] ?? plain
    const exact = exactMatches(dashboard, wantedText.toLowerCase())
    const isDone = exact.length > 0 || wantedText === ''
    return { matches: isDone ? exact : await named(dashboard, wantedText.toLowerCase(), signal) }
  },
)

function exactMatches({ node, accountNames }: Dashboard, text: string): Match[] {
  const { chain } = node.context
  const pending = Number(chain.pending.environment.number)
  if (text === 'pending' || text === String(pending)) return [blockMatch('pending', 'pending')]
  if (text === 'latest') return [blockMatch(`Block ${chain.head.number}`, chain.head.number)]
  const number = /^#?(\d{1,15})$/.exec(text)?.[1]
  if (number !== undefined) {
    const known = chain.history.byNumber(Number(number))
    return known === undefined ? [] : [blockMatch(`Block ${known.number}`, known.number)]
  }
  const account = /^account #?(\d+)$/.exec(text)?.[1]
  const address = account === undefined ? text : [...accountNames.keys()][Number(account)]
  if (address !== undefined && /^0x[0-9a-f]{40}$/.test(address)) {
    return [{ kind: 'address', text: address, path: `/address/${address}` }]
  }
  if (!/^0x[0-9a-f]{64}$/.test(text)) return []
  // The pattern guarantees the type.
  const hash = text as Hex
  const wasDropped = chain.dropped.some((one) => one.hash === hash)
  if (wasDropped || chain.findTransaction(hash) !== undefined) {
    return [{ kind: 'transaction', text, path: `/tx/${text}` }]
  }
  const block = chain.history.byHash(hash)
  return block === undefined ? [] : [blockMatch(`Block ${block.number}`, text)]
}

function blockMatch(text: string, id: string | number): Match {
  return { kind: 'block', text, path: `/block/${id}` }
}

/** Contracts, functions and events whose name holds the text, those that begin with it first. */
async function named(dashboard: Dashboard, text: string, signal: AbortSignal): Promise<Match[]> {
  const { naming } = dashboard.work(signal)
  const found: { readonly match: Match; readonly at: number }[] = []
  const add = (name: string, match: Match) => {
    const at = name.toLowerCase().indexOf(text)
    if (at >= 0) found.push({ match, at })
  }
  for (const contract of await askContracts(dashboard.naming, (source) => source.all())) {
    const { name } = contract
    const path = `/contracts#${encodeURIComponent(fullNameOf(contract) ?? name)}`
    add(name, { kind: 'contract', text: name, path })
    for (const entry of entriesOf(contract.abi)) {
      const whole = `${name}.${entry.name}`
      if (entry.kind === 'event') add(entry.name, { kind: 'event', text: whole, path })
      if (entry.kind !== 'function') continue
      const filter = new URLSearchParams({ contract: name, function: entry.name })
      add(entry.name, { kind: 'function', text: whole, path: `/txs?${filter}` })
    }
    await naming.pause()
  }
  const best = found.sort((one, other) => one.at - other.at).map(({ match }) => match)
  return [...new Map(best.map((match) => [`${match.kind} ${match.text}`, match])).values()].slice(
    0,
    MOST,
  )
}
