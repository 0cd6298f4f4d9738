import type { TransactionLocation } from '../../chain/chain.ts'
import { formatPlaced, formatPlacedReceipt } from '../../json/formatTransaction.ts'
import { hash32 } from '../../json/params.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { isObject } from '../../primitives/json.ts'
import { defineQuery, fields } from '../query.ts'

/** Number of events and other items of a list that are shown. */
const MOST_ITEMS = 100

/** Longest hexadecimal text that is shown: 1,024 bytes. */
const MAX_HEX = 2 + 2 * 1024

/**
 * A transaction as `eth_getTransactionByHash` and `eth_getTransactionReceipt` answer it, cut to
 * what a page can show; `null` if they are, with the option `receipts`.
 */
export default defineQuery(fields({ hash: hash32() }), (dashboard, { hash }) => {
  const found = dashboard.node.context.chain.findTransaction(hash)
  if (found === undefined) throw new RefusedError(`There is no transaction ${hash}.`)
  const { few, omitted } = withFewLogs(found)
  const answers = [formatPlaced(few), formatPlacedReceipt(few)]
  const [transaction = null, receipt = null] = answers.map(cut)
  return { transaction, receipt, omittedEvents: omitted }
})

/** Before they are formatted, as a transaction can have tens of thousands. */
function withFewLogs(found: TransactionLocation): { few: TransactionLocation; omitted: number } {
  if (found.at === 'mempool') return { few: found, omitted: 0 }
  const { executed } = found
  const logs = executed.logs.slice(0, MOST_ITEMS)
  return {
    few: { ...found, executed: { ...executed, logs } },
    omitted: executed.logs.length - logs.length,
  }
}

/** Cuts an answer to what a page can show. */
export function cut(value: unknown): unknown {
  if (typeof value === 'string') {
    if (!value.startsWith('0x') || value.length <= MAX_HEX) return value
    return `${value.slice(0, MAX_HEX)}… and ${(value.length - MAX_HEX) / 2} more bytes`
  }
  if (Array.isArray(value)) {
    const shown = value.slice(0, MOST_ITEMS).map(cut)
    const omitted = value.length - shown.length
    return omitted > 0 ? [...shown, `… and ${omitted} more`] : shown
  }
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cut(each)]))
}
