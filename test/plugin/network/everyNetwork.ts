import hardhatEthers from '@nomicfoundation/hardhat-ethers'
import hardhatNetworkHelpers from '@nomicfoundation/hardhat-network-helpers'
import hardhatViem from '@nomicfoundation/hardhat-viem'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { numberToHex } from 'viem'
import { expect, test } from 'vitest'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import plugin from '../../../plugin/index.ts'
import type { PendingNodeReceipt, PendingNodeUserConfig } from '../../../plugin/types.ts'
import { readWitness, WITNESS_CODE, type Witnessed } from '../../support/witness.ts'
import { connect, createHre, type OpenConnection, opened } from './stage.ts'

/** Has {@link WITNESS_CODE}. */
export const WITNESS: Hex = '0x00000000000000000000000000000000000717e5'

/** So long that no seal of the clock comes while a test lasts. */
const HOUR = 3_600_000

interface Mode {
  readonly name: string
  readonly network: 'pending' | 'instant' | 'default'
  readonly options: PendingNodeUserConfig
}

const MODES: readonly Mode[] = [
  { name: 'pending, sealing runs', network: 'pending', options: { sealInterval: HOUR } },
  { name: 'pending, frozen', network: 'pending', options: { sealInterval: HOUR, frozen: true } },
  { name: 'instant', network: 'instant', options: {} },
]

/** What its users expect is what the others are held to. */
const HARDHAT: Mode = { name: "Hardhat's own network", network: 'default', options: {} }

let hre: Promise<HardhatRuntimeEnvironment> | undefined

async function open({ network, options }: Mode): Promise<OpenConnection> {
  hre ??= createHre({}, [plugin, hardhatViem, hardhatEthers, hardhatNetworkHelpers])
  const runtime = await hre
  return network === 'default'
    ? opened(await runtime.network.create(network))
    : connect(runtime, options, { network })
}

type Run = (stage: Stage) => Promise<void>

/**
 * A test on `pending` with sealing running and frozen, and on `instant`. After it, no receipt has
 * changed but for the hash of its block, also after a seal; a replay of each transaction has the
 * same gas and logs; and the clocks run, or stand still, as at the start.
 */
export function onOwnNetworks(title: string, run: Run): void {
  onNetworks(MODES, title, run)
}

/**
 * As {@link onOwnNetworks}, and on Hardhat's own network. Not for requests that are not awaited, to
 * which that network gives no order.
 */
export function onEveryNetwork(title: string, run: Run): void {
  onNetworks([...MODES, HARDHAT], title, run)
}

/** As {@link onOwnNetworks}, but not on `instant`, where nothing is pre-confirmed and unsealed. */
export function onUnsealed(title: string, run: Run): void {
  onNetworks(
    MODES.filter(({ network }) => network === 'pending'),
    title,
    run,
  )
}

/** As {@link onEveryNetwork}, but not on `pending`, where the same commands do something else. */
export function onInstant(title: string, run: Run): void {
  onNetworks([...MODES.filter(({ network }) => network === 'instant'), HARDHAT], title, run)
}

function onNetworks(modes: readonly Mode[], title: string, run: Run): void {
  test.each(modes)(`${title}; $name`, async (mode) => {
    await using connection = await open(mode)
    const { networkHelpers, rpc, pendingNode } = connection
    await networkHelpers.setCode(WITNESS, WITNESS_CODE)
    const stage = new Stage(connection, mode, await rpc('eth_accounts'))
    const clocks = async () => {
      if (mode === HARDHAT) return undefined
      const { ticks, sealing, instant } = await pendingNode.status()
      return [ticks.running, sealing.running, instant]
    }
    const before = await clocks()
    await run(stage)
    await stage.expectKept()
    expect(await clocks()).toEqual(before)
  })
}

/** A transaction to {@link WITNESS}, as its receipt shows it. */
interface Written extends Witnessed {
  readonly hash: Hex
  readonly index: number
  readonly gasUsed: bigint
  /** wei per gas. */
  readonly price: bigint
}

interface BlockJson {
  readonly number: Hex
  readonly timestamp: Hex
  readonly hash: Hex
  readonly transactions: readonly Hex[]
  readonly baseFeePerGas: Hex
  readonly miner: Hex
  readonly mixHash: Hex
  readonly gasLimit: Hex
}

/** A block, with the names of the words that the witness logs. */
interface Block extends Pick<BlockJson, 'hash' | 'transactions'>, Environment {}

type Environment = Omit<Witnessed, 'balance' | 'count' | 'callerBalance'>

interface Log {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
}

/** Gas limit of each transaction to {@link WITNESS}. */
export const GAS = 200_000n

/** A connection, with shorthands for what it shows of transactions, blocks and the witness. */
export class Stage {
  readonly connection: OpenConnection
  /** Whether each transaction is sealed at once. */
  readonly isInstant: boolean
  readonly #mode: Mode
  readonly #accounts: readonly Hex[]
  /** The receipts that were seen, as they were first. */
  readonly #seen = new Map<string, PendingNodeReceipt>()

  constructor(connection: OpenConnection, mode: Mode, accounts: readonly Hex[]) {
    this.connection = connection
    this.isInstant = mode.network !== 'pending'
    this.#mode = mode
    this.#accounts = accounts
  }

  account(index: number): Hex {
    const address = this.#accounts[index]
    if (address === undefined) throw new Error(`No account ${index}`)
    return address
  }

  /** Sends a call of the witness. By default from the first account, without value. */
  write(request: object = {}): Promise<Hex> {
    const call = { from: this.account(0), to: WITNESS, gas: numberToHex(GAS), ...request }
    return this.connection.rpc<Hex>('eth_sendTransaction', call)
  }

  receipt(hash: string): Promise<PendingNodeReceipt | null> {
    return this.connection.rpc('eth_getTransactionReceipt', hash)
  }

  /** The receipt of a call of the witness, which must have succeeded; from now on it may not change. */
  async written(hash: string): Promise<Written> {
    const receipt = await this.receipt(hash)
    if (receipt === null) throw new Error(`${hash} has no receipt`)
    if (!this.#seen.has(hash)) this.#seen.set(hash, receipt)
    expect(receipt).toMatchObject({ status: '0x1', logs: [{ address: WITNESS }] })
    const witnessed = readWitness(receipt.logs[0]?.data ?? '0x')
    expect(Number(receipt.blockNumber)).toBe(witnessed.number)
    return {
      ...witnessed,
      hash: receipt.transactionHash,
      index: Number(receipt.transactionIndex),
      gasUsed: BigInt(receipt.gasUsed),
      price: BigInt(receipt.effectiveGasPrice),
    }
  }

  /** A command takes these back: their receipts may change from now on. */
  forget(...hashes: readonly Hex[]): void {
    for (const hash of hashes) this.#seen.delete(hash)
  }

  async block(block: number | 'latest' | 'pending'): Promise<Block> {
    const name = typeof block === 'number' ? numberToHex(block) : block
    const { rpc } = this.connection
    const found = await rpc<BlockJson>('eth_getBlockByNumber', name, false)
    const { hash, transactions } = found
    return {
      hash,
      transactions,
      number: Number(found.number),
      timestamp: Number(found.timestamp),
      baseFee: BigInt(found.baseFeePerGas),
      coinbase: found.miner,
      prevRandao: found.mixHash,
      gasLimit: BigInt(found.gasLimit),
    }
  }

  async balance(address: Hex, block: string = 'pending'): Promise<bigint> {
    return BigInt(await this.connection.rpc<Hex>('eth_getBalance', address, block))
  }

  async nonce(address: Hex, block: string = 'pending'): Promise<number> {
    return Number(await this.connection.rpc<Hex>('eth_getTransactionCount', address, block))
  }

  /** Slot 0 of the witness. */
  async count(block: string = 'pending'): Promise<bigint> {
    return BigInt(await this.connection.rpc<Hex>('eth_getStorageAt', WITNESS, '0x0', block))
  }

  /** Reads at `pending`, and at `latest`, which still shows `before` unless each block is sealed at once. */
  async expectAhead<Value>(
    read: (block: string) => Promise<Value>,
    before: Value,
    now: Value,
  ): Promise<void> {
    expect(await read('pending')).toEqual(now)
    expect(await read('latest')).toEqual(this.isInstant ? now : before)
  }

  /** Seals what is pre-confirmed; where each transaction is sealed at once there is nothing to do. */
  async seal(): Promise<void> {
    if (!this.isInstant) await this.connection.pendingNode.seal()
  }

  /** Lets the clocks of `pending` run, or stand still, as at the start. */
  async restoreClocks(): Promise<void> {
    const { pendingNode } = this.connection
    await pendingNode.resume()
    if (this.#mode.options.frozen === true) await pendingNode.freeze()
  }

  async expectKept(): Promise<void> {
    await this.#compare()
    await this.seal()
    await this.#compare()
    for (const [hash, { blockNumber, transactionIndex }] of this.#seen) {
      const block = await this.block(Number(blockNumber))
      expect(block.transactions[Number(transactionIndex)]).toBe(hash)
      expect(await this.receipt(hash)).toMatchObject({ blockHash: block.hash })
      await this.#replay(hash)
    }
  }

  async #compare(): Promise<void> {
    for (const [hash, first] of this.#seen) {
      expect(withoutBlockHash(await this.receipt(hash))).toBe(withoutBlockHash(first))
    }
  }

  async #replay(hash: string): Promise<void> {
    const first = this.#seen.get(hash)
    const frame = await this.connection.rpc<{ gasUsed: Hex; logs: Log[] }>(
      'debug_traceTransaction',
      hash,
      { tracer: 'callTracer', tracerConfig: { withLog: true } },
    )
    expect(frame.gasUsed).toBe(first?.gasUsed)
    expect(frame.logs.map(essence)).toEqual(first?.logs.map(essence))
  }
}

const essence = ({ address, topics, data }: Log): Log => ({ address, topics, data })

/** A receipt as text, without the hashes of its block, which the seal fills in. */
function withoutBlockHash(receipt: PendingNodeReceipt | null): string {
  return JSON.stringify(receipt).replaceAll(/"blockHash":"0x[0-9a-f]{64}"/g, '"blockHash":null')
}
