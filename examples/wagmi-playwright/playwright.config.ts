import { defineConfig } from '@playwright/test'

// The node and the tests share the token by which the tests act as the user.
process.env.PENDING_NODE_WALLET_TOKEN ??= crypto.randomUUID()

export default defineConfig({
  testDir: 'test',
  // A run that hangs ends, and with it the servers.
  globalTimeout: 120_000,
  // The tests share the chain.
  workers: 1,
  use: { launchOptions: { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium' } },
  // They start one after the other, each on a free port. What a group of an expression matches is
  // then in the environment, also of those that start later: as WALLET_URL, VITE_CHAIN_URL, APP_URL.
  webServer: [
    {
      name: 'wallet',
      command: 'npx pending-node --port 0 --wallet-policy hold',
      wait: { stdout: /Mock wallet at (?<wallet_url>\S+)\n/ },
    },
    {
      name: 'chain',
      command: 'npx pending-node --port 0 --chain-id 31338 --frozen --no-wallet',
      wait: { stdout: /JSON-RPC server at (?<vite_chain_url>\S+)\n/ },
    },
    {
      name: 'app',
      command: 'npm run app',
      wait: { stdout: /Local: +(?<app_url>\S+)\n/ },
    },
  ],
})
