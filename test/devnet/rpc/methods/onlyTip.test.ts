import { describe, expect, test } from 'vitest'
import type { OptionsInput } from '../../../../devnet/options/options.ts'
import { createRpcChain, hex } from './rpcChain.ts'

const TIP = 3_000_000_000n
const tip = { maxPriorityFeePerGas: hex(TIP) }

/** SLOAD of slot 0, as the code of a creation. */
const data = '0x5f54'

const MODES: readonly OptionsInput[] = [
  {},
  { instant: true },
  { anvil: true },
  { likeHardhat: true },
]

describe.each(MODES)('a tip without a fee cap: %o', (options) => {
  async function create() {
    const node = await createRpcChain(options)
    const from = node.account(0).address
    const to = node.account(1).address
    const { baseFeePerGas } = node.chain.pending.environment
    return { ...node, from, to, cap: hex(2n * baseFeePerGas + TIP) }
  }

  test.each(['transfer', 'creation'])('default: eth_fillTransaction of a %s', async (kind) => {
    const { call, from, to, cap } = await create()
    const rest = kind === 'transfer' ? { to } : { data }
    expect(await call('eth_fillTransaction', { from, ...rest, ...tip })).toMatchObject({
      tx: {
        ...tip,
        maxFeePerGas: cap,
        gas: await call('eth_estimateGas', { from, ...rest }),
      },
    })
  })

  test('default: eth_sendTransaction without gas', async () => {
    const { call, from, cap } = await create()
    const plain = await call('eth_estimateGas', { from, data })
    const hash = await call('eth_sendTransaction', { from, data, ...tip })
    await call('evm_mine')
    const sent = await call<{ gas: string }>('eth_getTransactionByHash', hash)
    expect(sent).toMatchObject({ ...tip, maxFeePerGas: cap })
    // Not the gas of a send whose estimate failed.
    expect(Number(sent.gas)).toBeLessThan(2 * Number(plain))
  })

  test('default: eth_createAccessList', async () => {
    const { call, from } = await create()
    const answer = await call('eth_createAccessList', { from, data, ...tip })
    expect(answer).toEqual(await call('eth_createAccessList', { from, data }))
    expect(answer).not.toHaveProperty('error')
  })

  test.each(['eth_call', 'eth_estimateGas', 'debug_traceCall'])(
    '%s takes it as Hardhat does, or refuses it as geth does',
    async (method) => {
      const { call, failure, from } = await create()
      if (options.likeHardhat === true) {
        // A trace has 5 s otherwise, and loads another engine first.
        const rest = method === 'debug_traceCall' ? ['latest', { timeout: '30s' }] : []
        return expect(await call(method, { from, data, ...tip }, ...rest)).toBeDefined()
      }
      expect(await failure(method, { from, data, ...tip })).toEqual({
        code: -32000,
        message: `max priority fee per gas higher than max fee per gas: address ${from}, maxPriorityFeePerGas: ${TIP}, maxFeePerGas: 0`,
      })
    },
  )

  test('eth_simulateV1 refuses it as geth does', async () => {
    const { failure, from } = await create()
    const blocks = { blockStateCalls: [{ calls: [{ from, data, ...tip }] }] }
    expect(await failure('eth_simulateV1', blocks)).toMatchObject({
      message: expect.stringMatching(/^max priority fee per gas higher than max fee per gas/),
    })
  })
})
