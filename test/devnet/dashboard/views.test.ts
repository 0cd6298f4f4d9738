import { encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { ContractSource } from '../../../devnet/index.ts'
import { sourceOf } from '../../support/contractSource.ts'
import { artifact } from '../../support/solidity.ts'
import { ALICE, BOB, startDashboard, type TestDashboard } from './support.ts'

const { abi, bytecode } = artifact('Bazaar')

async function startBazaar() {
  const started = await startDashboard({ contracts: sourceOf('Bazaar'), frozen: true })
  const { rpc } = started
  const deploy = encodeDeployData({ abi, bytecode, args: ['Grand Bazaar'] })
  const deployed = (await rpc('eth_sendTransaction', { from: ALICE, data: deploy })) as Hex
  await rpc('preconf_advance', { ticks: 1 })
  const receipt = (await rpc('eth_getTransactionReceipt', deployed)) as { contractAddress: Hex }
  await rpc('preconf_seal')
  const bazaar = receipt.contractAddress
  return {
    ...started,
    deployed,
    bazaar,
    call: (functionName: string, ...args: unknown[]) =>
      rpc('eth_sendTransaction', {
        from: BOB,
        to: bazaar,
        data: encodeFunctionData({ abi, functionName, args }),
        gas: '0x100000',
      }) as Promise<Hex>,
  }
}

/** Time that passes in jumps besides. */
function slowClock() {
  const { now } = performance
  let passed = 0
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + passed)
  onTestFinished(() => spy.mockRestore())
  return {
    pass(ms: number): void {
      passed += ms
    },
  }
}

/** Sends 1 wei. */
async function pay({ rpc }: TestDashboard, nonce?: number): Promise<Hex> {
  const more = nonce === undefined ? {} : { nonce: `0x${nonce.toString(16)}` }
  const hash = await rpc('eth_sendTransaction', { from: ALICE, to: BOB, value: '0x1', ...more })
  return hash as Hex
}

describe('transactions', () => {
  test('default: all states in one answer, newest first, with names', async () => {
    const bazaar = await startBazaar()
    const bought = await bazaar.call('buy', 7n, 101n)
    await bazaar.rpc('preconf_advance', { ticks: 1 })
    const waiting = await pay(bazaar)
    const { rows, first, end, next, names, ...rest } = await bazaar.ask('transactions', {})
    expect({ first, end, next }).toEqual({ first: 0, end: 2, next: null })
    expect(rows).toEqual([
      expect.objectContaining({
        state: 'preconfirmed',
        position: 1,
        hash: bought,
        block: 2,
        tick: 0,
        index: 0,
        call: 'Bazaar.buy(id: 7, amount: 101)',
        reverted: true,
      }),
      expect.objectContaining({
        state: 'sealed',
        position: 0,
        hash: bazaar.deployed,
        call: 'new Bazaar(name_: "Grand Bazaar")',
        to: null,
        created: bazaar.bazaar,
        reverted: false,
      }),
    ])
    expect(rest.waiting).toEqual([
      expect.objectContaining({ state: 'queued', hash: waiting, runnable: true, value: '1' }),
    ])
    expect(names).toEqual({
      [ALICE]: 'Account #0',
      [BOB]: 'Account #1',
      [bazaar.bazaar]: 'Bazaar',
    })
  })

  test('args: filters', async () => {
    const bazaar = await startBazaar()
    const bought = await bazaar.call('buy', 7n, 101n)
    const paid = await pay(bazaar)
    await bazaar.rpc('preconf_advance', { ticks: 1 })
    const found = async (filter: object) =>
      (await bazaar.ask('transactions', { filter })).rows.map(({ hash }) => hash)
    expect(await found({ state: 'sealed' })).toEqual([bazaar.deployed])
    expect(await found({ state: 'preconfirmed' })).toEqual([paid, bought])
    expect(await found({ reverted: true })).toEqual([bought])
    expect(await found({ text: 'contract:Bazaar' })).toEqual([bought, bazaar.deployed])
    expect(await found({ text: 'function:buy' })).toEqual([bought])
    expect(await found({ text: bazaar.bazaar })).toEqual([bought, bazaar.deployed])
    expect(await found({ text: ALICE })).toEqual([paid, bazaar.deployed])
    expect(await found({ state: 'queued' })).toEqual([])
  })

  test('a filter says how far it has looked, and goes on from there', async () => {
    const source = sourceOf('Bazaar')
    const slow = slowClock()
    const contracts: ContractSource = {
      ...source,
      createdBy(code) {
        slow.pass(300)
        return source.createdBy(code)
      },
    }
    const dashboard = await startDashboard({ frozen: true, contracts })
    const data = encodeDeployData({ abi, bytecode, args: ['x'] })
    const sent: Hex[] = []
    for (let block = 1; block <= 3; block++) {
      sent.push((await dashboard.rpc('eth_sendTransaction', { from: BOB, data })) as Hex)
      await dashboard.rpc('preconf_advance', block === 3 ? { ticks: 1 } : { blocks: 1 })
    }
    const find = (contract: string, more: object = {}) =>
      dashboard.ask('transactions', { filter: { text: `contract:${contract}` }, ...more })
    expect(await find('Other')).toMatchObject({ rows: [], next: 1, searchedTo: 3 })
    expect(await find('Other', { from: 1 })).toMatchObject({ rows: [], next: 0, searchedTo: 2 })
    expect(await find('Other', { from: 0 })).toMatchObject({ next: null, searchedTo: null })
    expect(await find('Bazaar', { from: 0 })).toMatchObject({ rows: [{ hash: sent[0] }] })
    expect(await dashboard.ask('transactions', {})).toMatchObject({ searchedTo: null })
  })

  test('rows are of one moment, however long their names take', async () => {
    const source = sourceOf('Bazaar')
    const asked = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const contracts: ContractSource = {
      ...source,
      async createdBy(code) {
        asked.resolve()
        await gate.promise
        return source.createdBy(code)
      },
    }
    const dashboard = await startDashboard({ frozen: true, contracts })
    const first = await pay(dashboard)
    const data = encodeDeployData({ abi, bytecode, args: ['x'] })
    const second = await dashboard.rpc('eth_sendTransaction', { from: BOB, data, gas: '0x300000' })
    await dashboard.rpc('preconf_advance', { ticks: 1 })
    const waiting = await pay(dashboard)
    const answer = dashboard.ask('transactions', {})
    await asked.promise
    await dashboard.rpc('preconf_seal')
    await pay(dashboard)
    await dashboard.rpc('preconf_advance', { ticks: 1 })
    gate.resolve()
    const { rows, waiting: queued, end } = await answer
    expect(rows.map(({ hash, position }) => [hash, position])).toEqual([
      [second, 1],
      [first, 0],
    ])
    expect([queued.map(({ hash }) => hash), end]).toEqual([[waiting], 2])
  })

  test('waiting transactions over 200 are counted', async () => {
    const dashboard = await startDashboard()
    for (let nonce = 0; nonce < 203; nonce++) await pay(dashboard, nonce)
    const { waiting, omittedWaiting } = await dashboard.ask('transactions', {})
    expect([waiting.length, omittedWaiting]).toEqual([200, 3])
  })

  test('walking all pages gives all transactions once, before and after a revert', async () => {
    const dashboard = await startDashboard({ frozen: true })
    const sent: Hex[] = []
    const walk = async () => {
      const seen: Hex[] = []
      let from: number | undefined
      for (;;) {
        const params = { limit: 7, ...(from === undefined ? {} : { from }) }
        const { rows, next } = await dashboard.ask('transactions', params)
        seen.push(...rows.map(({ hash }) => hash))
        if (next === null) return seen.reverse()
        from = next
      }
    }
    for (const count of [3, 0, 5, 1, 9]) {
      for (let index = 0; index < count; index++) sent.push(await pay(dashboard))
      await dashboard.rpc('preconf_seal')
      if (count === 0) await dashboard.rpc('preconf_advance', { blocks: 3 })
      else await dashboard.rpc('preconf_advance', { blocks: 1 })
    }
    sent.push(await pay(dashboard))
    await dashboard.rpc('preconf_advance', { ticks: 1 })
    expect(await walk()).toEqual(sent)
    const id = await dashboard.rpc('evm_snapshot')
    const kept = [...sent]
    sent.push(await pay(dashboard))
    await dashboard.rpc('preconf_advance', { blocks: 2 })
    expect(await walk()).toEqual(sent)
    await dashboard.rpc('evm_revert', id)
    expect(await walk()).toEqual(kept)
    await dashboard.rpc('preconf_advance', { blocks: 4 })
    kept.push(await pay(dashboard))
    await dashboard.rpc('preconf_advance', { blocks: 1 })
    expect(await walk()).toEqual(kept)
    await dashboard.rpc('hardhat_reset')
    expect(await walk()).toEqual([])
  })
})

describe('transaction', () => {
  test('default: place, call, outcome, neighbours', async () => {
    const bazaar = await startBazaar()
    const bought = await bazaar.call('buy', 7n, 5n)
    await bazaar.rpc('preconf_advance', { ticks: 1 })
    const details = await bazaar.ask('transaction', { hash: bought })
    expect(details).toMatchObject({
      found: true,
      state: 'preconfirmed',
      from: BOB,
      to: bazaar.bazaar,
      place: { position: 1, block: 2, blockHash: null, tick: 0, index: 0 },
      waiting: null,
      call: { decoded: { contract: 'Bazaar', function: 'buy(uint256,uint256)' } },
      outcome: {
        success: true,
        events: [
          {
            contract: 'Bazaar',
            event: 'TransferSingle(address,address,address,uint256,uint256)',
            arguments: [
              { name: 'operator', value: BOB },
              { name: 'from', value: bazaar.bazaar },
              { name: 'to', value: BOB },
              { name: 'id', value: '7' },
              { name: 'value', value: '5' },
            ],
            problem: null,
          },
        ],
        omittedEvents: 0,
      },
      ofSender: { previous: null, next: null },
      names: { [BOB]: 'Account #1', [bazaar.bazaar]: 'Bazaar' },
    })
    await bazaar.rpc('preconf_seal')
    expect(await bazaar.ask('transaction', { hash: bought })).toMatchObject({
      state: 'sealed',
      place: { position: 1, block: 2, blockHash: expect.stringMatching(/^0x/) },
    })
  })

  test('one that waits says for which nonces', async () => {
    const dashboard = await startDashboard()
    const runnable = await pay(dashboard, 0)
    const behind = await pay(dashboard, 4)
    const further = await pay(dashboard, 9)
    const waitingOf = async (hash: Hex) => {
      const details = await dashboard.ask('transaction', { hash })
      return details.found && [details.state, details.waiting]
    }
    expect(await waitingOf(runnable)).toEqual(['queued', { runnable: true, missing: null }])
    expect(await waitingOf(behind)).toEqual([
      'queued',
      { runnable: false, missing: { from: 1, to: 3 } },
    ])
    expect(await waitingOf(further)).toEqual([
      'queued',
      { runnable: false, missing: { from: 1, to: 3 } },
    ])
    expect(await dashboard.ask('mempool', {})).toMatchObject({
      baseFeePerGas: '875000000',
      runnable: 1,
      waiting: 2,
      omitted: 0,
      senders: [
        {
          address: ALICE,
          next: 0,
          transactions: [
            { nonce: 0, runnable: true, accepted: expect.any(Number), value: '1' },
            { nonce: 4 },
            { nonce: 9 },
          ],
          gaps: [
            { from: 1, to: 3 },
            { from: 5, to: 8 },
          ],
        },
      ],
    })
    expect(await dashboard.ask('mempool', { limit: 0 })).toMatchObject({
      omitted: 3,
      senders: [{ address: ALICE, count: 3, transactions: [], gaps: [{ from: 1 }, { from: 5 }] }],
    })
    const newest = await dashboard.ask('transactions', { limit: 1, waiting: 1 })
    expect(newest).toMatchObject({ waiting: [{ hash: further }], omittedWaiting: 2 })
    const none = await dashboard.ask('transactions', { waiting: 0 })
    expect(none).toMatchObject({ waiting: [], omittedWaiting: 3 })
    const filter = { text: `0x${'9'.repeat(40)}` }
    const ofOther = await dashboard.ask('transactions', { waiting: 0, filter })
    expect(ofOther).toMatchObject({ waiting: [], omittedWaiting: 0 })
  })

  test('an unknown one says where it was looked for, and why it was dropped', async () => {
    const dashboard = await startDashboard()
    const unknown = { hash: `0x${'1'.repeat(64)}` } as const
    expect(await dashboard.ask('transaction', unknown)).toEqual({
      found: false,
      waiting: 0,
      pending: 1,
      oldest: 0,
      latest: 0,
      dropped: null,
      upstream: null,
      gone: null,
    })
    const hash = await pay(dashboard)
    await dashboard.ask('command', { name: 'drop', hash })
    expect(await dashboard.ask('transaction', { hash })).toMatchObject({
      found: false,
      dropped: 'dropped by hardhat_dropTransaction',
      gone: {
        transaction: { hash, from: ALICE, to: BOB, nonce: 0, value: '1' },
        time: expect.any(Number),
        replacedBy: null,
        nextNonce: 0,
      },
    })
    expect((await dashboard.ask('transactions', {})).dropped).toEqual([
      {
        state: 'dropped',
        hash,
        reason: 'dropped by hardhat_dropTransaction',
        from: ALICE,
        nonce: 0,
      },
    ])
    expect(await dashboard.ask('resolve', { text: hash })).toEqual({
      matches: [{ kind: 'transaction', text: hash, path: `/tx/${hash}` }],
    })
    const again = dashboard.ask('command', { name: 'drop', hash })
    await expect(again).rejects.toThrow(`There is no transaction ${hash} to drop`)
  })
})

test('the raw answer of a long transaction is cut', async () => {
  const dashboard = await startDashboard({ frozen: true })
  const data = `0x${'ab'.repeat(100_000)}`
  const gas = '0xb71b00'
  const hash = await dashboard.rpc('eth_sendTransaction', { from: ALICE, to: BOB, data, gas })
  await dashboard.rpc('preconf_advance', { ticks: 1 })
  const { transaction, receipt, omittedEvents } = await dashboard.ask('raw', { hash: hash as Hex })
  expect(transaction).toMatchObject({
    hash,
    input: `0x${'ab'.repeat(1024)}… and 98976 more bytes`,
  })
  expect(receipt).toMatchObject({ transactionHash: hash, status: '0x1' })
  expect(omittedEvents).toBe(0)
  const details = await dashboard.ask('transaction', { hash: hash as Hex })
  expect(JSON.stringify(details).length).toBeLessThan(10_000)
  const unknown = dashboard.ask('raw', { hash: `0x${'1'.repeat(64)}` })
  await expect(unknown).rejects.toThrow('There is no transaction')
})

describe('block', () => {
  test('default: by number, by hash, and the pending one', async () => {
    const dashboard = await startDashboard({ frozen: true })
    await pay(dashboard)
    await dashboard.rpc('preconf_advance', { ticks: 1 })
    await pay(dashboard)
    await dashboard.rpc('preconf_advance', { ticks: 2 })
    await pay(dashboard)
    const pending = { found: true, number: 1, hash: null, positions: { first: 0, end: 2 } }
    const seen = { elapsed: expect.any(Number), waiting: 0, isLate: false }
    const tick = { transactions: 1, reverted: 0, gasUsed: 21_000, revertedGas: 0, seen }
    const ticks = [
      { tick: 0, ...tick },
      { tick: 1, ...tick },
    ]
    expect(await dashboard.ask('block', { id: 'pending' })).toMatchObject({ ...pending, ticks })
    expect(await dashboard.ask('block', { id: 1 })).toMatchObject({ ...pending, next: null })
    await dashboard.rpc('preconf_seal')
    const sealed = await dashboard.ask('block', { id: 1 })
    expect(sealed).toMatchObject({
      ...pending,
      hash: expect.stringMatching(/^0x/),
      next: 2,
      previous: 0,
      ticks,
    })
    if (!sealed.found || sealed.hash === null) throw new Error('It is sealed')
    expect(await dashboard.ask('block', { id: sealed.hash })).toEqual(sealed)
    expect(sealed.header).toEqual(await dashboard.rpc('eth_getHeaderByNumber', '0x1'))
    expect(await dashboard.ask('block', { id: 9 })).toMatchObject({ found: false, latest: 1 })
  })
})

describe('strip', () => {
  test('groups partition the chain, and a page of them goes on where another ended', async () => {
    const dashboard = await startDashboard({ frozen: true })
    for (const blocks of [1, 3, 1, 1, 400, 2]) {
      await pay(dashboard)
      await dashboard.rpc('preconf_advance', { blocks })
    }
    await pay(dashboard)
    await dashboard.rpc('preconf_advance', { ticks: 1 })
    const { groups, next } = await dashboard.ask('strip', {})
    expect(next).toBeNull()
    const shape = groups.map((group) =>
      group.kind === 'empty'
        ? [group.from, group.to]
        : `${group.number}${group.hash === null ? ' pending' : ''}`,
    )
    const expected = [[0, 0], '1', '2', [3, 4], '5', '6', '7', [8, 406], '407', [408, 408]]
    expect(shape).toEqual([...expected, '409 pending'])
    const paged = []
    let before: number | null | undefined
    while (before !== null) {
      const params = { limit: 3, ...(before === undefined ? {} : { before }) }
      const page = await dashboard.ask('strip', params)
      expect(page.groups.length).toBeLessThanOrEqual(3)
      paged.unshift(...page.groups)
      before = page.next
    }
    expect(paged).toEqual(groups)
  })

  test('under Amsterdam a block is as full as its header says, and its ticks use what senders pay', async () => {
    const dashboard = await startDashboard({ hardfork: 'amsterdam', frozen: true })
    // The test knows what each method answers.
    const ask = async <Result>(method: string, ...params: unknown[]) =>
      (await dashboard.rpc(method, ...params)) as Result
    const to = `0x${'c1'.repeat(20)}`
    // Creates slot 0: execution gas and state gas (EIP-8037) are counted apart, and both are paid.
    await dashboard.rpc('hardhat_setCode', to, '0x60015f5500')
    const [from] = await ask<string[]>('eth_accounts')
    const hash = await ask<`0x${string}`>('eth_sendTransaction', { from, to, gas: '0x100000' })
    await dashboard.rpc('preconf_advance', { ticks: 1 })
    interface Paid {
      readonly gasUsed: string
      readonly effectiveGasPrice: string
    }
    for (const tag of ['pending', 'latest']) {
      const receipt = await ask<Paid>('eth_getTransactionReceipt', hash)
      const header = await ask<Paid>('eth_getBlockByNumber', tag, false)
      const [paid, used] = [Number(receipt.gasUsed), Number(header.gasUsed)]
      expect(used).toBeLessThan(paid)
      const { groups } = await dashboard.ask('strip', {})
      const group = groups.find((each) => each.kind === 'block' && each.transactions === 1)
      expect(group).toMatchObject({ gasUsed: used, ticks: [{ gasUsed: paid, revertedGas: 0 }] })
      const fee = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
      expect(await dashboard.ask('transaction', { hash })).toMatchObject({
        outcome: { gasUsed: paid, fee: String(fee) },
      })
      if (tag === 'pending') await dashboard.rpc('preconf_advance', { blocks: 1 })
    }
  })

  test('of many ticks the last 24 are listed', async () => {
    const dashboard = await startDashboard({ frozen: true })
    for (let tick = 0; tick < 30; tick++) {
      await pay(dashboard)
      await dashboard.rpc('preconf_advance', { ticks: 1 })
    }
    const { groups } = await dashboard.ask('strip', { limit: 1 })
    expect(groups).toMatchObject([
      { kind: 'block', transactions: 30, earlierTicks: 6, gasUsed: 30 * 21_000 },
    ])
    expect(groups[0]?.kind === 'block' && groups[0].ticks.map(({ tick }) => tick)).toEqual(
      Array.from({ length: 24 }, (_, index) => 6 + index),
    )
  })
})
