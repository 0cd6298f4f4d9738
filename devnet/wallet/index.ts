export type { Hex } from '../types.ts'
export { type ProviderSettings, providerScript } from './browser/index.ts'
export { connectWallet, type WalletAddress } from './connectWallet.ts'
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
