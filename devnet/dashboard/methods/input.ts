import { hash32 } from '../../json/params.ts'
import { LimitError, RefusedError } from '../../primitives/errors.ts'
import { toHex } from '../../primitives/hex.ts'
import { defineQuery, fields } from '../query.ts'

/** Most bytes: no shell takes a longer argument. */
const MOST = 65_000

/** All data of a transaction, to send it again. */
export default defineQuery(fields({ hash: hash32() }), (dashboard, { hash }) => {
  const found = dashboard.node.context.chain.findTransaction(hash)
  if (found === undefined) throw new RefusedError(`There is no transaction ${hash}.`)
  const { data } = found.at === 'mempool' ? found.transaction : found.executed.transaction
  if (data.length > MOST) throw new LimitError(`The data has more than ${MOST} bytes.`)
  return { data: toHex(data) }
})
