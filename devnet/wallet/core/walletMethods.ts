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

/**
 * Methods passed on to the RPC of the active chain: reads and signed transactions. Commands to the
 * node, e.g. `evm_mine`, are left out: the wallet must not give pages control of the node.
 */
export const forwardedMethods: ReadonlySet<string> = new Set([
  'eth_baseFee',
  'eth_blobBaseFee',
  'eth_blockNumber',
  'eth_call',
  'eth_createAccessList',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getCode',
  'eth_getFilterChanges',
  'eth_getFilterLogs',
  'eth_getLogs',
  'eth_getProof',
  'eth_getStorageAt',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_maxPriorityFeePerGas',
  'eth_newBlockFilter',
  'eth_newFilter',
  'eth_newPendingTransactionFilter',
  'eth_protocolVersion',
  'eth_sendRawTransaction',
  'eth_sendRawTransactionSync',
  'eth_simulateV1',
  'eth_subscribe',
  'eth_syncing',
  'eth_uninstallFilter',
  'eth_unsubscribe',
  'net_listening',
  'web3_clientVersion',
  'web3_sha3',
])
