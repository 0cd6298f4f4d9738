// Checked by `tsc`, as the rest of the project is; nothing here runs.
import { configVariable, defineConfig } from 'hardhat/config'
import plugin, { type PendingNodeUserConfig, pendingNode } from '../../plugin/index.ts'

export default defineConfig({
  plugins: [plugin],
  networks: {
    pending: pendingNode(),
    fast: pendingNode({ tickInterval: 50, baseFee: 7n, order: 'fees', transport: 'http' }),
    latest: pendingNode({ defaultBlock: 'latest' }),
    forked: pendingNode({
      forking: { url: configVariable('URL'), blockNumber: -5, httpHeaders: { Authorization: 'a' } },
    }),
    forkedSafe: pendingNode({ forking: { url: 'http://a', blockNumber: 'safe' } }),
    plainErrors: { ...pendingNode(), stackTraces: false },
    more: { ...pendingNode({ frozen: true }), gasMultiplier: 1.2 },
    plain: { type: 'http', url: 'http://127.0.0.1:8545', pendingNode: { accounts: 3 } },
    other: { type: 'http', url: 'http://127.0.0.1:8545' },
    edr: { type: 'edr-simulated' },
    // @ts-expect-error: only http networks have a node
    simulated: { type: 'edr-simulated', pendingNode: {} },
    // @ts-expect-error: a plain object needs its url; the helper fills it in
    short: { type: 'http', pendingNode: {} },
    // @ts-expect-error: no such option
    misspelt: { type: 'http', url: 'http://127.0.0.1', pendingNode: { tickIntervall: 50 } },
    // @ts-expect-error: true or false
    traces: { type: 'http', url: 'http://127.0.0.1', stackTraces: 'no' },
    // @ts-expect-error: no object
    flag: { type: 'http', url: 'http://127.0.0.1', pendingNode: true },
  },
})

// @ts-expect-error: a number of ms
pendingNode({ tickInterval: '50' })
// @ts-expect-error: fifo or fees
pendingNode({ order: 'random' })
// @ts-expect-error: in-process or http
pendingNode({ transport: 'ipc' })
// @ts-expect-error: pending or latest
pendingNode({ defaultBlock: 'safe' })
// @ts-expect-error: no such option
pendingNode({ tickIntervall: 50 })
// @ts-expect-error: a block that a chain can stand on
pendingNode({ forking: { url: 'http://a', blockNumber: 'earliest' } })
// @ts-expect-error: it has no URL
pendingNode({ forking: { blockNumber: 7 } })
// @ts-expect-error: it is in forking
pendingNode({ fork: 'http://a' })
// @ts-expect-error: a node in this process has no log
pendingNode({ quiet: true })
// @ts-expect-error: as above
pendingNode({ verbose: true })
// @ts-expect-error: as above
pendingNode({ json: true })

const options: PendingNodeUserConfig = { tickInterval: undefined, transport: undefined }
pendingNode(options)
// @ts-expect-error: what is given to Hardhat stays as it is
options.tickInterval = 5
