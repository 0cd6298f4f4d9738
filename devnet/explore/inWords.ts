import type { FaultEvent, FaultRule } from '../faults/types.ts'
import type { RunOutcome, Schedule } from './runOutcome.ts'

/** Says how the faults of a run acted, in their order, such as "block 21 was reorganised". */
export function inWords(schedule: Schedule, { log, accounts }: RunOutcome): string {
  const said = log.flatMap((one, at) => {
    const rule = one.kind === 'fault' ? schedule[one.fault.rule] : undefined
    return one.kind === 'fault' && rule !== undefined ? sentence(rule, one.fault, at) : []
  })
  return said.join('; then ')

  function sentence(rule: FaultRule, fault: FaultEvent, at: number): string {
    const { block, method } = fault
    const tick = `tick ${fault.tick} of block ${block}`
    const slice =
      'index' in rule ? `message ${rule.index} of block ${block} in the flashblock stream` : ''
    switch (rule.kind) {
      case 'drop': {
        const when = rule.at === 'tick' ? 'in the tick after it' : 'at the seal'
        return `${transaction(rule)} that was pre-confirmed in ${tickOf(fault, at)} was dropped ${when}`
      }
      case 'hold':
        return `${transaction(rule)} was passed by for ${rule.ticks} ticks from ${tick} on`
      case 'reorder':
        return `block ${block} was sealed in another order`
      case 'truncate':
        return `block ${block} was sealed without what its last tick had pre-confirmed`
      case 'reorg': {
        const first = block - (fault.depth ?? 1) + 1
        const [blocks, whose] =
          first === block
            ? [`block ${block} was`, 'its']
            : [`blocks ${first} ${first + 1 === block ? 'and' : 'to'} ${block} were`, 'their']
        return `${blocks} reorganised${rule.drops === true ? `, ${whose} transactions dropped` : ''}`
      }
      case 'skipTick':
        return `${tick} executed nothing`
      case 'delayTick':
        return `${tick} was ${rule.ms} ms late`
      case 'stall':
        return `ticks executed nothing from ${tick} to its seal`
      case 'delaySeal':
        return `the seal of block ${block} was ${rule.ms} ms late`
      case 'refuseAnswer':
        return `${method} was refused in ${tick}`
      case 'delayAnswer':
        return `the answer to ${method} in ${tick} was ${rule.ms} ms late`
      case 'corruptAnswer':
        return `the answer to ${method} in ${tick} was wrong`
      case 'cutSockets':
        return `all WebSockets broke off after ${tick}`
      case 'duplicateSlice':
        return `${slice} came twice`
      case 'loseSlice':
        return `${slice} got lost`
      case 'swapSlices':
        return `${slice} came after the next one`
    }
    rule satisfies never // Names the kind that has no case.
  }

  function transaction({ from, nonce }: Extract<FaultRule, { kind: 'drop' | 'hold' }>): string {
    const index = from === undefined ? -1 : accounts.indexOf(from)
    return `the transaction of ${index === -1 ? from : `account #${index}`} with nonce ${nonce}`
  }

  /** The tick before the fault that executed the transaction: it may be executed again later. */
  function tickOf({ transactions: [hash], block }: FaultEvent, at: number): string {
    const found = log
      .slice(0, at)
      .filter((one) => one.kind === 'tick')
      .findLast((one) => one.block === block && one.transactions.some((each) => each.hash === hash))
    return found === undefined ? `block ${block}` : `tick ${found.tick} of block ${block}`
  }
}
