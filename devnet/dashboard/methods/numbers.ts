import { defineQuery, fields } from '../query.ts'

/** Number of seconds and of blocks that are told. */
const SECONDS = 120
const BLOCKS = 60

/** The last seconds, ticks and blocks in numbers. */
export default defineQuery(fields({}), ({ node, recorder }) => {
  const { head, history } = node.context.chain
  const rates = Array.from({ length: SECONDS }, () => 0)
  const now = Date.now()
  for (const { time, transactions } of recorder.ticks) {
    const second = SECONDS - 1 - Math.floor((now - time) / 1_000)
    if (second in rates) rates[second] = (rates[second] ?? 0) + transactions
  }
  const from = Math.max(history.oldest, head.number - BLOCKS + 1)
  const numbers = Array.from({ length: head.number - from + 1 }, (_, index) => from + index)
  const blocks = numbers.flatMap((number) => {
    const header = history.byNumber(number)?.header
    if (header === undefined) return []
    const [gasUsed, gasLimit] = [Number(header.gasUsed), Number(header.gasLimit)]
    return { number, gasUsed, gasLimit, baseFeePerGas: String(header.baseFeePerGas ?? 0n) }
  })
  return {
    /** Transactions that were pre-confirmed in each second, oldest first. */
    rates,
    /** The last ticks that pre-confirmed anything, oldest first. */
    ticks: recorder.ticks.slice(-SECONDS),
    /** Oldest first. */
    blocks,
  }
})
