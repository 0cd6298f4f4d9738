import { type Block, createBlock } from '@ethereumjs/block'
import type { Crypto } from '../../../devnet/engine/crypto.ts'
import { createFixedCommon, type FixedCommon } from '../../../devnet/engine/library/fixedCommon.ts'

export const CALLER = '0x00000000000000000000000000000000000000c0'
export const PROGRAM = '0x00000000000000000000000000000000000000f0'
export const HELPER = '0x00000000000000000000000000000000000000e0'

/** What a random program runs under. */
export interface ProgramRules {
  readonly common: FixedCommon
  readonly block: Block
}

export function rulesOf(hardfork: string, crypto: Crypto): ProgramRules {
  const common = createFixedCommon({ chainId: 1, hardfork, crypto })
  const blobs = common.isActivatedEIP(4844) ? { excessBlobGas: 0n } : {}
  return { common, block: createBlock({ header: { number: 9n, ...blobs } }, { common }) }
}
