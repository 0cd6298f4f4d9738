import {
  createPublicClient,
  createWalletClient,
  custom,
  defineChain,
  type EIP1193Provider,
} from 'viem'
import { listEvents, MESSAGE, RECEIVER, show, target } from './view.ts'

const chain = defineChain({
  id: target.id,
  name: target.name,
  nativeCurrency: target.currency,
  rpcUrls: { default: { http: [target.rpc] } },
})

function start(info: { readonly name: string; readonly rdns: string }, provider: EIP1193Provider) {
  const wallet = createWalletClient({ chain, transport: custom(provider) })
  const reader = createPublicClient({ chain, transport: custom(provider), pollingInterval: 100 })
  listEvents(provider)

  async function account() {
    const [first] = await wallet.getAddresses()
    if (first === undefined) throw new Error('Not connected')
    return first
  }

  show(info, {
    connect: () => wallet.requestAddresses(),
    add: async () => {
      await wallet.addChain({ chain })
      return 'added'
    },
    switch: async () => {
      await wallet.switchChain({ id: target.id })
      return wallet.getChainId()
    },
    sign: async () => wallet.signMessage({ account: await account(), message: MESSAGE }),
    send: async () => wallet.sendTransaction({ account: await account(), to: RECEIVER, value: 1n }),
    receipt: (hash) => reader.waitForTransactionReceipt({ hash: `0x${hash.slice(2)}` }),
  })
}

window.addEventListener(
  'eip6963:announceProvider',
  (event) => {
    // The event that EIP-6963 describes.
    const { info, provider } = (event as CustomEvent).detail
    start(info, provider)
  },
  { once: true },
)
window.dispatchEvent(new Event('eip6963:requestProvider'))
