import { readFileSync } from 'node:fs'
import hardhatEthers from '@nomicfoundation/hardhat-ethers'
import { JsonRpcProvider } from 'ethers'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import { createPublicClient, http } from 'viem'
import { hardhat } from 'viem/chains'
import { expect, onTestFinished, test } from 'vitest'
import { createDevnet, type Devnet } from '../../devnet/index.ts'
import type { Hex } from '../../devnet/primitives/hex.ts'

/** ms between two looks of a client. */
const POLLING = 20
/** So many requests after a step a client has taken notice of it. */
const ENOUGH = 8
const ZERO_HASH: Hex = `0x${'0'.repeat(64)}`

interface Receipt {
  readonly blockHash: string
  readonly blockNumber: bigint | number
}

/** Waits for a receipt under so many blocks; may wait for ever. */
type Wait = (url: string, hash: Hex, confirmations: number) => Promise<Receipt | null>

const hre = await createHardhatRuntimeEnvironment({
  plugins: [hardhatEthers],
  networks: { devnet: { type: 'http', url: 'http://127.0.0.1:1' } },
})

const CLIENTS: Readonly<Record<string, Wait>> = {
  viem: (url, hash, confirmations) =>
    createPublicClient({
      chain: hardhat,
      transport: http(url),
      pollingInterval: POLLING,
    }).waitForTransactionReceipt({ hash, confirmations, timeout: 0 }),
  async ethers(url, hash, confirmations) {
    const provider = new JsonRpcProvider(url, 31337, { staticNetwork: true, cacheTimeout: -1 })
    onTestFinished(() => provider.destroy())
    provider.pollingInterval = POLLING
    const sent = await provider.getTransaction(hash)
    return sent?.wait(confirmations) ?? null
  },
  async 'hardhat-ethers'(url, hash, confirmations) {
    const { ethers } = await hre.network.create({ network: 'devnet', override: { url } })
    const sent = await ethers.provider.getTransaction(hash)
    return sent?.wait(confirmations) ?? null
  },
}

/** What happens while a client waits; four more seals follow. */
interface Scene {
  readonly devnet: Devnet
  readonly call: <Result>(method: string, ...params: unknown[]) => Promise<Result>
  send(): Promise<Hex>
  /** Starts to wait for the transaction that was sent last. */
  wait(): void
  step(name: string, work: () => Promise<unknown>): Promise<void>
}

const tick = ({ devnet, step }: Scene) => step('tick', () => devnet.clock.advance({ ticks: 1 }))
const seal = ({ devnet, step }: Scene, count: number) =>
  step(`seal ${count}`, () => devnet.clock.seal())

const SCENES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'dropped at seal 1'(scene) {
    await scene.call('preconf_faults', { rules: [{ kind: 'drop', next: 1 }] })
    await scene.send()
    scene.wait()
    await tick(scene)
    await seal(scene, 1)
  },
  async 'ticks stall until seal 1'(scene) {
    await scene.call('preconf_faults', { rules: [{ kind: 'stall', next: 1 }] })
    await scene.send()
    scene.wait()
    await tick(scene)
    await seal(scene, 1)
  },
  'reorganised at seal 2, dropped': (scene) => reorganise(scene, { drops: true }),
  'reorganised at seal 2, waits again': (scene) => reorganise(scene, {}),
}

/** The client looks for what is sealed in block 1, before blocks 1 and 2 are replaced. */
async function reorganise(scene: Scene, rule: { readonly drops?: boolean }): Promise<void> {
  const reorg = { kind: 'reorg', block: 2, depth: 2, ...rule }
  await scene.call('preconf_faults', { rules: [reorg] })
  await scene.send()
  await tick(scene)
  await seal(scene, 1)
  scene.wait()
  await scene.step('first look', async () => undefined)
}

/** When the client was answered and with what, as the document says it. */
async function play(
  act: (scene: Scene) => Promise<void>,
  wait: Wait,
  confirmations: number,
): Promise<string> {
  // Ticks run, so that look-ups wait for one, but only by command.
  const devnet = createDevnet({ port: 0, frozen: true, tickInterval: 3_600_000 })
  onTestFinished(() => devnet.stop())
  await devnet.start()
  let requests = 0
  devnet.on('request', () => requests++)
  const call = <Result>(method: string, ...params: unknown[]) =>
    // Each call knows what its method answers.
    devnet.provider.request({ method, params }) as Promise<Result>
  const [from] = devnet.accounts.map(({ address }) => address)
  let hash: Hex = '0x'
  let now = 'start'
  let answer: { readonly receipt: Receipt | null; readonly at: string } | undefined
  let failure: Error | undefined
  let isWaiting = false
  const scene: Scene = {
    devnet,
    call,
    async send() {
      hash = await call<Hex>('eth_sendTransaction', { from, to: from, gas: '0x5208' })
      return hash
    },
    wait() {
      isWaiting = true
      wait(devnet.url, hash, confirmations).then(
        (receipt) => {
          answer = { receipt, at: now }
        },
        (error: Error) => {
          failure = error
        },
      )
    },
    async step(name, work) {
      now = name
      await work()
      if (!isWaiting) return
      const before = requests
      const isDone = async () => {
        if (failure !== undefined) throw failure
        // Look-ups wait for a tick while something can run.
        await devnet.clock.advance({ ticks: 1 })
        return answer !== undefined || requests >= before + ENOUGH
      }
      await expect.poll(isDone, { timeout: 20_000, interval: 20 }).toBe(true)
    },
  }
  await act(scene)
  for (const count of [2, 3, 4, 5]) await seal(scene, count)
  if (answer === undefined) return 'nothing'
  const { receipt, at } = answer
  if (receipt === null) return `${at}: null`
  const { blockHash, blockNumber } = receipt
  const shown = blockHash === ZERO_HASH ? 'pre-confirmed' : `block ${Number(blockNumber)}`
  const last = await call<{ blockNumber: Hex; blockHash: Hex } | null>(
    'eth_getTransactionReceipt',
    hash,
  )
  const isTrue =
    Number(last?.blockNumber) === Number(blockNumber) &&
    (blockHash === ZERO_HASH || blockHash === last?.blockHash)
  return isTrue ? `${at}: ${shown}` : `${at}: ${shown}, **wrong**`
}

test('what waiting clients are answered is as the document says', async () => {
  const columns = Object.entries(CLIENTS).flatMap(([name, wait]) =>
    [1, 3].map((confirmations) => ({ title: `${name}, ${confirmations}`, wait, confirmations })),
  )
  const rows = await Promise.all(
    Object.entries(SCENES).map(async ([name, act]) => {
      const cells = columns.map(({ wait, confirmations }) => play(act, wait, confirmations))
      return [name, ...(await Promise.all(cells))]
    }),
  )
  const line = (cells: readonly string[]) =>
    `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|\n`
  const table = [
    line(['', ...columns.map(({ title }) => title)]),
    line(['', ...columns].map(() => '---')).replaceAll(' ', ''),
    ...rows.map(line),
  ].join('')
  const page = readFileSync(new URL('../../devnet/faults/README.md', import.meta.url), 'utf8')
  expect(page).toContain(table)
})
