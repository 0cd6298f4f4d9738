import type { ClockStatus, FaultStatus, ForkStatus, Status } from '../../devnet/index.ts'
import { printable, printableJson } from '../../devnet/pluginApi.ts'
import { counted, grouped, type Paint } from './lines.ts'

/** The status of a node as text for people, one topic per line. */
export function statusText(status: Status, paint: Paint): string {
  const { latest, pending, mempool, dropped, reexecuted, fork, faults, profile, modes } = status
  const lines = [
    row('time', date(status.time)),
    row('ticks', clock(status.ticks, status.time, paint)),
    row('sealing', sealing(status, paint)),
    ...(profile === undefined ? [] : [row('profile', printable(profile))]),
    // A node of another version may not tell.
    ...(modes?.receipts === 'sealed' ? [row('receipts', 'from the seal on')] : []),
    ...(modes?.latest === 'ticks' ? [row('reads', 'latest is the newest tick')] : []),
    row(
      'latest',
      `block ${latest.number} ${printable(latest.hash)} ${date(latest.timestamp * 1000)}`,
    ),
    row(
      'pending',
      `block ${pending.number}, ${counted(pending.ticks, 'tick')}, ${counted(pending.transactions.length, 'transaction')}, ${grouped(pending.gasUsed)} gas`,
    ),
    ...pending.transactions.map(
      (transaction) =>
        `  ${printable(transaction.hash)} tick ${transaction.tick}, from ${printable(transaction.from)} nonce ${transaction.nonce}, ${grouped(transaction.gasUsed)} gas${transaction.status === 'reverted' ? `, ${paint('red', 'reverted')}` : ''}`,
    ),
    row(
      'mempool',
      `${grouped(mempool.runnable)} for the next tick, ${grouped(mempool.waiting)} behind a nonce gap`,
    ),
    row('dropped', grouped(dropped.length)),
    ...dropped.map(({ hash, reason }) => `  ${printable(hash)} ${printable(reason)}`),
    ...(reexecuted.length === 0
      ? []
      : [row('again', `${grouped(reexecuted.length)} executed again by a drop or a fault`)]),
    ...reexecuted.map((hash) => `  ${printable(hash)}`),
    ...(fork === undefined ? [] : forkLines(fork)),
    ...(faults === undefined ? [] : faultLines(faults)),
  ]
  return lines.join('\n')
}

function faultLines({ seed, rules, held, stall }: FaultStatus): string[] {
  return [
    row('faults', `${counted(rules.length, 'rule')}, seed ${seed}`),
    ...rules.flatMap(({ fired, ...rule }, index) => [
      `  ${index} fired ${counted(fired, 'time')}: ${printableJson(JSON.stringify(rule))}`,
      ...held.filter((one) => one.rule === index).map(({ hash }) => `    holds ${printable(hash)}`),
      ...(stall === index ? ['    keeps ticks from executing anything'] : []),
    ]),
  ]
}

function forkLines({ origin, chainId, number, ...counts }: ForkStatus): string[] {
  const { requests, items, misses, cached, waiting, failed, lastFailure } = counts
  const read = `${counted(misses, 'value')} loaded in ${counted(requests, 'request')} of ${counted(items, 'item')}, ${grouped(cached)} from the cache`
  const name = `chain ${chainId} at block ${grouped(number)}`
  const from = origin === null ? '' : ` of ${printable(origin)}`
  const still = waiting === 0 ? '' : `, ${grouped(waiting)} waiting`
  return [
    row('fork', `${name}${from}: ${read}${still}`),
    // The upstream's own words may be long.
    ...(lastFailure === null
      ? []
      : [`  ${counted(failed, 'request')} failed, the last one: ${printable(lastFailure)}`]),
  ]
}

/** In instant mode the sealing clock is shown only if it runs too. */
function sealing({ instant, sealing, time }: Status, paint: Paint): string {
  if (!instant) return clock(sealing, time, paint)
  return `at once${sealing.running ? `, and ${clock(sealing, time, paint)}` : ''}`
}

function row(label: string, text: string): string {
  return `${label.padEnd(9)}${text}`
}

function clock({ interval, running, next }: ClockStatus, time: number, paint: Paint): string {
  const rhythm = interval === 0 ? 'on arrival' : `every ${grouped(interval)} ms`
  if (!running) return `${rhythm}, ${paint('yellow', 'frozen')}`
  return `${rhythm}, running${next === null ? '' : `, next in ${grouped(Math.max(0, Math.round(next - time)))} ms`}`
}

function date(ms: number): string {
  return new Date(ms).toISOString()
}
