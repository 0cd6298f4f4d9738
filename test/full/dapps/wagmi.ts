import {
  connect,
  createConfig,
  getCapabilities,
  getChainId,
  getConnection,
  http,
  sendCalls,
  sendTransaction,
  signMessage,
  switchChain,
  waitForCallsStatus,
  waitForTransactionReceipt,
} from '@wagmi/core'
import { defineChain, type EIP1193Provider } from 'viem'
import { hardhat } from 'viem/chains'
import { listEvents, MESSAGE, RECEIVER, show, target } from './view.ts'

const chain = defineChain({
  id: target.id,
  name: target.name,
  nativeCurrency: target.currency,
  rpcUrls: { default: { http: [target.rpc] } },
})

const config = createConfig({
  chains: [hardhat, chain],
  transports: { [hardhat.id]: http(), [chain.id]: http() },
  pollingInterval: 100,
})

// From EIP-6963: no connector is configured.
const [connector] = config.connectors
if (connector === undefined) throw new Error('No wallet announced itself')
listEvents((await connector.getProvider()) as EIP1193Provider)

/** wagmi adds a network when the wallet says that it does not know it (4902). */
async function switchOrAdd() {
  await switchChain(config, { chainId: chain.id })
  return `${getChainId(config)}, connector at ${getConnection(config).chainId}`
}

show(
  { name: connector.name, rdns: connector.id },
  {
    connect: async () => (await connect(config, { connector })).accounts,
    add: switchOrAdd,
    switch: switchOrAdd,
    // What the hooks useCapabilities, useSendCalls and useWaitForCallsStatus call.
    capabilities: async () => {
      const { atomic } = await getCapabilities(config, { chainId: hardhat.id })
      return atomic?.status
    },
    batch: async () => {
      const call = { to: RECEIVER, value: 1n } as const
      const calls = [call, call]
      const { id } = await sendCalls(config, { calls, chainId: hardhat.id, forceAtomic: true })
      const { status, atomic, receipts = [] } = await waitForCallsStatus(config, { id })
      return `${status} ${atomic ? 'atomic' : 'apart'} ${receipts.length}`
    },
    sign: () => signMessage(config, { message: MESSAGE }),
    send: () => sendTransaction(config, { to: RECEIVER, value: 1n, chainId: chain.id }),
    receipt: (hash) =>
      waitForTransactionReceipt(config, { hash: `0x${hash.slice(2)}`, chainId: chain.id }),
  },
)
