import { setImmediate as turn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { loadCrypto } from '../../../../devnet/engine/crypto.ts'
import { Codes } from '../../../../devnet/state/codes.ts'
import { VersionedStore } from '../../../../devnet/state/store/versionedStore.ts'
import { rulesOf } from '../programRules.ts'
import { createLibraryMachine } from './libraryMachine.ts'

test.for([
  // KECCAK256(0, 500,000): 93,780 gas each, after the first 1.1 M.
  ['KECCAK256 of 500 kB', '6207a1205f2050', 100],
  // CALLDATACOPY, CODECOPY and MCOPY of 50,000 bytes, for which the library takes long.
  ['CALLDATACOPY', '61c3505f5f37', 100],
  ['CODECOPY', '61c3505f5f39', 100],
  ['MCOPY', '61c3505f5f5e', 100],
  // EXP(2^256 - 1, 2^256 - 1): 1,610 gas each.
  ['EXP', '5f195f190a50', 1000],
  ['JUMP', '6003565b', 1],
] as const)('the library yields without calls, too: %s', async ([, code, times]) => {
  const crypto = await loadCrypto()
  const codes = new Codes(crypto.keccak256)
  const { common } = rulesOf('bpo2', crypto)
  const program = Buffer.from(code.repeat(times), 'hex')
  const results = []
  for (const isPaused of [false, true]) {
    const machine = await createLibraryMachine(common, codes, new VersionedStore(codes).view())
    machine.scheduler.begin()
    const due = vi.spyOn(machine.scheduler, 'yieldIfDueSampled')
    due.mockImplementation(() => (isPaused ? turn() : undefined))
    const { executionGasUsed, exceptionError } = await machine.vm.evm.runCode({
      code: program,
      gasLimit: 50_000_000n,
    })
    expect(due.mock.calls.length).toBe(times)
    results.push({ executionGasUsed, exceptionError })
  }
  expect(results[0]).toEqual({ executionGasUsed: expect.any(BigInt), exceptionError: undefined })
  expect(results[1]).toEqual(results[0])
})
