/** Flags of anvil that would change nothing here, and their forms; `--anvil` accepts them. */
export const ignoredFlags = {
  ...{ threads: 'text', jobs: 'text', memoryLimit: 'text', stepsTracing: 'flag', tracing: 'flag' },
  ...{ enableTxGasLimit: 'flag', txGasLimit: 'flag', noCors: 'flag', noRateLimit: 'flag' },
  ...{ cachePath: 'text', maxPersistedStates: 'text', preserveHistoricalStates: 'flag' },
  ...{ retries: 'text', forkRetryBackoff: 'text', computeUnitsPerSecond: 'text' },
  ...{ noRpcRateLimit: 'flag' },
} as const

/** Flags of anvil that are refused, and after "use": the means to the same end. */
export const refusedFlags = {
  ...{
    '-a': '--accounts',
    '-b --blockTime': '--block-time',
    '-f --rpc-url': '--fork-url',
    '-p': '--port',
  },
  ...{ '-j': '--threads', '-m': '--mnemonic', '-q': '--quiet', '-s': '--state-interval, in ms' },
  ...{ '--no-mining --no-mine': '--frozen-ticks, and evm_mine', '--mixed-mining': '--block-time' },
  ...{ '--max-transactions --disable-block-gas-limit': '--gas-limit', '--gas-price': '--base-fee' },
  ...{ '--disable-pool-balance-checks': 'anvil_setBalance', '--timeout': '--fork-timeout' },
  ...{ '--auto-impersonate --auto-unlock': 'anvil_autoImpersonateAccount', '-V': '--version' },
  ...{ '--disable-min-priority-fee --no-priority-fee': 'a tip of 0, which is taken' },
  ...{ '--no-storage-caching': '--no-fork-cache' },
  ...{ '--disable-default-create2-deployer --no-create2': 'anvil_setCode to remove it' },
  ...{ '--mnemonic-random --mnemonic-seed-unsafe --derivation-path': '--mnemonic' },
  ...{ '--number': 'hardhat_mine for the blocks before it', '--fork-chain-id': '--fork-offline' },
  ...{ '--slots-in-an-epoch': '--safe-depth and --finalized-depth', '--verbosity': '--verbose' },
  ...{ '--prune-history --transaction-block-keeper': '--keep-blocks', '--color': 'NO_COLOR' },
  ...{ '--ipc --ipcpath': 'HTTP or WebSocket', '--no-request-size-limit': '--max-body-size' },
  ...{ '--print-traces --enable-trace-printing': 'debug_traceTransaction, or the dashboard' },
  ...{ '--disable-console-log --no-console-log': '--quiet', '--config-out --md': '--json' },
  ...{ '--network -n --celo': '--profile', '--init': '--genesis' },
} as const
