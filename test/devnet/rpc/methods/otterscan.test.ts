import { encodeDeployData, encodeFunctionData, getContractAddress, type Hex, pad } from 'viem'
import { describe, expect, test } from 'vitest'
import type { OptionsInput } from '../../../../devnet/options/options.ts'
import { artifact } from '../../../support/solidity.ts'
import { createRpcChain, hex, SLOW_CLOCKS } from './rpcChain.ts'

const playground = artifact('Playground')
const NOBODY: Hex = `0x${'0b'.repeat(20)}`
const UNKNOWN: Hex = `0x${'ab'.repeat(32)}`
const LARGE = 1_500_000n

/** Sends on the ether that it gets to the address in the calldata, and calls the identity precompile. */
const FORWARDER = '0x5f5f5f5f345f355af15f5f5f5f60045afa00'

/** A chain with the playground in block 1. */
async function createPlayground(options: OptionsInput = {}) {
  const node = await createRpcChain(options)
  const { call, account } = node
  const from = account(0).address
  const send = (fields: object) => call<Hex>('eth_sendTransaction', { from, ...fields })
  const seal = () => call('preconf_advance', { blocks: 1 })
  const contract = getContractAddress({ from, nonce: 0n }).toLowerCase() as Hex
  const play = (functionName: string, args: readonly unknown[], fields: object = {}) =>
    send({
      to: contract,
      gas: hex(LARGE),
      data: encodeFunctionData({ abi: playground.abi, functionName, args }),
      ...fields,
    })
  const creation = await send({ data: encodeDeployData({ ...playground, args: [] }) })
  await seal()
  return { ...node, from, send, seal, play, contract, creation }
}

/** Sends to code that is put at an address, in block 1. */
async function runCode(code: Hex, fields: object = {}) {
  const node = await createRpcChain()
  const { call, account } = node
  const from = account(0).address
  await call('hardhat_setCode', NOBODY, code)
  const transaction = { from, to: NOBODY, gas: hex(LARGE), ...fields }
  const hash = await call<Hex>('eth_sendTransaction', transaction)
  await call('preconf_advance', { blocks: 1 })
  return { ...node, from, hash }
}

test('what Otterscan asks first', async () => {
  const { call } = await createRpcChain()
  expect(await call('ots_getApiLevel')).toBe(8)
  expect(await call('erigon_getHeaderByNumber', 'latest')).toEqual(
    await call('eth_getHeaderByNumber', 'latest'),
  )
  expect(await call('erigon_getHeaderByNumber', 0)).toEqual(
    await call('eth_getHeaderByNumber', '0x0'),
  )
  expect(await call('erigon_getHeaderByNumber', 1)).toBeNull()
  expect(await call('rpc_modules')).toMatchObject({ erigon: '1.0', ots: '1.0' })
})

test('ots_hasCode', async () => {
  const { call, failure, contract, from } = await createPlayground()
  const at = (block: unknown) => call('ots_hasCode', contract, block)
  expect(await Promise.all([0, 1, '0x0', '0x1', 'latest', 'earliest'].map(at))).toEqual([
    ...[false, true, false, true, true, false],
  ])
  expect(await call('ots_hasCode', from, 'latest')).toBe(false)
  expect(await failure('ots_hasCode', contract, 2)).toMatchObject({ code: -32001 })
  expect(await failure('ots_hasCode', contract, 1.5)).toEqual({
    code: -32602,
    message: 'invalid argument 1: want an integer from 0 to 9007199254740991, got 1.5',
  })
})

describe('ots_getBlockDetails, ots_getBlockDetailsByHash', () => {
  test('default', async () => {
    const { call, play, seal } = await createPlayground()
    await play('store', [1n, 2n])
    await play('failWithReason', ['no'])
    await seal()
    const block = await call<Record<string, unknown>>('eth_getBlockByNumber', '0x2', false)
    const { transactions, ...rest } = block
    const receipts = await call<{ gasUsed: Hex; effectiveGasPrice: Hex }[]>(
      'eth_getBlockReceipts',
      '0x2',
    )
    const fees = receipts.map((each) => BigInt(each.gasUsed) * BigInt(each.effectiveGasPrice))
    const details = {
      block: { ...rest, logsBloom: null, transactionCount: 2 },
      issuance: { blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' },
      totalFees: hex(fees.reduce((sum, fee) => sum + fee)),
    }
    expect(await call('ots_getBlockDetails', 2)).toEqual(details)
    expect(await call('ots_getBlockDetails', 'latest')).toEqual(details)
    expect(await call('ots_getBlockDetailsByHash', block.hash)).toEqual(details)
  })

  test('an unknown block, and one that is not sealed', async () => {
    const { call, send } = await createPlayground()
    await send({ to: NOBODY })
    await call('preconf_advance', { ticks: 1 })
    expect(await call('ots_getBlockDetails', 2)).toBeNull()
    expect(await call('ots_getBlockDetails', 'pending')).toMatchObject({
      block: { number: '0x2', transactionCount: 1 },
    })
    expect(await call('ots_getBlockDetails', 1_000)).toBeNull()
    expect(await call('ots_getBlockDetailsByHash', UNKNOWN)).toBeNull()
    expect(await call('ots_getBlockTransactions', 2, 0, 25)).toBeNull()
    expect(await call('erigon_getHeaderByNumber', 2)).toBeNull()
  })

  test('rewards before the merge', async () => {
    const { call } = await createPlayground({ hardfork: 'london' })
    const reward = hex(2n * 10n ** 18n)
    expect(await call('ots_getBlockDetails', 1)).toMatchObject({
      issuance: { blockReward: reward, uncleReward: '0x0', issuance: reward },
    })
    expect(await call('ots_getBlockDetails', 0)).toMatchObject({
      issuance: { blockReward: '0x0', issuance: '0x0' },
    })
  })
})

describe('ots_getBlockTransactions', () => {
  interface Page {
    readonly fullblock: { readonly transactions: readonly { readonly hash: Hex }[] }
    readonly receipts: readonly object[]
  }

  test('pages run from the end of the block', async () => {
    const { call, send, seal } = await createPlayground()
    const sent: Hex[] = []
    for (let index = 0; index < 7; index++) sent.push(await send({ to: NOBODY }))
    await seal()
    const page = async (number: number, size: number) =>
      (await call<Page>('ots_getBlockTransactions', 2, number, size)).fullblock.transactions.map(
        ({ hash }) => hash,
      )
    expect(await page(0, 3)).toEqual(sent.slice(4))
    expect(await page(1, 3)).toEqual(sent.slice(1, 4))
    expect(await page(2, 3)).toEqual(sent.slice(0, 1))
    expect(await page(3, 3)).toEqual([])
    expect(await page(0, 100)).toEqual(sent)
    // Otterscan computes the page of a transaction so, after it has turned each page round.
    for (const [index, hash] of sent.entries()) {
      expect(await page(Math.floor((sent.length - 1 - index) / 3), 3)).toContain(hash)
    }
  })

  test('calldata is cut, and logs are left out', async () => {
    const { call, contract, from, play, seal } = await createPlayground()
    const hash = await play('store', [1n, 2n])
    await seal()
    const page = await call<Page>('ots_getBlockTransactions', 2, 0, 25)
    const { block } = await call<{ block: object }>('ots_getBlockDetails', 2)
    const transaction = await call<{ input: Hex }>('eth_getTransactionByHash', hash)
    const receipt = await call<{ logs: readonly unknown[] }>('eth_getTransactionReceipt', hash)
    expect(receipt.logs).toHaveLength(1)
    expect(page).toEqual({
      fullblock: {
        ...block,
        transactions: [{ ...transaction, input: transaction.input.slice(0, 10) }],
      },
      receipts: [{ ...receipt, logs: null, logsBloom: null }],
    })
    expect(page.fullblock.transactions[0]).toMatchObject({ from, to: contract })
  })

  test('sizes of pages', async () => {
    const { failure } = await createPlayground()
    const message = (size: number) =>
      `invalid argument 2: want a page size from 1 to 100, got ${size}`
    for (const size of [0, 101]) {
      expect(await failure('ots_getBlockTransactions', 1, 0, size)).toEqual({
        code: -32602,
        message: message(size),
      })
      for (const name of ['ots_searchTransactionsBefore', 'ots_searchTransactionsAfter']) {
        expect(await failure(name, NOBODY, 0, size)).toMatchObject({ message: message(size) })
      }
    }
  })
})

describe('ots_searchTransactionsBefore, ots_searchTransactionsAfter', () => {
  /** Blocks 1 to 5 with 1, 2, 3, 2 and 1 transfers to nobody. */
  async function createTransfers() {
    const node = await createRpcChain()
    const { call, account } = node
    const sent: Hex[][] = [[]]
    for (const count of [1, 2, 3, 2, 1]) {
      const block: Hex[] = []
      for (let index = 0; index < count; index++) {
        const fields = { from: account(0).address, to: NOBODY, value: '0x1' }
        block.push(await call<Hex>('eth_sendTransaction', fields))
      }
      await call('preconf_advance', { blocks: 1 })
      sent.push(block)
    }
    const search = async (direction: 'Before' | 'After', block: unknown, size: number) => {
      const name = `ots_searchTransactions${direction}`
      const page = await call<{
        txs: { hash: Hex }[]
        receipts: { transactionHash: Hex }[]
        firstPage: boolean
        lastPage: boolean
      }>(name, NOBODY, block, size)
      return [page.txs.map(({ hash }) => hash), page.firstPage, page.lastPage]
    }
    /** The transfers of these blocks, newest first. */
    const of = (...blocks: number[]) => blocks.flatMap((block) => (sent[block] ?? []).toReversed())
    return { ...node, search, of }
  }

  test('whole blocks, newest first, and exact flags', async () => {
    const { search, of } = await createTransfers()
    expect(await search('Before', 0, 2)).toEqual([of(5, 4), true, false])
    expect(await search('Before', 4, 2)).toEqual([of(3), false, false])
    expect(await search('Before', '0x3', 2)).toEqual([of(2), false, false])
    expect(await search('Before', 3, 3)).toEqual([of(2, 1), false, true])
    expect(await search('Before', 1, 25)).toEqual([[], false, true])
    expect(await search('Before', 6, 25)).toEqual([of(5, 4, 3, 2, 1), true, true])
    expect(await search('After', 0, 2)).toEqual([of(2, 1), false, true])
    expect(await search('After', 2, 2)).toEqual([of(3), false, false])
    expect(await search('After', 3, 25)).toEqual([of(5, 4), true, false])
    expect(await search('After', 5, 25)).toEqual([[], true, false])
  })

  test('transactions and receipts in full', async () => {
    const { call, contract, from, play, seal } = await createPlayground()
    const hash = await play('store', [1n, 2n])
    await seal()
    const receipt = await call<object>('eth_getTransactionReceipt', hash)
    const { timestamp } = await call<{ timestamp: Hex }>('eth_getBlockByNumber', '0x2', false)
    expect(await call('ots_searchTransactionsAfter', contract, 1, 25)).toEqual({
      txs: [await call('eth_getTransactionByHash', hash)],
      receipts: [{ ...receipt, timestamp: Number(timestamp) }],
      firstPage: true,
      lastPage: false,
    })
    expect(await call('ots_searchTransactionsBefore', from, 0, 25)).toMatchObject({
      txs: [{ hash }, { to: null }],
    })
    const none = { txs: [], receipts: [], firstPage: true, lastPage: true }
    expect(await call('ots_searchTransactionsBefore', NOBODY, 0, 25)).toEqual(none)
    expect(await call('ots_searchTransactionsAfter', NOBODY, 0, 25)).toEqual(none)
  })

  test('pre-confirmed ones come with the seal, and go with a revert', async () => {
    const { call, send, seal } = await createPlayground()
    const find = async () =>
      (await call<{ txs: { hash: Hex }[] }>('ots_searchTransactionsBefore', NOBODY, 0, 25)).txs.map(
        ({ hash }) => hash,
      )
    const snapshot = await call('evm_snapshot')
    const first = await send({ to: NOBODY, value: '0x1' })
    await call('preconf_advance', { ticks: 1 })
    expect(await find()).toEqual([])
    await seal()
    expect(await find()).toEqual([first])
    await call('evm_revert', snapshot)
    expect(await find()).toEqual([])
    const second = await send({ to: NOBODY, value: '0x2' })
    await seal()
    expect(await find()).toEqual([second])
    await call('hardhat_reset')
    expect(await find()).toEqual([])
  })

  test('inner frames, also of a failed one', async () => {
    const address = `0x${'07'.repeat(20)}` as const
    // Forwards 1 wei, then reverts.
    const code = `${FORWARDER.slice(0, -2)}5f5ffd` as Hex
    const { call, hash } = await runCode(code, { data: pad(address), value: '0x1' })
    const matches = { txs: [{ hash }], firstPage: true, lastPage: true }
    expect(await call('ots_searchTransactionsBefore', address, 0, 25)).toMatchObject(matches)
    expect(await call('ots_searchTransactionsAfter', NOBODY, 0, 25)).toMatchObject(matches)
  })
})

describe('ots_traceTransaction, ots_getInternalOperations', () => {
  test('default: callers before callees, without precompiles', async () => {
    const address = `0x${'07'.repeat(20)}` as const
    const data = pad(address)
    const { call, from, hash } = await runCode(FORWARDER, { data, value: '0x5' })
    expect(await call('ots_traceTransaction', hash)).toEqual([
      { type: 'CALL', depth: 0, from, to: NOBODY, value: '0x5', input: data, output: '0x' },
      {
        type: 'CALL',
        depth: 1,
        from: NOBODY,
        to: address,
        value: '0x5',
        input: '0x',
        output: '0x',
      },
    ])
    expect(await call('ots_getInternalOperations', hash)).toEqual([
      { type: 0, from: NOBODY, to: address, value: '0x5' },
    ])
  })

  test('a call of a precompile is the whole trace', async () => {
    const { call, account } = await createRpcChain()
    const from = account(0).address
    const to = pad('0x4', { size: 20 })
    const hash = await call<Hex>('eth_sendTransaction', { from, to, data: '0x1234' })
    await call('preconf_advance', { ticks: 1 })
    expect(await call('ots_traceTransaction', hash)).toEqual([
      { type: 'CALL', depth: 0, from, to, value: '0x0', input: '0x1234', output: '0x1234' },
    ])
  })

  test('frames without ether of their own', async () => {
    // STATICCALL, DELEGATECALL and CALLCODE with 1 wei.
    const code = `0x5f5f5f5f5f355afa5f5f5f5f5f355af45f5f5f5f60015f355af200` as const
    const address = `0x${'07'.repeat(20)}` as const
    const { call, hash } = await runCode(code, { data: pad(address), value: '0x1' })
    const inner = { depth: 1, from: NOBODY, to: address, input: '0x', output: '0x' }
    const [, ...frames] = await call<object[]>('ots_traceTransaction', hash)
    expect(frames).toEqual([
      { type: 'STATICCALL', value: null, ...inner },
      { type: 'DELEGATECALL', value: null, ...inner },
      { type: 'CALLCODE', value: '0x1', ...inner },
    ])
    expect(await call('ots_getInternalOperations', hash)).toEqual([])
  })

  test('creations, also failed ones, and self-destructs', async () => {
    const { call, contract, from, play, seal } = await createPlayground()
    const created = await play('create', [1n, NOBODY], { value: '0x3' })
    await seal()
    const frames = await call<{ to: Hex }[]>('ots_traceTransaction', created)
    const child = frames[1]?.to
    expect(frames).toMatchObject([
      { type: 'CALL', depth: 0, from, to: contract, value: '0x3' },
      { type: 'CREATE2', depth: 1, from: contract, to: child, value: '0x3', output: '0x' },
      { type: 'SELFDESTRUCT', depth: 2, from: child, to: NOBODY, value: '0x3', input: '0x' },
    ])
    expect(await call('ots_getInternalOperations', created)).toEqual([
      { type: 3, from: contract, to: child, value: '0x3' },
      { type: 1, from: child, to: NOBODY, value: '0x3' },
    ])
    // Its init code is INVALID.
    const failed = await runCode('0x60fe5f5360015f5ff000')
    const would = getContractAddress({ from: NOBODY, nonce: 0n }).toLowerCase()
    expect(await failed.call('ots_getInternalOperations', failed.hash)).toEqual([
      { type: 2, from: NOBODY, to: would, value: '0x0' },
    ])
    expect(await failed.call('ots_traceTransaction', failed.hash)).toMatchObject([
      { depth: 0 },
      { type: 'CREATE', depth: 1, to: would, input: '0xfe', output: '0x' },
    ])
  })

  test('what never opened, for lack of ether', async () => {
    // CREATE2 with 9 wei and salt 7, then CALL of 9 wei.
    const code = '0x60075f5f6009f55f5f5f5f60095f355af100'
    const address = `0x${'07'.repeat(20)}` as const
    const { call, hash } = await runCode(code, { data: pad(address) })
    const would = getContractAddress({
      from: NOBODY,
      opcode: 'CREATE2',
      salt: pad('0x7'),
      bytecode: '0x',
    }).toLowerCase()
    expect(await call('ots_getInternalOperations', hash)).toEqual([
      { type: 3, from: NOBODY, to: would, value: '0x9' },
      { type: 0, from: NOBODY, to: address, value: '0x9' },
    ])
  })

  test('pre-confirmed, queued and unknown', async () => {
    const { call, failure, send } = await createPlayground()
    const hash = await send({ to: NOBODY, value: '0x1' })
    for (const name of [
      'ots_traceTransaction',
      'ots_getInternalOperations',
      'ots_getTransactionError',
    ]) {
      expect(await failure(name, hash)).toEqual(await failure('debug_traceTransaction', hash))
      expect(await failure(name, hash)).toMatchObject({
        code: -32000,
        message: expect.stringContaining('mempool'),
      })
      expect(await failure(name, UNKNOWN)).toEqual({
        code: -32000,
        message: 'transaction not found',
      })
    }
    await call('preconf_advance', { ticks: 1 })
    expect(await call('ots_traceTransaction', hash)).toMatchObject([{ to: NOBODY, value: '0x1' }])
    expect(await call('ots_getInternalOperations', hash)).toEqual([])
    expect(await call('ots_getTransactionError', hash)).toBe('0x')
  })
})

test('ots_getTransactionError', async () => {
  const { call, contract, play, seal, send } = await createPlayground()
  const hashes = [
    await play('store', [1n, 2n]),
    await play('failWithReason', ['no']),
    await play('failWithError', [7n]),
    await play('burnGas', [10_000n], { gas: hex(50_000) }),
    await send({ to: contract, data: '0xffffffff', gas: hex(LARGE) }),
  ]
  await seal()
  const errors = []
  for (const hash of hashes) errors.push(await call('ots_getTransactionError', hash))
  const statuses = []
  for (const hash of hashes) {
    statuses.push((await call<{ status: Hex }>('eth_getTransactionReceipt', hash)).status)
  }
  expect(statuses).toEqual(['0x1', '0x0', '0x0', '0x0', '0x0'])
  expect(errors).toEqual([
    '0x',
    `0x08c379a0${pad('0x20').slice(2)}${pad('0x2').slice(2)}${pad('0x6e6f', { dir: 'right' }).slice(2)}`,
    expect.stringMatching(/^0x[0-9a-f]{136}$/),
    '0x',
    '0x',
  ])
})

describe('ots_getContractCreator', () => {
  test('default: whoever created it directly', async () => {
    const { call, contract, creation, from, play, seal } = await createPlayground()
    expect(await call('ots_getContractCreator', contract)).toEqual({
      hash: creation,
      creator: from,
    })
    const hash = await play('create', [1n, pad('0x', { size: 20 })])
    await seal()
    const [, inner] = await call<{ to: Hex }[]>('ots_getInternalOperations', hash).then((all) => [
      undefined,
      ...all,
    ])
    expect(await call('ots_getContractCreator', inner?.to)).toEqual({ hash, creator: contract })
  })

  test('no code, and code that no transaction has given', async () => {
    const { call, from, play, seal, send } = await createPlayground()
    const creator = (address: unknown) => call('ots_getContractCreator', address)
    expect(await creator(from)).toBeNull()
    // The CREATE2 deployer of the genesis block.
    expect(await call('ots_hasCode', '0x4e59b44847b379578588920ca78fbf26c0b4956c')).toBe(true)
    expect(await creator('0x4e59b44847b379578588920ca78fbf26c0b4956c')).toBeNull()
    await call('hardhat_setCode', NOBODY, '0x00')
    expect(await creator(NOBODY)).toBeNull()
    // Created and destroyed in one transaction, then created again by another.
    const brief = await play('create', [2n, from])
    await seal()
    const [operation] = await call<{ to: Hex }[]>('ots_getInternalOperations', brief)
    expect(await call('ots_hasCode', operation?.to, 'latest')).toBe(false)
    expect(await creator(operation?.to)).toBeNull()
    // Pre-confirmed only.
    await send({ data: encodeDeployData({ ...playground, args: [] }) })
    await call('preconf_advance', { ticks: 1 })
    expect(await creator(getContractAddress({ from, nonce: 2n }))).toBeNull()
    await seal()
    expect(await creator(getContractAddress({ from, nonce: 2n }))).toMatchObject({ creator: from })
  })

  test('the creation that lasted', async () => {
    // Deploys one byte of code.
    const code = '0x60015f5360015ff3'
    // CREATE2 with salt 0, then a revert if there is no calldata.
    const factory = `0x67${code.slice(2)}5f525f60086018 5ff5 36 6019 57 5f5ffd 5b 00`.replace(
      / /g,
      '',
    )
    const node = await createRpcChain()
    const { call, account } = node
    const from = account(0).address
    await call('hardhat_setCode', NOBODY, factory)
    const send = (data: Hex) =>
      call<Hex>('eth_sendTransaction', { from, to: NOBODY, data, gas: hex(LARGE) })
    const failed = await send('0x')
    const lasting = await send('0x01')
    await call('preconf_advance', { blocks: 1 })
    const contract = getContractAddress({
      from: NOBODY,
      opcode: 'CREATE2',
      salt: pad('0x0'),
      bytecode: code,
    })
    expect(await call('ots_getInternalOperations', failed)).toMatchObject([
      { type: 3, to: contract.toLowerCase() },
    ])
    expect(await call('ots_getContractCreator', contract)).toEqual({
      hash: lasting,
      creator: NOBODY,
    })
  })
})

test('ots_getTransactionBySenderAndNonce', async () => {
  const { call, creation, from, send } = await createPlayground(SLOW_CLOCKS)
  const preconfirmed = await send({ to: NOBODY })
  await call('preconf_advance', { ticks: 1 })
  await send({ to: NOBODY })
  const find = (nonce: unknown) => call('ots_getTransactionBySenderAndNonce', from, nonce)
  expect(await Promise.all([0, '0x0', 1, 2, 3].map(find))).toEqual([
    ...[creation, creation, preconfirmed, null, null],
  ])
})
