import type { WalletMethod } from './types.ts'

/** The wallet's methods by name. Their files are loaded on first use. */
const METHODS: Readonly<Record<string, () => Promise<{ readonly default: WalletMethod }>>> = {
  eth_accounts: () => import('../methods/eth_accounts.ts'),
  eth_chainId: () => import('../methods/eth_chainId.ts'),
  eth_requestAccounts: () => import('../methods/eth_requestAccounts.ts'),
  eth_sendTransaction: () => import('../methods/eth_sendTransaction.ts'),
  eth_signTypedData_v4: () => import('../methods/eth_signTypedData_v4.ts'),
  net_version: () => import('../methods/net_version.ts'),
  personal_sign: () => import('../methods/personal_sign.ts'),
  wallet_addEthereumChain: () => import('../methods/wallet_addEthereumChain.ts'),
  wallet_connect: () => import('../methods/wallet_connect.ts'),
  wallet_getCallsStatus: () => import('../methods/wallet_getCallsStatus.ts'),
  wallet_getCapabilities: () => import('../methods/wallet_getCapabilities.ts'),
  wallet_getPermissions: () => import('../methods/wallet_getPermissions.ts'),
  wallet_getProviderState: () => import('../methods/wallet_getProviderState.ts'),
  wallet_requestPermissions: () => import('../methods/wallet_requestPermissions.ts'),
  wallet_revokePermissions: () => import('../methods/wallet_revokePermissions.ts'),
  wallet_sendCalls: () => import('../methods/wallet_sendCalls.ts'),
  wallet_showCallsStatus: () => import('../methods/wallet_showCallsStatus.ts'),
  wallet_switchEthereumChain: () => import('../methods/wallet_switchEthereumChain.ts'),
  wallet_watchAsset: () => import('../methods/wallet_watchAsset.ts'),
}

export async function findMethod(name: string): Promise<WalletMethod | undefined> {
  // `METHODS[name]` alone would also find inherited members such as `constructor`.
  return Object.hasOwn(METHODS, name) ? (await METHODS[name]?.())?.default : undefined
}
