import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDevnet } from '../../devnet/index.ts'
import type { Hex } from '../../devnet/primitives/hex.ts'
import { anvilAliases, clientAliases, ganacheAliases } from '../../devnet/rpc/aliases.ts'
import { methodTable } from '../../devnet/rpc/methodTable.ts'
import type { Devnet } from '../../devnet/types.ts'
import { sample } from '../support/longRuns.ts'

let devnet: Devnet
let account: Hex

beforeAll(async () => {
  devnet = createDevnet({ port: 0, tickInterval: 50, frozen: true })
  await devnet.start()
  account = devnet.accounts[0]?.address ?? '0x'
})

afterAll(async () => {
  await devnet.stop()
})

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

async function post(body: string): Promise<{ status: number; answer: Answer }> {
  const response = await fetch(devnet.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  const text = await response.text()
  return { status: response.status, answer: text === '' ? {} : JSON.parse(text) }
}

const request = async (method: string, params: unknown): Promise<Answer> =>
  (await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))).answer

/** A transaction still comes through: the node is alive and ticks are on time. */
async function expectAlive(): Promise<void> {
  const nonce = async () =>
    Number((await request('eth_getTransactionCount', [account, 'pending'])).result)
  const before = await nonce()
  const { result: hash, error } = await request('eth_sendTransaction', [
    { from: account, to: account, value: '0x1' },
  ])
  expect(error).toBeUndefined()
  // Waits for its tick.
  expect((await request('eth_getTransactionByHash', [hash])).result).toMatchObject({
    transactionIndex: expect.any(String),
  })
  // At least: the case before may have sent one in the same tick.
  expect(await nonce()).toBeGreaterThan(before)
}

const HASH = `0x${'ab'.repeat(32)}`
const DATA = '0x1234'
/** The least that is a state. */
const STATE = `0x${Buffer.from('{"accounts":{}}').toString('hex')}`

const typedData = {
  types: {
    EIP712Domain: [{ name: 'name', type: 'string' }],
    Mail: [{ name: 'text', type: 'string' }],
  },
  primaryType: 'Mail',
  domain: { name: 'test' },
  message: { text: 'hello' },
}

/** Parameters that each method takes, under all its names. */
function validParams(): Record<string, unknown[]> {
  const own = ownParams()
  for (const [alias, name] of Object.entries({
    ...anvilAliases,
    ...ganacheAliases,
    ...clientAliases,
  })) {
    own[alias] = own[name] ?? []
  }
  return own
}

/** Parameters that each method takes, so that one after the other can be spoilt. */
function ownParams(): Record<string, unknown[]> {
  const call = { from: account, to: account, value: '0x1' }
  return {
    anvil_dealERC20: [account, HASH.slice(0, 42), '0x1'],
    anvil_dumpState: [true],
    anvil_loadState: [STATE],
    anvil_nodeInfo: [],
    anvil_reorg: [0, []],
    anvil_rollback: [0],
    anvil_setERC20Allowance: [account, account, HASH.slice(0, 42), '0x1'],
    anvil_setLoggingEnabled: [true],
    anvil_setRpcUrl: ['http://127.0.0.1:1'],
    debug_codeByHash: [HASH],
    debug_getRawBlock: ['latest'],
    debug_getRawHeader: ['latest'],
    debug_getRawReceipts: ['latest'],
    debug_traceBlock: [DATA, {}],
    debug_traceBlockByHash: [HASH, {}],
    debug_traceBlockByNumber: ['latest', {}],
    debug_traceCall: [call, 'latest', {}],
    debug_traceTransaction: [HASH, {}],
    erigon_getHeaderByNumber: ['latest'],
    eth_accounts: [],
    eth_baseFee: [],
    eth_blobBaseFee: [],
    eth_blockNumber: [],
    eth_call: [call, 'latest', {}, {}],
    eth_capabilities: [],
    eth_chainId: [],
    eth_coinbase: [],
    eth_config: [],
    eth_createAccessList: [call, 'latest', {}],
    eth_estimateGas: [call, 'latest', {}],
    eth_feeHistory: ['0x1', 'latest', [50]],
    eth_fillTransaction: [call],
    eth_gasPrice: [],
    eth_getAccount: [account, 'latest'],
    eth_getAccountInfo: [account, 'latest'],
    eth_getBalance: [account, 'latest'],
    eth_getBlockByHash: [HASH, true],
    eth_getBlockByNumber: ['latest', true],
    eth_getBlockReceipts: ['latest'],
    eth_getBlockTransactionCountByHash: [HASH],
    eth_getBlockTransactionCountByNumber: ['latest'],
    eth_getCode: [account, 'latest'],
    eth_getFilterChanges: ['0xffff'],
    eth_getFilterLogs: ['0xffff'],
    eth_getHeaderByHash: [HASH],
    eth_getHeaderByNumber: ['latest'],
    eth_getLogs: [{ fromBlock: 'latest' }],
    eth_getProof: [account, ['0x0'], 'latest'],
    eth_getRawTransactionByBlockHashAndIndex: [HASH, '0x0'],
    eth_getRawTransactionByBlockNumberAndIndex: ['latest', '0x0'],
    eth_getRawTransactionByHash: [HASH],
    eth_getStorageAt: [account, '0x0', 'latest'],
    eth_getStorageValues: [{ [account]: ['0x0'] }, 'latest'],
    eth_getTransactionByBlockHashAndIndex: [HASH, '0x0'],
    eth_getTransactionByBlockNumberAndIndex: ['latest', '0x0'],
    eth_getTransactionByHash: [HASH],
    eth_getTransactionBySenderAndNonce: [account, '0x0'],
    eth_getTransactionCount: [account, 'latest'],
    eth_getTransactionReceipt: [HASH],
    eth_getUncleByBlockHashAndIndex: [HASH, '0x0'],
    eth_getUncleByBlockNumberAndIndex: ['latest', '0x0'],
    eth_getUncleCountByBlockHash: [HASH],
    eth_getUncleCountByBlockNumber: ['latest'],
    eth_hashrate: [],
    eth_maxPriorityFeePerGas: [],
    eth_newBlockFilter: [],
    eth_newFilter: [{ fromBlock: 'latest' }],
    eth_newPendingTransactionFilter: [],
    eth_pendingTransactions: [],
    eth_protocolVersion: [],
    eth_sendRawTransaction: [DATA],
    eth_sendRawTransactionSync: [DATA, 5],
    eth_sendTransaction: [call],
    eth_sendTransactionSync: [call, 500],
    eth_sendUnsignedTransaction: [call],
    eth_sign: [account, DATA],
    eth_signTransaction: [call],
    eth_signTypedData_v4: [account, typedData],
    eth_simulateV1: [{ blockStateCalls: [{ calls: [call] }] }, 'latest'],
    eth_subscribe: ['newHeads'],
    eth_syncing: [],
    eth_uninstallFilter: ['0xffff'],
    eth_unsubscribe: ['0x1'],
    evm_increaseTime: ['0x1'],
    evm_mine: ['0xffffffff'],
    evm_mine_detailed: [{ blocks: '0x1' }],
    evm_revert: ['0xffff'],
    evm_setAutomine: [false],
    evm_setBlockGasLimit: ['0x1c9c380'],
    evm_setIntervalMining: [1000],
    evm_setNextBlockTimestamp: ['0xffffffff'],
    evm_setTime: ['0xffffffff'],
    evm_snapshot: [],
    hardhat_dumpState: [true],
    hardhat_addBalance: [`0x${'cc'.repeat(20)}`, '0x1'],
    hardhat_autoImpersonateAccount: [false],
    hardhat_dropAllTransactions: [],
    hardhat_dropTransaction: [HASH],
    hardhat_getAutomine: [],
    hardhat_getIntervalMining: [],
    hardhat_impersonateAccount: [account],
    hardhat_loadState: [STATE],
    hardhat_metadata: [],
    hardhat_mine: ['0x1', '0x1'],
    hardhat_removeBlockTimestampInterval: [],
    hardhat_removePoolTransactions: [account],
    hardhat_reset: [{ forking: {} }],
    hardhat_setBalance: [`0x${'cc'.repeat(20)}`, '0xffffffffffffffffffff'],
    hardhat_setBlockTimestampInterval: [1000],
    hardhat_setChainId: [31337],
    hardhat_setCode: [`0x${'cc'.repeat(20)}`, DATA],
    hardhat_setCoinbase: [account],
    hardhat_setLoggingEnabled: [true],
    hardhat_setMinGasPrice: ['0x1'],
    hardhat_setNextBlockBaseFeePerGas: ['0x1'],
    hardhat_setNonce: [`0x${'cd'.repeat(20)}`, '0x1'],
    hardhat_setPrevRandao: [HASH],
    hardhat_setStorageAt: [`0x${'cc'.repeat(20)}`, '0x0', HASH],
    hardhat_stopImpersonatingAccount: [account],
    net_listening: [],
    net_peerCount: [],
    net_version: [],
    op_supportedCapabilities: [],
    ots_getApiLevel: [],
    ots_getBlockDetails: ['latest'],
    ots_getBlockDetailsByHash: [HASH],
    ots_getBlockTransactions: ['latest', 0, 25],
    ots_getContractCreator: [account],
    ots_getInternalOperations: [HASH],
    ots_getTransactionBySenderAndNonce: [account, 0],
    ots_getTransactionError: [HASH],
    ots_hasCode: [account, 'latest'],
    ots_searchTransactionsAfter: [account, 0, 25],
    ots_searchTransactionsBefore: [account, 0, 25],
    ots_traceTransaction: [HASH],
    personal_sign: [DATA, account],
    preconf_advance: [{ ticks: 1 }],
    preconf_deposit: [{ to: account, mint: '0x1' }],
    preconf_faults: [{ rules: [] }],
    preconf_freeze: [{ ticks: false }],
    preconf_replicaState: [],
    preconf_resume: [{ ticks: false }],
    preconf_seal: [],
    preconf_status: [],
    rpc_modules: [],
    txpool_content: [],
    txpool_contentFrom: [account],
    txpool_inspect: [],
    txpool_status: [],
    web3_clientVersion: [],
    web3_sha3: [DATA],
  }
}

/** Values of every kind; some are valid somewhere. */
const junk: unknown[] = [
  -1,
  1.5,
  1e300,
  true,
  null,
  {},
  [],
  '',
  'zz',
  '0x',
  '0xzz',
  '0x123',
  `0x${'f'.repeat(65)}`,
  `0x${'00'.repeat(500)}`,
  'latest ',
  { blockNumber: '0x0', blockHash: HASH },
  { toString: 1, __proto__: null, constructor: [] },
  ['0x1', ['0x1']],
  [[[]]],
]

/** Resume would start the sealing clock under the other cases. */
const methods = Object.keys(methodTable).filter((name) => name !== 'preconf_resume')

describe('every method, every parameter', () => {
  test('behavior: the table of this test has them all', () => {
    expect(Object.keys(validParams()).sort()).toEqual(Object.keys(methodTable).sort())
  })

  test.each(sample(methods))('behavior: %s', async (method) => {
    const valid = validParams()[method] ?? []
    const good = await request(method, valid)
    // The right types: whatever is refused is refused for another reason.
    if (good.error !== undefined)
      expect(good.error).not.toMatchObject({
        code: -32602,
        message: expect.stringMatching(/argument/),
      })
    for (const [index] of valid.entries()) {
      for (const value of junk) {
        const params = valid.with(index, value)
        const { error } = await request(method, params)
        const said = { method, params, error }
        if (error === undefined) continue
        expect(said).toMatchObject({
          error: { code: expect.any(Number), message: expect.any(String) },
        })
        expect(error.code, JSON.stringify(said)).not.toBe(-32603)
        expect(error.message.length, JSON.stringify(said)).toBeLessThan(400)
      }
      // A list in a list in a list is right nowhere.
      expect(await request(method, valid.with(index, [[[]]]))).toMatchObject({
        error: { code: -32602 },
      })
    }
    const tooMany = [...valid, ...Array.from({ length: 5 }, () => '0x1')]
    expect(await request(method, tooMany)).toMatchObject({ error: { code: -32602 } })
    for (const params of ['latest', 5, true, { a: 1 }]) {
      const { error } = await request(method, params)
      expect([-32602, -32600]).toContain(error?.code)
    }
    // Some of the junk is right: a block may be left without room for any transaction.
    if (/^(evm|hardhat|anvil)_/.test(method)) await request('hardhat_reset', [])
    await expectAlive()
  })
})

describe('bodies', () => {
  test.each<[string, string, number, number]>([
    ['nothing', '', 200, -32700],
    ['not JSON', '{"jsonrpc":"2.0"', 200, -32700],
    ['a number', '5', 200, -32600],
    ['null', 'null', 200, -32600],
    ['an empty batch', '[]', 200, -32600],
    ['deep nesting', `${'['.repeat(50_000)}${']'.repeat(50_000)}`, 200, -32700],
    ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"eth_nope","params":[]}', 200, -32601],
    [
      'a name of the prototype',
      '{"jsonrpc":"2.0","id":1,"method":"__proto__","params":[]}',
      200,
      -32601,
    ],
    [
      'a wallet method',
      '{"jsonrpc":"2.0","id":1,"method":"wallet_addEthereumChain","params":[]}',
      200,
      -32601,
    ],
  ])('behavior: %s', async (_name, body, status, code) => {
    const { status: got, answer } = await post(body)
    expect(got).toBe(status)
    expect(answer.error?.code).toBe(code)
    await expectAlive()
  })

  test('behavior: a batch of 1,000 is answered, one of 1,001 is not', async () => {
    const batch = (count: number) =>
      JSON.stringify(
        Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId' })),
      )
    const { answer } = await post(batch(1000))
    expect(answer).toHaveLength(1000)
    const refused = (await post(batch(1001))).answer
    expect(JSON.stringify(refused)).toContain('1000')
    expect(JSON.stringify(refused)).toContain('"error"')
    await expectAlive()
  })

  test('behavior: 5 MiB is read, more is refused', async () => {
    const body = (size: number) =>
      `{"jsonrpc":"2.0","id":1,"method":"web3_sha3","params":["0x${'00'.repeat((size - 70) / 2)}"]}`
    expect((await post(body(5 * 2 ** 20))).answer.result).toMatch(/^0x/)
    expect((await post(body(6 * 2 ** 20))).status).toBe(413)
    await expectAlive()
  })

  test('behavior: half a body, then nothing; half-closed; reset', async () => {
    const { hostname, port } = new URL(devnet.url)
    const head = `POST / HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n`
    for (const end of ['end', 'reset', 'stay'] as const) {
      const socket = connect(Number(port), hostname)
      // However the node ends it, it is no error here.
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      socket.write(`${head}{"jsonrpc"`)
      await expectAlive()
      if (end === 'end') socket.end()
      else if (end === 'reset') socket.resetAndDestroy()
      await expectAlive()
      socket.destroy()
    }
  })

  test('behavior: a WebSocket frame of garbage is answered', async () => {
    const socket = new WebSocket(devnet.url.replace('http', 'ws'))
    await once(socket, 'open')
    const next = async () => JSON.parse((await once(socket, 'message'))[0].data)
    socket.send('garbage')
    expect(await next()).toMatchObject({ error: { code: -32700 } })
    socket.send(new Uint8Array([0xff, 0xfe, 0x00]))
    expect(await next()).toMatchObject({ error: { code: -32700 } })
    socket.send('{"jsonrpc":"2.0","id":7,"method":"eth_chainId"}')
    expect(await next()).toEqual({ jsonrpc: '2.0', id: 7, result: '0x7a69' })
    socket.close()
    await expectAlive()
  })
})
