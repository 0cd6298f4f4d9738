import { encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { History } from '../../../devnet/chain/history.ts'
import type { ReadArgument } from '../../../devnet/dashboard/contractCalls.ts'
import type { ContractSource } from '../../../devnet/index.ts'
import { sourceOf } from '../../support/contractSource.ts'
import { temporaryFile } from '../../support/genesisFile.ts'
import { artifact } from '../../support/solidity.ts'
import { dumpOf, playTraffic } from '../persistence/dump/support.ts'
import { createRpcChain } from '../rpc/methods/rpcChain.ts'
import { ALICE, BOB, startDashboard } from './support.ts'

async function startWith(name: string, ...args: unknown[]) {
  const started = await startDashboard({ contracts: sourceOf(name), frozen: true })
  const { rpc } = started
  const { abi, bytecode } = artifact(name)
  const send = async (request: object) => {
    const hash = (await rpc('eth_sendTransaction', { gas: '0x200000', ...request })) as Hex
    await rpc('preconf_advance', { ticks: 1 })
    return hash
  }
  const deployed = await send({ from: ALICE, data: encodeDeployData({ abi, bytecode, args }) })
  const receipt = (await rpc('eth_getTransactionReceipt', deployed)) as { contractAddress: Hex }
  const address = receipt.contractAddress
  return {
    ...started,
    deployed,
    address,
    call: (functionName: string, ...given: unknown[]) =>
      send({
        from: BOB,
        to: address,
        data: encodeFunctionData({ abi, functionName, args: given }),
      }),
    send,
  }
}

describe('trace', () => {
  test('default: frames, output, console, changes', async () => {
    const talker = await startWith('Talker', 'Tom')
    const hash = await talker.call('talk', 'hello', 7n)
    const traced = await talker.ask('trace', { hash })
    expect(traced.console[0]).toContain('hello')
    expect(traced.failure).toBeNull()
    expect(traced.frames[0]).toMatchObject({
      depth: 0,
      type: 'CALL',
      from: BOB,
      to: talker.address,
      call: { text: expect.stringMatching(/^Talker\.talk\(.*"hello".*7\)$/) },
      returns: [{ type: 'uint256' }],
      failure: null,
    })
    // Calls of the console are its lines, not frames.
    expect(traced.frames.map(({ to }) => to)).not.toContain(CONSOLE)
    const bob = traced.changes.find(({ address }) => address === BOB)
    expect(bob).toMatchObject({ nonce: { before: 0, after: 1 }, code: null, storage: [] })
    expect(BigInt(bob?.balance?.after ?? 0)).toBeLessThan(BigInt(bob?.balance?.before ?? 0))
    expect(traced.names).toMatchObject({ [BOB]: 'Account #1', [talker.address]: 'Talker' })
  })

  test('what a contract says at length is cut', async () => {
    const talker = await startWith('Talker', 'Tom')
    const hash = await talker.call('talk', 'x'.repeat(50_000), 7n)
    const { console: printed, frames } = await talker.ask('trace', { hash })
    expect(printed[0]).toBe(`${'x'.repeat(16_384)}…`)
    expect(frames[0]).toMatchObject({
      call: {
        decoded: { arguments: [{ value: expect.stringMatching(/49,000 more bytes$/) }, {}] },
      },
      input: { size: 50_116 },
    })
    expect(JSON.stringify(frames).length).toBeLessThan(10_000)
  })

  test('storage and code, before and after', async () => {
    const playground = await startWith('Playground')
    const stored = await playground.call('store', 5n, 9n)
    const { changes } = await playground.ask('trace', { hash: stored })
    const own = changes.find(({ address }) => address === playground.address)
    expect(own?.storage).toEqual([])
    expect(own?.variables).toMatchObject([{ before: '0', after: '9' }])
    await playground.call('store', 5n, 0n)
    const cleared = await playground.call('store', 5n, 0n)
    const second = await playground.ask('trace', { hash: cleared })
    expect(second.changes.flatMap(({ storage }) => storage)).toEqual([])
    const deployed = await playground.ask('trace', { hash: playground.deployed })
    const created = deployed.changes.find(({ address }) => address === playground.address)
    expect(created?.code).toMatchObject({ before: 0 })
    expect(created?.code?.after).toBeGreaterThan(100)
    expect(deployed.frames[0]?.call.text).toMatch(/^new Playground\(/)
  })

  test.each([
    ['failWithReason', ['too late'], 'execution reverted: too late', null],
    [
      'failWithError',
      [7n],
      'execution reverted',
      expect.stringMatching(/^Refused\(by: 0x7099.*, code: 7\)$/),
    ],
    ['failWithPanic', [[]], expect.stringContaining('execution reverted'), null],
  ])('%s says why', async (name, args, message, error) => {
    const playground = await startWith('Playground')
    const hash = await playground.call(name, ...args)
    const { failure, frames } = await playground.ask('trace', { hash })
    expect(failure).toMatchObject({ message, error })
    expect(frames[0]?.failure).toEqual(failure)
  })

  test('an error that calls pass on is looked for once', async () => {
    const source = sourceOf('Playground')
    let searches = 0
    const contracts: ContractSource = {
      // Its code is unknown, as that of a library's contract is.
      deployedAs: async () => [],
      createdBy: async () => [],
      all() {
        searches++
        return source.all()
      },
    }
    const { ask, rpc } = await startDashboard({ contracts, frozen: true })
    const { abi, deployedBytecode } = artifact('Playground')
    const at = (index: number): Hex => `0x${(0xc0de00 + index).toString(16).padStart(40, '0')}`
    await rpc('hardhat_setCode', at(0), deployedBytecode)
    // Each calls the one before it with its own calldata, and passes on what that one says.
    for (let index = 1; index <= 4; index++) {
      const code = `0x365f5f375f5f365f5f73${at(index - 1).slice(2)}5af1503d5f5f3e3d5ffd`
      await rpc('hardhat_setCode', at(index), code)
    }
    const data = encodeFunctionData({ abi, functionName: 'failWithError', args: [7n] })
    const request = { from: ALICE, to: at(4), data, gas: '0x100000' }
    const hash = (await rpc('eth_sendTransaction', request)) as Hex
    await rpc('preconf_advance', { ticks: 1 })
    searches = 0
    const { frames, failure } = await ask('trace', { hash })
    const error = expect.stringMatching(/^Refused\(by: 0x.*, code: 7\)$/)
    expect(frames.map((frame) => frame.failure?.error)).toEqual(Array(5).fill(error))
    expect(failure).toMatchObject({ error })
    expect(searches).toBe(1)
  })

  test('one that waits, or is unknown, is refused', async () => {
    const { ask, rpc } = await startDashboard()
    const hash = (await rpc('eth_sendTransaction', { from: ALICE, to: BOB })) as Hex
    await expect(ask('trace', { hash })).rejects.toThrow('still in the mempool')
    const unknown: Hex = `0x${'1'.repeat(64)}`
    await expect(ask('trace', { hash: unknown })).rejects.toThrow('transaction not found')
  })
})

describe('accounts and addresses', () => {
  test('default: both states, history, creation', async () => {
    const bazaar = await startWith('Bazaar', 'Grand Bazaar')
    const first = await bazaar.call('buy', 1n, 2n)
    await bazaar.rpc('preconf_seal')
    const second = await bazaar.call('buy', 1n, 3n)
    const { accounts, names } = await bazaar.ask('accounts', {})
    const bob = accounts.find(({ address }) => address === BOB)
    expect(bob).toMatchObject({ kind: 'dev', sealed: { nonce: 1 }, pending: { nonce: 2 } })
    expect(accounts.at(-1)).toMatchObject({ address: bazaar.address, kind: 'contract' })
    expect(names[bazaar.address]).toBe('Bazaar')
    const contract = await bazaar.ask('address', { address: bazaar.address })
    expect(contract).toMatchObject({
      kind: 'contract',
      contract: 'Bazaar',
      implementation: null,
      creation: { hash: bazaar.deployed, creator: ALICE },
      next: null,
      waiting: [],
    })
    expect(contract.rows.map(({ hash }) => hash)).toEqual([second, first, bazaar.deployed])
    expect(contract.sealed.codeSize).toBe(contract.pending.codeSize)
    const before = contract.rows[1]?.position
    if (before === undefined) throw new Error('It has three transactions')
    const older = await bazaar.ask('address', { address: bazaar.address, before })
    expect(older.rows.map(({ hash }) => hash)).toEqual([bazaar.deployed])
    const sha256: Hex = `0x${'2'.padStart(40, '0')}`
    expect((await bazaar.ask('address', { address: sha256 })).kind).toBe('precompile')
  })

  test('an answer says how far blocks of another node are searched, the next one further', async () => {
    const node = await createRpcChain()
    await playTraffic(node, 3, 60)
    const file = JSON.parse(await dumpOf(node))
    // As a chain of anvil is saved, whose inner frames are unknown: the blocks are executed again.
    for (const each of file.transactions) each.inner_frames = { touched: '0x', created: '0x' }
    const loadState = temporaryFile('state.json', file)
    const { ask, rpc } = await startDashboard({ loadState, timestamp: undefined, frozen: true })
    const latest = Number(await rpc('eth_blockNumber'))
    // Each look at what is left to do takes longer than an answer may.
    const { now } = performance
    const unindexed = Object.getOwnPropertyDescriptor(History.prototype, 'unindexed')?.get
    let passed = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + passed)
    vi.spyOn(History.prototype, 'unindexed', 'get').mockImplementation(function (this: History) {
      passed += 300
      return unindexed?.call(this)
    })
    onTestFinished(() => {
      vi.restoreAllMocks()
    })
    const seen: number[] = []
    for (;;) {
      const { searchedTo } = await ask('address', { address: ALICE })
      if (searchedTo === null) break
      seen.push(searchedTo)
    }
    expect(seen.length).toBeGreaterThan(1)
    expect(seen).toEqual([...new Set(seen)].sort((one, other) => one - other))
    expect(seen.at(-1)).toBeLessThan(latest)
    const found: string[] = []
    let before: number | null | undefined
    while (before !== null) {
      const more = before === undefined ? {} : { before }
      const page = await ask('address', { address: ALICE, ...more })
      found.push(...page.rows.filter(({ state }) => state === 'sealed').map(({ hash }) => hash))
      before = page.next
    }
    const { txs } = await node.call<{ readonly txs: readonly { readonly hash: Hex }[] }>(
      'ots_searchTransactionsBefore',
      ALICE,
      0,
      100,
    )
    expect(txs.length).toBeGreaterThan(1)
    expect(found.slice(0, txs.length)).toEqual(txs.map(({ hash }) => hash))
  })

  test('walking the pages of an address gives each transaction once', async () => {
    const { ask, rpc } = await startDashboard({ frozen: true })
    const pay = () => rpc('eth_sendTransaction', { from: ALICE, to: BOB })
    for (let block = 0; block < 3; block++) {
      for (let count = 0; count < 90; count++) await pay()
      await rpc('preconf_advance', block === 2 ? { ticks: 1 } : { blocks: 1 })
    }
    const positions: number[] = []
    let before: number | null | undefined
    while (before !== null) {
      const more = before === undefined ? {} : { before }
      const page = await ask('address', { address: BOB, ...more })
      positions.push(...page.rows.map(({ position }) => position))
      before = page.next
    }
    expect(positions).toEqual(Array.from({ length: 270 }, (_, index) => 269 - index))
  })
})

describe('contracts', () => {
  test('default: what is deployed where, and what it can do', async () => {
    const bazaar = await startWith('Bazaar', 'Grand Bazaar')
    const { contracts, omitted } = await bazaar.ask('contracts', {})
    expect(omitted).toBe(0)
    expect(contracts).toEqual([
      expect.objectContaining({
        name: 'Bazaar',
        fullName: 'Bazaar',
        addresses: [{ address: bazaar.address, block: 1 }],
      }),
    ])
    const [row] = contracts
    const described = await bazaar.ask('contract', { fullName: row?.fullName ?? '' })
    const find = (signature: string) =>
      described.functions.find((one) => one.signature === signature)
    expect(find('buy(uint256,uint256)')).toMatchObject({ isRead: false, isPayable: false })
    expect(find('name()')).toMatchObject({ isRead: true, inputs: [] })
    expect(described.errors).toEqual(['TooMuch(uint256 wanted, address by)'])
    expect((await startDashboard().then(({ ask }) => ask('contracts', {}))).folder).toBeNull()
  })

  test('default: read answers both states', async () => {
    const token = await startWith('Token', 0n)
    await token.rpc('preconf_seal')
    await token.call('mint', BOB, 5n)
    const read = (signature: string, ...args: ReadArgument[]) =>
      token.ask('read', { address: token.address, calls: [{ function: signature, args }] })
    const values = (value: string) => ({ values: [expect.objectContaining({ value })] })
    const { results } = await read('balanceOf(address)', BOB)
    expect(results).toEqual([{ sealed: values('0'), pending: values('5') }])
    await expect(read('transfer(address,uint256)', BOB, '1')).rejects.toThrow('may write')
    await expect(read('nothing()')).rejects.toThrow('Token at 0x')
    await expect(read('balanceOf(address)', 'bob')).rejects.toThrow(
      'address wants 0x and 40 digits',
    )
    await expect(read('balanceOf(address)')).rejects.toThrow('takes 1 values, not 0')
  })

  test('a read that reverts says why', async () => {
    const playground = await startWith('Playground')
    const { address } = playground
    const params = { address, calls: [{ function: 'failWithError(uint256)', args: ['3'] }] }
    const refused = { message: 'execution reverted', error: expect.stringContaining('code: 3') }
    expect(await playground.ask('read', params)).toMatchObject({
      results: [{ pending: { failure: refused } }],
    })
  })
})

describe('resolve', () => {
  test('default: each kind', async () => {
    const bazaar = await startWith('Bazaar', 'Grand Bazaar')
    await bazaar.rpc('preconf_seal')
    const paths = async (text: string) =>
      (await bazaar.ask('resolve', { text })).matches.map(({ kind, path }) => `${kind} ${path}`)
    const { hash } = (await bazaar.rpc('eth_getBlockByNumber', '0x1')) as { hash: Hex }
    expect(await paths(' 1 ')).toEqual(['block /block/1'])
    expect(await paths('#1')).toEqual(['block /block/1'])
    expect(await paths('2')).toEqual(['block /block/pending'])
    expect(await paths('latest')).toEqual(['block /block/1'])
    expect(await paths('77')).toEqual([])
    expect(await paths(hash)).toEqual([`block /block/${hash}`])
    expect(await paths(bazaar.deployed)).toEqual([`transaction /tx/${bazaar.deployed}`])
    expect(await paths(BOB.toUpperCase().replace('X', 'x'))).toEqual([`address /address/${BOB}`])
    expect(await paths('Account #1')).toEqual([`address /address/${BOB}`])
    const explorer = `https://etherscan.io/tx/${bazaar.deployed}?x#eventlog`
    expect(await paths(explorer)).toEqual([`transaction /tx/${bazaar.deployed}`])
    expect(await paths('bazaar')).toEqual(['contract /contracts#Bazaar'])
    expect(await paths('giveM')).toEqual(['function /txs?contract=Bazaar&function=giveMany'])
    expect(await paths('TransferB')).toEqual(['event /contracts#Bazaar'])
    expect(await paths('')).toEqual([])
    expect(await paths('nobody')).toEqual([])
  })
})

describe('hostile input', () => {
  test('random calldata and logs cost the decoding, never the answer', async () => {
    const bazaar = await startWith('Bazaar', 'Grand Bazaar')
    const { abi } = artifact('Bazaar')
    const good = encodeFunctionData({ abi, functionName: 'giveMany', args: [BOB, [1n], [2n]] })
    for (const data of [
      good.slice(0, 10),
      good.slice(0, 70),
      `${good.slice(0, 74)}${'f'.repeat(128)}`,
      `${good}${'00'.repeat(100_000)}`,
      `0x${'ab'.repeat(3)}`,
    ]) {
      const hash = await bazaar.send({ from: BOB, to: bazaar.address, data, gas: '0xf00000' })
      const details = await bazaar.ask('transaction', { hash })
      expect(details).toMatchObject({ found: true, input: { size: data.length / 2 - 1 } })
      expect(JSON.stringify({ ...details, raw: null }).length).toBeLessThan(20_000)
      expect(await bazaar.ask('trace', { hash })).toMatchObject({ frames: [{ from: BOB }] })
    }
  })

  test('names of artifacts are cut', async () => {
    const long = 'x'.repeat(100_000)
    const { ask } = await startDashboard({ contracts: sourceOf(['Token', long]) })
    expect(JSON.stringify(await ask('contracts', {})).length).toBeLessThan(20_000)
  })
})

const CONSOLE = '0x000000000000000000636f6e736f6c652e6c6f67'
