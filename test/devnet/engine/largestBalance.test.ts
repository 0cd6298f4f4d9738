import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { createRpcChain } from '../rpc/methods/rpcChain.ts'

const LARGEST: Hex = `0x${'f'.repeat(64)}`
const RICH: Hex = `0x${'5a'.repeat(20)}`
const DYING: Hex = `0x${'d1'.repeat(20)}`

/** PUSH20 RICH SELFDESTRUCT */
const DIE: Hex = `0x73${RICH.slice(2)}ff`

/** The same in a contract, called first; then BALANCE of RICH is returned. */
const LOOK: Hex = `0x5f5f5f5f5f73${DYING.slice(2)}5af15073${RICH.slice(2)}315f5260205ff3`

// No client defines such a sum: geth's turns over, exec-specs raises an error.
describe.each(['fast', 'library'] as const)('a sum above the largest balance, %s', (engine) => {
  async function create() {
    const chain = await createRpcChain({ engine })
    await chain.call('hardhat_setBalance', RICH, LARGEST)
    await chain.call('hardhat_setCode', DYING, DIE)
    await chain.call('hardhat_setBalance', DYING, '0x9')
    return chain
  }

  /** Seals a transaction, and returns the balance after it. */
  async function sealed({ call, account, clocks }: Awaited<ReturnType<typeof create>>, to: Hex) {
    const sent = { from: account(0).address, to, gas: '0x30d40' }
    await call('eth_sendTransaction', sent)
    await clocks.advanceTicks(1)
    expect(await call('eth_getBalance', RICH, 'pending')).toBe(LARGEST)
    const { executed } = await clocks.seal()
    expect(executed.map(({ success }) => success)).toEqual([true])
    return await call('eth_getBalance', RICH, 'latest')
  }

  test('the heir of a contract', async () => {
    expect(await sealed(await create(), DYING)).toBe(LARGEST)
  })

  test('the fees of the coinbase', async () => {
    const chain = await create()
    await chain.call('hardhat_setCoinbase', RICH)
    expect(await sealed(chain, NOBODY)).toBe(LARGEST)
  })

  test('what a call sees after it', async () => {
    const { call } = await create()
    expect(await call('eth_call', { data: LOOK, gas: '0x30d40' })).toBe(LARGEST)
  })

  test('a withdrawal in a simulation', async () => {
    const { call } = await create()
    const withdrawals = [{ index: '0x0', validatorIndex: '0x0', address: RICH, amount: '0x1' }]
    const blocks = [{ blockOverrides: { withdrawals } }, { calls: [{ data: LOOK }] }]
    const answer = await call<{ calls: { returnData: Hex }[] }[]>('eth_simulateV1', {
      blockStateCalls: blocks,
    })
    expect(answer[1]?.calls[0]?.returnData).toBe(LARGEST)
  })
})

const NOBODY: Hex = `0x${'99'.repeat(20)}`
