import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { isAtLeast } from '../../../devnet/protocol/forks.ts'
import { seeds } from '../../support/longRuns.ts'
import { Random } from '../../support/random.ts'
import { dumpOf, restored } from '../persistence/dump/support.ts'
import { createRpcChain, hex, type RpcChain } from '../rpc/methods/rpcChain.ts'
import type { StructLogs, TracedFrame } from '../tracing/harness.ts'
import { CREATES_LARGE, GUARD, LONG_INIT_CODE, REPORTER } from './ruleBound.ts'

const GUARDED: Hex = '0x00000000000000000000000000000000000067a7'
const REPORTING: Hex = '0x00000000000000000000000000000000000067a8'

/** Bytes in which the code of PUSH0, which came with Shanghai, does without it. */
const withoutPush0 = (code: Hex) => code.replaceAll('5f', '3d') as Hex

interface Receipt {
  readonly transactionHash: Hex
  readonly blockNumber: Hex
  readonly status: Hex
  readonly gasUsed: Hex
  readonly logs: readonly { readonly data: Hex }[]
}

/** What must be the same at any time, wherever the chain was loaded since. */
function outcomeOf({ status, gasUsed, logs }: Receipt) {
  return { status, gasUsed, logs: logs.map(({ data }) => data) }
}

type Hardfork = 'paris' | 'cancun' | 'prague' | 'osaka' | 'bpo2'

/** A chain under options that change whenever it is loaded, and under chain ids that commands change. */
class ChangingChain {
  readonly #random: Random
  readonly #hardfork: Hardfork
  node: RpcChain
  readonly #outcomes = new Map<Hex, ReturnType<typeof outcomeOf>>()
  #looked = 0
  /** How often something depended on the rules. */
  readonly counts = { loads: 0, failures: 0, successes: 0, ids: 0 }

  private constructor(random: Random, hardfork: Hardfork, node: RpcChain) {
    this.#random = random
    this.#hardfork = hardfork
    this.node = node
  }

  static async create(seed: number): Promise<ChangingChain> {
    const random = new Random(seed)
    const hardfork = random.pick(['paris', 'cancun', 'prague', 'osaka', 'bpo2'] as const)
    const chain = new ChangingChain(
      random,
      hardfork,
      await createRpcChain(optionsOf(random, hardfork)),
    )
    for (const [address, code] of [
      [GUARDED, GUARD],
      [REPORTING, REPORTER],
    ] as const) {
      await chain.node.call('hardhat_setCode', address, chain.#code(code))
    }
    return chain
  }

  #code(code: Hex): Hex {
    return this.#hardfork === 'paris' ? withoutPush0(code) : code
  }

  async step(): Promise<void> {
    const { node } = this
    const random = this.#random
    const roll = random.below(20)
    if (roll < 10) await this.#send()
    else if (roll < 12) await node.clocks.advanceTicks(1)
    else if (roll < 14) await node.clocks.advanceBlocks(1)
    else if (roll === 14) await node.call('hardhat_mine', hex(random.pick([1, 3, 300])))
    else if (roll < 17) await this.#changeId()
    else await this.#load()
    await this.#look()
  }

  async #changeId(): Promise<void> {
    this.counts.ids++
    await this.node.call('hardhat_setChainId', this.#random.pick([31337, 999, 5]))
  }

  /** Saves the chain, and loads it under other options. */
  async #load(): Promise<void> {
    this.counts.loads++
    const dump = await dumpOf(this.node)
    this.node = await restored(dump, optionsOf(this.#random, this.#hardfork))
  }

  /** Sends something whose outcome depends on the rules; it may be refused. */
  async #send(): Promise<void> {
    const { node } = this
    const random = this.#random
    const index = random.below(4)
    const { address: from, privateKey } = node.account(index)
    const own = { from, gas: hex(random.pick([12_000_000, 12_000_000, 20_000_000])) }
    const requests: readonly object[] = [
      { to: GUARDED },
      { to: REPORTING },
      { to: REPORTING, gasPrice: hex(10n ** 10n) },
      { data: this.#code(CREATES_LARGE) },
      { data: this.#code(LONG_INIT_CODE) },
    ]
    const kind = random.below(8)
    const request = requests[kind]
    if (request !== undefined) {
      await node.dispatch
        .request({ method: 'eth_sendTransaction', params: [{ ...own, ...request }] }, CALLER)
        .catch(() => undefined)
      return
    }
    const signer = privateKeyToAccount(privateKey)
    const nonce = Number(await node.call('eth_getTransactionCount', from, 'pending'))
    const common = { nonce, to: REPORTING, gas: 200_000n }
    const delegates = kind === 7 && isAtLeast(this.#hardfork, 'prague')
    const { chainId } = node.engine
    const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 1n }
    const raw = delegates
      ? await signer.signTransaction({
          ...{ ...common, ...fees, type: 'eip7702', chainId, to: from },
          authorizationList: [
            await signer.signAuthorization({
              contractAddress: REPORTING,
              chainId: random.pick([0, 31337, 999]),
              nonce: nonce + 1,
            }),
          ],
        })
      : await signer.signTransaction({ ...common, type: 'legacy', gasPrice: 10n ** 11n })
    await node.dispatch
      .request({ method: 'eth_sendRawTransaction', params: [raw] }, CALLER)
      .catch(() => undefined)
  }

  /** All receipts are what they were when they were seen first. */
  async #look(): Promise<void> {
    const { call, chain } = this.node
    const numbers = []
    for (; this.#looked < chain.head.number; numbers.push(this.#looked)) this.#looked++
    for (const block of ['pending', ...numbers.slice(0, 3).map(hex), hex(chain.head.number)]) {
      for (const receipt of await call<Receipt[]>('eth_getBlockReceipts', block)) {
        this.#compare(receipt)
      }
    }
  }

  #compare(receipt: Receipt): void {
    const { transactionHash: hash, status } = receipt
    const known = this.#outcomes.get(hash)
    if (known === undefined) {
      this.#outcomes.set(hash, outcomeOf(receipt))
      this.counts[status === '0x1' ? 'successes' : 'failures']++
    } else expect(outcomeOf(receipt)).toEqual(known)
  }

  /** Every receipt, every trace, and the text of the chain come out again. */
  async check(): Promise<void> {
    await this.node.clocks.advanceBlocks(1)
    await this.#look()
    const options = optionsOf(this.#random, this.#hardfork)
    const dump = await dumpOf(this.node)
    const again = await restored(dump, options)
    // An empty pending block is not under the rules of what lies behind it.
    expect(await dumpOf(await restored(await dumpOf(again), options))).toBe(await dumpOf(again))
    for (const { call } of [this.node, again]) {
      for (const hash of this.#outcomes.keys()) {
        const receipt = await call<Receipt>('eth_getTransactionReceipt', hash)
        this.#compare(receipt)
        const { status, gasUsed, logs } = outcomeOf(receipt)
        const frame = await call<TracedFrame>('debug_traceTransaction', hash, CALL_TRACER)
        expect({
          status: hex(Number(frame.error === undefined)),
          gasUsed: frame.gasUsed,
          logs: (frame.logs ?? []).map(({ data }) => data),
        }).toEqual({ status, gasUsed, logs })
      }
      const blocks = new Set(
        await Promise.all(
          [...this.#outcomes.keys()].map(
            async (hash) => (await call<Receipt>('eth_getTransactionReceipt', hash)).blockNumber,
          ),
        ),
      )
      for (const block of blocks) {
        const traces = await call<{ txHash: Hex; result: StructLogs }[]>(
          'debug_traceBlockByNumber',
          block,
          { disableStorage: true, disableStack: true },
        )
        for (const { txHash, result } of traces) {
          const { status, gasUsed } = this.#outcomes.get(txHash) ?? {}
          expect([hex(Number(!result.failed)), hex(result.gas)]).toEqual([status, gasUsed])
        }
      }
    }
  }
}

const CALL_TRACER = { tracer: 'callTracer', tracerConfig: { withLog: true } }

const CALLER = {
  signal: new AbortController().signal,
  subscribe: () => undefined,
  origin: undefined,
}

function optionsOf(random: Random, hardfork: NonNullable<OptionsInput['hardfork']>): OptionsInput {
  return {
    hardfork,
    ...random.pick([{}, { codeSizeLimit: 0 }, { codeSizeLimit: 30_000 }]),
    ...random.pick([{}, { transactionGasCap: 0 }, { transactionGasCap: 15_000_000 }]),
    engine: random.pick(['fast', 'fast', 'library'] as const),
  }
}

const played = { loads: 0, failures: 0, successes: 0, ids: 0 }

test.each(seeds(40))(
  'receipts and traces come out again under other options, seed %i',
  async (seed) => {
    const chain = await ChangingChain.create(seed)
    for (let step = 0; step < 60; step++) await chain.step()
    await chain.check()
    for (const name of ['loads', 'failures', 'successes', 'ids'] as const) {
      played[name] += chain.counts[name]
    }
  },
)

test('the runs say something', () => {
  // Otherwise hardly anything depended on the rules.
  for (const count of Object.values(played)) expect(count).toBeGreaterThan(3)
})
