import { createAddressFromString } from '@ethereumjs/util'
import type { VM } from '@ethereumjs/vm'
import { getContractAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import type { FaultEvent } from '../../../devnet/faults/types.ts'
import { NodeFaults } from '../../../devnet/nodeFaults.ts'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import type { ExecutedTransaction } from '../../../devnet/protocol/receipt.ts'
import { addressKeyFromHex } from '../../../devnet/state/keys.ts'
import { runs, seeds } from '../../support/longRuns.ts'
import { createOracle, verify } from '../chain/libraryOracle.ts'
import { blockAt, expectAllLinked } from '../chain/linkage.ts'
import { RandomTraffic } from '../chain/randomTraffic.ts'
import { createRpcChain, SLOW_CLOCKS } from '../rpc/methods/rpcChain.ts'
import { FAULTY_METHODS, randomScript } from './randomScript.ts'

const MODES: readonly OptionsInput[] = [
  {},
  {},
  { readOwnWrites: true },
  { tickInterval: 0 },
  { instant: true },
]

/** Scripts that one chain goes through, one after the other: 1,000 in all in the long runs. */
const SCRIPTS = runs(10, 2)

/** Faults that change what a block was pre-confirmed with. */
const BREAKING = new Set(['drop', 'reorder', 'truncate', 'reorg'])

/** A chain under random traffic and random rules, its judge, and what clients have seen. */
class FaultyRun {
  readonly events: FaultEvent[] = []
  readonly sent = new Set<Hex>()
  /** Those that were sent again, after a fault had dropped them. */
  readonly sentAgain = new Set<Hex>()
  readonly reasons = new Map<Hex, string>()
  readonly droppedByFault = new Set<Hex>()
  /** What the newest view has shown, by the number of its block. */
  readonly shown = new Map<number, readonly ExecutedTransaction[]>()
  /** Blocks that were sealed otherwise than they were shown. */
  readonly broken = new Set<number>()
  readonly stream = { published: 0, sent: 0, spare: 0 }
  /** The newest block that the library has executed. */
  verified = 0
  readonly node
  readonly traffic
  readonly vm
  readonly faults
  readonly #targets

  static async start(seed: number): Promise<FaultyRun> {
    // Without delegations, a nonce rises only with the transactions of its account.
    const options = { ...SLOW_CLOCKS, ...MODES[seed % MODES.length], hardfork: 'cancun' } as const
    const node = await createRpcChain(options)
    const run = new FaultyRun(seed, node, await createOracle(node))
    for (const raw of await run.traffic.deployments()) await run.submit(raw)
    await node.clocks.advanceBlocks(1)
    return run
  }

  private constructor(seed: number, node: Awaited<ReturnType<typeof createRpcChain>>, vm: VM) {
    this.node = node
    this.vm = vm
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
    chain.onPublish(({ view, index }) => {
      const block = Number(view.environment.number)
      this.shown.set(block, view.executed)
      // The stream of a node sends what its rules make of the messages.
      const message = {}
      this.stream.published++
      this.stream.sent += (clocks.faults?.messages(message, { block, index }) ?? [message]).length
    })
    chain.onSeal(({ number, executed }) => {
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
      expect(this.sent).toContain(hash)
      this.droppedByFault.add(hash)
    }
    if (kind === 'duplicateSlice') this.stream.spare++
    if (kind === 'loseSlice') this.stream.spare--
  }

  async submit(raw: Hex): Promise<void> {
    const hash = await this.node.send(raw)
    if (this.sent.has(hash)) this.sentAgain.add(hash)
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
    switch (random.below(8)) {
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
        const params = { eth_getBalance: [address], eth_getTransactionReceipt: [[...this.sent][0]] }
        const count = this.events.length
        const answer = await node
          .call(method, ...(params[method as keyof typeof params] ?? []))
          .catch((error: Error) => error)
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

  /** Each command for a block makes one, whatever the rules. */
  async #expectBlocks(run: () => Promise<void>): Promise<void> {
    const { number } = this.node.chain.head
    await run()
    expect(this.node.chain.head.number).toBeGreaterThan(number)
  }

  #keepReasons(): void {
    for (const { hash, reason } of this.node.chain.dropped) this.reasons.set(hash, reason)
  }

  /** Holds what must hold after each script. */
  async check(): Promise<void> {
    const { chain, clocks } = this.node
    const counts = clocks.faults?.status.rules.map(({ fired }) => fired) ?? []
    const heard = counts.map((_, index) => this.events.filter(({ rule }) => rule === index).length)
    expect(counts).toEqual(heard)
    // Nothing is lost without a fault that says so.
    for (const [hash, reason] of this.reasons) {
      expect(reason).toMatch(/^(?:dropped by fault \d+|block \d+, which held it, was reorganised)$/)
      if (reason.startsWith('dropped')) expect(this.droppedByFault).toContain(hash)
    }
    for (const hash of this.droppedByFault) expect(this.reasons.has(hash)).toBe(true)
    for (const hash of this.sent) {
      if (this.sentAgain.has(hash)) continue
      expect(chain.findTransaction(hash) !== undefined).toBe(!this.reasons.has(hash))
    }
    await this.#checkBlocks()
  }

  /** The library executes the sealed blocks, and finds the same states. */
  async #checkBlocks(): Promise<void> {
    const { chain } = this.node
    // A reorganisation may have replaced some that it has executed.
    const first = Math.max(1, Math.min(this.verified, chain.head.number) - 40)
    for (let number = this.#firstChanged(first); number <= chain.head.number; number++) {
      await verify(this.vm, blockAt(chain, number), blockAt(chain, number - 1))
      this.#hashes.set(number, blockAt(chain, number).hash)
    }
    this.verified = chain.head.number
    const latest = chain.store.view(chain.head.version)
    for (const address of this.traffic.addresses) {
      const own = latest.account(addressKeyFromHex(address))
      const theirs = await this.vm.stateManager.getAccount(createAddressFromString(address))
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
    this.broken.clear()
    this.events.length = 0
    await clocks.advanceTicks(1)
    this.#resync()
    const raw = await traffic.next(this.#targets)
    await this.submit(raw)
    const hash = [...this.sent].at(-1) ?? '0x'
    await clocks.advanceBlocks(1)
    expect(chain.findTransaction(hash)?.at).toBe('sealed')
    expectAllLinked(chain)
  }
}

// At least one of each mode.
describe.each(seeds(100, 20))('behavior: random traffic under random scripts, seed %i', (seed) => {
  test('every invariant holds', async () => {
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
    const { published, sent, spare } = run.stream
    // A message that waits to be swapped gets lost with its rule.
    expect(published + spare - sent).toBeGreaterThanOrEqual(0)
    expect(published + spare - sent).toBeLessThanOrEqual(SCRIPTS)
  })
})
