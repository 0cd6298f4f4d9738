import { RefusedError } from '../../primitives/errors.ts'
import { isObject } from '../../primitives/json.ts'
import type { FeeHistory } from '../queries/feeHistory.ts'

/** The part of an `eth_feeHistory` request that is upstream's. */
export interface FeeQuery {
  /** Number of blocks. */
  readonly count: number
  /** Number of the newest of them. */
  readonly newest: number
  readonly percentiles: readonly number[]
  readonly signal: AbortSignal
}

/**
 * Joins the fees of upstream's blocks up to the fork block with those of the blocks after it. The
 * first own base fee takes the place of the one that the upstream foresees.
 *
 * @param older - upstream's answer
 * @throws {RefusedError} if it is not one, or leaves out rewards that were asked for
 */
export function joinFees(older: unknown, own: FeeHistory, rewards: boolean): unknown {
  const fields = isObject(older) ? older : {}
  const ratios = listOf(fields, 'gasUsedRatio')
  const count = ratios.length
  // Upstreams before Cancun leave out what concerns blobs.
  const blobFees = fields.baseFeePerBlobGas ?? new Array(count + 1).fill('0x0')
  const blobRatios = fields.blobGasUsedRatio ?? new Array(count).fill(0)
  const upToFork = (name: string, value = fields[name]) =>
    listOf({ [name]: value }, name).slice(0, count)
  return {
    ...fields,
    baseFeePerGas: [...upToFork('baseFeePerGas'), ...own.baseFeePerGas],
    gasUsedRatio: [...ratios, ...own.gasUsedRatio],
    baseFeePerBlobGas: [...upToFork('baseFeePerBlobGas', blobFees), ...own.baseFeePerBlobGas],
    blobGasUsedRatio: [...upToFork('blobGasUsedRatio', blobRatios), ...own.blobGasUsedRatio],
    ...(rewards ? { reward: [...upToFork('reward'), ...(own.reward ?? [])] } : undefined),
  }
}

function listOf(fields: Readonly<Record<string, unknown>>, name: string): readonly unknown[] {
  const list = fields[name]
  if (Array.isArray(list)) return list
  throw new RefusedError(`upstream answered eth_feeHistory without a list in ${name}`)
}
