import type { Page } from 'playwright-core'
import { type Abi, encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { expect } from 'vitest'
import { createDevnet, type Devnet, type OptionsInput } from '../../../devnet/index.ts'
import { sourceOf } from '../../support/contractSource.ts'
import { artifact } from '../../support/solidity.ts'
import type { Open } from './chromium.ts'

const ETHER = 10n ** 18n
/** 2027-01-15 08:00:00 UTC. */
const START = 1_800_000_000
/** Enough for whatever these contracts do, and given, so that what reverts is sent. */
const GAS = '0x493e0'

/** A transaction that an unlocked account sends. */
interface Sent {
  readonly from: number
  readonly to?: Hex
  readonly data?: Hex
  readonly value?: bigint
  readonly nonce?: number
}

type ContractOf = (name: string) => { readonly abi: Abi; readonly bytecode: Hex }

/** A node that knows its contracts, and what sends it transactions; its clocks stand still. */
export class DashboardStage implements AsyncDisposable {
  readonly devnet: Devnet
  readonly accounts: readonly Hex[]

  readonly #contract: ContractOf

  private constructor(devnet: Devnet, accounts: readonly Hex[], contract: ContractOf) {
    this.devnet = devnet
    this.accounts = accounts
    this.#contract = contract
  }

  /** @param contract - what is deployed by a name. Default: of test/support/contracts */
  static async start(
    options: OptionsInput = {},
    contract: ContractOf = artifact,
  ): Promise<DashboardStage> {
    const devnet = createDevnet({
      port: 0,
      frozenTicks: true,
      timestamp: START,
      contracts: sourceOf('Token', 'Vault', 'Talker'),
      ...options,
    })
    await devnet.start()
    return new DashboardStage(
      devnet,
      // The node answers a list of addresses.
      (await devnet.provider.request({ method: 'eth_accounts' })) as Hex[],
      contract,
    )
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.devnet.stop()
  }

  get pageUrl(): string {
    return this.devnet.dashboard.pageUrl
  }

  rpc(method: string, ...params: readonly unknown[]): Promise<unknown> {
    return this.devnet.provider.request({ method, params })
  }

  async send({ from, to, data, value, nonce }: Sent): Promise<Hex> {
    const hash = await this.rpc('eth_sendTransaction', {
      from: this.accounts[from],
      to,
      data,
      gas: GAS,
      value: `0x${(value ?? 0n).toString(16)}`,
      ...(nonce !== undefined && { nonce: `0x${nonce.toString(16)}` }),
    })
    // The node answers with the hash.
    return hash as Hex
  }

  async tick(): Promise<void> {
    await this.devnet.clock.advance({ ticks: 1 })
  }

  async seal(): Promise<void> {
    await this.devnet.clock.seal()
  }

  /** Deploys a contract, in a tick of its own. */
  async deploy(name: string, args: readonly unknown[] = []): Promise<Deployed> {
    const { abi, bytecode } = this.#contract(name)
    const data = encodeDeployData({ abi, bytecode, args: [...args] })
    const hash = await this.rpc('eth_sendTransaction', { from: this.accounts[0], data })
    await this.tick()
    // A receipt of a creation has the address.
    const receipt = (await this.rpc('eth_getTransactionReceipt', hash)) as { contractAddress: Hex }
    return { abi, address: receipt.contractAddress }
  }
}

export interface Deployed {
  readonly abi: Abi
  readonly address: Hex
}

export function calldata({ abi }: Deployed, functionName: string, ...args: unknown[]): Hex {
  return encodeFunctionData({ abi, functionName, args })
}

/** What stands on the stage after {@link play}. */
export interface Scene {
  readonly token: Deployed
  readonly vault: Deployed
  /** Hashes. */
  readonly deposit: Hex
  readonly reverted: Hex
  readonly preconfirmed: Hex
  readonly behindGap: Hex
}

/**
 * A morning's traffic: a token and a vault, deposits, reverts, empty blocks, a nonce gap, a
 * snapshot, and a pending block of three ticks.
 */
export async function play(stage: DashboardStage): Promise<Scene> {
  const token = await stage.deploy('Token', [1_000_000n * ETHER])
  const vault = await stage.deploy('Vault', [token.address])
  await stage.seal()
  const transfer = (to: number, amount: bigint) =>
    calldata(token, 'transfer', stage.accounts[to], amount * ETHER)
  const deposit = calldata(vault, 'deposit')
  const withdraw = (shares: bigint) => calldata(vault, 'withdraw', shares)

  await stage.devnet.clock.advance({ blocks: 12 })
  for (const round of [1, 2, 3, 4]) {
    for (let tick = 0; tick <= round % 3; tick += 1) {
      for (let index = 1; index <= ((round * 3 + tick * 2) % 5) + 1; index += 1) {
        await stage.send({ from: 0, to: token.address, data: transfer(index, 250n) })
      }
      await stage.send({ from: round, to: vault.address, data: deposit, value: ETHER / 4n })
      if (tick === 1) await stage.send({ from: 6, to: vault.address, data: withdraw(9_999n) })
      await stage.tick()
    }
    await stage.send({ from: 7, to: stage.accounts[8] as Hex, value: (ETHER * 3n) / 2n })
    await stage.tick()
    await stage.seal()
    if (round === 2) await stage.devnet.clock.advance({ blocks: 3 })
  }
  await stage.rpc('evm_snapshot')

  const kept = await stage.send({ from: 1, to: vault.address, data: deposit, value: 2n * ETHER })
  await stage.send({ from: 0, to: token.address, data: transfer(3, 40n) })
  await stage.tick()
  const reverted = await stage.send({ from: 2, to: vault.address, data: withdraw(10n * ETHER) })
  await stage.send({ from: 0, to: token.address, data: transfer(4, 15n) })
  await stage.send({ from: 3, to: vault.address, data: withdraw(ETHER / 8n) })
  await stage.tick()
  const preconfirmed = await stage.send({ from: 0, to: token.address, data: transfer(5, 7n) })
  await stage.tick()
  await stage.rpc('evm_snapshot')

  // Account #9 skips nonce 0; what the next tick takes is from #4.
  const behindGap = await stage.send({
    from: 9,
    to: token.address,
    data: transfer(1, 1n),
    nonce: 1,
  })
  await stage.send({ from: 9, to: token.address, data: transfer(2, 1n), nonce: 2 })
  for (const to of [1, 2, 3]) {
    await stage.send({ from: 4, to: stage.accounts[to] as Hex, value: ETHER / 10n })
  }
  return { token, vault, deposit: kept, reverted, preconfirmed, behindGap }
}

/** Opens the dashboard, and waits until it shows the node. */
export async function openDashboard(page: Page, stage: DashboardStage): Promise<void> {
  await page.goto(stage.pageUrl)
  await page.locator('[data-link="live"]').waitFor()
}

/** A stage, and an admitted page that shows it. */
export interface Performance extends AsyncDisposable {
  readonly stage: DashboardStage
  readonly page: Page
}

/** Shows a stage in a page; at the end, which ends both, the page may have had no problem. */
export async function showStage(
  open: Open,
  stage: DashboardStage,
  width = 1440,
): Promise<Performance> {
  const opened = await open({ viewport: { width, height: 900 } })
  await openDashboard(opened.page, stage)
  return {
    stage,
    page: opened.page,
    async [Symbol.asyncDispose]() {
      expect(opened.problems).toEqual([])
      await opened[Symbol.asyncDispose]()
      await stage[Symbol.asyncDispose]()
    },
  }
}

/** Address of a view, for a page that was admitted before. */
export function viewUrl(stage: DashboardStage, path: string): string {
  return `${stage.devnet.url}/dashboard${path}`
}
