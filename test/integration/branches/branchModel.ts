import { gunzipSync } from 'node:zlib'
import { expect } from 'vitest'
import {
  createDevnet,
  type Devnet,
  type OptionsInput,
  ProviderError,
} from '../../../devnet/index.ts'
import type { Random } from '../../support/random.ts'

/** A request; `snapshot` stands for the id of the lineage's snapshot with this index. */
interface Step {
  readonly method: string
  readonly params: readonly unknown[]
  readonly snapshot?: number
}

/** Stores the first word of the calldata at the second, and logs it. */
const STORE = '0x5f356020358155602035602060005fa15f5fa0'
/** Init code that deploys {@link STORE}. */
const DEPLOYS = `0x72${STORE.slice(2)}5f526013600df3`

const FREE: Partial<OptionsInput> = {
  port: 0,
  frozen: true,
  frozenTicks: true,
  timestamp: 1_800_000_000,
  noWallet: true,
  noDashboard: true,
}

/** A chain beside a separate node that was brought to the same state by hand. */
export class Lineage {
  readonly devnet: Devnet
  readonly #twin: Devnet
  readonly #options: OptionsInput
  readonly #log: Step[]
  readonly #ids: unknown[] = []
  readonly #twinIds: unknown[]
  /** Number of snapshots that its parent had made. */
  readonly #inherited: number

  private constructor(
    devnet: Devnet,
    twin: Devnet,
    options: OptionsInput,
    history: { readonly log: Step[]; readonly twinIds: unknown[] } = { log: [], twinIds: [] },
  ) {
    this.devnet = devnet
    this.#twin = twin
    this.#options = options
    this.#log = history.log
    this.#twinIds = history.twinIds
    this.#inherited = history.twinIds.length
  }

  static async start(options: OptionsInput): Promise<Lineage> {
    const all = { ...FREE, ...options }
    return new Lineage(await started(all), await started(all), options)
  }

  async branch(): Promise<Lineage> {
    const branch = await this.devnet.branch()
    const twin = await started({ ...FREE, ...this.#options })
    const child = new Lineage(branch, twin, this.#options, { log: [], twinIds: [] })
    for (const step of this.#log) await child.#replay(step)
    const { length } = child.#twinIds
    return new Lineage(branch, twin, this.#options, {
      log: [...this.#log],
      twinIds: child.#twinIds.slice(0, length),
    })
  }

  async #replay(step: Step): Promise<void> {
    const answer = await outcome(this.#twin, bound(step, this.#twinIds))
    if (step.method === 'evm_snapshot') this.#twinIds.push(answer)
  }

  /** Asks both the same. */
  async run(step: Step): Promise<void> {
    this.#log.push(step)
    const own = await outcome(this.devnet, bound(step, [...this.#missing(), ...this.#ids]))
    const twin = await outcome(this.#twin, bound(step, this.#twinIds))
    if (step.method === 'evm_snapshot') {
      this.#ids.push(own)
      this.#twinIds.push(twin)
    } else expect(own, step.method).toEqual(twin)
  }

  #missing(): unknown[] {
    return Array.from({ length: this.#inherited })
  }

  /** A random command, or transaction. */
  step(random: Random): Step {
    const account = () => addressAt(random.below(4))
    const other = () => `0x${(0xaa00 + random.below(6)).toString(16).padStart(40, '0')}`
    const word = () => `0x${random.below(5).toString(16).padStart(64, '0')}`
    const snapshots = this.#ids.length
    const steps: (() => Step)[] = [
      () => ({ method: 'hardhat_setBalance', params: [other(), `0x${random.below(99)}`] }),
      () => ({ method: 'hardhat_setCode', params: [other(), random.once(3) ? '0x' : STORE] }),
      () => ({ method: 'hardhat_setStorageAt', params: [other(), `0x${random.below(4)}`, word()] }),
      () => ({ method: 'hardhat_setNonce', params: [account(), `0x${random.below(30)}`] }),
      () => ({ method: 'evm_increaseTime', params: [1 + random.below(9)] }),
      () => ({ method: 'hardhat_setNextBlockBaseFeePerGas', params: ['0x3b9aca00'] }),
      () => ({ method: 'hardhat_setCoinbase', params: [other()] }),
      () => ({ method: 'hardhat_mine', params: [random.once(3) ? '0x200' : '0x2'] }),
      () => ({ method: 'anvil_rollback', params: [random.below(4)] }),
      () => ({ method: 'anvil_reorg', params: [1 + random.below(3), []] }),
      () => ({ method: 'evm_snapshot', params: [] }),
      () =>
        snapshots === 0
          ? { method: 'evm_snapshot', params: [] }
          : {
              method: 'evm_revert',
              params: [],
              snapshot: this.#inherited + random.below(snapshots),
            },
      () => ({ method: 'hardhat_dropAllTransactions', params: [] }),
      () =>
        random.once(4)
          ? { method: 'hardhat_reset', params: [] }
          : { method: 'preconf_seal', params: [] },
    ]
    const roll = random.below(10)
    if (roll < 4) return this.#transaction(random, account(), other(), word)
    if (roll < 7) {
      const by = random.once(2) ? { ticks: 1 } : { blocks: 1 }
      return { method: 'preconf_advance', params: [by] }
    }
    return random.pick(steps)()
  }

  #transaction(random: Random, from: string, to: string, word: () => string): Step {
    const gas = '0x100000'
    const calldata = `${word()}${word().slice(2)}`
    const transaction = random.pick([
      { from, to, value: '0x3', gas },
      { from, to, data: calldata, gas },
      { from, data: DEPLOYS, gas },
      { from, to, gas, nonce: `0x${random.below(30).toString(16)}` },
    ])
    return { method: 'eth_sendTransaction', params: [transaction] }
  }

  /** Compares what readers see of both. */
  async check(): Promise<void> {
    const questions: (readonly [string, ...unknown[]])[] = [
      ['eth_getBlockByNumber', 'latest', true],
      ['eth_getBlockByNumber', 'pending', true],
      ['eth_getBlockByNumber', 'earliest', false],
      ['eth_getLogs', { fromBlock: 'earliest', toBlock: 'pending' }],
      ['txpool_content'],
      ['eth_feeHistory', '0x8', 'latest', [50]],
    ]
    for (let index = 0; index < 6; index++) {
      const other = `0x${(0xaa00 + index).toString(16).padStart(40, '0')}`
      for (const block of ['latest', 'pending']) {
        questions.push(['eth_getBalance', other, block], ['eth_getCode', other, block])
        questions.push(['eth_getStorageAt', other, '0x1', block])
      }
      questions.push(['eth_getProof', other, ['0x1', '0x2'], 'latest'])
    }
    for (let index = 0; index < 4; index++) {
      questions.push(['eth_getTransactionCount', addressAt(index), 'pending'])
      questions.push(['eth_getBalance', addressAt(index), 'latest'])
    }
    for (const [method, ...params] of questions) await this.#compare(method, params)
    const { latest } = await this.devnet.clock.status()
    for (let back = 0; back <= 6; back++) {
      const number = `0x${Math.max(0, latest.number - back).toString(16)}`
      await this.#compare('eth_getBlockByNumber', [number, false])
      await this.#compare('eth_getBlockReceipts', [number])
      await this.#compare('eth_getBalance', [addressAt(0), number])
      await this.#compare('eth_getStorageAt', [`0x${'aa01'.padStart(40, '0')}`, '0x1', number])
      const block = await outcome(this.#twin, {
        method: 'eth_getBlockByNumber',
        params: [number, false],
      })
      const { hash, transactions = [] } = (block ?? {}) as {
        hash?: string
        transactions?: string[]
      }
      if (hash !== undefined) await this.#compare('eth_getBlockByHash', [hash, true])
      for (const one of transactions.slice(0, 2)) {
        await this.#compare('eth_getTransactionByHash', [one])
        await this.#compare('eth_getTransactionReceipt', [one])
        await this.#compare('debug_traceTransaction', [one, { tracer: 'callTracer' }])
      }
    }
  }

  async compareDumps(): Promise<void> {
    await this.#compare('ots_searchTransactionsBefore', [addressAt(0), 0, 25])
    expect(await dumped(this.devnet)).toEqual(await dumped(this.#twin))
  }

  async #compare(method: string, params: readonly unknown[]): Promise<void> {
    const own = await outcome(this.devnet, { method, params })
    expect(own, `${method} ${JSON.stringify(params)}`).toEqual(
      await outcome(this.#twin, { method, params }),
    )
  }

  async stop(): Promise<void> {
    await this.devnet.stop()
    await this.#twin.stop()
  }
}

/** Of the first dev accounts. */
function addressAt(index: number): string {
  const address = ADDRESSES[index]
  if (address === undefined) throw new Error('There are four of them')
  return address
}

const ADDRESSES = [
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  '0x90f79bf6eb2c4f870365e785982e1f101e93b906',
]

async function started(options: OptionsInput): Promise<Devnet> {
  const devnet = createDevnet(options)
  await devnet.start()
  return devnet
}

async function dumped(devnet: Devnet): Promise<unknown> {
  const text = await devnet.provider.request({ method: 'hardhat_dumpState' })
  return JSON.parse(gunzipSync(Buffer.from(String(text).slice(2), 'hex')).toString())
}

function bound({ method, params, snapshot }: Step, ids: readonly unknown[]): Step {
  return snapshot === undefined ? { method, params } : { method, params: [ids[snapshot]] }
}

/** The answer, or the error, of a request. */
async function outcome(devnet: Devnet, { method, params }: Step): Promise<unknown> {
  try {
    const answer = await devnet.provider.request({ method, params })
    // A branch is another instance.
    if (typeof answer === 'object' && answer !== null && 'instanceId' in answer) {
      return { ...answer, instanceId: undefined }
    }
    return answer
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    return { code: error.code, message: error.message }
  }
}
