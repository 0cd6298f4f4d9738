import { createAddressFromString } from '@ethereumjs/util'
import type { VM } from '@ethereumjs/vm'
import { getContractAddress } from 'viem'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { FaultEvent } from '../../../devnet/faults/types.ts'
import { NodeFaults } from '../../../devnet/node/nodeFaults.ts'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import type { ExecutedTransaction } from '../../../devnet/protocol/receipt.ts'
import { addressKeyFromHex } from '../../../devnet/state/keys.ts'
import { START, untilWorked } from '../../support/chain.ts'
import { seeds } from '../../support/longRuns.ts'
import { createOracle, verify } from '../chain/libraryOracle.ts'
import { blockAt, expectAllLinked } from '../chain/linkage.ts'
import { RandomTraffic } from '../chain/randomTraffic.ts'
import { createRpcChain, type RpcChain, SLOW_CLOCKS } from '../rpc/methods/rpcChain.ts'
import { createFollower, expectEqual } from '../stream/raw/follower.ts'
import { FAULTY_METHODS, randomScript } from './randomScript.ts'

/** Clocks that stand still but for commands and, in the first mode, for the time that passes. */
const MODES: readonly OptionsInput[] = [
  { tickInterval: 200, sealInterval: 2000 },
  { keepBlocks: 64 },
  { readOwnWrites: true, order: 'fees' },
  { tickInterval: 0, order: 'fees', keepBlocks: 64 },
  { instant: true },
]

/** Scripts that one chain goes through, one after the other: 1,000 in all in the long runs. */
const SCRIPTS = 10

/** Hash of no transaction. */
const NOBODYS: Hex = `0x${'12'.repeat(32)}`

type Follower = Awaited<ReturnType<typeof createFollower>>

/** Faults that change what a block was pre-confirmed with. */
const BREAKING = new Set(['drop', 'reorder', 'truncate', 'reorg'])

/** A chain under random traffic and random rules, its judge, and what clients have seen. */
class FaultyRun {
  readonly events: FaultEvent[] = []
  readonly sent = new Set<Hex>()
  /** The same, those included that a command has taken back. */
  readonly #everSent = new Set<Hex>()
  /** Those that were sent again, after they had been dropped or taken back. */
  readonly sentAgain = new Set<Hex>()
  readonly reasons = new Map<Hex, string>()
  readonly droppedByFault = new Set<Hex>()
  /** What the newest view has shown, by the number of its block. */
  readonly shown = new Map<number, readonly ExecutedTransaction[]>()
  /** Blocks that were sealed otherwise than they were shown. */
  readonly broken = new Set<number>()
  readonly stream = { published: 0, sent: 0, spare: 0, swapped: [] as object[] }
  /** The newest block that the library has executed. */
  verified = 0
  /** Whether the clocks follow wall time, which is faked. */
  readonly #isRunning: boolean
  #snapshot: unknown
  readonly node
  readonly traffic
  /** Judges the blocks; in its place the follower, who also understands cheats. */
  readonly vm
  readonly follower
  readonly faults
  readonly #targets

  static async start(seed: number): Promise<FaultyRun> {
    // Without delegations, a nonce rises only with the transactions of its account.
    const mode = MODES[seed % MODES.length]
    const options = { ...SLOW_CLOCKS, ...mode, hardfork: 'cancun', syncTimeout: 20 } as const
    const node = await createRpcChain(options)
    const isJudgedByLibrary = seed % 2 === 1
    const vm = isJudgedByLibrary ? await createOracle(node) : undefined
    const follower = isJudgedByLibrary ? undefined : await createFollower(node, options)
    // Lets the follower know the first block.
    await node.call('hardhat_reset')
    const run = new FaultyRun(seed, node, vm, follower)
    for (const raw of await run.traffic.deployments()) await run.submit(raw)
    await node.clocks.advanceBlocks(1)
    return run
  }

  private constructor(
    seed: number,
    node: RpcChain,
    vm: VM | undefined,
    follower: Follower | undefined,
  ) {
    this.node = node
    this.vm = vm
    this.follower = follower
    this.#isRunning = node.options.sealInterval < SLOW_CLOCKS.sealInterval
    const { chain, clocks } = node
    this.traffic = new RandomTraffic(seed, node.accounts.slice(0, 5), 31337, 'cancun')
    const from = this.traffic.addresses[0] ?? '0x'
    this.#targets = {
      token: getContractAddress({ from, nonce: 0n }),
      playground: getContractAddress({ from, nonce: 1n }),
    }
    this.faults = new NodeFaults({
      chain,
      clocks,
      onFault: (event) => this.#hear(event),
      cutSockets: () => undefined,
    })
    chain.events.published.add(({ view, index }) => {
      const block = Number(view.environment.number)
      this.shown.set(block, view.executed)
      // The stream of a node sends what its rules make of the messages.
      const message = {}
      this.stream.published++
      const sent = clocks.faults?.messages(message, { block, index }, this.stream.swapped)
      this.stream.sent += (sent ?? [message, ...this.stream.swapped.splice(0)]).length
    })
    chain.events.sealed.add(({ number, executed }) => {
      if (this.broken.has(number)) return
      // Nothing but a fault makes a block differ from what was pre-confirmed.
      expect(executed).toEqual(this.shown.get(number))
    })
  }

  #hear(event: FaultEvent): void {
    this.events.push(event)
    const { kind, block, transactions } = event
    if (BREAKING.has(kind)) this.broken.add(block)
    if (kind === 'reorg')
      for (let number = block; number > block - 4; number--) this.broken.add(number)
    for (const hash of kind === 'drop' ? transactions : []) {
      expect(this.#everSent).toContain(hash)
      this.droppedByFault.add(hash)
    }
    if (kind === 'duplicateSlice') this.stream.spare++
    if (kind === 'loseSlice') this.stream.spare--
  }

  async submit(raw: Hex): Promise<void> {
    const hash = await this.node.send(raw)
    if (this.#everSent.has(hash)) this.sentAgain.add(hash)
    this.#everSent.add(hash)
    this.sent.add(hash)
    if (this.node.clocks.instant || this.node.clocks.ticksOnArrival) {
      await this.node.clocks.arrivals
    }
  }

  /** Goes on where faults have left the nonces, so that not all that follows is behind a gap. */
  #resync(): void {
    const { mempool } = this.node.chain
    for (const [index, address] of this.traffic.addresses.entries()) {
      this.traffic.nonces[index] = Number(mempool.nextNonce(addressKeyFromHex(address)))
    }
  }

  /** One random thing that users of a node do. */
  async step(): Promise<void> {
    const { node, traffic } = this
    const { random } = traffic
    const { clocks } = node
    switch (random.below(14)) {
      case 8:
        await this.#pass(1 + random.below(3000))
        break
      case 9:
        if (random.once(2)) await clocks.freeze({ ticks: random.once(2) })
        else await clocks.resume()
        break
      case 10:
        await this.#choose()
        break
      case 11:
        await this.#takeBack()
        break
      case 12: {
        const hashes = [...this.sent]
        const hash = hashes.length === 0 ? NOBODYS : random.pick(hashes)
        await node.call('hardhat_dropTransaction', hash).catch((error: Error) => {
          expect(error.message).toMatch(/already mined/)
        })
        break
      }
      case 0:
        await clocks.seal()
        break
      case 1:
        await this.#expectBlocks(() => clocks.advanceBlocks(1))
        break
      case 2:
        await this.#expectBlocks(() => clocks.tickAndSeal(1).then(() => undefined))
        break
      case 3: {
        const method = random.pick([...FAULTY_METHODS, 'eth_chainId'])
        const [address = '0x'] = traffic.addresses
        const params = {
          eth_getBalance: [address],
          eth_getTransactionReceipt: [[...this.sent][0] ?? NOBODYS],
        }
        const count = this.events.length
        const asked = node
          .call(method, ...(params[method as keyof typeof params] ?? []))
          .catch((error: Error) => error)
        // A look-up of what waits ends with its time-out.
        if (this.#isRunning) await this.#pass(20)
        const answer = await asked
        // Refused by a fault, or not at all.
        if (answer instanceof Error) expect(this.events.length).toBeGreaterThan(count)
        if (method === 'eth_chainId') expect(answer).toBe('0x7a69')
        break
      }
      case 4:
      case 5:
        await clocks.advanceTicks(1 + random.below(3))
        break
      default: {
        if (random.once(2)) this.#resync()
        for (let count = 1 + random.below(4); count > 0; count--) {
          await this.submit(await traffic.next(this.#targets)).catch((error: Error) => {
            // What a gap held back has taken the nonce since, or still waits with it.
            expect(error.message).toMatch(/underpriced|already known|nonce too low/)
          })
        }
      }
    }
    this.#keepReasons()
  }

  /** Lets wall time pass. */
  async #pass(ms: number): Promise<void> {
    if (!this.#isRunning) return
    await vi.advanceTimersByTimeAsync(ms)
    await untilWorked(this.node)
  }

  /** A command about the next block, or the state. */
  async #choose(): Promise<void> {
    const { node, traffic, follower } = this
    const { random } = traffic
    const address = `0x${'c0'.repeat(19)}${10 + random.below(80)}`
    const commands: (readonly unknown[])[] = [
      ['evm_increaseTime', 1 + random.below(30)],
      ['hardhat_setCoinbase', address],
      ['hardhat_setPrevRandao', `0x${'ab'.repeat(31)}${10 + random.below(80)}`],
    ]
    if (follower !== undefined) commands.push(['hardhat_setBalance', address, '0x7'])
    const [method = '', ...params] = random.pick(commands)
    await node.call(String(method), ...params)
  }

  /** A command that takes back what came before. */
  async #takeBack(): Promise<void> {
    const { node, traffic } = this
    const { random } = traffic
    const { chain } = node
    if (this.#snapshot === undefined) {
      this.#snapshot = await node.call('evm_snapshot')
      return
    }
    const depth = Math.min(chain.head.number, 1 + random.below(3))
    switch (random.below(8)) {
      case 0:
        // Not if the first block is not kept any more.
        await node.call('hardhat_reset').catch((error: Error) => {
          expect(error.message).toContain('not kept')
        })
        break
      case 1:
      case 2:
        await node.call('anvil_rollback', depth)
        break
      case 3:
      case 4:
        await node.call('anvil_reorg', depth, [])
        break
      default:
        await node.call('evm_revert', this.#snapshot)
    }
    this.#snapshot = undefined
    this.verified = Math.min(this.verified, Math.max(0, chain.head.number - 3))
    this.broken.clear()
    // Whatever has become of them.
    this.sent.clear()
    this.reasons.clear()
    this.droppedByFault.clear()
  }

  /** Each command for a block makes one, whatever the rules. */
  async #expectBlocks(run: () => Promise<void>): Promise<void> {
    const { number } = this.node.chain.head
    await run()
    expect(this.node.chain.head.number).toBeGreaterThan(number)
  }

  #keepReasons(): void {
    for (const { hash, reason } of this.node.chain.dropped) {
      if (this.sent.has(hash)) this.reasons.set(hash, reason)
    }
  }

  /** Holds what must hold after each script. */
  async check(): Promise<void> {
    const { chain, clocks } = this.node
    const counts = clocks.faults?.status.rules.map(({ fired }) => fired) ?? []
    const heard = counts.map((_, index) => this.events.filter(({ rule }) => rule === index).length)
    expect(counts).toEqual(heard)
    // Nothing is lost without a fault that says so.
    for (const [hash, reason] of this.reasons) {
      expect(reason).toMatch(
        /^(?:dropped by (?:fault \d+|hardhat_\w+)|block \d+, which held it, was reorganised)$/,
      )
      if (reason.startsWith('dropped by fault')) expect(this.droppedByFault).toContain(hash)
    }
    for (const hash of this.droppedByFault) {
      if (this.sent.has(hash)) expect(this.reasons.has(hash)).toBe(true)
    }
    for (const hash of this.sent) {
      if (this.sentAgain.has(hash)) continue
      expect(chain.findTransaction(hash) !== undefined).toBe(!this.reasons.has(hash))
    }
    await this.#checkBlocks()
  }

  /** The library executes the sealed blocks, and finds the same states. */
  async #checkBlocks(): Promise<void> {
    const { node, vm, follower } = this
    const { chain } = node
    if (follower !== undefined) {
      const effects = await follower.read()
      // A late tick may have come meanwhile.
      while (follower.stream.texts.length > 0) effects.push(...(await follower.read()))
      expect(effects.filter((effect) => effect !== 'applied')).toEqual([])
      expectEqual(node, follower.copy)
    }
    if (vm === undefined || chain.head.number === 0) return
    // A reorganisation may have replaced some that it has executed.
    const known = Math.min(this.verified, chain.head.number) - 40
    const first = Math.max(1, chain.history.oldest + 1, known)
    for (let number = this.#firstChanged(first); number <= chain.head.number; number++) {
      await verify(vm, blockAt(chain, number), blockAt(chain, number - 1))
      this.#hashes.set(number, blockAt(chain, number).hash)
    }
    this.verified = chain.head.number
    const latest = chain.store.view(chain.head.version)
    for (const address of this.traffic.addresses) {
      const own = latest.account(addressKeyFromHex(address))
      const theirs = await vm.stateManager.getAccount(createAddressFromString(address))
      expect([own?.nonce, own?.balance]).toEqual([theirs?.nonce, theirs?.balance])
    }
  }

  readonly #hashes = new Map<number, Hex>()

  #firstChanged(from: number): number {
    let number = from
    while (this.#hashes.get(number) === blockAt(this.node.chain, number).hash) {
      if (number++ === this.node.chain.head.number) return number - 1
    }
    return number
  }

  /** Without rules, the node is as ever. */
  async checkRecovery(): Promise<void> {
    const { node, traffic } = this
    const { chain, clocks } = node
    await this.faults.apply({ rules: [] })
    expect(clocks.faults).toBeUndefined()
    await clocks.resume()
    this.broken.clear()
    this.events.length = 0
    await clocks.advanceTicks(1)
    this.#resync()
    const raw = await traffic.next(this.#targets)
    await this.submit(raw)
    const hash = [...this.sent].at(-1) ?? '0x'
    // The clocks run: a delay that a fault left behind would show.
    if (this.#isRunning) await this.#pass(2400)
    else await clocks.advanceBlocks(1)
    expect(chain.findTransaction(hash)?.at).toBe('sealed')
    expectAllLinked(chain)
  }
}

// At least one of each mode.
describe.each(seeds(100))('random traffic under random scripts, seed %i', (seed) => {
  test('every invariant holds', async () => {
    const isRunning = MODES[seed % MODES.length]?.sealInterval !== undefined
    if (isRunning) {
      vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: START * 1000 })
      onTestFinished(() => {
        vi.useRealTimers()
      })
    }
    const run = await FaultyRun.start(seed)
    const { node, traffic } = run
    let fired = 0
    for (let script = 0; script < SCRIPTS; script++) {
      const block = node.chain.head.number + 1
      await run.faults.apply(randomScript(traffic.random, { accounts: traffic.addresses, block }))
      for (let step = 0; step < 8; step++) await run.step()
      fired += run.events.length
      await run.check()
      await run.checkRecovery()
    }
    expect(fired).toBeGreaterThan(0)
    const { published, sent, spare, swapped } = run.stream
    expect(published + spare - sent).toBe(swapped.length)
  })
})
