export type { Hex } from '../primitives/hex.ts'
export { connectWallet, type WalletAddress } from './connectWallet.ts'
export { type ProviderSettings, providerScript } from './http/browserFiles.ts'
export type {
  ChainProbe,
  HistoryEntry,
  HistoryFilter,
  KnownChain,
  PendingRequest,
  Policy,
  PolicyChange,
  PolicyDecision,
  PolicyRule,
  RequestSummary,
  WaitForFilter,
  WalletChain,
  WalletConnection,
  WalletControl,
  WalletDecision,
  WalletErrorBody,
  WalletOptions,
  WalletState,
} from './types.ts'
