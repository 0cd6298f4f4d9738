import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { createRpcChain, type RpcChain } from '../../rpc/methods/rpcChain.ts'

const CONTRACT: Hex = '0x00000000000000000000000000000000c0de0001'

/** Sends a transaction to code at {@link CONTRACT}; answers what the receipt and the trace say. */
async function play(chain: RpcChain, gas: Hex) {
  const from = chain.account(0).address
  const hash = await chain.call<Hex>('eth_sendTransaction', { from, to: CONTRACT, gas })
  await chain.call('evm_mine')
  const receipt = await chain.call<{ status: Hex; gasUsed: Hex }>('eth_getTransactionReceipt', hash)
  const trace = await chain.call<{ failed: boolean }>('debug_traceTransaction', hash)
  return { status: receipt.status, gasUsed: Number(receipt.gasUsed), failed: trace.failed }
}

test('behavior: SSTORE counts the gas of the plain opcodes before it against its sentry (EIP-2200)', async () => {
  const chain = await createRpcChain()
  // SSTORE(0, 0) after two PUSH0: 2,300 gas are left, one fewer than the sentry asks for.
  await chain.call('hardhat_setCode', CONTRACT, '0x5f5f55')
  expect(await play(chain, '0x5b08')).toEqual({ status: '0x0', gasUsed: 23_304, failed: true })
  expect(await play(chain, '0x5b09')).toEqual({ status: '0x1', gasUsed: 23_204, failed: false })
})

test('behavior: an estimate leaves the gas that the sentry wants', async () => {
  const chain = await createRpcChain()
  // A guard: SSTORE(0, 2), 450 times PUSH0 PUSH0 POP (6 gas), SSTORE(0, 1), as slot 0 was before.
  const plain = '5f5f50'.repeat(450).concat('50'.repeat(450))
  await chain.call('hardhat_setCode', CONTRACT, `0x60025f55${plain}60015f55`)
  await chain.call('hardhat_setStorageAt', CONTRACT, '0x0', `0x${'0'.repeat(63)}1`)
  const from = chain.account(0).address
  const estimate = await chain.call<Hex>('eth_estimateGas', { from, to: CONTRACT })
  expect(await play(chain, estimate)).toMatchObject({ status: '0x1', failed: false })
})
