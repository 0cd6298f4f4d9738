import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { defineChain } from 'viem'
import { createConfig, http, WagmiProvider } from 'wagmi'
import { Shop } from './Shop.tsx'

/** No wallet knows it before the dApp adds it. */
const chain = defineChain({
  id: 31_338,
  name: 'Shop chain',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [import.meta.env.VITE_CHAIN_URL] } },
  // With this field viem reads "pending" by default.
  experimental_preconfirmationTime: 200,
})
// No connector is listed: wagmi finds the wallets that announce themselves (EIP-6963).
const config = createConfig({ chains: [chain], transports: { [chain.id]: http() } })

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no place for the app')
createRoot(root).render(
  <WagmiProvider config={config}>
    <QueryClientProvider client={new QueryClient()}>
      <Shop />
    </QueryClientProvider>
  </WagmiProvider>,
)
