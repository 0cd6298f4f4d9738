import { getOpcodesForHF } from '@ethereumjs/evm'
import { expect, test } from 'vitest'
import { opcodeRows } from '../../../../devnet/engine/core/opcodeTable.ts'
import { loadCrypto } from '../../../../devnet/engine/crypto.ts'
import { createFixedCommon } from '../../../../devnet/engine/library/fixedCommon.ts'
import { hardforks } from '../../../../devnet/protocol/forks.ts'
import { Op } from '../../../../devnet/protocol/opcodes.ts'

const covered = hardforks.slice(hardforks.indexOf('berlin'))

/** Static gas of the library that the core charges too, besides the library's fee, or does not. */
function otherGas(opcode: number): number {
  // Topics (Yellow Paper, appendix G).
  if (opcode >= Op.log0 && opcode <= Op.log4) return 375 * (opcode - Op.log0)
  // The host charges it (EIP-150).
  return opcode === Op.selfDestruct ? -5_000 : 0
}

test.for(covered)(
  "the core's opcodes are those of the library, with the same gas: %s",
  async (hardfork) => {
    const common = createFixedCommon({ chainId: 1, hardfork, crypto: await loadCrypto() })
    const { opcodes } = getOpcodesForHF(common)
    const expected = Array.from({ length: 256 }, (_, opcode) => {
      const entry = opcodes.get(opcode)
      // The library has INVALID in its table; to the core it is an undefined opcode.
      if (entry === undefined || entry.isInvalid) return undefined
      return entry.fee + otherGas(opcode)
    })
    expect(opcodeRows({ hardfork }).map(({ gas }) => gas)).toEqual(expected)
  },
)

test('error: hardforks before Berlin have another gas', () => {
  expect(() => opcodeRows({ hardfork: 'istanbul' })).toThrow(
    'The core knows the hardforks from Berlin on, not istanbul',
  )
})
