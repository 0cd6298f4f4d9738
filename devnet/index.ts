import { DevnetNode } from './node/node.ts'
import { type OptionsInput, resolveOptions } from './options/options.ts'
import type { Devnet } from './types.ts'

export type * from './faults/types.ts'
export type { FormattedLog, FormattedReceipt } from './json/receiptForm.ts'
export type {
  CompiledContract,
  CompiledSource,
  ContractSource,
  Definition,
  KnownContract,
} from './options/contracts.ts'
export type { Options, OptionsInput } from './options/options.ts'
export type { ChainProbe, KnownChain, WalletOptions } from './options/walletOptions.ts'
export { ChainFileError, DevnetError, ErrorCode, OptionError } from './primitives/errors.ts'
export type { Hex } from './primitives/hex.ts'
export { ProviderError } from './primitives/providerError.ts'
export type { DecodedArgument, DecodedCall } from './rpc/naming/types.ts'
export { ListenError } from './server/listen.ts'
export type * from './types.ts'
export type * from './wallet/types.ts'

/**
 * Creates a local chain with a pre-confirmed pending state; nothing runs or listens before `start`.
 *
 * @throws {OptionError} if an option is unknown, malformed or out of range
 *
 * @example
 * await using devnet = createDevnet({ port: 0, frozen: true })
 * await devnet.start()
 * await devnet.provider.request({ method: 'eth_blockNumber' }) // '0x0'
 * await devnet.clock.advance({ blocks: 1 })
 * await devnet.provider.request({ method: 'eth_blockNumber' }) // '0x1'
 */
export function createDevnet(options: OptionsInput = {}): Devnet {
  return new DevnetNode(resolveOptions(options))
}
