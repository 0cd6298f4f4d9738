import { expect, test } from 'vitest'
import type { RemoteRule } from '../../../../devnet/rpc/method.ts'
import { methodFiles } from '../../../../devnet/rpc/methodFiles.ts'
import { readSources } from '../../../structure/sources.ts'

/** Every method with a rule. A new method that names a block or a hash belongs here. */
const RULES: Readonly<Record<RemoteRule | 'by parameters', readonly string[]>> = {
  state: [
    'eth_call',
    'eth_createAccessList',
    'eth_estimateGas',
    'eth_getAccountInfo',
    'eth_getBalance',
    'eth_getCode',
    'eth_getStorageAt',
    'eth_getStorageValues',
    'eth_getTransactionCount',
    'eth_simulateV1',
    'ots_hasCode',
  ],
  block: [
    'debug_getRawBlock',
    'debug_getRawBlockAccessList',
    'debug_getRawHeader',
    'debug_getRawReceipts',
    'debug_traceBlockByHash',
    'debug_traceBlockByNumber',
    'erigon_getHeaderByNumber',
    'eth_getBlockAccessList',
    'eth_getBlockByHash',
    'eth_getBlockByNumber',
    'eth_getBlockReceipts',
    'eth_getBlockTransactionCountByHash',
    'eth_getBlockTransactionCountByNumber',
    'eth_getHeaderByHash',
    'eth_getHeaderByNumber',
    'eth_getRawTransactionByBlockHashAndIndex',
    'eth_getRawTransactionByBlockNumberAndIndex',
    'eth_getTransactionByBlockHashAndIndex',
    'eth_getTransactionByBlockNumberAndIndex',
    'eth_getUncleByBlockHashAndIndex',
    'eth_getUncleByBlockNumberAndIndex',
    'eth_getUncleCountByBlockHash',
    'eth_getUncleCountByBlockNumber',
    'ots_getBlockDetails',
    'ots_getBlockDetailsByHash',
    'ots_getBlockTransactions',
  ],
  proof: ['eth_getAccount', 'eth_getProof'],
  transaction: [
    'debug_traceTransaction',
    'eth_getRawTransactionByHash',
    'eth_getTransactionByHash',
    'eth_getTransactionReceipt',
    'ots_getInternalOperations',
    'ots_getTransactionError',
    'ots_traceTransaction',
  ],
  'encoded block': ['debug_traceBlock'],
  'in part': [
    'debug_codeByHash',
    'eth_feeHistory',
    'eth_getFilterChanges',
    'eth_getFilterLogs',
    'eth_getLogs',
    'eth_getTransactionBySenderAndNonce',
    'eth_newFilter',
    'ots_getTransactionBySenderAndNonce',
  ],
  'by parameters': ['debug_traceCall'],
}

/** Methods with a hash that means nothing to the upstream. */
const OWN_HASHES = ['hardhat_dropTransaction', 'preconf_getTransactionReceipt']

const HASH = `0x${'12'.repeat(32)}`

test('default: every method that names a block, or begins with a hash, has a rule', async () => {
  const rules: Record<string, string[]> = Object.fromEntries(
    Object.keys(RULES).map((rule) => [rule, []]),
  )
  const forgotten: string[] = []
  for (const [name, load] of Object.entries(methodFiles)) {
    const { params, remote } = (await load()).default
    if (remote !== undefined) {
      rules[typeof remote === 'function' ? 'by parameters' : remote]?.push(name)
    } else if (params !== undefined && (params.blockAt !== -1 || takesHash(params.read))) {
      forgotten.push(name)
    }
  }
  expect(rules).toEqual(RULES)
  expect(forgotten).toEqual(OWN_HASHES)
})

/** Whether the first parameter can be a hash, and nothing shorter. */
function takesHash(read: (args: readonly unknown[]) => unknown): boolean {
  const accepts = (value: string) => {
    try {
      read([value])
      return true
    } catch {
      return false
    }
  }
  return accepts(HASH) && !accepts(HASH.slice(0, -2))
}

test('the rules that need a block name it', async () => {
  for (const rule of ['state', 'block', 'proof', 'by parameters'] as const) {
    for (const name of RULES[rule]) {
      const method = (await methodFiles[name]?.())?.default
      expect([name, method?.params?.blockAt]).not.toEqual([name, -1])
    }
  }
})

test('a method that takes a number names the one that takes a hash', async () => {
  for (const [name, load] of Object.entries(methodFiles)) {
    const { byHash } = (await load()).default
    const other = name.replace(/By(Block)?Number/, 'By$1Hash')
    expect([name, byHash]).toEqual([name, other === name ? undefined : other])
  }
})

test('plain chains do not load the border', () => {
  const isIn = (path: string) => path.startsWith('devnet/rpc/border/')
  const loads = readSources()
    .filter(({ path }) => !isIn(path))
    .flatMap(({ imports, lines }) => {
      const isOnDemand = lines.some((line) => /\bimport\('[^']*border\/border\.ts'\)/.test(line))
      return isOnDemand ? [] : imports.filter(({ to, isType }) => isIn(to) && !isType)
    })
  expect(loads).toEqual([])
})
