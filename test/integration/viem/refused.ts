import { hardhat } from 'viem/chains'
import type { Stage } from './stage.ts'

/** An action that a wallet answers and no node does, as anvil and hardhat node refuse it, too. */
interface Refused {
  /** Why the node does not answer it. */
  readonly reason: string
  /** The method that it refuses as unknown. */
  readonly method: string
  run(stage: Stage): Promise<unknown>
}

/** The actions of viem that have no case, because they are not for a node. */
export const refused: Readonly<Record<string, Refused>> = {
  addChain: {
    reason: 'a wallet adds chains to its list (EIP-3085)',
    method: 'wallet_addEthereumChain',
    run: ({ client }) => client.addChain({ chain: hardhat }),
  },
  switchChain: {
    reason: 'a wallet has several chains (EIP-3326)',
    method: 'wallet_switchEthereumChain',
    run: ({ client }) => client.switchChain({ id: 1 }),
  },
  watchAsset: {
    reason: 'a wallet lists tokens (EIP-747)',
    method: 'wallet_watchAsset',
    run: ({ client, contracts }) =>
      client.watchAsset({
        type: 'ERC20',
        options: { address: contracts.coin, decimals: 18, symbol: 'COIN' },
      }),
  },
  getPermissions: {
    reason: 'a wallet asks its user (EIP-2255)',
    method: 'wallet_getPermissions',
    run: ({ client }) => client.getPermissions(),
  },
  requestPermissions: {
    reason: 'a wallet asks its user (EIP-2255)',
    method: 'wallet_requestPermissions',
    run: ({ client }) => client.requestPermissions({ eth_accounts: {} }),
  },
  getCapabilities: {
    reason: 'a wallet has them (EIP-5792)',
    method: 'wallet_getCapabilities',
    run: ({ client }) => client.getCapabilities(),
  },
  showCallsStatus: {
    reason: 'a wallet shows it to its user (EIP-5792)',
    method: 'wallet_showCallsStatus',
    run: ({ client }) => client.showCallsStatus({ id: '0x01' }),
  },
}
