import type { Hex } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { createRpcChain } from '../rpc/methods/rpcChain.ts'
import {
  createTracingChain,
  type StructLogs,
  type TracedFrame,
  type TracingChain,
} from './harness.ts'

// EIP-8037. Costs are those of core/vm/interpreter.go of geth: execution gas without state gas.

let node: TracingChain
beforeAll(async () => {
  node = await createTracingChain({ hardfork: 'amsterdam' })
})

/** CREATE(0, 0, 0), CREATE2(0, 0, 0, 0), SSTORE(0, 1), SSTORE(0, 0), STOP */
const CODE: Hex = '0x5f5f5ff0505f5f5f5ff55060015f555f5f5500'

/** State gas of an account and of a slot. */
const [ACCOUNT, SLOT] = [183_600, 97_920]

/** Gas that a step takes beyond its cost, of the steps that do so. */
async function beyond(gas: bigint) {
  const { structLogs } = await node.traceCode<StructLogs>(CODE, {}, { gas })
  return structLogs.flatMap(({ op, gas, gasCost }, index) => {
    const next = structLogs[index + 1]
    const taken = next === undefined ? gasCost : gas - next.gas
    return taken === gasCost ? [] : [[op, taken - gasCost]]
  })
}

describe('the struct logger', () => {
  test('shows the execution gas of creations', async () => {
    const { structLogs } = await node.traceCode<StructLogs>(CODE, {}, { gas: 1_000_000n })
    const costs = structLogs.flatMap(({ op, gasCost }) => (/^CREATE/.test(op) ? [gasCost] : []))
    expect(costs).toEqual([12_000, 12_000])
  })

  test('gas falls by the costs if the reservoir pays for state', async () => {
    expect(await beyond(2n ** 24n + 1_000_000n)).toEqual([])
  })

  test('without a reservoir gas also falls by the state gas, and gets it back', async () => {
    expect(await beyond(1_000_000n)).toEqual([
      ['CREATE', ACCOUNT],
      ['CREATE2', ACCOUNT],
      ['SSTORE', SLOT],
      ['SSTORE', -SLOT],
    ])
  })
})

test('the frame of a creation has 63/64 of what is left after the state gas', async () => {
  const [{ calls }, { structLogs }] = [
    await node.traceCode<TracedFrame>(CODE, { tracer: 'callTracer' }, { gas: 1_000_000n }),
    await node.traceCode<StructLogs>(CODE, {}, { gas: 1_000_000n }),
  ]
  // An empty creation gives all of its gas back.
  const left = structLogs.flatMap(({ op }, index) =>
    /^CREATE/.test(op) ? [structLogs[index + 1]?.gas ?? 0] : [],
  )
  expect(calls?.map(({ gas }) => Number(gas))).toEqual(
    left.map((gas) => gas - Math.floor(gas / 64)),
  )
})

test('traces use the gas that the receipt says', async () => {
  const gas = '0xf4240'
  const { call } = await createRpcChain({ hardfork: 'amsterdam' })
  const to = `0x${'c0'.repeat(20)}`
  await call('hardhat_setCode', to, CODE)
  const [from] = await call<Hex[]>('eth_accounts')
  const hash = await call<Hex>('eth_sendTransaction', { from, to, gas })
  await call('evm_mine')
  const receipt = await call<{ gasUsed: Hex }>('eth_getTransactionReceipt', hash)
  const logs = await call<StructLogs>('debug_traceTransaction', hash)
  expect(logs).toMatchObject({ gas: Number(receipt.gasUsed), failed: false })
  const frame = await call('debug_traceTransaction', hash, { tracer: 'callTracer' })
  expect(frame).toMatchObject({ gas, gasUsed: receipt.gasUsed })
})
