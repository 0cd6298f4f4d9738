import { createEVM } from '@ethereumjs/evm'
import { expect, test, vi } from 'vitest'
import { loadCrypto } from '../../../../devnet/engine/crypto.ts'
import { createFixedCommon } from '../../../../devnet/engine/library/fixedCommon.ts'
import { quickenPrecompiles } from '../../../../devnet/engine/precompiles/quickPrecompiles.ts'

vi.mock('mcl-wasm/dist/mcl_c.js', () => ({
  default: () => Promise.reject(new Error('no WebAssembly')),
}))

test('the library computes on its own curves, and the log says so once', async () => {
  const warn = vi.spyOn(console, 'error').mockImplementation(() => {})
  const common = createFixedCommon({ chainId: 1, hardfork: 'bpo2', crypto: await loadCrypto() })
  const evm = await createEVM({ common })
  quickenPrecompiles(evm.precompiles)
  const map = evm.precompiles.get('10'.padStart(40, '0'))
  const input = { data: new Uint8Array(64), gasLimit: 10_000n, common, _EVM: evm }
  for (let round = 0; round < 2; round++) {
    const result = await map?.(input)
    expect(result).toMatchObject({ executionGasUsed: 5_500n })
    expect(result?.returnValue).toHaveLength(128)
  }
  expect(warn.mock.calls).toEqual([
    [
      'hardhat-pending-node: WebAssembly does not work here for bls, and JavaScript takes its place: Error: no WebAssembly',
    ],
  ])
})
