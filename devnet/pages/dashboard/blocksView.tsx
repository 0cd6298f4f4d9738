import { useRef } from 'preact/hooks'
import type { StripGroup, StripTick } from '../../dashboard/groups.ts'
import { Key } from '../kit/elements.tsx'
import { age, count, dateTime, gwei, percent, plural } from '../kit/shownValue.ts'
import { SealWords } from './clockLine.tsx'
import { ExecutedTable } from './executedTable.tsx'
import { useViewKeys } from './keyBindings.ts'
import { FromUpstream, LookedFor } from './lookedFor.tsx'
import { Pager, usePages } from './pages.tsx'
import { Address, Copy, Empty, Gauge, Mark, Missing, Panel, StateGlyph, TxHash } from './parts.tsx'
import { links, navigate, search } from './router.ts'
import { type Answer, chainTime, status, strip } from './store.ts'
import { largestOf, TickTable } from './tickTable.tsx'
import { useAnswer } from './useAnswer.ts'

const PAGE = 50

/** Blocks, newest first: those that follow the chain, or a page before a block. */
export function BlocksView() {
  const given = search.value.get('before')
  const before = given !== null && /^\d{1,15}$/.test(given) ? Number(given) : undefined
  return (
    <>
      <div class="title">
        <h1>Blocks</h1>
        {before !== undefined && (
          <a class="more button small" href={links.view('blocks')}>
            Newest
          </a>
        )}
      </div>
      {before === undefined ? <NewestBlocks /> : <BlocksBefore key={before} before={before} />}
    </>
  )
}

function NewestBlocks() {
  const { groups, older } = strip.value
  const shown = groups.slice(-PAGE)
  const [first] = shown
  const isCut = shown.length < groups.length && first !== undefined
  const next = isCut ? (first.kind === 'block' ? first.number : first.from) : older
  return <BlockTable groups={shown} next={next} />
}

function BlocksBefore({ before }: { readonly before: number }) {
  const { answer, error } = useAnswer('strip', { before, limit: PAGE }, 'undone')
  if (error !== undefined) return <p class="alert">{error}</p>
  if (answer === undefined) return <p class="note">Loading…</p>
  return <BlockTable groups={answer.groups} next={answer.next} />
}

interface BlockTableProps {
  /** Oldest first. */
  readonly groups: readonly StripGroup[]
  /** Block before which the next page lies; `null` if there is none. */
  readonly next: number | null
}

function BlockTable({ groups, next }: BlockTableProps) {
  const end = (status.value?.fork?.number ?? -1) + 1
  const [first] = groups
  const isUpstreams = first !== undefined && first.kind === 'block' && first.number < end
  const older = next ?? (isUpstreams ? 0 : end)
  return (
    <>
      {isUpstreams && <p class="note">These blocks are the upstream's.</p>}
      <div class="panel">
        <table class="blocks">
          <thead>
            <tr>
              <th>Block</th>
              <th class="wide">Hash</th>
              <th class="number">Transactions</th>
              <th class="number wide">Reverted</th>
              <th class="number wide">Ticks</th>
              <th class="number">Gas</th>
              <th class="number">Age</th>
            </tr>
          </thead>
          <tbody>
            {groups.toReversed().map((group) => (
              <GroupRow key={rowKey(group)} group={group} />
            ))}
          </tbody>
        </table>
      </div>
      {older > 0 && (
        <p class="pad">
          <a class="button" href={links.blocksBefore(older)}>
            {older > end ? 'Older blocks' : 'Older blocks: from the upstream'}
          </a>
        </p>
      )}
    </>
  )
}

/** The pending block keeps its row, and so the focus, when it is sealed without transactions. */
function rowKey(group: StripGroup): string {
  if (group.kind === 'empty') return `e${group.from}`
  return group.hash === null ? 'pending' : String(group.number)
}

function GroupRow({ group }: { readonly group: StripGroup }) {
  if (group.kind === 'empty') {
    const { from, to } = group
    return (
      <tr class="fold-row">
        <td colSpan={7}>
          <span class="note">
            <a href={links.block(to)}>{`#${to}`}</a>
            {from !== to && (
              <>
                {' to '}
                <a href={links.block(from)}>{`#${from}`}</a>
              </>
            )}
            {`: ${plural(to - from + 1, 'empty block')}`}
          </span>
        </td>
      </tr>
    )
  }
  const { number, hash, transactions, reverted, ticks, earlierTicks, gasUsed, gasLimit } = group
  const isPending = hash === null
  const isKnown = number > (status.value?.fork?.number ?? -1)
  const href = links.block(isPending ? 'pending' : number)
  return (
    <tr data-row={hash ?? ''} data-href={href} tabIndex={-1}>
      <td>
        <span class="state">
          <StateGlyph state={isPending ? 'preconfirmed' : 'sealed'} />
          <a href={href}>{`#${number}`}</a>
        </span>
      </td>
      <td class="wide">
        {hash === null ? (
          <span class="note">
            <SealWords />
          </span>
        ) : (
          <code>{`${hash.slice(0, 10)}…${hash.slice(-6)}`}</code>
        )}
      </td>
      <td class="number">{count(transactions)}</td>
      <td class={reverted > 0 ? 'number less wide' : 'number note wide'}>
        {isKnown ? count(reverted) : '–'}
      </td>
      <td class="number wide">{isKnown ? count(ticks.length + earlierTicks) : '–'}</td>
      <td class="number">
        {count(gasUsed)} <Gauge used={gasUsed} limit={gasLimit} />
      </td>
      <td class="number note">{age(Math.max(0, chainTime.value - group.timestamp * 1_000))}</td>
    </tr>
  )
}

export function BlockView({ id }: { readonly id: string }) {
  const wanted = idOf(id)
  if (wanted === undefined) {
    return <Missing title="This is neither the number nor the hash of a block." />
  }
  return <KnownId id={wanted} />
}

type BlockDetails = Extract<Answer<'block'>, { found: true }>
type BlockId = number | `0x${string}` | 'latest' | 'pending'

function idOf(text: string): BlockId | undefined {
  if (text === 'latest' || text === 'pending') return text
  if (/^\d{1,15}$/.test(text)) return Number(text)
  return /^0x[0-9a-fA-F]{64}$/.test(text) ? (text.toLowerCase() as `0x${string}`) : undefined
}

function KnownId({ id }: { readonly id: BlockId }) {
  const { answer, error } = useAnswer('block', { id })
  const last = useRef<BlockDetails | undefined>(undefined)
  if (answer?.found === true) last.current = answer
  if (error !== undefined) return <Missing title={error} />
  if (answer === undefined) return <p class="note">Loading…</p>
  if (answer.found) return <Details block={answer} />
  if (last.current === undefined) {
    const { upstream } = answer
    const inVain = <LookedFor place={answer} />
    if (upstream === null) return inVain
    return (
      <FromUpstream method="block" params={{ id: upstream, upstream: true }} inVain={inVain}>
        {(block) => block.found && <Details block={block} />}
      </FromUpstream>
    )
  }
  return (
    <>
      <p class="banner">A revert took this block away. This is what it was.</p>
      <Details block={last.current} isGone={true} />
    </>
  )
}

function Details({
  block,
  isGone = false,
}: {
  readonly block: BlockDetails
  readonly isGone?: boolean
}) {
  const { number, hash, previous, next, gasUsed, gasLimit, positions, reverted, ticks } = block
  const { hashes } = block
  const isPending = hash === null
  const go = (to: number | null) => (to === null ? undefined : () => navigate(links.block(to)))
  useViewKeys({ '[': go(previous), ']': go(next) })
  const transactions = positions.end - positions.first
  return (
    <>
      <div class="title">
        <h1>{`Block #${number}`}</h1>
        <span class="state">
          <Mark state={isPending ? 'preconfirmed' : 'sealed'} />
          {isPending ? 'Pending' : 'Sealed'}
        </span>
        {hashes !== undefined && <span class="badge">from the upstream</span>}
        {isPending && (
          <span class="note">
            <SealWords />
          </span>
        )}
        <div class="more">
          {previous !== null && (
            <a class="button small" href={links.block(previous)} title="Previous block">
              {`← #${previous}`} <Key name="[" />
            </a>
          )}
          {next !== null && (
            <a class="button small" href={links.block(next)} title="Next block">
              {`#${next} →`} <Key name="]" />
            </a>
          )}
        </div>
      </div>
      {hash !== null && (
        <p class="whole">
          <code class="wrap">{hash}</code> <Copy text={hash} what="hash" />
        </p>
      )}
      {block.isReserved && (
        <p class="banner">
          One of many empty blocks that a command added at once: its hash is not that of its header.
        </p>
      )}
      <div class="pair">
        <Panel title="Header">
          <dl class="facts">
            <dt>Time</dt>
            <dd>{dateTime(block.timestamp * 1_000)}</dd>
            <dt>Gas</dt>
            <dd>{`${count(gasUsed)} of ${count(gasLimit)} (${percent(gasUsed, gasLimit)})`}</dd>
            <dt>Base fee</dt>
            <dd>{gwei(BigInt(block.baseFeePerGas))}</dd>
            <dt>Transactions</dt>
            <dd>
              {count(transactions)}
              {reverted > 0 && <span class="less">{`, ${count(reverted)} reverted`}</span>}
            </dd>
            <dt>Coinbase</dt>
            <dd>
              <Address address={block.coinbase} />
            </dd>
            <dt>Parent</dt>
            <dd>
              <a href={links.block(block.parentHash)}>
                <code class="wrap">{block.parentHash}</code>
              </a>
            </dd>
            {block.commands > 0 && (
              <>
                <dt>Commands</dt>
                <dd>{`${plural(block.commands, 'change')} of the state by command`}</dd>
              </>
            )}
          </dl>
        </Panel>
        {hashes === undefined ? (
          <Ticks ticks={ticks} omitted={block.omittedTicks} />
        ) : (
          <Hashes hashes={hashes} omitted={transactions - hashes.length} />
        )}
      </div>
      {transactions > 0 && !isGone && hashes === undefined && (
        <Transactions key={hash} block={block} />
      )}
      <details class="panel raw">
        <summary class="pad">Raw</summary>
        <pre>{JSON.stringify(block.header, null, 2)}</pre>
      </details>
    </>
  )
}

/** Ticks and transactions that are shown at once: fewer than 60 rows together. */
const TICKS_A_PAGE = 20
const ROWS = 25

function Hashes({ hashes, omitted }: HashesProps) {
  return (
    <Panel title="Transactions">
      <ul class="pad">
        {hashes.map((hash) => (
          <li key={hash}>
            <TxHash hash={hash} />
          </li>
        ))}
      </ul>
      {omitted > 0 && <p class="pad note">{`and ${plural(omitted, 'transaction')} more`}</p>}
    </Panel>
  )
}

interface HashesProps {
  readonly hashes: readonly string[]
  readonly omitted: number
}

function Ticks({
  ticks,
  omitted,
}: {
  readonly ticks: readonly StripTick[]
  readonly omitted: number
}) {
  const pages = usePages(ticks.length, TICKS_A_PAGE)
  return (
    <Panel title="Ticks" more={<Pager of={pages} />}>
      {ticks.length === 0 ? (
        <Empty>No tick took transactions.</Empty>
      ) : (
        <TickTable ticks={ticks.slice(pages.first, pages.end)} largest={largestOf(ticks)} />
      )}
      {omitted > 0 && <p class="pad note">{`and ${plural(omitted, 'older tick')}`}</p>}
    </Panel>
  )
}

function Transactions({ block }: { readonly block: BlockDetails }) {
  const { first, end } = block.positions
  const pages = usePages(end - first, ROWS)
  const limit = Math.max(1, pages.end - pages.first)
  const { answer } = useAnswer('transactions', { from: first + pages.end - 1, limit }, 'undone')
  return (
    <Panel title="Transactions" more={<Pager of={pages} />}>
      <ExecutedTable rows={answer?.rows.toReversed() ?? []} isOfOneBlock={true} />
    </Panel>
  )
}
