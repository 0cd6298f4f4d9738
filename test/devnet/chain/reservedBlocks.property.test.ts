import { expect, test } from 'vitest'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { FUNDED } from '../../support/genesisFile.ts'
import { seeds } from '../../support/longRuns.ts'
import { Random } from '../../support/random.ts'
import { dumpOf, restored } from '../persistence/dump/support.ts'
import { createRpcChain, hex, type RpcChain } from '../rpc/methods/rpcChain.ts'
import { blockAt, expectAllLinked, expectLinked } from './linkage.ts'

/** Few or many blocks: on both sides of what is reserved, and far beyond. */
function someBlocks(random: Random): number {
  const kind = random.below(5)
  if (kind < 2) return 1 + random.below(4)
  if (kind === 2) return 250 + random.below(20)
  return kind === 3 ? 257 + random.below(3000) : 10 ** (4 + random.below(6)) + random.below(1000)
}

/** A random program: blocks in all ways, transactions, cheats, time, snapshots, state files. */
class Program {
  node: RpcChain
  readonly #random: Random
  readonly #keepBlocks: number
  /** Numbers of blocks whose base fee a command chose. */
  readonly #chosen = new Set<number>()
  #snapshots: { readonly id: Hex; readonly hash: Hex }[] = []

  constructor(node: RpcChain, random: Random, keepBlocks: number) {
    this.node = node
    this.#random = random
    this.#keepBlocks = keepBlocks
  }

  async step(): Promise<void> {
    const random = this.#random
    const { call, chain } = this.node
    const roll = random.below(16)
    if (roll < 4) {
      await call('eth_sendTransaction', {
        from: FUNDED[random.below(2)],
        to: FUNDED[2],
        value: hex(random.below(100)),
        gas: '0x5208',
      })
    } else if (roll === 4) await call('preconf_advance', { ticks: 1 })
    else if (roll < 11) await this.#mine()
    else if (roll === 11) await call('hardhat_setBalance', FUNDED[2], hex(random.below(1000)))
    else if (roll === 12) await call('evm_increaseTime', random.below(1000))
    else if (roll === 13) {
      await call('hardhat_setNextBlockBaseFeePerGas', hex(random.below(2 * 10 ** 9)))
      this.#chosen.add(Number(chain.pending.environment.number))
    } else if (roll === 14) await this.#travel()
    else await this.#restart()
    const { number } = this.node.chain.head
    expectLinked(this.node.chain, number, this.#chosen.has(number))
  }

  check(): void {
    expectAllLinked(this.node.chain, (number) => this.#chosen.has(number))
  }

  async #mine(): Promise<void> {
    const { call, chain } = this.node
    const blocks = someBlocks(this.#random)
    const kind = this.#random.below(4)
    const before = chain.head.number
    const waits = chain.mempool.size > 0
    if (kind === 0) await call('evm_mine', { blocks })
    else if (kind === 1) await call('preconf_advance', { blocks })
    else if (kind === 2) await call('hardhat_mine', hex(blocks))
    else await call('hardhat_mine', hex(blocks), hex(1 + this.#random.below(100)))
    expect(chain.head.number).toBe(before + blocks)
    if (blocks < 257) return
    // What waits is taken in the first block, or once the base fee has fallen to what it offers.
    expect(chain.mempool.size).toBe(0)
    if (waits) return
    const sealed = chain.history.entries().filter((one) => 'number' in one && one.number > before)
    expect(sealed.length).toBeLessThanOrEqual(2)
  }

  async #travel(): Promise<void> {
    const { call, chain } = this.node
    if (this.#random.once(3)) return this.#rollBack()
    if (this.#snapshots.length === 0 || this.#random.once(2)) {
      const id = await call<Hex>('evm_snapshot')
      this.#snapshots.push({ id, hash: chain.head.hash })
      return
    }
    const at = this.#random.below(this.#snapshots.length)
    const [snapshot] = this.#snapshots.slice(at)
    this.#snapshots = this.#snapshots.slice(0, at)
    // Not if --keep-blocks has dropped its block.
    const isThere = await call('evm_revert', snapshot?.id)
    if (isThere === true) expect(chain.head.hash).toBe(snapshot?.hash)
    else expect(this.#keepBlocks).toBeGreaterThan(0)
  }

  /** Rolls back to a block of the last few entries of the history. */
  async #rollBack(): Promise<void> {
    const { call, chain } = this.node
    const [first] = chain.history.entries().slice(-1 - this.#random.below(3))
    if (first === undefined) throw new Error('No block')
    const [low, high] = 'number' in first ? [first.number, first.number] : [first.first, first.last]
    const number = low + this.#random.below(Math.min(high - low + 1, 2 ** 31))
    const hash = blockAt(chain, number).hash
    const state = () => call('eth_getBalance', FUNDED[2], hex(number))
    const before = await state()
    await call('anvil_rollback', chain.head.number - number)
    expect([chain.head.number, chain.head.hash]).toEqual([number, hash])
    expect([await state(), chain.pending.executed]).toEqual([before, []])
    this.#snapshots = this.#snapshots.filter((snapshot) => chain.history.byHash(snapshot.hash))
    for (const chosen of this.#chosen) if (chosen > number) this.#chosen.delete(chosen)
  }

  /** Goes on with another node, from a state file. */
  async #restart(): Promise<void> {
    const { chain } = this.node
    const dump = await dumpOf(this.node)
    const next = await restored(dump, { keepBlocks: this.#keepBlocks })
    expect(await dumpOf(next)).toBe(dump)
    for (let sample = 0; sample < 20; sample++) {
      const { oldest, head } = chain.history
      const number = oldest + this.#random.below(Math.min(head.number - oldest + 1, 2 ** 31))
      expect(next.chain.history.hashOf(number)).toEqual(chain.history.hashOf(number))
      expect(blockAt(next.chain, number).header).toEqual(blockAt(chain, number).header)
    }
    this.node = next
    this.#snapshots = []
    this.check()
  }
}

test.each(seeds(40))(
  'every block follows on the one before it, and equal programs give equal blocks, seed %i',
  async (seed) => {
    const play = async () => {
      const random = new Random(seed)
      const keepBlocks = random.pick([0, 0, 1, 5, 300, 5000])
      const program = new Program(await createRpcChain({ keepBlocks }), random, keepBlocks)
      for (let step = 0; step < 40; step++) await program.step()
      program.check()
      return program.node.chain.head.hash
    }
    expect(await play()).toBe(await play())
  },
)
