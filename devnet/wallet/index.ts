export type { ContractSource, KnownContract } from '../options/contracts.ts'
export type { ChainProbe, KnownChain, WalletOptions } from '../options/walletOptions.ts'
export type { Hex } from '../primitives/hex.ts'
export type { DecodedArgument, DecodedCall } from '../rpc/naming/types.ts'
export { connectWallet, type WalletAddress } from './connectWallet.ts'
export { type ProviderSettings, providerScript } from './http/browserFiles.ts'
export type {
  HistoryEntry,
  HistoryFilter,
  PendingRequest,
  Policy,
  PolicyChange,
  PolicyDecision,
  PolicyRule,
  RequestSummary,
  SummaryField,
  WaitForFilter,
  WalletAccount,
  WalletChain,
  WalletConnection,
  WalletControl,
  WalletDecision,
  WalletErrorBody,
  WalletState,
} from './types.ts'
