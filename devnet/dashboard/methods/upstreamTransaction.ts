import { address, data, hash32, quantity, quantity64 } from '../../json/params.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { mapped, objectOf, readWith } from '../../primitives/reader.ts'
import { untilKnown } from '../../rpc/untilKnown.ts'
import { codeSizes } from '../accountState.ts'
import { shownHex } from '../naming.ts'
import { notFound } from '../notFound.ts'
import { defineQuery, fields } from '../query.ts'
import { borderOf } from '../upstreamBlocks.ts'
import { cut } from './raw.ts'

/** Fields of an answer that are shown on their own. */
const ANSWER = objectOf({
  fields: {
    hash: hash32(),
    blockNumber: mapped(quantity64(), Number),
    from: address(),
    value: mapped(quantity(), String),
    input: data(),
  },
  optional: { to: address(), status: quantity64() },
})

/** A transaction up to the fork block, as the upstream tells it. */
export default defineQuery(fields({ hash: hash32() }), async (dashboard, { hash }, { signal }) => {
  const { upstream } = borderOf(dashboard)
  const [transaction, receipt] = await Promise.all(
    ['eth_getTransactionByHash', 'eth_getTransactionReceipt'].map((method) =>
      upstream.askForTransaction(method, [hash], signal),
    ),
  )
  if (transaction === null) return notFound(dashboard, hash)
  const { status } = (receipt ?? {}) as { readonly status?: unknown }
  const badAnswer = (words: string) => new RefusedError(`The upstream answered ${words}.`)
  const read = readWith(ANSWER, { ...Object(transaction), status }, ({ path, message }) =>
    badAnswer(`a transaction whose ${path.join('.')} is wrong: ${message}`),
  )
  if (read.hash !== hash) throw badAnswer('another transaction')
  const { naming } = dashboard.work(signal)
  const { to = null, input, status: success, ...known } = read
  // The page does not ask again, so wait until the name is known.
  if (to !== null) await untilKnown(() => codeSizes(dashboard, to), signal)
  await naming.nameAll([read.from, to])
  const { text, decoded } = await naming.call(to, input)
  return {
    ...known,
    found: true as const,
    to,
    /** `null` before Byzantium. */
    success: success === undefined ? null : success === 1n,
    call: { text, decoded },
    input: shownHex(input),
    raw: cut({ transaction, receipt }),
    names: naming.names,
  }
})
