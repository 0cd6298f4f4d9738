import { getContractAddress, type Hex, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, onTestFinished, test, vi } from 'vitest'
import { BlockBuilder } from '../../../devnet/chain/building/blockBuilder.ts'
import type { PendingView } from '../../../devnet/chain/building/pendingView.ts'
import type { TickReport } from '../../../devnet/chain/chainEvents.ts'
import { fromHex, toHex } from '../../../devnet/primitives/hex.ts'
import type { SealedBlock } from '../../../devnet/protocol/block.ts'
import type { ExecutedTransaction } from '../../../devnet/protocol/receipt.ts'
import { addressKeyFromHex } from '../../../devnet/state/keys.ts'
import type { StateReader } from '../../../devnet/state/types.ts'
import { createTestChain, type TestChain } from '../../support/chain.ts'
import { seeds } from '../../support/longRuns.ts'
import { Random } from '../../support/random.ts'
import { RandomTraffic } from './randomTraffic.ts'

function contracts(deployer: Hex) {
  return {
    token: getContractAddress({ from: deployer, nonce: 0n }),
    playground: getContractAddress({ from: deployer, nonce: 1n }),
  }
}

/** What a reader sees of some accounts. */
function readings(state: StateReader, addresses: readonly Hex[]): string {
  return addresses
    .map((address) => {
      const account = state.account(addressKeyFromHex(address))
      return account === null
        ? 'none'
        : `${account.nonce} ${account.balance} ${toHex(account.codeHash)}`
    })
    .join('\n')
}

function transfer(account: TestChain['accounts'][number], nonce: number, to: Hex): Promise<Hex> {
  return privateKeyToAccount(account.privateKey).signTransaction({
    type: 'eip1559',
    chainId: 31337,
    nonce,
    to,
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 100n * 10n ** 9n,
    maxPriorityFeePerGas: 1n,
  })
}

test.each(seeds(20))('pre-confirmed once, sealed in that order, seed %i', async (seed) => {
  const node = await createTestChain()
  const { chain, clocks } = node
  const traffic = new RandomTraffic(seed, node.accounts.slice(0, 5), 31337)
  const [deployer = '0x'] = traffic.addresses
  const targets = contracts(deployer)
  const preconfirmed: ExecutedTransaction[] = []
  const sealed: ExecutedTransaction[] = []
  const accepted: Hex[] = []
  chain.events.ticked.add(({ executed }) => preconfirmed.push(...executed))
  chain.events.sealed.add(({ executed }) => sealed.push(...executed))
  chain.events.admitted.add(({ hash }) => accepted.push(hash))

  for (const raw of await traffic.deployments()) await node.send(raw)
  const nonces = new Map<Hex, bigint>()
  for (let step = 0; step < 150; step++) {
    const roll = traffic.random.below(10)
    if (roll < 6) await node.send(await traffic.next(targets))
    else if (roll < 9) await clocks.advanceTicks(1)
    else await clocks.seal()
    for (const address of traffic.addresses) {
      const nonce = chain.pending.state.account(addressKeyFromHex(address))?.nonce ?? 0n
      expect(nonce).toBeGreaterThanOrEqual(nonces.get(address) ?? 0n)
      nonces.set(address, nonce)
    }
  }
  await clocks.advanceBlocks(3)

  // The very same objects: receipt, logs, gas and position cannot differ.
  expect(sealed.length).toBe(preconfirmed.length)
  for (const [index, executed] of sealed.entries()) expect(executed).toBe(preconfirmed[index])
  expect(new Set(sealed.map(({ transaction }) => transaction.hash)).size).toBe(sealed.length)
  expect(sealed.map(({ transaction }) => transaction.hash).sort()).toEqual([...accepted].sort())
})

test('N senders of M transactions in any order end with N x M sealed', async () => {
  const SENDERS = 8
  const EACH = 25
  const node = await createTestChain()
  const { chain, clocks, accounts } = node
  const random = new Random(7)
  const all: Hex[] = []
  for (const account of accounts.slice(0, SENDERS)) {
    for (let nonce = 0; nonce < EACH; nonce++) {
      all.push(await transfer(account, nonce, '0x00000000000000000000000000000000000000aa'))
    }
  }
  for (let index = all.length - 1; index > 0; index--) {
    const other = random.below(index + 1)
    const [a, b] = [all[index], all[other]]
    if (a === undefined || b === undefined) throw new Error('Out of range')
    all[index] = b
    all[other] = a
  }
  const commands: Promise<unknown>[] = []
  for (const [index, raw] of all.entries()) {
    commands.push(node.send(raw))
    // Not awaited: sends, ticks and seals run into one another.
    if (index % 10 === 0) commands.push(clocks.advanceTicks(1))
    if (index % 35 === 0) commands.push(clocks.seal())
  }
  await Promise.all(commands)
  await clocks.advanceBlocks(2)
  const blocks = Array.from({ length: chain.head.number + 1 }, (_, n) => chain.history.byNumber(n))
  const count = blocks.reduce((sum, block) => sum + (block?.executed.length ?? 0), 0)
  expect(count).toBe(SENDERS * EACH)
  expect(chain.mempool.size).toBe(0)
})

test.each(seeds(20))(
  'previews grow with what is sent, and the tick takes them over, seed %i',
  async (seed) => {
    const [node, twin] = [await createTestChain(), await createTestChain()]
    const traffic = new RandomTraffic(seed, node.accounts.slice(0, 5), 31337)
    const [deployer = '0x'] = traffic.addresses
    const targets = contracts(deployer)
    const watched = [...traffic.addresses, targets.token, targets.playground]
    const shown = ({ chain }: TestChain, view: PendingView) => [
      view.executed.length,
      toHex(view.receipts.rootHash()),
      toHex(view.transactions.rootHash()),
      toHex(chain.stateTrie(view).root()),
      readings(view.state, watched),
    ]
    const reports: TickReport[] = []
    node.chain.events.ticked.add((report) => reports.push(report))
    const execute = vi.spyOn(BlockBuilder.prototype, 'execute')
    onTestFinished(() => execute.mockRestore())
    const waiting = await traffic.deployments()
    while (waiting.length < 60) waiting.push(await traffic.next(targets))
    for (const [index, raw] of waiting.entries()) {
      await node.send(raw)
      await twin.send(raw)
      const preview = await node.clocks.preview()
      const seen = shown(node, preview)
      preview.state.release()
      if (index % 20 !== 19) continue
      await node.clocks.advanceTicks(1)
      // Each ran once: in a preview or in the tick.
      const run = execute.mock.calls.map(([{ hash }]) => hash)
      expect(new Set(run).size).toBe(run.length)
      expect(shown(node, node.chain.pending)).toEqual(seen)
      await twin.clocks.advanceTicks(1)
      expect(shown(twin, twin.chain.pending)).toEqual(seen)
      execute.mockClear()
    }
    const executed = reports.flatMap((report) => report.executed)
    expect(executed).toEqual(node.chain.pending.executed)
    const executions = reports.flatMap((report) => report.executions)
    expect(executions.map(({ gasUsed }) => gasUsed)).toEqual(executed.map(({ gasUsed }) => gasUsed))
  },
)

test('a tick runs what came after the preview, and what replaced a transaction of it', async () => {
  const node = await createTestChain()
  const [alice, bob] = node.accounts
  if (alice === undefined || bob === undefined) throw new Error('No accounts')
  const to = '0x00000000000000000000000000000000000000aa'
  const send = async (account: typeof alice, nonce: number, value: bigint, tip: bigint) =>
    node.send(
      await privateKeyToAccount(account.privateKey).signTransaction({
        chainId: 31337,
        nonce,
        to,
        value,
        gas: 21_000n,
        maxFeePerGas: tip * 100n * 10n ** 9n,
        maxPriorityFeePerGas: tip,
      }),
    )
  const balance = () => node.chain.pending.state.account(addressKeyFromHex(to))?.balance
  const look = async () => (await node.clocks.preview()).state.release()
  await send(alice, 0, 1n, 1n)
  await send(bob, 0, 10n, 1n)
  await look()
  await send(alice, 1, 100n, 1n)
  await node.clocks.advanceTicks(1)
  expect([node.chain.pending.executed.length, balance()]).toEqual([3, 111n])
  await send(alice, 2, 1n, 1n)
  await send(bob, 1, 10n, 1n)
  await look()
  await send(alice, 2, 1000n, 2n)
  await node.clocks.advanceTicks(1)
  expect([node.chain.pending.executed.length, balance()]).toEqual([5, 1121n])
  expect(node.chain.mempool.size).toBe(0)
})

test('a view reads the same while ticks, seals and cheats go on', async () => {
  const node = await createTestChain()
  const { chain, clocks } = node
  const traffic = new RandomTraffic(11, node.accounts.slice(0, 4), 31337)
  const [deployer = '0x'] = traffic.addresses
  const targets = contracts(deployer)
  for (const raw of await traffic.deployments()) await node.send(raw)
  const watched = [...traffic.addresses, targets.token, targets.playground]
  const views: { state: StateReader; first: string }[] = []
  for (let step = 0; step < 120; step++) {
    const { state } = chain.pending
    state.retain()
    views.push({ state, first: readings(state, watched) })
    await node.send(await traffic.next(targets))
    const roll = traffic.random.below(8)
    if (roll < 4) await clocks.advanceTicks(1)
    else if (roll === 4) await clocks.seal()
    else if (roll === 5) await setBalance(node, traffic.random.pick(traffic.addresses), step)
  }
  for (const { state, first } of views) expect(readings(state, watched)).toBe(first)
  expect(new Set(views.map(({ first }) => first)).size).toBeGreaterThan(30)
})

async function setBalance(node: TestChain, address: Hex, salt: number): Promise<void> {
  const balance = 10n ** 21n + BigInt(salt)
  await node.clocks.command((writer) => writer.cheat({ kind: 'setBalance', address, balance }))
}

/** Everything that a snapshot has to bring back. */
function fingerprint({ chain, clocks }: TestChain, addresses: readonly Hex[]) {
  const { pending, head } = chain
  return {
    head: head.hash,
    latest: readings(chain.store.view(head.version), addresses),
    pending: readings(pending.state, addresses),
    environment: { ...pending.environment, parent: pending.environment.parent.hash },
    executed: pending.executed.map(({ transaction, tick, cumulativeGasUsed }) => ({
      hash: transaction.hash,
      tick,
      cumulativeGasUsed,
    })),
    steps: pending.steps,
    roots: [toHex(pending.transactions.rootHash()), toHex(pending.receipts.rootHash())],
    bloom: keccak256(pending.bloom),
    ticks: pending.ticks,
    mempool: chain.mempool.snapshot().map(({ transaction }) => transaction.hash),
    runnable: chain.mempool.runnable(0n).map(({ hash }) => hash),
    time: clocks.now,
    clocks: [clocks.ticks, clocks.seals].map((beat) => [beat.running, beat.next(clocks.now)]),
    instant: clocks.instant,
    settings: { ...chain.settings },
    chainId: chain.engine.chainId,
    dropped: [...chain.dropped],
    reexecuted: [...chain.reexecuted],
  }
}

test.each(seeds(20))('snapshot, anything, revert, seed %i', async (seed) => {
  const node = await createTestChain()
  const control = await createTestChain()
  const { chain, clocks } = node
  const traffic = new RandomTraffic(seed, node.accounts.slice(0, 4), 31337)
  const [deployer = '0x'] = traffic.addresses
  const targets = contracts(deployer)
  const { random } = traffic
  const both = async (run: (one: TestChain) => Promise<unknown>) => {
    await run(node)
    await run(control)
  }
  const sendBoth = async (raw: Hex) => both((one) => one.send(raw))
  for (const raw of await traffic.deployments()) await sendBoth(raw)

  for (let round = 0; round < 6; round++) {
    for (let step = random.below(12); step >= 0; step--) {
      await sendBoth(await traffic.next(targets))
      if (random.once(3)) await both((one) => one.clocks.advanceTicks(1))
      if (random.once(6)) await both((one) => one.clocks.seal())
    }
    const before = fingerprint(node, traffic.addresses)
    const id = await chain.write((writer) => writer.snapshot(clocks.snapshot()))
    await wild(node, random, 15)
    await chain.write((writer) => {
      expect(writer.revert(id)).toBe(true)
      // An id is good for once.
      expect(writer.revert(id)).toBe(false)
    })
    expect(fingerprint(node, traffic.addresses)).toEqual(before)
  }
  await both((one) => one.clocks.advanceBlocks(2))
  // A chain that never went astray: the same head, all roots included.
  expect(chain.head.hash).toBe(control.chain.head.hash)
})

/** Whatever a test may do between a snapshot and its revert. */
async function wild(node: TestChain, random: Random, steps: number): Promise<void> {
  const { chain, clocks, accounts } = node
  const recipient = '0x00000000000000000000000000000000000000bb'
  for (let step = 0; step < steps; step++) {
    const account = random.pick(accounts.slice(0, 8))
    const next = Number(chain.mempool.nextNonce(addressKeyFromHex(account.address)))
    switch (random.below(13)) {
      case 0:
      case 1:
        await node.send(await transfer(account, next, recipient))
        break
      case 2:
        await node.send(await transfer(account, next + 100 + step, recipient))
        break
      case 3:
        await clocks.advanceTicks(1 + random.below(3))
        break
      case 4:
        await clocks.advanceBlocks(1 + random.below(2))
        break
      case 5:
        await setBalance(node, account.address, step)
        break
      case 6:
        await clocks.choose((writer) => writer.set({ coinbase: fromHex(recipient) }))
        break
      case 7:
        await clocks.setNextTimestamp(
          Number(chain.pending.environment.timestamp) + 10 + random.below(100),
        )
        break
      case 8:
        await clocks.setAutomine(random.once(2))
        break
      case 9:
        await clocks.setSealInterval(random.once(3) ? undefined : [1000, 3000 + random.below(9000)])
        break
      case 10:
        await clocks.choose((writer) =>
          writer.set({
            timestampInterval: random.once(2) ? undefined : BigInt(1 + random.below(50)),
            gasLimit: random.once(2) ? 60_000_000n : 21_000n,
            impersonated: new Set([account.address]),
            impersonateAll: random.once(2),
          }),
        )
        break
      case 11: {
        const hashes = chain.pending.executed.map(({ transaction }) => transaction.hash)
        await chain.write((writer) => writer.drop(new Set(hashes.slice(0, 1)), 'test'))
        // What waits cannot run on another chain.
        if (random.once(3)) {
          await clocks.choose((writer) => writer.set({ chainId: 5 }))
          await clocks.choose((writer) => writer.set({ chainId: 31337 }))
        }
        break
      }
      default: {
        const inner = await chain.write((writer) => writer.snapshot(clocks.snapshot()))
        await clocks.advanceBlocks(1)
        if (random.once(2)) await chain.write((writer) => writer.revert(inner))
      }
    }
  }
}

test('blocks and receipts stay as they were when later ones follow', async () => {
  const node = await createTestChain()
  const traffic = new RandomTraffic(5, node.accounts.slice(0, 3), 31337)
  const [deployer = '0x'] = traffic.addresses
  for (const raw of await traffic.deployments()) await node.send(raw)
  const seen: { block: SealedBlock; state: string }[] = []
  const addresses = traffic.addresses
  for (let index = 0; index < 20; index++) {
    await node.send(await traffic.next(contracts(deployer)))
    await node.clocks.advanceBlocks(1)
    const block = node.chain.head
    seen.push({ block, state: readings(node.chain.store.view(block.version), addresses) })
  }
  for (const { block, state } of seen) {
    expect(node.chain.history.byNumber(block.number)).toBe(block)
    expect(readings(node.chain.store.view(block.version), addresses)).toBe(state)
  }
})
