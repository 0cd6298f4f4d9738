import type { IntervalRange } from '../../clock/intervalTimer.ts'
import { params } from '../../json/params.ts'
import { optionTable } from '../../options/optionTable.ts'
import { fail, type ReadContext, type Reader, refuse } from '../../primitives/reader.ts'
import type { RpcContext } from '../context.ts'
import { defineCommand } from '../method.ts'

const LONGEST = optionTable.sealInterval.max

const intervals: Reader<IntervalRange> = (value, context) => {
  if (!Array.isArray(value)) return readInterval(value, context)
  const [shortest, longest, ...rest] = value.map((item) => readInterval(item, context))
  if (shortest === undefined || longest === undefined || rest.length > 0) {
    return refuse(context, value, 'a number, or the shortest and the longest of a range')
  }
  if (shortest > longest || shortest === 0) {
    return fail(context, `want a range from at least 1 upwards, got ${shortest} to ${longest}`)
  }
  return [shortest, longest]
}

function readInterval(value: unknown, context: ReadContext): number {
  if (typeof value !== 'number') return refuse(context, value, 'a number')
  if (Number.isSafeInteger(value) && value >= 0 && value <= LONGEST) return value
  return fail(context, `want an integer from 0 to ${LONGEST}, got ${value}`)
}

/**
 * Sets the interval of the sealing clock in ms: a number, `[min, max]` for a random one, 0 to stop
 * sealing. On anvil, the interval is in s, and setting it ends instant mode.
 */
export default defineCommand({
  params: params(intervals),
  async run(context, [given]) {
    const range = inMilliseconds(given, context)
    await context.clocks.setSealInterval(range === 0 ? undefined : range, {
      exclusive: context.options.anvil,
    })
  },
})

function inMilliseconds(range: IntervalRange, { options }: Pick<RpcContext, 'options'>) {
  if (!options.anvil) return range
  const convert = (seconds: number) => Math.min(seconds * 1000, LONGEST)
  return typeof range === 'number'
    ? convert(range)
    : ([convert(range[0]), convert(range[1])] as const)
}
