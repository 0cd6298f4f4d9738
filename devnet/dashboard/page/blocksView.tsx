import { useRef, useState } from 'preact/hooks'
import type { BlockDetails, ExecutedRow, StripGroup, StripTick } from '../api.ts'
import { Key } from './icons.tsx'
import { useViewKeys } from './keyBindings.ts'
import { Address, Copy, Empty, Ether, Panel, State, StateGlyph, TxHash } from './parts.tsx'
import { links, navigate } from './router.ts'
import { age, count, dateTime, gwei, percent, plural } from './shownValue.ts'
import { call, chainTime, groups, olderGroups } from './store.ts'
import { SealWords } from './strip.tsx'
import { CallWords } from './transactionsView.tsx'
import { LookedFor } from './transactionView.tsx'
import { useAnswer } from './useAnswer.ts'
import { useOlder } from './useOlder.ts'

/** Groups that are asked for at once, below those that the strip holds anyway. */
const PAGE = 100

export function BlocksView() {
  const { older, before, showOlder } = useOlder<StripGroup>(
    olderGroups.value,
    async (next, shown) => {
      const answer = await call('strip', { before: next, limit: PAGE })
      return { rows: [...answer.groups, ...shown], next: answer.next }
    },
  )

  const list = [...older, ...groups.value].toReversed()
  return (
    <>
      <div class="title">
        <h1>Blocks</h1>
      </div>
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
            {list.map((group) => (
              <GroupRow
                key={group.kind === 'block' ? group.number : `e${group.from}`}
                group={group}
              />
            ))}
          </tbody>
        </table>
      </div>
      {before !== null && (
        <p class="pad">
          <button type="button" class="button" onClick={showOlder}>
            Older blocks
          </button>
        </p>
      )}
    </>
  )
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
      <td class={reverted > 0 ? 'number less wide' : 'number note wide'}>{count(reverted)}</td>
      <td class="number wide">{count(ticks.length + earlierTicks)}</td>
      <td class="number">
        {count(gasUsed)} <Gauge used={gasUsed} limit={gasLimit} />
      </td>
      <td class="number note">{age(Math.max(0, chainTime.value - group.timestamp * 1_000))}</td>
    </tr>
  )
}

/** How full something is; the number beside it says it in words. */
function Gauge({ used, limit }: { readonly used: number; readonly limit: number }) {
  return (
    <span class="gauge" title={`${percent(used, limit)} of ${count(limit)}`}>
      <span style={{ width: `${Math.min(100, (100 * used) / Math.max(1, limit))}%` }} />
    </span>
  )
}

export function BlockView({ id }: { readonly id: string }) {
  const wanted = idOf(id)
  if (wanted === undefined) {
    return (
      <div class="panel">
        <Empty title="This is neither the number nor the hash of a block." />
      </div>
    )
  }
  return <KnownId id={wanted} />
}

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
  if (error !== undefined) {
    return (
      <div class="panel">
        <Empty title={error} />
      </div>
    )
  }
  if (answer === undefined) return <p class="note">Loading…</p>
  if (answer.found) return <Details block={answer} />
  if (last.current === undefined) return <LookedFor place={answer} />
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
  const isPending = hash === null
  const go = (to: number | null) => (to === null ? undefined : () => navigate(links.block(to)))
  useViewKeys({ '[': go(previous), ']': go(next) })
  const transactions = positions.end - positions.first
  return (
    <>
      <div class="title">
        <h1>{`Block #${number}`}</h1>
        <State state={isPending ? 'preconfirmed' : 'sealed'} />
        {isPending && (
          <span class="note">
            <SealWords />
          </span>
        )}
        <div class="more">
          {previous !== null && (
            <a class="button small" href={links.block(previous)} title="Previous block">
              <Key name="[" />
              {`#${previous}`}
            </a>
          )}
          {next !== null && (
            <a class="button small" href={links.block(next)} title="Next block">
              {`#${next}`}
              <Key name="]" />
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
        <Panel
          title="Ticks"
          more={<span class="note">{count(ticks.length + block.omittedTicks)}</span>}
        >
          {ticks.length === 0 ? <Empty>No tick took transactions.</Empty> : <Ticks ticks={ticks} />}
        </Panel>
      </div>
      {transactions > 0 && !isGone && <Transactions key={hash} block={block} />}
      <details class="panel raw">
        <summary class="pad">Raw</summary>
        <pre>{JSON.stringify(block.header, null, 2)}</pre>
      </details>
    </>
  )
}

function Ticks({ ticks }: { readonly ticks: readonly StripTick[] }) {
  const largest = Math.max(1, ...ticks.map(({ gasUsed }) => gasUsed))
  return (
    <div class="tall">
      <table class="compact">
        <thead>
          <tr>
            <th>Tick</th>
            <th class="number">Transactions</th>
            <th class="number">Reverted</th>
            <th class="number">Gas</th>
          </tr>
        </thead>
        <tbody>
          {ticks.map(({ tick, transactions, reverted, gasUsed }) => (
            <tr key={tick}>
              <td>{tick}</td>
              <td class="number">{count(transactions)}</td>
              <td class={reverted > 0 ? 'number less' : 'number note'}>{count(reverted)}</td>
              <td class="number">
                {count(gasUsed)} <Gauge used={gasUsed} limit={largest} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Rows of the block's transactions that are shown at once. */
const ROWS = 50

/** The transactions of a block, in its order. */
function Transactions({ block }: { readonly block: BlockDetails }) {
  const { first, end } = block.positions
  const [page, setPage] = useState(0)
  const pages = Math.ceil((end - first) / ROWS)
  const last = Math.min(end, first + (page + 1) * ROWS) - 1
  const limit = last - (first + page * ROWS) + 1
  const { answer } = useAnswer('transactions', { from: last, limit }, 'undone')
  const rows = answer?.rows.toReversed() ?? []
  const more = pages > 1 && (
    <span class="pager">
      <button
        type="button"
        class="button small"
        disabled={page === 0}
        onClick={() => setPage(page - 1)}
      >
        Previous
      </button>
      <span class="note">{`${count(first + page * ROWS - first + 1)} to ${count(last - first + 1)} of ${count(end - first)}`}</span>
      <button
        type="button"
        class="button small"
        disabled={page + 1 >= pages}
        onClick={() => setPage(page + 1)}
      >
        Next
      </button>
    </span>
  )
  return (
    <Panel title="Transactions" more={more}>
      <ExecutedTable rows={rows} />
    </Panel>
  )
}

/** Executed transactions, in the given order. */
export function ExecutedTable({ rows }: { readonly rows: readonly ExecutedRow[] }) {
  return (
    <table class="executed">
      <thead>
        <tr>
          <th>
            <span class="unseen">State</span>
          </th>
          <th>Hash</th>
          <th class="wide">Block · tick</th>
          <th class="wide">From</th>
          <th>Call</th>
          <th class="number">Value</th>
          <th class="number wide">Gas</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.hash} data-row={row.hash} data-href={links.tx(row.hash)} tabIndex={-1}>
            <td>
              <StateGlyph state={row.state} reverted={row.reverted} />
            </td>
            <td>
              <TxHash hash={row.hash} />
            </td>
            <td class="wide">
              <a href={links.block(row.state === 'sealed' ? row.block : 'pending')}>
                {`#${row.block} · ${row.tick}`}
              </a>
            </td>
            <td class="wide">
              <Address address={row.from} />
            </td>
            <td class={row.reverted ? 'clip less' : 'clip'}>
              <a href={links.tx(row.hash)}>
                <CallWords row={row} />
              </a>
            </td>
            <td class="number">
              {row.value === '0' ? <span class="note">0</span> : <Ether wei={BigInt(row.value)} />}
            </td>
            <td class="number wide">{count(row.gasUsed)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
