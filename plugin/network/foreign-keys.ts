import { isObject } from '../../devnet/pluginApi.ts'

/** Keys of Hardhat's own networks (`edr-simulated`) → their names on networks of ours. */
const COUNTERPARTS: Readonly<Record<string, string>> = {
  allowBlocksWithSameTimestamp: 'use pendingNode: { allowBlocksWithSameTimestamp: true }.',
  allowUnlimitedContractSize: 'use pendingNode: { codeSizeLimit: 0 }.',
  blockGasLimit: 'use pendingNode: { gasLimit }.',
  coinbase: 'use pendingNode: { coinbase }.',
  forking: 'use pendingNode: { forking }, which has the same fields.',
  gasEstimationMode: 'it has no counterpart: leave it out.',
  hardfork: 'use pendingNode: { hardfork }.',
  initialBaseFeePerGas: 'use pendingNode: { baseFee }, in wei.',
  initialDate: 'use pendingNode: { timestamp }, in seconds since the epoch.',
  loggingEnabled:
    'it has no counterpart: leave it out. "npx hardhat pending-node" prints the log of a node.',
  minGasPrice: 'it has no counterpart: leave it out, or call hardhat_setMinGasPrice.',
  mining:
    'use pendingNode: { instant } for auto, { sealInterval } for interval, { order } for mempool.order.',
  networkId: 'it has no counterpart: leave it out. The network id is the chain id.',
  throwOnCallFailures: 'it has no counterpart: leave it out. A call that fails always throws.',
  throwOnTransactionFailures:
    'use pendingNode: { instant: true }; otherwise a transaction runs after its send has returned.',
  transactionGasCap: 'use pendingNode: { transactionGasCap }, 0 for none.',
}

/**
 * Reason why a key does not belong on a network of this plugin; `undefined` if it is not Hardhat's.
 */
export function foreignKey(key: string): string | undefined {
  const counterpart = Object.hasOwn(COUNTERPARTS, key) ? COUNTERPARTS[key] : undefined
  return counterpart === undefined
    ? undefined
    : `${key} is for networks of type "edr-simulated": ${counterpart}`
}

/**
 * Reason why `accounts` of a network are those of an `edr-simulated` one; `undefined` if they are
 * not.
 */
export function foreignAccounts(accounts: unknown): string | undefined {
  const isForeign = Array.isArray(accounts)
    ? accounts.some((account) => isObject(account) && 'balance' in account)
    : isObject(accounts) && 'accountsBalance' in accounts
  return isForeign
    ? 'accounts with balances are for networks of type "edr-simulated": use pendingNode: { mnemonic, accounts, balance }, where accounts is their number.'
    : undefined
}
