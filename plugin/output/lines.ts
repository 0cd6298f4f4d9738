import { styleText } from 'node:util'
import type {
  DevnetEvents,
  ForkEvent,
  SaveEvent,
  SealEvent,
  TickEvent,
} from '../../devnet/index.ts'
import { count as grouped, printable } from '../../devnet/pluginApi.ts'

export { grouped }

/** Styles of the output. */
type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** Gives `text` a style, or returns it unchanged if styles cannot be shown. */
export type Paint = (style: Style, text: string) => string

/** Styles text for `stream`: only on a terminal, and not if NO_COLOR or the like forbids it. */
export function painter(stream: NodeJS.WritableStream): Paint {
  return (style, text) => styleText(style, text, { stream })
}

/** Events that need nothing to be looked up: for scripts, each is printed as it is. */
export type PlainEvent = Exclude<
  keyof DevnetEvents,
  'tick' | 'seal' | 'drop' | 'consoleLog' | 'coverage' | 'request' | 'logging'
>

/** Their lines for people. `now` is in ms since the epoch. Default: the time of the system */
export const eventLines: {
  readonly [Name in PlainEvent]: (event: DevnetEvents[Name], now?: number) => string
} = {
  /** `Imported 54 blocks (9 transactions, 189,000 gas) from a.rlp in 8 ms; newest: 54 0x1f2e…` */
  import: (event) =>
    `Imported ${counted(event.blocks, 'block')} (${counted(event.transactions, 'transaction')}, ${grouped(event.gasUsed)} gas) from ${printable(event.file)} in ${wholeMs(event)}; newest: ${blockName(event)}`,

  /** `Loaded 54 blocks from state.json in 850 ms; newest: 54 0x1f2e3d4c…` */
  load: (event) =>
    `Loaded ${counted(event.blocks, 'block')} from ${printable(event.file)} in ${wholeMs(event)}; newest: ${blockName(event)}`,

  /**
   * `Forked chain 1 at block 21,000,000 0x1f2e3d4c…, 3 min old, from https://eth.example in 120 ms;
   * hardfork prague, by its header; 2 pre-confirmed transactions taken over`
   */
  fork(event, now = Date.now()) {
    const { origin, hardfork, hardforkFrom } = event
    const age = ageText(Math.max(0, now / 1000 - event.timestamp))
    const from = origin === null ? '' : `, from ${printable(origin)}`
    return `Forked chain ${event.chainId} at block ${blockName(event)}, ${age} old${from} in ${wholeMs(event)}; hardfork ${hardfork}, ${FORK_EVIDENCE[hardforkFrom]}${takenOver(event)}`
  },

  /** `Saved block 54 0x1f2e3d4c… to state.json: 12,345 bytes in 25 ms` */
  save: (event) =>
    `Saved block ${blockName(event)} to ${printable(event.file)}: ${grouped(event.size)} bytes in ${wholeMs(event)}`,

  /**
   * `dropped        1 transaction, 2 executed again`; `reverted       to block 12`;
   * `reorganised    the last 3 blocks up to block 12, 2 transactions dropped`.
   */
  undo({ command, dropped, reexecuted, replaced, latest }) {
    if (command === 'load') return titled('loaded', `a chain up to block ${grouped(latest)}`)
    if (command === 'rearrange')
      return titled('rearranged', `${grouped(reexecuted)} executed again`)
    if (command === 'reorg') {
      const gone = dropped === 0 ? '' : `, ${counted(dropped, 'transaction')} dropped`
      const blocks = `${counted(replaced, 'block')} up to block ${grouped(latest)}`
      return titled('reorganised', `the last ${blocks}${gone}`)
    }
    if (command !== 'drop') return titled(UNDO_TITLES[command], `to block ${grouped(latest)}`)
    const again = reexecuted === 0 ? '' : `, ${grouped(reexecuted)} executed again`
    return titled('dropped', `${counted(dropped, 'transaction')}${again}`)
  },

  /**
   * `fault          drop, block 12 tick 3, rule 0: 0x1f2e…`;
   * `fault          reorg of 3 blocks, block 12 tick 3, rule 1: 0x1f2e…, 0x3d4c… and 5 others`.
   */
  fault({ kind, rule, block, tick, transactions, depth, method }) {
    const unit = kind === 'reorg' ? 'block' : 'slice'
    const what = depth === null ? kind : `${kind} of ${counted(depth, unit)}`
    const place = `${what}, block ${grouped(block)} tick ${grouped(tick)}, rule ${rule}`
    const others = transactions.length - MOST_HASHES
    const more = others > 0 ? ` and ${counted(others, 'other')}` : ''
    const about = method ?? `${transactions.slice(0, MOST_HASHES).join(', ')}${more}`
    return titled('fault', about === '' ? place : `${place}: ${about}`)
  },

  hint: ({ text }) => titled('hint', text),

  walletRequest: ({ waiting, page }) =>
    titled('wallet', `${counted(waiting, 'request')} wait${waiting === 1 ? 's' : ''} at ${page}`),
}

const FORK_EVIDENCE: Readonly<Record<ForkEvent['hardforkFrom'], string>> = {
  option: 'as given',
  table: 'by its chain id and time',
  eth_config: 'by its eth_config',
  header: 'by its header',
  state: 'by the state file',
}

function takenOver({ preconfirmed }: ForkEvent): string {
  if (preconfirmed === null) return ''
  if (preconfirmed === 0) return '; nothing was pre-confirmed'
  return `; ${counted(preconfirmed, 'pre-confirmed transaction')} taken over`
}

const AGE_UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
]

/** `40 s`, `3 min`, `5 h`, `2 d`. */
function ageText(seconds: number): string {
  const [size, name] = AGE_UNITS.find(([unit]) => seconds >= unit) ?? [1, 's']
  return `${grouped(Math.floor(seconds / size))} ${name}`
}

function blockName({ number, hash }: Pick<SaveEvent, 'number' | 'hash'>): string {
  return `${grouped(number)} ${hash.slice(0, 10)}…`
}

function wholeMs({ elapsed }: Pick<SaveEvent, 'elapsed'>): string {
  return `${grouped(Math.round(elapsed))} ms`
}

/**
 * `pre-confirmed #12 tick 3         2 txs     42,000 gas  1.8 ms`; of those that reverted, the
 * number stands in place of the duration.
 */
export function tickLine(event: TickEvent, paint: Paint): string {
  const gasUsed = event.transactions.reduce((sum, one) => sum + one.gasUsed, 0)
  const reverted = event.transactions.filter(({ status }) => status === 'reverted').length
  const place = `#${event.block} tick ${event.tick}`
  const line = columns('pre-confirmed', place, event.transactions.length, gasUsed)
  const isClean = reverted === 0
  const end = isClean ? duration(event.elapsed) : paint('red', `${grouped(reverted)} reverted`)
  return isClean ? paint('cyan', `${line}  ${end}`) : `${paint('cyan', line)}  ${end}`
}

/** `sealed        #12 0x1f2e3d…     2 txs  …`; dimmed if the block is empty. */
export function sealLine(event: SealEvent, paint: Paint): string {
  const place = `#${event.number} ${event.hash.slice(0, 8)}…`
  const line = columns('sealed', place, event.transactions, event.gasUsed)
  const isEmpty = event.transactions === 0
  return paint(isEmpty ? 'dim' : 'green', `${line}  ${duration(event.elapsed)}`)
}

/** `sealed        #25 to #304: 280 empty blocks`. */
export function emptyLine(last: number, count: number, paint: Paint): string {
  const range = count === 1 ? '' : `#${last - count + 1} to `
  return paint('dim', titled('sealed', `${range}#${last}: ${counted(count, 'empty block')}`))
}

/**
 * The time of day of a moment in ms, with ms: `08:00:00.125`. Not by `toLocaleTimeString`: its
 * first call takes 20 ms, in which a tick would wait.
 */
export function timeText(ms: number): string {
  const date = new Date(ms)
  const of = [date.getHours(), date.getMinutes(), date.getSeconds()]
  const time = of.map((part) => String(part).padStart(2, '0')).join(':')
  return `${time}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

const UNDO_TITLES = { revert: 'reverted', rollback: 'rolled back', reset: 'reset' } as const

/** Hashes in a line; their number follows. */
const MOST_HASHES = 3

/** A row of fixed columns, at most 80 wide with the time before it and the rest behind it. */
function columns(what: string, where: string, transactions: number, gasUsed: number): string {
  const count = counted(transactions, 'tx').padStart(9)
  return `${titled(what, where.padEnd(15))}${count} ${grouped(gasUsed).padStart(10)} gas`
}

const TITLE_WIDTH = 14

/** Indentation of a line below the text of {@link titled}, which has a time before it. */
export const columnIndent = ' '.repeat('08:00:00.125 '.length + TITLE_WIDTH)

/** A line of the log: a title, then the text in a column of its own. */
export function titled(what: string, text: string): string {
  return `${what.padEnd(TITLE_WIDTH)}${text}`
}

/** The line printed in place of `count` lines that were not read in time. */
export function omittedLine(count: number): string {
  return `… ${counted(count, 'line')} left out: they were not read in time`
}

/** The first `length` characters of `text`, and how many more there are. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text
  return `${text.slice(0, length)}… (${text.length - length} more characters)`
}

/** `1.8 ms`. */
export function duration(ms: number): string {
  return `${ms.toFixed(1)} ms`
}

/** A line that a terminal of so many columns shows in one row; whole if there is none. */
export function clipped(line: string, columns = MAX_LINE): string {
  return line.length <= columns ? line : `${line.slice(0, columns - 1)}…`
}

/** Longest line that {@link clipped} leaves where nothing wraps. */
const MAX_LINE = 400

/** `1 transaction`, `2,000 transactions`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`
}
