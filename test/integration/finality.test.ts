import { numberToHex } from 'viem'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDevnet } from '../../devnet/index.ts'
import type { Hex } from '../../devnet/primitives/hex.ts'
import { seeds } from '../support/longRuns.ts'
import { Random } from '../support/random.ts'
import { WITNESS_CODE } from '../support/witness.ts'

const WITNESS = '0x00000000000000000000000000000000000717e5'

interface Receipt {
  readonly blockHash: Hex
  readonly blockNumber: Hex
  readonly transactionIndex: Hex
  readonly gasUsed: Hex
  readonly status: Hex
  readonly logs: readonly { readonly address: Hex; readonly topics: Hex[]; readonly data: Hex }[]
}

interface Frame {
  readonly gasUsed: Hex
  readonly error?: string
  readonly logs?: readonly { readonly address: Hex; readonly topics: Hex[]; readonly data: Hex }[]
}

const PENDING_HASH = `0x${'00'.repeat(32)}`

type Mode = 'frozen' | 'running' | 'instant'

const OPTIONS = {
  frozen: { frozenTicks: true },
  running: { tickInterval: 3, sealInterval: 11 },
  instant: { instant: true },
}

/** A node, and the receipts that it has shown so far. */
class Watched {
  readonly #devnet
  readonly #seen = new Map<Hex, string>()
  readonly #hashes: Hex[] = []
  #snapshots: string[] = []
  readonly accounts: readonly Hex[]

  private constructor(devnet: ReturnType<typeof createDevnet>) {
    this.#devnet = devnet
    this.accounts = devnet.accounts.slice(0, 4).map(({ address }) => address)
  }

  static async start(mode: Mode): Promise<Watched> {
    const devnet = createDevnet({
      port: 0,
      wallet: false,
      timestamp: 1_800_000_000,
      ...OPTIONS[mode],
    })
    await devnet.start()
    onTestFinished(() => devnet.stop())
    const node = new Watched(devnet)
    await node.request('hardhat_setCode', WITNESS, WITNESS_CODE)
    return node
  }

  request<Result>(method: string, ...params: unknown[]): Promise<Result> {
    // Each call below knows what its method answers.
    return this.#devnet.provider.request({ method, params }) as Promise<Result>
  }

  /** Sends a call of the witness, or a transfer; ignores a refusal, as after a nonce was raised. */
  async send(from: Hex, isTransfer: boolean): Promise<void> {
    const to = isTransfer ? '0x00000000000000000000000000000000000000aa' : WITNESS
    const request = { from, to, value: '0x3', gas: isTransfer ? '0x5208' : '0x186a0' }
    this.#hashes.push(await this.request<Hex>('eth_sendTransaction', request))
  }

  /** One random command. @returns what it was, for the failure message */
  async step(random: Random, mode: Mode): Promise<string> {
    const address = random.pick([...this.accounts, WITNESS])
    const { timestamp } = await this.request<{ timestamp: Hex }>(
      'eth_getBlockByNumber',
      'pending',
      false,
    )
    const later = Number(timestamp) + 1 + random.below(100)
    const run = async (method: string, ...params: unknown[]) => {
      await this.request(method, ...params)
      return `${method} ${JSON.stringify(params)}`
    }
    switch (random.below(mode === 'instant' ? 19 : 24)) {
      case 0:
        return run(
          'hardhat_setBalance',
          address,
          numberToHex(10n ** 21n + BigInt(random.below(1000))),
        )
      case 1:
        return run('hardhat_addBalance', address, numberToHex(1 + random.below(1000)))
      case 2:
        return run(
          'hardhat_setStorageAt',
          WITNESS,
          '0x0',
          `0x${String(random.below(100)).padStart(64, '0')}`,
        )
      case 3:
        return run(
          'hardhat_setNonce',
          `0x${'ee'.repeat(19)}0${random.below(4)}`,
          numberToHex(1000 + random.below(9)),
        ).catch((error: Error) => error.message)
      case 4:
        return run('hardhat_setCode', `0x${'cc'.repeat(20)}`, random.once(2) ? '0x' : WITNESS_CODE)
      case 5:
        return run('evm_setNextBlockTimestamp', numberToHex(later))
      case 6:
        return run('evm_increaseTime', numberToHex(random.below(50)))
      case 7:
        return run('evm_setTime', numberToHex(later))
      case 8:
        return run('hardhat_setNextBlockBaseFeePerGas', numberToHex(1 + random.below(10 ** 9)))
      case 9:
        return run('hardhat_setCoinbase', `0x${'c0'.repeat(19)}0${random.below(9)}`)
      case 10:
        return run('hardhat_setPrevRandao', numberToHex(random.below(1000), { size: 32 }))
      case 11:
        return run('evm_setBlockGasLimit', numberToHex(20_000_000 + random.below(1000)))
      case 12:
        return run('evm_mine', ...(random.once(2) ? [numberToHex(later)] : []))
      case 13:
        return run(
          'hardhat_mine',
          numberToHex(1 + random.below(3)),
          numberToHex(1 + random.below(9)),
        )
      case 14: {
        const state = await this.request<Hex>('hardhat_dumpState')
        this.#snapshots = []
        return run('hardhat_loadState', state)
      }
      case 15:
        this.#snapshots.push(await this.request<string>('evm_snapshot'))
        return 'evm_snapshot'
      case 16: {
        const id = this.#snapshots.splice(random.below(this.#snapshots.length + 1)).shift()
        this.#seen.clear()
        // More blocks than there are, now and then.
        if (id === undefined) {
          const method = random.once(2) ? 'anvil_rollback' : 'anvil_reorg'
          return run(method, random.below(3)).catch((error: Error) => error.message)
        }
        return run('evm_revert', id)
      }
      case 17:
        return run('hardhat_impersonateAccount', address)
      case 18: {
        const pending = [...this.#seen].filter(([, text]) => {
          const receipt: Receipt = JSON.parse(text)
          return receipt.blockHash === PENDING_HASH
        })
        if (pending.length === 0) return 'nothing to drop'
        for (const [hash] of pending) this.#seen.delete(hash)
        // While the clocks run, it may be sealed by now.
        return run('hardhat_dropTransaction', random.pick(pending)[0]).catch(
          (error: Error) => error.message,
        )
      }
      case 19:
        return run('preconf_seal')
      case 20:
        return run('preconf_freeze', { ticks: mode === 'frozen' || random.once(2) })
      case 21:
        return mode === 'frozen' ? run('preconf_advance', { blocks: 1 }) : run('preconf_resume')
      default:
        return run('preconf_advance', { ticks: 1 })
    }
  }

  /** Compares each receipt with the one that was seen first. */
  async look(after: string): Promise<void> {
    for (const hash of this.#hashes) {
      const receipt = await this.request<Receipt | null>('eth_getTransactionReceipt', hash)
      const first = this.#seen.get(hash)
      if (receipt === null) {
        expect(first, `lost by ${after}`).toBe(undefined)
        continue
      }
      const text = JSON.stringify(receipt)
      if (first !== undefined) expect(withoutHash(text), after).toBe(withoutHash(first))
      this.#seen.set(hash, text)
    }
  }

  /** Compares each receipt with what a replay of the transaction says. */
  async replay(): Promise<void> {
    for (const [hash, text] of this.#seen) {
      const receipt: Receipt = JSON.parse(text)
      const tracer = { tracer: 'callTracer', tracerConfig: { withLog: true } }
      const frame = await this.request<Frame>('debug_traceTransaction', hash, tracer)
      expect(frame.gasUsed).toBe(receipt.gasUsed)
      expect(frame.error === undefined ? '0x1' : '0x0').toBe(receipt.status)
      const short = ({ address, topics, data }: Receipt['logs'][number]) => ({
        address,
        topics,
        data,
      })
      expect((frame.logs ?? []).map(short)).toEqual(receipt.logs.map(short))
    }
  }

  get size(): number {
    return this.#seen.size
  }

  /** Hashes of the newest sealed block, and of all transactions' receipts. */
  async fingerprint(): Promise<unknown> {
    const latest = await this.request<{ hash: Hex }>('eth_getBlockByNumber', 'latest', false)
    return [latest.hash, [...this.#seen.values()]]
  }
}

/** A receipt's text without block hashes, which the seal fills in. */
function withoutHash(text: string): string {
  return text.replaceAll(/"blockHash":"0x[0-9a-f]{64}"/g, '"blockHash":null')
}

async function play(seed: number, mode: Mode): Promise<Watched> {
  const node = await Watched.start(mode)
  const random = new Random(seed)
  for (let step = 0; step < 60; step++) {
    const isSend = random.below(10) < 4
    if (isSend) {
      await node.send(random.pick(node.accounts), random.once(3))
      if (mode !== 'instant' && random.once(2)) await node.request('preconf_advance', { ticks: 1 })
    }
    await node.look(isSend ? 'a send' : await node.step(random, mode))
  }
  return node
}

describe('what is pre-confirmed is final', () => {
  test.each(seeds(200))('both clocks frozen, seed %i', async (seed) => {
    const node = await play(seed, 'frozen')
    expect(node.size).toBeGreaterThan(0)
    await node.replay()
    const again = await play(seed, 'frozen')
    expect(await again.fingerprint()).toEqual(await node.fingerprint())
  })

  test.each(seeds(100))('both clocks running, seed %i', async (seed) => {
    const node = await play(seed, 'running')
    await node.replay()
  })

  test.each(seeds(100))('instant, seed %i', async (seed) => {
    const node = await play(seed, 'instant')
    await node.replay()
  })
})
