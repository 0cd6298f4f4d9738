import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { START } from '../../support/chain.ts'
import { createRpcChain, hex } from '../rpc/methods/rpcChain.ts'

const HOUR = 3_600_000

/** A chain whose clocks run, a seal every two ticks, but whose beats come only by command. */
async function createRunning() {
  const node = await createRpcChain({
    frozenTicks: false,
    tickInterval: HOUR,
    sealInterval: 2 * HOUR,
  })
  const { call, account, clocks, chain } = node
  const from = account(0).address
  return {
    ...node,
    send: () => call<Hex>('eth_sendTransaction', { from, to: from, gas: '0x5208' }),
    /** Long enough for `count` seals. */
    pass: (count: number) => clocks.advanceTicks(2 * count),
    head: () => chain.head.number,
  }
}

const LATER = START + 1_000_000

/** Commands that choose something of the next block, and how that shows. */
const CHOICES: [method: string, param: unknown, shown: object][] = [
  ['evm_setNextBlockTimestamp', LATER, { timestamp: hex(LATER) }],
  ['evm_setTime', LATER, { timestamp: hex(LATER) }],
  ['evm_increaseTime', 1_000_000, {}],
  ['hardhat_setNextBlockBaseFeePerGas', '0x7b', { baseFeePerGas: '0x7b' }],
  ['hardhat_setPrevRandao', '0x2a', { mixHash: `0x${'0'.repeat(62)}2a` }],
]

describe.each(CHOICES)('an empty block with a choice, of %s', (method, param, shown) => {
  test('the sealing clock leaves it alone until a transaction is in', async () => {
    const node = await createRunning()
    const { call, head, pass } = node
    await pass(2)
    expect(head()).toBe(2)
    await call(method, param)
    const pending = await call<object>('eth_getBlockByNumber', 'pending')
    expect(pending).toMatchObject(shown)
    await pass(3)
    expect(head()).toBe(2)
    expect(await call('eth_getBlockByNumber', 'pending')).toEqual(pending)
    const hash = await node.send()
    await pass(1)
    expect(head()).toBe(3)
    expect(await call('eth_getBlockByNumber', 'latest')).toMatchObject({
      ...shown,
      transactions: [hash],
    })
    // The one behind it carries no choice.
    await pass(2)
    expect(head()).toBe(5)
  })

  test.each([['preconf_seal'], ['evm_mine'], ['hardhat_mine'], ['preconf_advance', { blocks: 1 }]])(
    'a command seals it: %s',
    async (command, ...params) => {
      const { call, head, pass } = await createRunning()
      await call(method, param)
      await pass(1)
      expect(head()).toBe(0)
      const pending = await call<{ timestamp: Hex }>('eth_getBlockByNumber', 'pending')
      await call(command, ...params)
      expect(head()).toBe(1)
      const { timestamp } = pending
      expect(await call('eth_getBlockByNumber', 'latest')).toMatchObject({ ...shown, timestamp })
      await pass(1)
      expect(head()).toBe(2)
    },
  )

  test('a revert takes the choice back', async () => {
    const { call, head, pass } = await createRunning()
    const id = await call('evm_snapshot')
    await call(method, param)
    await call('evm_revert', id)
    await pass(2)
    expect(head()).toBe(2)
  })

  test('what is pre-confirmed is sealed before it, and the clock waits behind', async () => {
    const node = await createRunning()
    const hash = await node.send()
    await node.clocks.advanceTicks(1)
    await node.call(method, param)
    expect(await node.call('eth_getBlockByNumber', 'latest')).toMatchObject({
      number: '0x1',
      transactions: [hash],
    })
    await node.pass(3)
    expect(node.head()).toBe(1)
  })
})

test('a choice for all later blocks keeps the clock from nothing', async () => {
  const { call, head, pass } = await createRunning()
  await call('hardhat_setCoinbase', `0x${'c0'.repeat(20)}`)
  await call('evm_setBlockGasLimit', '0x1312d00')
  await pass(2)
  expect(head()).toBe(2)
})
