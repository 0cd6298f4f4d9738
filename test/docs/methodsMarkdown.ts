import { methodTable } from '../../devnet/rpc/methodTable.ts'

/** The rows of the table, and which methods are in each. */
const ROWS: readonly (readonly [title: string, names: RegExp])[] = [
  ['`eth_`', /^eth_/],
  ['`debug_` (as geth)', /^debug_/],
  ['deposits on the [OP Stack](../protocol/rollup/README.md)', /^preconf_deposit$/],
  ['the clocks', /^preconf_(?:advance|faults|freeze|resume|seal|status)$/],
  [
    'what is pre-confirmed, with [`--receipts sealed`](../COMPATIBILITY.md#programs-that-know-nothing-of-pre-confirmation)',
    /^preconf_getTransactionReceipt$/,
  ],
  ['[branches](../PROGRAM.md#branches) of the chain', /^preconf_(?:branch|dropBranch)$/],
  ['other nodes that follow this one', /^preconf_replicaState$/],
  ['`evm_` (as ganache, Hardhat and anvil)', /^evm_/],
  ['`hardhat_`', /^hardhat_/],
  ['`anvil_`', /^anvil_/],
  ['`tenderly_`, as in anvil', /^tenderly_/],
  ['mempool', /^txpool_/],
  ['`net_`', /^net_/],
  ['`web3_`', /^web3_/],
  ['[Otterscan](../dashboard/README.md#otterscan)', /^(?:erigon|ots)_/],
  ['[profile](../PROFILES.md) `megaeth`', /^realtime_/],
  ['blocks for tests of consensus clients', /^testing_/],
  ['about the node', /^(?:op_supportedCapabilities|rpc_modules)$/],
  ['signing', /^personal_/],
]

/** The table of all methods, under all their names. */
export function methodsMarkdown(): string {
  const names = Object.keys(methodTable).sort()
  const lost = names.find((name) => !ROWS.some(([, has]) => has.test(name)))
  if (lost !== undefined) {
    throw new Error(
      `test/docs/methodsMarkdown.ts: add to ROWS ['<what it is about>', /^${lost}$/], or the name to a row`,
    )
  }
  const rows = ROWS.map(([title, has]) => {
    const listed = names.filter((name) => has.test(name)).map((name) => `\`${name}\``)
    return `| ${title} | ${listed.join(', ')} |`
  })
  return ['| | |', '|---|---|', ...rows, ''].join('\n')
}
