import { expect } from 'vitest'

/** A call result of `eth_simulateV1`, as far as it is looked at here. */
interface CallResult {
  readonly status: string
  readonly returnData: string
  readonly error?: unknown
}

/** A simulated block, likewise. */
export interface BlockResult {
  readonly calls: readonly CallResult[]
}

/**
 * Holds the same simulation in both forms of errors against each other: nothing may differ but `error` and `returnData`
 * of calls that failed, and these must say the same.
 *
 * @returns how many calls failed
 */
export function expectOnlyErrorsDiffer(
  strings: readonly BlockResult[],
  objects: readonly BlockResult[],
): number {
  let failed = 0
  expect(strings.map(withoutErrors)).toEqual(objects.map(withoutErrors))
  for (const [at, block] of strings.entries()) {
    for (const [index, call] of block.calls.entries()) {
      const other = objects[at]?.calls[index]
      if (call.status === '0x1') {
        expect(call).toEqual(other)
        expect(call).not.toHaveProperty('error')
        continue
      }
      failed++
      expect(call.error).toEqual(expect.any(String))
      const reverted = call.error?.toString().startsWith('execution reverted') === true
      expect(other).toMatchObject({
        returnData: '0x',
        error: reverted
          ? { code: 3, message: call.error, data: call.returnData }
          : { code: -32015, message: call.error },
      })
      if (!reverted) {
        expect(call.returnData).toBe('0x')
        expect(other?.error).not.toHaveProperty('data')
      }
    }
  }
  return failed
}

function withoutErrors({ calls, ...block }: BlockResult): object {
  const kept = calls.map(({ error, returnData, ...call }) =>
    call.status === '0x1' ? { ...call, returnData } : call,
  )
  return { ...block, calls: kept }
}
