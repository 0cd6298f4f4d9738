import { styleText } from 'node:util'
import type { ImportEvent, LoadEvent, SaveEvent, SealEvent, TickEvent } from '../../devnet/types.ts'
import { printable } from './escape.ts'

/** Styles that the output uses. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** Gives `text` a style, or leaves it as it is where styles cannot be shown. */
export type Paint = (style: Style, text: string) => string

/** Paints for `stream`: only on a terminal, and not where NO_COLOR or the like forbids it. */
export function painter(stream: NodeJS.WritableStream): Paint {
  return (style, text) => styleText(style, text, { stream })
}

/** `Imported 54 blocks (249 transactions, 1,234,567 gas) from chain.rlp in 850 ms; newest: 54 0x1f2e3d4c….` */
export function importLine(event: ImportEvent): string {
  const { file, number, hash, elapsed } = event
  const content = `${counted(event.transactions, 'transaction')}, ${grouped(event.gasUsed)} gas`
  const newest = `${grouped(number)} ${hash.slice(0, 10)}…`
  return `Imported ${counted(event.blocks, 'block')} (${content}) from ${printable(file)} in ${grouped(Math.round(elapsed))} ms; newest: ${newest}`
}

/** `Loaded 54 blocks from state.json in 850 ms; newest: 54 0x1f2e3d4c….` */
export function loadLine({ file, blocks, number, hash, elapsed }: LoadEvent): string {
  const newest = `${grouped(number)} ${hash.slice(0, 10)}…`
  return `Loaded ${counted(blocks, 'block')} from ${printable(file)} in ${grouped(Math.round(elapsed))} ms; newest: ${newest}`
}

/** `Saved block 54 0x1f2e3d4c… to state.json: 12,345 bytes in 25 ms` */
export function saveLine({ file, number, hash, size, elapsed }: SaveEvent): string {
  const newest = `${grouped(number)} ${hash.slice(0, 10)}…`
  return `Saved block ${newest} to ${printable(file)}: ${grouped(size)} bytes in ${grouped(Math.round(elapsed))} ms`
}

/** `pre-confirmed  block 12 tick 3           2 transactions       42,000 gas  1.8 ms` */
export function tickLine(event: TickEvent, paint: Paint): string {
  const gas = event.transactions.reduce((sum, { gasUsed }) => sum + gasUsed, 0)
  const reverted = event.transactions.filter(({ status }) => status === 'reverted').length
  const line = columns(
    'pre-confirmed',
    `block ${event.block} tick ${event.tick}`,
    event.transactions.length,
    gas,
    event.elapsed,
  )
  return paint('cyan', line) + (reverted > 0 ? `  ${paint('red', `${reverted} reverted`)}` : '')
}

/** `sealed         block 12 0x1f2e3d4c…      2 transactions       42,000 gas  1.8 ms`; dimmed when the block is empty. */
export function sealLine(event: SealEvent, paint: Paint): string {
  const line = columns(
    'sealed',
    `block ${event.number} ${event.hash.slice(0, 10)}…`,
    event.transactions,
    event.gasUsed,
    event.elapsed,
  )
  return paint(event.transactions === 0 ? 'dim' : 'green', line)
}

function columns(what: string, where: string, count: number, gas: number, ms: number): string {
  const transactions = counted(count, 'transaction').padStart(18)
  return `${titled(what, where.padEnd(22))}${transactions}  ${grouped(gas).padStart(11)} gas  ${duration(ms)}`
}

const TITLE_WIDTH = 15

/** What stands below the texts of {@link titled}. */
export const columnIndent = ' '.repeat(TITLE_WIDTH)

/** A line of the log: what it is about, then the rest in a column of its own. */
export function titled(what: string, text: string): string {
  return `${what.padEnd(TITLE_WIDTH)}${text}`
}

/** What takes the place of lines that nobody read in time. */
export function omittedLine(count: number): string {
  return `… ${counted(count, 'line')} left out: they were not read in time`
}

/** `1.8 ms`. */
export function duration(ms: number): string {
  return `${ms.toFixed(1)} ms`
}

/** `1 transaction`, `2,000 transactions`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** Groups digits by three: `60,000,000`. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
}
