import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import { createDispatch } from '../../../../devnet/rpc/dispatch.ts'
import { methodTable } from '../../../../devnet/rpc/methodTable.ts'
import type { DevAccount } from '../../../../devnet/types.ts'
import { createRpcChain } from './rpcChain.ts'

const ADDRESS: Hex = `0x${'ab'.repeat(20)}`
const CALLER_CODE = '0x335f5260205ff3'
/** Returns the slot that is the hash of the arguments: see the tests of tokens. */
const TOKEN_CODE = '0x5f54506004360360045f37600436035f20545f5260205ff3'
const TOKEN: Hex = `0x${'70'.repeat(20)}`
const WORD = `0x${'7'.padStart(64, '0')}`

const HASH = expect.stringMatching(/^0x[0-9a-f]{64}$/)
const QUANTITY = expect.stringMatching(/^0x[0-9a-f]+$/)

/** Sends text as `cast rpc` 1.7.1 does: a word that is JSON goes bare, any other as a string. */
async function createShell() {
  const node = await createRpcChain({ anvil: true, instant: true, frozenTicks: false })
  const { handleText } = createDispatch({
    context: node.context,
    methods: methodTable,
    maxBatch: 10,
  })
  const caller = {
    signal: new AbortController().signal,
    subscribe: () => undefined,
    origin: undefined,
  }
  const ask = async (body: string) => JSON.parse(String(await handleText(body, caller)))
  const cast = (
    method: string,
    ...words: string[]
  ): Promise<{ result?: unknown; error?: object }> =>
    ask(`{"method":"${method}","params":[${words.map(bare)}],"id":0,"jsonrpc":"2.0"}`)
  return { ...node, ask, cast }
}

function bare(word: string): string {
  try {
    JSON.parse(word)
    return word
  } catch {
    return JSON.stringify(word)
  }
}

/** What anvil 1.7.1 answers to the same words in this order, measured. `A` and `B` are accounts. */
const SCRIPT: readonly [words: string, result: unknown][] = [
  ['eth_chainId', '0x7a69'],
  ['eth_blockNumber', '0x0'],
  ['anvil_setBalance A 1000000000000000001', null],
  ['eth_getBalance A latest', '0xde0b6b3a7640001'],
  ['anvil_setBalance A 0x21e19e0c9bab2400000', null],
  ['anvil_addBalance A 1000', null],
  ['eth_getBalance A latest', '0x21e19e0c9bab24003e8'],
  [`anvil_setCode ${ADDRESS} ${CALLER_CODE}`, null],
  [`eth_getCode ${ADDRESS} latest`, CALLER_CODE],
  [`anvil_setNonce ${ADDRESS} 5`, null],
  [`eth_getTransactionCount ${ADDRESS} latest`, '0x5'],
  [`anvil_setStorageAt ${ADDRESS} 0 ${WORD}`, true],
  [`eth_getStorageAt ${ADDRESS} 0 latest`, WORD],
  ['anvil_mine', null],
  ['anvil_mine 2', null],
  ['anvil_mine 0x2 0x3c', null],
  ['evm_mine', '0x0'],
  ['evm_increaseTime 3600', expect.any(Number)],
  ['evm_setNextBlockTimestamp 4102444801', null],
  ['evm_mine', '0x0'],
  ['eth_getBlockByNumber latest false', expect.objectContaining({ timestamp: '0xf4865701' })],
  ['evm_setTime 4102444900', expect.any(Number)],
  ['anvil_setBlockTimestampInterval 5', null],
  ['anvil_removeBlockTimestampInterval', true],
  ['anvil_setNextBlockBaseFeePerGas 1000000000', null],
  ['evm_setBlockGasLimit 30000000', true],
  ['eth_getBlockByNumber 0 false', expect.objectContaining({ number: '0x0' })],
  [`eth_call {"to":"${ADDRESS}","value":0} latest`, `0x${'0'.repeat(64)}`],
  ['eth_estimateGas {"to":"B","value":"1000000000000000000000000"}', '0x5208'],
  ['eth_sendTransaction {"from":"A","to":"B","value":1}', HASH],
  ['eth_sendTransaction {"from":"A","to":"B","gas":"21000","nonce":"0x1"}', HASH],
  ['eth_getTransactionCount A latest', '0x2'],
  [`anvil_impersonateAccount ${ADDRESS}`, null],
  [`anvil_setBalance ${ADDRESS} 1000000000000000000`, null],
  [`eth_sendTransaction {"from":"${ADDRESS}","to":"B","value":"0x1"}`, HASH],
  [`anvil_stopImpersonatingAccount ${ADDRESS}`, null],
  ['anvil_autoImpersonateAccount true', null],
  ['anvil_autoImpersonateAccount false', null],
  ['eth_blockNumber', '0xa'],
  ['anvil_rollback 2', null],
  ['anvil_rollback null', null],
  ['eth_blockNumber', '0x7'],
  ['evm_snapshot', QUANTITY],
  ['txpool_status', { pending: '0x0', queued: '0x0' }],
  ['txpool_content', { pending: {}, queued: {} }],
  ['anvil_getAutomine', true],
  [`anvil_setCode ${TOKEN} ${TOKEN_CODE}`, null],
  [`anvil_dealERC20 A ${TOKEN} 1000000000000000001`, null],
  [`anvil_setERC20Allowance A B ${TOKEN} 1000`, null],
  ['eth_feeHistory 2 latest [50]', expect.objectContaining({ reward: expect.any(Array) })],
  ['eth_sign A 0x1234', expect.stringMatching(/^0x[0-9a-f]{130}$/)],
  ['anvil_setCode B 0x60006000fd', null],
  ['eth_sendTransaction {"from":"A","to":"B"}', HASH],
  ['eth_sendTransaction {"from":"A","to":"B","gas":100000}', HASH],
  ['evm_setIntervalMining 0', null],
  ['anvil_getAutomine', false],
  ['eth_sendTransaction {"from":"A","to":"B","gas":100000}', HASH],
  ['txpool_status', { pending: '0x1', queued: '0x0' }],
  ['anvil_dropAllTransactions', null],
  ['anvil_reset', null],
]

test('default: a script of cast rpc', async () => {
  const { cast, account } = await createShell()
  const named = (word: string) =>
    ['A', 'B'].reduce(
      (text, name, index) =>
        text.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), account(index).address),
      word,
    )
  for (const [words, result] of SCRIPT) {
    const [method = '', ...rest] = named(words).split(' ')
    expect(await cast(method, ...rest), words).toEqual({ jsonrpc: '2.0', id: 0, result })
  }
})

describe('wide integers', () => {
  const setBalance = (account: DevAccount, text: string) =>
    `"method":"anvil_setBalance","params":["${account.address}",${text}]`

  test.each([
    ['9007199254740993', 9007199254740993n],
    ['1234567890123456789', 1234567890123456789n],
    ['18446744073709551616', 2n ** 64n],
    ['  10000000000000000000000 ', 10n ** 22n],
  ])('%s is read as it is written, in a batch too', async (text, value) => {
    const { ask, account, call } = await createShell()
    const id = '12345678901234567890'
    const request = (index: number) =>
      `{"id":7,"jsonrpc":"2.0",${setBalance(account(index), text)}}`
    const done = { id: 7, jsonrpc: '2.0', result: null }
    expect(await ask(request(0))).toEqual(done)
    expect(await ask(`[${request(1)},${request(2)}]`)).toEqual([done, done])
    for (const index of [0, 1, 2]) {
      const balance = await call<Hex>('eth_getBalance', account(index).address, 'latest')
      expect(BigInt(balance)).toBe(value)
    }
    const refused = await ask(`{"id":${id},"jsonrpc":"2.0","method":"none","params":[${text}]}`)
    expect(refused).toMatchObject({ id: Number(id) })
  })

  test.each([
    '-1234567890123456789',
    '12345678901234567.5',
    '1234567890123456789e3',
    '[12345678901234567890]',
    '9'.repeat(80),
  ])('error: %s is no quantity', async (text) => {
    const { ask, account } = await createShell()
    const answer = await ask(`{"id":1,"jsonrpc":"2.0",${setBalance(account(0), text)}}`)
    expect(answer).toMatchObject({ error: { code: -32602 } })
  })

  test.each(['{12345678901234567890:1}', '012345678901234567890', '"x" 12345678901234567890'])(
    'error: %s is no JSON',
    async (text) => {
      const { ask, account } = await createShell()
      const answer = await ask(`{"id":1,"jsonrpc":"2.0",${setBalance(account(0), text)}}`)
      expect(answer).toMatchObject({ error: { code: -32700 } })
    },
  )

  test('text in strings stays', async () => {
    const { ask } = await createShell()
    const text = String.raw`,1234567890123456789,\"`
    const body = `{"id":1,"jsonrpc":"2.0","method":"web3_sha3","params":[${JSON.stringify(text)},1234567890123456789]}`
    expect(await ask(body)).toMatchObject({
      error: { message: expect.stringContaining('too many') },
    })
    const typed = `{"types":{"EIP712Domain":[],"M":[{"name":"t","type":"string"}]},"primaryType":"M","domain":{},"message":{"t":${JSON.stringify(text)}}}`
    const { call, account } = await createShell()
    const sign = `{"id":1,"jsonrpc":"2.0","method":"eth_signTypedData_v4","params":["${account(0).address}",${typed}]}`
    const expected = await call('eth_signTypedData_v4', account(0).address, JSON.parse(typed))
    expect(await ask(sign)).toMatchObject({ result: expected })
  })
})
