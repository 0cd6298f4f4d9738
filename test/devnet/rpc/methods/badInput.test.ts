import { expect, test } from 'vitest'
import { methodFiles } from '../../../../devnet/rpc/methodFiles.ts'
import { aliases, methodTable } from '../../../../devnet/rpc/methodTable.ts'
import { createRpcChain } from './rpcChain.ts'

const ADDRESS = `0x${'ab'.repeat(20)}`
const HASH = `0x${'cd'.repeat(32)}`

/** Of each kind of parameter a good value, then bad ones. */
const PARAMETERS: Record<string, readonly [good: unknown, bad: readonly unknown[]]> = {
  account: [ADDRESS, ['0x', ADDRESS.slice(0, -1), `${ADDRESS}00`, 'ab', 5, {}, [], true]],
  url: ['http://127.0.0.1:1', ['ws://127.0.0.1:1', 'http://[', '', 5, {}, []]],
  hash: [HASH, ['0x', ADDRESS, `${HASH}00`, HASH.slice(2), 5, {}, []]],
  block: ['latest', ['newest', '0x', 0, '10', {}, { blockNumber: 'x' }, [], true]],
  number: ['latest', ['newest', '0x', 0, '10', {}, { blockNumber: '0x0' }, [], HASH]],
  laxBlock: [0, ['newest', '0x', '10', -1, 1.5, {}, { blockNumber: 'x' }, [], true]],
  pageSize: [100, [0, 101, '0x0', '0x', -1, 1.5, {}, [], true]],
  data: ['0x1234', ['0x1', '0xgg', '12', 5, {}, []]],
  quantity: ['0x5', ['0x', 'x', '5', -1, 1.5, {}, [], `0x1${'0'.repeat(64)}`]],
  flag: [true, ['true', 1, {}, []]],
  interval: [5, ['0x5', -1, 1.5, {}, [], [5], [2, 1], [0, 1], [1, 2, 3], 86_400_001]],
  mine: [{ blocks: 1 }, ['0x', 'x', -1, [], { blocks: 'x' }, { timestamp: -1 }, { other: 1 }]],
  reset: [{ forking: {} }, [5, 'x', [], { forking: 5 }, { forking: [] }]],
  storageKeys: [['0x0'], ['0x0', 5, {}, [5], ['0x'], [`0x${'0'.repeat(65)}`]]],
  slotsByAddress: [
    { [ADDRESS]: ['0x0'] },
    ['0x', 5, [], { x: ['0x0'] }, { [ADDRESS]: '0x0' }, { [ADDRESS]: ['0x'] }],
  ],
  slotText: ['0', ['', 'x', `0x${'0'.repeat(65)}`, 5, {}, []]],
  slot: ['0x0', ['0x', `0x${'0'.repeat(65)}`, 5, {}, []]],
  request: [{ to: ADDRESS }, ['0x', 5, [], { to: 5 }, { from: '0x1' }, { value: 'x' }]],
  filter: [{}, ['0x', 5, [], { address: 5 }, { topics: {} }, { fromBlock: 5 }]],
  placed: [[], ['0x', 5, {}, [5], [[]], [['0x1234']], [[{}, -1]], [['0x1', 0]], [[{ to: 5 }, 0]]]],
  percentiles: [[], ['0x', 5, {}, ['x']]],
  typedData: [{ types: {}, primaryType: '', domain: {}, message: {} }, ['{', 5, [], {}]],
  payloadAttributes: [
    {
      timestamp: '0x1',
      prevRandao: HASH,
      suggestedFeeRecipient: ADDRESS,
      withdrawals: [],
      parentBeaconBlockRoot: HASH,
    },
    ['0x', 5, [], {}, { timestamp: '0x1' }],
  ],
  signedList: [[], ['0x', 5, {}, [5], ['0x0'], ['x']]],
  branch: ['1', [5, {}, [], true]],
  beats: [{ ticks: 1 }, [5, [], 'x', {}, { ticks: '1' }]],
  ticks: [{}, [5, [], 'x', { ticks: 1 }, { other: 1 }]],
  deposit: [{}, [5, [], 'x', { mint: 'x' }, { to: 5 }, { other: 1 }]],
  faults: [{ rules: [] }, [5, [], 'x', { rules: 5 }, { rules: [{ kind: 'x' }] }]],
  simulation: [{ blockStateCalls: [{}] }, [5, [], 'x', {}, { blockStateCalls: {} }]],
  overrides: [{}, [5, [], 'x', { x: {} }]],
  blockFields: [{}, [5, [], 'x', { number: 'x' }]],
  trace: [
    {},
    [
      5,
      [],
      'x',
      { tracer: 'x' },
      { tracer: 5 },
      { timeout: 5 },
      { timeout: '5' },
      { limit: -1 },
      { enableMemory: 1 },
      { tracer: 'callTracer', tracerConfig: { withLog: 1 } },
    ],
  ],
  traceCall: [{}, [5, [], 'x', { stateOverrides: { x: {} } }, { txIndex: 'x' }]],
}

/** Kinds of the parameters of every method; one with `?` may be left out. */
const METHODS: Record<string, readonly string[]> = {
  anvil_dealERC20: ['account', 'account', 'quantity'],
  anvil_nodeInfo: [],
  anvil_reorg: ['quantity', 'placed?'],
  anvil_rollback: ['quantity?'],
  anvil_setERC20Allowance: ['account', 'account', 'account', 'quantity'],
  anvil_setLoggingEnabled: ['flag'],
  anvil_setRpcUrl: ['url'],
  debug_codeByHash: ['hash'],
  debug_getRawBlock: ['block'],
  debug_getRawBlockAccessList: ['block'],
  debug_getRawHeader: ['block'],
  debug_getRawReceipts: ['block'],
  debug_traceBlock: ['data', 'trace?'],
  debug_traceBlockByHash: ['hash', 'trace?'],
  debug_traceBlockByNumber: ['number', 'trace?'],
  debug_traceCall: ['request', 'block?', 'traceCall?'],
  debug_traceTransaction: ['hash', 'trace?'],
  erigon_getHeaderByNumber: ['laxBlock'],
  eth_accounts: [],
  eth_baseFee: [],
  eth_blobBaseFee: [],
  eth_blockNumber: [],
  eth_call: ['request', 'block?', 'overrides?', 'blockFields?'],
  eth_capabilities: [],
  eth_chainId: [],
  eth_coinbase: [],
  eth_config: [],
  eth_createAccessList: ['request', 'block?', 'overrides?'],
  eth_estimateGas: ['request', 'block?', 'overrides?', 'blockFields?'],
  eth_feeHistory: ['quantity', 'number', 'percentiles?'],
  eth_fillTransaction: ['request'],
  eth_gasPrice: [],
  eth_getAccount: ['account', 'block?'],
  eth_getAccountInfo: ['account', 'block?'],
  eth_getBalance: ['account', 'block?'],
  eth_getBlockAccessList: ['block'],
  eth_getBlockByHash: ['hash', 'flag?'],
  eth_getBlockByNumber: ['number', 'flag?'],
  eth_getBlockReceipts: ['block'],
  eth_getBlockTransactionCountByHash: ['hash'],
  eth_getBlockTransactionCountByNumber: ['number'],
  eth_getCode: ['account', 'block?'],
  eth_getHeaderByHash: ['hash'],
  eth_getHeaderByNumber: ['number'],
  eth_getLogs: ['filter'],
  eth_getProof: ['account', 'storageKeys', 'block?'],
  eth_getRawTransactionByBlockHashAndIndex: ['hash', 'quantity'],
  eth_getRawTransactionByBlockNumberAndIndex: ['number', 'quantity'],
  eth_getRawTransactionByHash: ['hash'],
  eth_getStorageAt: ['account', 'slotText', 'block?'],
  eth_getStorageValues: ['slotsByAddress', 'block?'],
  eth_getTransactionByBlockHashAndIndex: ['hash', 'quantity'],
  eth_getTransactionByBlockNumberAndIndex: ['number', 'quantity'],
  eth_getTransactionByHash: ['hash'],
  eth_getTransactionBySenderAndNonce: ['account', 'quantity'],
  eth_getTransactionCount: ['account', 'block?'],
  eth_getTransactionReceipt: ['hash'],
  eth_getUncleByBlockHashAndIndex: ['hash', 'quantity'],
  eth_getUncleByBlockNumberAndIndex: ['number', 'quantity'],
  eth_getUncleCountByBlockHash: ['hash'],
  eth_getUncleCountByBlockNumber: ['number'],
  eth_hashrate: [],
  eth_maxPriorityFeePerGas: [],
  eth_pendingTransactions: [],
  eth_protocolVersion: [],
  eth_sendRawTransaction: ['data'],
  eth_sendRawTransactionSync: ['data', 'quantity?'],
  realtime_sendRawTransaction: ['data', 'quantity?'],
  eth_sendTransaction: ['request'],
  eth_sendTransactionSync: ['request', 'quantity?'],
  eth_sendUnsignedTransaction: ['request'],
  eth_sign: ['account', 'data'],
  eth_signTransaction: ['request'],
  eth_signTypedData_v4: ['account', 'typedData'],
  eth_simulateV1: ['simulation', 'block?'],
  eth_syncing: [],
  evm_increaseTime: ['quantity'],
  evm_mine: ['mine?'],
  evm_mine_detailed: ['mine?'],
  evm_revert: ['quantity'],
  evm_setAutomine: ['flag'],
  evm_setBlockGasLimit: ['quantity'],
  evm_setIntervalMining: ['interval'],
  evm_setNextBlockTimestamp: ['quantity'],
  evm_setTime: ['quantity'],
  evm_snapshot: [],
  hardhat_addBalance: ['account', 'quantity'],
  hardhat_autoImpersonateAccount: ['flag'],
  hardhat_dropAllTransactions: [],
  hardhat_dropTransaction: ['hash'],
  hardhat_dumpState: ['flag?'],
  hardhat_getAutomine: [],
  hardhat_getIntervalMining: [],
  hardhat_impersonateAccount: ['account'],
  hardhat_loadState: ['data'],
  hardhat_metadata: [],
  hardhat_mine: ['quantity?', 'quantity?'],
  hardhat_removeBlockTimestampInterval: [],
  hardhat_removePoolTransactions: ['account'],
  hardhat_reset: ['reset?'],
  hardhat_setBalance: ['account', 'quantity'],
  hardhat_setBlockTimestampInterval: ['quantity'],
  hardhat_setChainId: ['quantity'],
  hardhat_setCode: ['account', 'data'],
  hardhat_setCoinbase: ['account'],
  hardhat_setLoggingEnabled: ['flag'],
  hardhat_setMinGasPrice: ['quantity'],
  hardhat_setNextBlockBaseFeePerGas: ['quantity'],
  hardhat_setNonce: ['account', 'quantity'],
  hardhat_setPrevRandao: ['slot'],
  hardhat_setStorageAt: ['account', 'slot', 'slot'],
  hardhat_stopImpersonatingAccount: ['account'],
  net_listening: [],
  net_peerCount: [],
  net_version: [],
  op_supportedCapabilities: [],
  ots_getApiLevel: [],
  ots_getBlockDetails: ['laxBlock'],
  ots_getBlockDetailsByHash: ['hash'],
  ots_getBlockTransactions: ['laxBlock', 'quantity', 'pageSize'],
  ots_getContractCreator: ['account'],
  ots_getInternalOperations: ['hash'],
  ots_getTransactionBySenderAndNonce: ['account', 'quantity'],
  ots_getTransactionError: ['hash'],
  ots_hasCode: ['account', 'laxBlock?'],
  ots_searchTransactionsAfter: ['account', 'quantity', 'pageSize'],
  ots_searchTransactionsBefore: ['account', 'quantity', 'pageSize'],
  ots_traceTransaction: ['hash'],
  personal_sign: ['data', 'account'],
  preconf_advance: ['beats'],
  preconf_branch: [],
  preconf_deposit: ['deposit'],
  preconf_dropBranch: ['branch'],
  preconf_faults: ['faults?'],
  preconf_freeze: ['ticks?'],
  preconf_getTransactionReceipt: ['hash'],
  preconf_replicaState: [],
  preconf_resume: ['ticks?'],
  preconf_seal: [],
  preconf_status: [],
  rpc_modules: [],
  testing_buildBlockV1: ['hash', 'payloadAttributes', 'signedList?', 'data?'],
  txpool_content: [],
  txpool_contentFrom: ['account'],
  txpool_inspect: [],
  txpool_status: [],
  web3_clientVersion: [],
  web3_sha3: ['data'],
}

/** Tested with the connections and the filters that they need, and over HTTP with all others. */
const ELSEWHERE = [
  'eth_getFilterChanges',
  'eth_getFilterLogs',
  'eth_newBlockFilter',
  'eth_newFilter',
  'eth_newPendingTransactionFilter',
  'eth_subscribe',
  'eth_uninstallFilter',
  'eth_unsubscribe',
]

function parameter(kind: string): readonly [good: unknown, bad: readonly unknown[]] {
  const found = PARAMETERS[kind.replace('?', '')]
  if (found === undefined) throw new Error(`No parameters of kind ${kind}`)
  return found
}

test('default: every method is listed', () => {
  expect([...Object.keys(METHODS), ...ELSEWHERE].sort()).toEqual(Object.keys(methodFiles).sort())
})

const ALIASES = Object.entries(aliases).map(([alias, name]): [string, readonly string[]] => [
  alias,
  METHODS[name] ?? [],
])

test.each([...Object.entries(METHODS), ...ALIASES])(
  '%s refuses bad parameters',
  async (method, kinds) => {
    const { failure, chain } = await createRpcChain()
    const good = kinds.map((kind) => parameter(kind)[0])
    const refused = { code: -32602, message: expect.any(String) }
    const before = chain.pending
    const loaded = await methodTable[method]?.()
    expect(await failure(method, ...good, '0x0')).toEqual({
      code: -32602,
      message: `too many arguments, want at most ${kinds.length}`,
    })
    for (const [index, kind] of kinds.entries()) {
      for (const bad of parameter(kind)[1]) {
        // Of commands it is 0: largestValues.test.ts.
        const isZero = bad === '0x' && /^(?:quantity|mine)\b/.test(kind)
        if (isZero && loaded?.default.browser === false) continue
        const params = good.with(index, bad)
        const error = await failure(method, ...params)
        expect(error, `${method} ${JSON.stringify(params)}`).toEqual(refused)
        expect(error).toMatchObject({ message: expect.stringContaining(`argument ${index}`) })
      }
      if (kind.endsWith('?')) continue
      const missing = { code: -32602, message: `missing value for required argument ${index}` }
      expect(await failure(method, ...good.slice(0, index))).toEqual(missing)
      expect(await failure(method, ...good.with(index, null))).toEqual(missing)
    }
    // Nothing has happened.
    expect(chain.pending).toBe(before)
    expect(chain.mempool.size).toBe(0)
  },
)
