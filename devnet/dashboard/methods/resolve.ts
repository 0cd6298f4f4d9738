import type { Hex } from '../../primitives/hex.ts'
import { text } from '../../primitives/reader.ts'
import { askContracts, entriesOf } from '../../rpc/naming/contractNames.ts'
import { first } from '../chainIndex.ts'
import { fullNameOf } from '../contractRows.ts'
import type { Dashboard } from '../dashboard.ts'
import { defineQuery, fields } from '../query.ts'

/** Number of matches that are answered. */
const MOST = 20

/** Number of contracts, the newest, that are asked for their symbol. */
const MOST_TOKENS = 200

/** The end of an address of any explorer (EIP-3091). */
const EXPLORER = /\/(?:tx|block|address|token)\/(\w+)\/?(?:[?#].*)?$/

const TEXT = text('a text', { max: 1000 })

export interface Match {
  readonly kind: 'block' | 'transaction' | 'address' | 'contract' | 'function' | 'event' | 'token'
  readonly text: string
  /** Below `/dashboard`, e.g. `/tx/0x…`. */
  readonly path: string
}

/** Meaning of a text in the search field. */
export default defineQuery(fields({ text: TEXT }), async (dashboard, { text }, { signal }) => {
  const plain = text.trim()
  const wantedText = EXPLORER.exec(plain)?.[1] ?? plain
  const exact = exactMatches(dashboard, wantedText.toLowerCase())
  const isDone = exact.length > 0 || wantedText === ''
  /** Best first; empty if the text means nothing here. */
  const matches = isDone ? exact : await named(dashboard, wantedText.toLowerCase(), signal)
  return { matches }
})

function exactMatches({ node, accountNames }: Dashboard, text: string): Match[] {
  const { chain } = node.context
  const pending = Number(chain.pending.environment.number)
  if (text === 'pending' || text === String(pending)) return [blockMatch('pending', 'pending')]
  if (text === 'latest') return [blockMatch(`Block ${chain.head.number}`, chain.head.number)]
  const number = /^#?(\d{1,15})$/.exec(text)?.[1]
  if (number !== undefined) {
    const known = chain.history.byNumber(Number(number))
    const isHere = known !== undefined || Number(number) <= (chain.origin?.number ?? -1)
    return isHere ? [blockMatch(`Block ${Number(number)}`, Number(number))] : []
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
  if (block !== undefined) return [blockMatch(`Block ${block.number}`, text)]
  if (chain.origin === undefined) return []
  // The upstream is asked only if a person opens the match.
  const inUpstream = `${text}, if the upstream has it`
  return [
    { kind: 'transaction', text: inUpstream, path: `/tx/${text}` },
    blockMatch(inUpstream, text),
  ]
}

function blockMatch(text: string, id: string | number): Match {
  return { kind: 'block', text, path: `/block/${id}` }
}

/**
 * Tokens, contracts, functions, events and accounts whose name holds the text, those that begin
 * with it first.
 */
async function named(dashboard: Dashboard, text: string, signal: AbortSignal): Promise<Match[]> {
  const { naming } = dashboard.work(signal)
  const found: { readonly match: Match; readonly at: number }[] = []
  const add = (name: string, match: Match) => {
    const at = name.toLowerCase().indexOf(text)
    if (at >= 0) found.push({ match, at })
  }
  await dashboard.index.sync(signal)
  for (const { address } of first(dashboard.index.creations(), MOST_TOKENS)) {
    const { symbol } = await dashboard.tokens.factsOf(address)
    if (symbol) add(symbol, { kind: 'token', text: symbol, path: `/address/${address}` })
    await naming.pause()
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
  for (const [address, name] of dashboard.accountNames) {
    add(name, { kind: 'address', text: name, path: `/address/${address}` })
  }
  const best = found.sort((one, other) => one.at - other.at).map(({ match }) => match)
  return [...new Map(best.map((match) => [Object.values(match).join(' '), match])).values()].slice(
    0,
    MOST,
  )
}
