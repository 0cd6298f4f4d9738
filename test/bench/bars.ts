import type { Row, ScenarioResult } from './results.ts'

/** What the node must reach, in the worst of the rows that it is about. */
interface Bar {
  readonly what: string
  readonly scenario: string
  readonly metric: RegExp
  /** The number that is held against the bar. */
  readonly of: (row: Row) => number | undefined
  readonly least?: number
  readonly most?: number
  /** Whether it is aimed at, and not promised. Default: false */
  readonly isGoal?: boolean
}

const own = (row: Row) => row.values.ours?.median
const ownWorst = (row: Row) => row.values.ours?.max
const againstAnvil = (row: Row) => row.ratios.anvil
const againstHardhat = (row: Row) => row.ratios.hardhat

/** Of rows in which less is better: at most `times` the time of anvil. */
const withinAnvils = (times: number) => ({ of: againstAnvil, least: 1 / times })

const bars: readonly Bar[] = [
  {
    what: 'pending reads with 1,000 waiting, part of the rate with none',
    scenario: 'pendingReads',
    metric: /waiting \/ none/,
    of: own,
    least: 0.8,
  },
  {
    what: "pending balance and code with 1,000 waiting, times anvil's",
    scenario: 'pendingReads',
    metric: /^eth_get(Balance|Code), 8 conn\., 1,000 waiting$/,
    of: againstAnvil,
    least: 20,
  },
  {
    what: "balance and nonce with nothing waiting over 8 connections, times anvil's rate",
    scenario: 'pendingReads',
    metric: /^eth_get(Balance|TransactionCount), 8 conn\., none waiting$/,
    of: againstAnvil,
    least: 0.8,
    isGoal: true,
  },
  {
    what: "eth_call of a balance with nothing waiting over 8 connections, times anvil's rate",
    scenario: 'pendingReads',
    metric: /^eth_call balanceOf, 8 conn\., none waiting$/,
    of: againstAnvil,
    least: 0.5,
    isGoal: true,
  },
  {
    what: "2,000 single transfers visible, times anvil's rate",
    scenario: 'transfersVisible',
    metric: /^visible, 8 connections$/,
    of: againstAnvil,
    least: 0.7,
    isGoal: true,
  },
  {
    what: "2,000 single ERC-20 transfers visible, times anvil's rate",
    scenario: 'erc20Visible',
    metric: /^visible, 8 connections$/,
    of: againstAnvil,
    least: 0.7,
    isGoal: true,
  },
  {
    what: "transfers visible, times hardhat's",
    scenario: 'transfersVisible',
    metric: /^visible/,
    of: againstHardhat,
    least: 2,
  },
  {
    what: "ERC-20 transfers visible, times hardhat's",
    scenario: 'erc20Visible',
    metric: /^visible/,
    of: againstHardhat,
    least: 2,
  },
  {
    what: "sends without gas accepted, times hardhat's",
    scenario: 'sendsWithoutGas',
    metric: /^accepted/,
    of: againstHardhat,
    least: 1,
  },
  {
    what: 'sealing 1,000 transactions, times faster than hardhat',
    scenario: 'sealing',
    metric: /preconf_seal$/,
    of: againstHardhat,
    least: 4,
  },
  {
    what: "executing and sealing 1,000 transfers, times anvil's speed",
    scenario: 'sealing',
    metric: /^transfers, evm_mine$/,
    ...withinAnvils(1.5),
    isGoal: true,
  },
  {
    what: "executing and sealing 1,000 ERC-20 transfers, times anvil's speed",
    scenario: 'sealing',
    metric: /^ERC-20 transfers, evm_mine$/,
    ...withinAnvils(2),
    isGoal: true,
  },
  {
    what: "the first execution and seal of 1,000 transfers of a process, times anvil's speed",
    scenario: 'sealing',
    metric: /^transfers, evm_mine, first$/,
    ...withinAnvils(1.5),
    isGoal: true,
  },
  {
    what: "the first execution and seal of 1,000 ERC-20 transfers of a process, times anvil's speed",
    scenario: 'sealing',
    metric: /^ERC-20 transfers, evm_mine, first$/,
    ...withinAnvils(2),
    isGoal: true,
  },
  {
    what: 'a start of Hardhat that lists the plugin, times one that does not',
    scenario: 'pluginStart',
    metric: /^with \/ without$/,
    of: own,
    most: 1.03,
  },
  {
    what: "a project's suite on the plugin's networks, times its CPU time on Hardhat's own",
    scenario: 'projectSuite',
    metric: /\/ default, cpu$/,
    of: own,
    most: 1.15,
  },
  {
    what: "the same, times its duration on Hardhat's own",
    scenario: 'projectSuite',
    metric: /\/ default, wall$/,
    of: own,
    most: 1.15,
  },
  {
    what: 'a failure with its place in Solidity, from the second of a process on, ms',
    scenario: 'failures',
    metric: /from the second on$/,
    of: own,
    most: 25,
  },
  {
    what: 'a call that succeeds, times one without explanations',
    scenario: 'failures',
    metric: /^a success/,
    of: own,
    most: 1.03,
  },
  {
    what: 'one more connection to the network "pending", ms',
    scenario: 'connectionRequests',
    metric: /^hre\.network\.create$/,
    of: own,
    most: 50,
  },
  {
    what: "a suite on instant, times its time on Hardhat's own network",
    scenario: 'suites',
    metric: /less an empty suite$/,
    of: own,
    most: 1.15,
  },
  {
    what: "eth_chainId, times hardhat's",
    scenario: 'chainId',
    metric: /^answers$/,
    of: againstHardhat,
    least: 1.5,
  },
  {
    what: 'start through npx, times faster than hardhat (1.3 times its time is allowed)',
    scenario: 'start',
    metric: /^through npx$/,
    of: againstHardhat,
    least: 1 / 1.3,
  },
  {
    what: 'end by SIGTERM, ms',
    scenario: 'start',
    metric: /^end$/,
    of: own,
    most: 1000,
  },
  {
    what: '20,000 empty blocks, s',
    scenario: 'emptyBlocks',
    metric: /^duration$/,
    of: own,
    most: 2,
  },
  {
    what: 'reads at block 20,000, times their latency at block 10',
    scenario: 'emptyBlocks',
    metric: /\/ at block 10$/,
    of: own,
    most: 1.2,
  },
  {
    what: 'memory of an empty block, B',
    scenario: 'emptyBlocks',
    metric: /^growth/,
    of: own,
    most: 12_000,
  },
  {
    what: 'tick lateness p99, ms',
    scenario: 'tickLateness',
    metric: /^view published late, p99$/,
    of: own,
    most: 10,
  },
  {
    what: 'tick lateness p99 with 100 clients of the flashblock stream, ms',
    scenario: 'streamClients',
    metric: /^view published late, p99$/,
    of: own,
    most: 15,
  },
  {
    what: "simulation of one transfer, warm, times anvil's speed",
    scenario: 'simulate',
    metric: /^1 transfer, 1 conn\., p50$/,
    ...withinAnvils(2.5),
    isGoal: true,
  },
  {
    what: "simulation of one transfer, the first 1,000 of a process, times anvil's speed",
    scenario: 'coldCalls',
    metric: /^1 transfer, first 1,000$/,
    ...withinAnvils(2.5),
    isGoal: true,
  },
  {
    what: "simulation of ten ERC-20 transfers, warm, times anvil's speed",
    scenario: 'simulate',
    metric: /^10 ERC-20 transfers, traceTransfers, 1 conn\., p50$/,
    ...withinAnvils(2.5),
    isGoal: true,
  },
  {
    what: "simulation of ten ERC-20 transfers, the first 1,000 of a process, times anvil's speed",
    scenario: 'coldCalls',
    metric: /^10 ERC-20 transfers, traceTransfers, first 1,000$/,
    ...withinAnvils(2.5),
    isGoal: true,
  },
  {
    what: "simulation of ten blocks of ten calls, warm, times anvil's speed",
    scenario: 'simulate',
    metric: /^10 blocks of 10 calls, overrides, 1 conn\., p50$/,
    ...withinAnvils(3),
    isGoal: true,
  },
  {
    what: "simulation of ten blocks of ten calls, the first 200 of a process, times anvil's speed",
    scenario: 'coldCalls',
    metric: /^10 blocks of 10 calls, overrides, first 200$/,
    ...withinAnvils(3),
    isGoal: true,
  },
  {
    what: "the first 1,000 calls of a process, times anvil's rate",
    scenario: 'coldCalls',
    metric: /^eth_call balanceOf, first 1,000$/,
    of: againstAnvil,
    least: 0.5,
    isGoal: true,
  },
  {
    what: "the first 1,000 reads of a process, times anvil's rate",
    scenario: 'coldCalls',
    metric: /^eth_get\w+, first 1,000$/,
    of: againstAnvil,
    least: 0.8,
    isGoal: true,
  },
  {
    what: "the first 1,000 single sends of a process visible, times anvil's rate",
    scenario: 'coldCalls',
    metric: /visible, first 1,000$/,
    of: againstAnvil,
    least: 0.7,
    isGoal: true,
  },
  {
    what: 'memory of a kept transaction, B',
    scenario: 'keptTransactions',
    metric: /./,
    of: own,
    most: 2_500,
  },
  {
    what: 'resident memory after 270,000 transactions with --keep-blocks 300, MiB',
    scenario: 'soak',
    metric: /^resident$/,
    of: own,
    most: 940,
  },
  {
    what: 'memory in use there of a kept transaction, B',
    scenario: 'soak',
    metric: /kept transaction$/,
    of: own,
    most: 2_500,
  },
  {
    what: 'memory of a kept transaction with an inner call, B',
    scenario: 'addressIndex',
    metric: /^kept/,
    of: own,
    most: 1_500,
  },
  {
    what: 'memory of the index of addresses for each transaction, B',
    scenario: 'addressIndex',
    metric: /^index/,
    of: own,
    most: 300,
  },
  {
    what: 'first search of an address in 50,000 transactions, ms',
    scenario: 'addressIndex',
    metric: /^first search/,
    of: own,
    most: 1_000,
  },
  {
    what: 'search of an address with the index, ms',
    scenario: 'addressIndex',
    metric: /^search/,
    of: own,
    most: 50,
  },
  {
    what: 'blocks with a search after each, times the time of those without an index',
    scenario: 'addressIndex',
    metric: /^blocks/,
    of: own,
    most: 1.2,
  },
  {
    what: "the dashboard's script and style sheet, packed, kB",
    scenario: 'dashboard',
    metric: /gzip$/,
    of: own,
    most: 60,
  },
  {
    what: "the dashboard's first rows with 100,000 transactions, ms",
    scenario: 'dashboard',
    metric: /^first rows$/,
    of: own,
    most: 1_000,
  },
  {
    what: "rows in the dashboard's document",
    scenario: 'dashboard',
    metric: /^rows in the DOM$/,
    of: own,
    most: 60,
  },
  {
    what: "heap of the dashboard's page, MB",
    scenario: 'dashboard',
    metric: /^heap/,
    of: own,
    most: 80,
  },
  {
    what: 'tick lateness p99 with a dashboard open at 500 transfers a second, ms',
    scenario: 'dashboard',
    metric: /dashboard open, p99$/,
    of: own,
    most: 10,
  },
  {
    what: 'the oldest of 100,000 transactions found at 500 a second, ms',
    scenario: 'dashboard',
    metric: /^oldest/,
    of: own,
    most: 3_000,
  },
  {
    what: "a dashboard's open filter, percent of a core",
    scenario: 'dashboard',
    metric: /^an open filter/,
    of: own,
    most: 5,
  },
  {
    what: 'layout shift of the dashboard in 60 s at 500 transfers a second',
    scenario: 'dashboard',
    metric: /^layout shift/,
    of: own,
    most: 0.05,
  },
  {
    what: "10M gas of a loop by eth_call, times anvil's speed",
    scenario: 'heavyCalls',
    metric: /^loop, 1 conn\., p50$/,
    ...withinAnvils(1.3),
  },
  {
    what: "10M gas of CALLs by eth_call, times anvil's speed",
    scenario: 'heavyCalls',
    metric: /^CALL loop, 1 conn\., p50$/,
    ...withinAnvils(2.5),
  },
  {
    what: "heavy calls over 8 connections, times anvil's rate",
    scenario: 'heavyCalls',
    metric: /^loop, 8 conn\.$/,
    of: againstAnvil,
    least: 0.5,
    isGoal: true,
  },
  {
    what: 'tick lateness beside heavy calls, p99, ms',
    scenario: 'heavyCalls',
    metric: /^beside calls: view published late, p99$/,
    of: own,
    most: 10,
  },
  {
    what: 'light requests beside heavy calls, p99, ms',
    scenario: 'heavyCalls',
    metric: /^beside calls: eth_(sendRawTransaction|blockNumber), p99$/,
    of: own,
    most: 10,
    isGoal: true,
  },
  {
    what: 'from one tick to the next beside simulations, ms',
    scenario: 'simulateTicks',
    metric: /^from one tick to the next, max$/,
    of: ownWorst,
    most: 250,
  },
  {
    what: 'longest turn of the event loop beside large requests and 10,000 subscribers, ms',
    scenario: 'longestTurns',
    metric: /./,
    of: ownWorst,
    most: 50,
  },
  {
    what: 'viem waits for a pre-confirmed receipt, hardhat-ethers for its transaction, p99, ms',
    scenario: 'clientWaits',
    metric: /^(viem waitForTransactionReceipt|hardhat-ethers).*, p99$/,
    of: own,
    most: 300,
  },
  {
    what: 'sendRawTransactionSync, p99, ms: one tick, and what it takes to send and execute',
    scenario: 'clientWaits',
    metric: /^viem sendRawTransactionSync, p99$/,
    of: own,
    most: 210,
  },
  {
    what: 'answers before the seal, % (a tenth of all are sent just before one)',
    scenario: 'clientWaits',
    metric: /before the seal$/,
    of: own,
    least: 80,
  },
  {
    what: 'schedules of faults that a test of ten transactions is played under, a minute',
    scenario: 'explored',
    metric: /./,
    of: own,
    least: 1000,
  },
  {
    what: 'requests for the start of a fork',
    scenario: 'fork',
    metric: /^start: requests$/,
    of: own,
    most: 2,
  },
  {
    what: 'items of them',
    scenario: 'fork',
    metric: /^start: items$/,
    of: own,
    most: 27,
  },
  {
    what: 'requests for a cold call of 8 accounts and 30 slots on a fork',
    scenario: 'fork',
    metric: /^swap, cold: requests$/,
    of: own,
    most: 3,
  },
  {
    what: 'items of them',
    scenario: 'fork',
    metric: /^swap, cold: items$/,
    of: own,
    most: 4,
  },
  {
    what: 'ms for it, with a round trip of 50 ms',
    scenario: 'fork',
    metric: /^swap, cold: time$/,
    of: own,
    most: 250,
    isGoal: true,
  },
  {
    what: 'requests for it again, also after a revert or a reset to the same block',
    scenario: 'fork',
    metric: /^swap, (?:again|after a .*): requests$/,
    of: own,
    most: 0,
  },
  {
    what: 'requests for it over an upstream without traces',
    scenario: 'fork',
    metric: /^swap, cold, by access lists: requests$/,
    of: own,
    most: 3,
  },
  {
    what: 'items of them',
    scenario: 'fork',
    metric: /^swap, cold, by access lists: items$/,
    of: own,
    most: 19,
  },
  {
    what: 'ms from the send of a transaction to an unknown contract until it is pre-confirmed',
    scenario: 'fork',
    metric: /^a transaction to an unknown contract, until pre-confirmed: time$/,
    of: own,
    // Three round trips of 50 ms, and the next tick.
    most: 400,
  },
  {
    what: 'requests for the start and that call of another network of the process',
    scenario: 'fork',
    metric: /^start and swap of another network of the process: requests$/,
    of: own,
    most: 1,
  },
  {
    what: 'items that this call does not use, part of all',
    scenario: 'fork',
    metric: /^swap, cold: items for accounts that it does not read$/,
    of: own,
    most: 0.2,
  },
  {
    what: 'requests for the start of a fork and that call with a cache',
    scenario: 'fork',
    metric: /^start and swap with the cache of before: requests$/,
    of: own,
    most: 1,
  },
  {
    what: 'the same, offline',
    scenario: 'fork',
    metric: /^start and swap offline: requests$/,
    of: own,
    most: 0,
  },
  {
    what: 'requests for 200 cold calls at once on a fork',
    scenario: 'fork',
    metric: /^200 cold calls at once: requests$/,
    of: own,
    most: 12,
    isGoal: true,
  },
  {
    what: 'a snapshot and its revert on a fork that knows 100,000 slots, times that with none',
    scenario: 'fork',
    metric: /^a snapshot and its revert, 100000 slots known \/ none$/,
    of: own,
    most: 2,
  },
  {
    what: '1,000 slots of an upstream that allows 25 a second, ms',
    scenario: 'fork',
    metric: /^1000 slots at 25 items a second: time$/,
    of: own,
    most: 2_000,
    isGoal: true,
  },
  {
    what: "BN254, P-256 and BLAKE2F, times anvil's speed",
    scenario: 'precompiles',
    metric: /^(BN254 (mul|pairing)|BLAKE2F|P-256)/,
    ...withinAnvils(3),
  },
  {
    what: "BLS12-381, MODEXP, hashes and BN254 additions, times anvil's speed",
    scenario: 'precompiles',
    metric: /^(BLS12|MODEXP|SHA-256|RIPEMD-160|BN254 add)/,
    ...withinAnvils(3),
    isGoal: true,
  },
  {
    what: "a cold call of 8 accounts and 30 slots on a fork, times anvil's speed",
    scenario: 'fork',
    metric: /^swap, cold: time$/,
    ...withinAnvils(0.25),
  },
  {
    what: 'ms from tick to tick while the upstream is slow or hangs',
    scenario: 'forkTicks',
    metric: /^from tick to tick with .*, max$/,
    of: own,
    most: 250,
  },
  {
    what: 'ms for the end of a node while its upstream hangs',
    scenario: 'forkTicks',
    metric: /^end while the upstream hangs: time$/,
    of: own,
    most: 1_000,
  },
]

/** One line for each bar that `results` have the numbers for. */
export function barLines(results: readonly ScenarioResult[]): readonly string[] {
  const lines: string[] = []
  for (const { what, scenario, metric, of, least, most, isGoal } of bars) {
    const rows = results.find(({ name }) => name === scenario)?.rows ?? []
    const numbers = rows
      .filter((row) => metric.test(row.metric))
      .map(of)
      .filter((number) => number !== undefined)
    if (numbers.length === 0) continue
    const worst = least === undefined ? Math.max(...numbers) : Math.min(...numbers)
    const met = worst >= (least ?? 0) && worst <= (most ?? Number.POSITIVE_INFINITY)
    const bar = least === undefined ? `at most ${most}` : `at least ${Number(least.toFixed(2))}`
    const missed = isGoal === true ? 'missed' : 'MISSED'
    lines.push(`${met ? 'met   ' : missed}  ${what}: ${Number(worst.toPrecision(3))} (${bar})`)
  }
  lines.push(...behindHardhat(results))
  if (lines.length === 0) return []
  return ['', 'Bars, by the worst of their rows; MISSED is a promise, missed a goal:', ...lines]
}

/** The rows in which hardhat node is better. */
function behindHardhat(results: readonly ScenarioResult[]): readonly string[] {
  const compared = results.flatMap(({ name, rows }) =>
    rows.flatMap(({ metric, ratios: { hardhat } }) =>
      hardhat === undefined ? [] : [{ row: `${name}: ${metric}`, ratio: hardhat }],
    ),
  )
  if (compared.length === 0) return []
  const behind = compared.filter(({ ratio }) => ratio < 1)
  if (behind.length === 0) return ['met     ahead of hardhat in every row']
  return behind.map(
    ({ row, ratio }) => `MISSED  ahead of hardhat in ${row}: ${ratio.toPrecision(3)}`,
  )
}
