import { expect, test } from 'vitest'
import { methodFiles } from '../../../../devnet/rpc/methodFiles.ts'
import { methodTable } from '../../../../devnet/rpc/methodTable.ts'
import { methodParameters, methodsWithRows } from '../../../support/methodParams.ts'
import { createRpcChain } from './rpcChain.ts'

/** Tested with the connections and the filters that they need, and over HTTP with all others. */
const ELSEWHERE = [
  'eth_getFilterChanges',
  'eth_getFilterLogs',
  'eth_newBlockFilter',
  'eth_newFilter',
  'eth_newPendingTransactionFilter',
  'eth_subscribe',
  'eth_uninstallFilter',
  'eth_unsubscribe',
]

test('every row of methodParams.ts is about a method', () => {
  expect(methodsWithRows.filter((name) => methodFiles[name] === undefined)).toEqual([])
})

test.each(Object.keys(methodTable).filter((name) => !ELSEWHERE.includes(name)))(
  '%s refuses bad parameters',
  async (method) => {
    const { failure, chain } = await createRpcChain()
    const parameters = await methodParameters(method)
    const good = parameters.map((parameter) => parameter.good)
    const refused = { code: -32602, message: expect.any(String) }
    const before = chain.pending
    const loaded = await methodTable[method]?.()
    expect(await failure(method, ...good, '0x0')).toEqual({
      code: -32602,
      message: `too many arguments, want at most ${good.length}`,
    })
    for (const [index, { bad, isOptional, mayBeEmpty }] of parameters.entries()) {
      for (const value of bad) {
        if (value === '0x' && mayBeEmpty && loaded?.default.browser === false) continue
        const params = good.with(index, value)
        const error = await failure(method, ...params)
        expect(error, `${method} ${JSON.stringify(params)}`).toEqual(refused)
        expect(error).toMatchObject({ message: expect.stringContaining(`argument ${index}`) })
      }
      if (isOptional) continue
      const missing = { code: -32602, message: `missing value for required argument ${index}` }
      expect(await failure(method, ...good.slice(0, index))).toEqual(missing)
      expect(await failure(method, ...good.with(index, null))).toEqual(missing)
    }
    // Nothing has happened.
    expect(chain.pending).toBe(before)
    expect(chain.mempool.size).toBe(0)
  },
)
