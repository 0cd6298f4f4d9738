import { encodeDeployData, encodeFunctionData, getContractAddress, type Hex } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { anvilProgram, startAnvil } from '../support/anvil.ts'
import { askNode, startOurs } from '../support/peerNode.ts'
import { artifact } from '../support/solidity.ts'

const program = anvilProgram()
const { abi, bytecode } = artifact('Playground')
const NOBODY: Hex = `0x${'0c'.repeat(20)}`
const ZERO: Hex = `0x${'00'.repeat(20)}`
const UNKNOWN: Hex = `0x${'ab'.repeat(32)}`
/** The same on both nodes, whatever their base fees are, so that hashes are the same. */
const FEES = { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x3b9aca00' }

interface Fields {
  readonly [name: string]: unknown
}

interface Found {
  readonly txs: readonly (Fields & { readonly hash: Hex; readonly blockNumber: Hex })[]
  readonly receipts: readonly (Fields & { readonly transactionHash: Hex })[]
  readonly firstPage: boolean
  readonly lastPage: boolean
}

interface BlockPage {
  readonly fullblock: Fields & {
    readonly transactionCount: number
    readonly transactions: readonly { readonly value: Hex; readonly input: Hex }[]
  }
  readonly receipts: readonly { readonly logs: unknown }[]
}

/** Frames and operations, without code and calldata. */
interface Step {
  readonly type: string | number
  readonly depth?: number
  readonly from: Hex
  readonly to: Hex
  readonly value: Hex | null
  readonly input?: Hex
  readonly output?: Hex
}

interface Steps {
  readonly trace: readonly Step[]
  readonly operations: readonly Step[]
  readonly error: Hex
}

const inBrief = (steps: readonly Step[]): Step[] =>
  steps.map(({ input: _, output: __, ...step }) => step)

/** Plays the same traffic on a node, block by block, and asks all of the namespace. */
async function play(url: string) {
  const call = <Result = unknown>(method: string, ...params: unknown[]) =>
    askNode<Result>(url, method, ...params)
  const outcome = (method: string, ...params: unknown[]) =>
    call(method, ...params).catch(({ code, message }) => ({ code, message }))
  const [from, other, heir] = await call<[Hex, Hex, Hex]>('eth_accounts')
  const contract = getContractAddress({ from, nonce: 0n }).toLowerCase()
  const whenExecuted = async (hash: Hex): Promise<Hex> => {
    while ((await call('eth_getTransactionReceipt', hash)) === null);
    return hash
  }
  const send = async (fields: object) =>
    whenExecuted(await call('eth_sendTransaction', { from, gas: '0x200000', ...FEES, ...fields }))
  const run = (functionName: string, args: readonly unknown[], fields: object = {}) =>
    send({ to: contract, data: encodeFunctionData({ abi, functionName, args }), ...fields })
  const hashes = {
    creation: await send({ data: encodeDeployData({ abi, bytecode, args: [] }) }),
    payment: await send({ to: other, value: '0x10' }),
    stillborn: await run('create', [8n, heir], { value: '0x5' }),
    inner: await run('create', [7n, ZERO], { value: '0x5' }),
    nested: await run('tryAndFail', [1n, 2n]),
    end: await run('endLast', [heir]),
    reason: await run('failWithReason', ['no']),
    error: await run('failWithError', [3n]),
    panic: await run('failWithPanic', [[]]),
    outOfGas: await run('burnGas', [100_000n], { gas: '0x10000' }),
  }
  await call('evm_setAutomine', false)
  let last: Hex = UNKNOWN
  for (const value of ['0x1', '0x2', '0x3', '0x4', '0x5']) {
    const payment = { from: other, to: from, value, gas: '0x5208', ...FEES }
    last = await call('eth_sendTransaction', payment)
  }
  await call('evm_mine')
  await whenExecuted(last)
  const full = Number(await call('eth_blockNumber'))

  const details = await call<{ block: Fields; issuance: Fields }>('ots_getBlockDetails', full)
  const pages = []
  for (const page of [0, 1, 2, 9]) {
    pages.push(await call<BlockPage>('ots_getBlockTransactions', full, page, 2))
  }
  const searches: Record<string, Found> = {}
  const searched = { from, other, heir, contract, NOBODY }
  for (const [name, address] of Object.entries(searched)) {
    for (const [way, block] of [
      ['Before', 0],
      ['Before', 1],
      ['Before', 5],
      ['After', 0],
      ['After', 5],
      ['After', full],
    ] as const) {
      const method = `ots_searchTransactions${way}`
      searches[`${way} ${block} ${name}`] = await call<Found>(method, address, block, 3)
    }
  }
  const steps: Record<string, Steps> = {}
  for (const [name, hash] of Object.entries(hashes)) {
    steps[name] = {
      trace: inBrief(await call('ots_traceTransaction', hash)),
      operations: inBrief(await call('ots_getInternalOperations', hash)),
      error: await call<Hex>('ots_getTransactionError', hash),
    }
  }
  return {
    agreed: {
      hashes,
      full,
      level: await call('ots_getApiLevel'),
      code: [
        await call('ots_hasCode', contract, 'latest'),
        await call('ots_hasCode', contract, 1),
        await call('ots_hasCode', contract, '0x0'),
        await call('ots_hasCode', from, 'latest'),
      ],
      unknownHeader: await outcome('erigon_getHeaderByNumber', 9_999),
      issuance: details.issuance,
      nonces: [
        await call('ots_getTransactionBySenderAndNonce', from, 3),
        await call('ots_getTransactionBySenderAndNonce', from, 99),
        await call('ots_getTransactionBySenderAndNonce', other, 0),
      ],
      creators: [
        await call('ots_getContractCreator', contract),
        await call('ots_getContractCreator', from),
      ],
    },
    header: await call<Fields>('erigon_getHeaderByNumber', 1),
    block: details.block,
    pages,
    searches,
    steps,
    unknown: {
      details: await outcome('ots_getBlockDetails', 9_999),
      byHash: await outcome('ots_getBlockDetailsByHash', UNKNOWN),
      error: await outcome('ots_getTransactionError', UNKNOWN),
      trace: await outcome('ots_traceTransaction', UNKNOWN),
      operations: await outcome('ots_getInternalOperations', UNKNOWN),
    },
  }
}

type Played = Awaited<ReturnType<typeof play>>

const names = (fields: Fields | undefined) => Object.keys(fields ?? {}).sort()

/** Transactions found, by block: the order inside of one differs. */
const hashesOf = ({ txs }: Found) => txs.map(({ hash }) => hash).sort()

describe.skipIf(program === undefined)('ots_ beside anvil', () => {
  let theirs: Played
  let own: Played
  beforeAll(async () => {
    await using anvil = await startAnvil(program ?? '')
    await using ours = await startOurs({ anvil: true })
    theirs = await play(anvil.url)
    own = await play(ours.url)
  })

  test('what both mean alike is answered alike', () => {
    expect(own.agreed).toEqual(theirs.agreed)
    for (const name of ['nested', 'reason', 'error', 'panic', 'outOfGas']) {
      expect(own.steps[name], name).toEqual(theirs.steps[name])
    }
    for (const [name, { error }] of Object.entries(theirs.steps)) {
      expect(own.steps[name]?.error, name).toEqual(error)
    }
    // totalDifficulty is not a field of proof of stake any more.
    expect(names(own.block)).toEqual(names(theirs.block).filter((one) => one !== 'totalDifficulty'))
    const [found, known] = [own.searches['Before 0 from'], theirs.searches['Before 0 from']]
    expect(names(found?.txs[0])).toEqual(names(known?.txs[0]))
    // Only transactions with blobs have that.
    expect(names(found?.receipts[0])).toEqual(
      names(known?.receipts[0]).filter((one) => one !== 'blobGasPrice'),
    )
  })

  test('searches find the same, and more that is inside of transactions', () => {
    for (const [name, found] of Object.entries(theirs.searches)) {
      const search = own.searches[name]
      if (search === undefined) throw new Error(`${name} was not asked`)
      const isOfHeir = name.endsWith('heir')
      // anvil does not look for whom a SELFDESTRUCT pays.
      const isOutside = /^(?:Before 1 |After 11 )/.test(name)
      if (!isOfHeir) expect(hashesOf(search), name).toEqual(hashesOf(found))
      else expect([hashesOf(found), hashesOf(search).length > 0], name).toEqual([[], !isOutside])
      // Newest first, receipts beside their transactions.
      const blocks = search.txs.map(({ blockNumber }) => Number(blockNumber))
      expect(blocks, name).toEqual(blocks.toSorted((one, next) => next - one))
      const receipts = search.receipts.map(({ transactionHash }) => transactionHash)
      expect(receipts, name).toEqual(search.txs.map(({ hash }) => hash))
      // anvil says that there is more where there is nothing.
      if (found.firstPage) expect(search.firstPage, name).toBe(true)
      if (found.lastPage) expect(search.lastPage, name).toBe(true)
    }
    const flags = (name: string) =>
      [theirs, own].map(({ searches }) => [searches[name]?.firstPage, searches[name]?.lastPage])
    expect(flags('Before 1 NOBODY')).toEqual([
      [false, false],
      [true, true],
    ])
  })

  test('the differences that are known', () => {
    // eth_getHeaderByNumber has no body; anvil answers the block.
    expect(names(theirs.header).filter((one) => !(one in own.header))).toEqual([
      'size',
      'totalDifficulty',
      'transactions',
      'uncles',
      'withdrawals',
    ])
    expect(names(own.header).filter((one) => !(one in theirs.header))).toEqual([])
    // Otterscan asks for pages from the end of the block, as Erigon has them, and for all its count.
    const values = ({ pages }: Played) =>
      pages.map(({ fullblock }) => fullblock.transactions.map(({ value }) => Number(value)))
    expect(values(theirs)).toEqual([[1, 2], [3, 4], [5], []])
    expect(values(own)).toEqual([[4, 5], [2, 3], [1], []])
    const counts = ({ pages }: Played) => pages.map((one) => one.fullblock.transactionCount)
    expect([counts(theirs), counts(own)]).toEqual([
      [2, 2, 1, 0],
      [5, 5, 5, 5],
    ])
    // Otterscan's page needs no logs there, and has them elsewhere.
    expect(own.pages[0]?.receipts[0]?.logs).toBeNull()
    expect([own.block.logsBloom, typeof theirs.block.logsBloom]).toEqual([null, 'string'])
    // On an error, Otterscan loads for ever.
    expect(own.unknown).toMatchObject({ details: null, byHash: null })
    expect(theirs.unknown).toMatchObject({ details: { code: -32_001 }, byHash: { code: -32_001 } })
    // An unknown transaction is not one without calls.
    const unknown = { code: -32_000, message: 'transaction not found' }
    expect(own.unknown).toMatchObject({ error: unknown, trace: unknown, operations: unknown })
    expect(theirs.unknown).toMatchObject({ error: '0x', trace: [], operations: { code: -32_603 } })
    // anvil's traces lack creations and ends, its operations begin with the transaction itself.
    const steps = ({ steps: all }: Played, name: string, of: 'trace' | 'operations') =>
      all[name]?.[of].map(({ type }) => type)
    expect(steps(theirs, 'creation', 'trace')).toEqual([])
    expect(steps(own, 'creation', 'trace')).toEqual(['CREATE'])
    expect(steps(theirs, 'inner', 'trace')).toEqual(['CALL'])
    expect(steps(own, 'inner', 'trace')).toEqual(['CALL', 'CREATE2'])
    expect(steps(own, 'stillborn', 'trace')).toEqual(['CALL', 'CREATE2', 'SELFDESTRUCT'])
    expect(steps(theirs, 'end', 'trace')).toEqual(['CALL', 'CALL'])
    expect(steps(own, 'end', 'trace')).toEqual(['CALL', 'CALL', 'SELFDESTRUCT'])
    expect(own.steps.end?.operations).toEqual(theirs.steps.end?.operations)
    expect(steps(theirs, 'payment', 'operations')).toEqual([0])
    expect(steps(own, 'payment', 'operations')).toEqual([])
    expect(steps(theirs, 'creation', 'operations')).toEqual([2])
    expect(steps(own, 'creation', 'operations')).toEqual([])
    expect(steps(theirs, 'inner', 'operations')).toEqual([0, 3])
    expect(steps(own, 'inner', 'operations')).toEqual([3])
    expect(steps(theirs, 'stillborn', 'operations')).toEqual([0, 1])
    expect(steps(own, 'stillborn', 'operations')).toEqual([3, 1])
  })
})
