import { BrowserProvider, toQuantity } from 'ethers'
import { MESSAGE, RECEIVER, show, target } from './view.ts'

const found = await BrowserProvider.discover()
if (found === null) throw new Error('No wallet announced itself')
const provider = found
const chainId = toQuantity(target.id)

show(
  { name: found.providerInfo?.name ?? '', rdns: found.providerInfo?.rdns ?? '' },
  {
    connect: () => provider.send('eth_requestAccounts', []),
    add: async () => {
      await provider.send('wallet_addEthereumChain', [
        {
          chainId,
          chainName: target.name,
          nativeCurrency: target.currency,
          rpcUrls: [target.rpc],
        },
      ])
      return 'added'
    },
    switch: async () => {
      await provider.send('wallet_switchEthereumChain', [{ chainId }])
      return Number(await provider.send('eth_chainId', []))
    },
    sign: async () => (await provider.getSigner()).signMessage(MESSAGE),
    send: async () => {
      const signer = await provider.getSigner()
      return (await signer.sendTransaction({ to: RECEIVER, value: 1n })).hash
    },
    receipt: async (hash) => {
      const transaction = await provider.getTransaction(hash)
      const receipt = await transaction?.wait()
      return { blockHash: receipt?.blockHash ?? '', status: receipt?.status }
    },
  },
)
