import { onTestFinished } from 'vitest'
import {
  createDevnet,
  type Devnet,
  type ForkEvent,
  type Hex,
  type OptionsInput,
} from '../../../devnet/index.ts'

/** Adds one to its slot 0, and returns it. */
export const COUNTER: Hex = `0x${'c0'.repeat(20)}`
const COUNTER_CODE = '0x60005460010160005560005460005260206000f3'

export const START = 1_800_000_000

/** Each test knows what the method that it asks answers. */
export function ask<Result>(devnet: Devnet, method: string, ...params: unknown[]) {
  return devnet.provider.request({ method, params }) as Promise<Result>
}

/** The code and the message with which a request fails. */
export async function failure(devnet: Devnet, method: string, ...params: unknown[]) {
  return await ask(devnet, method, ...params).then(
    () => ({ code: 0, message: 'It did not fail' }),
    ({ code, message }: { code: number; message: string }) => ({ code, message }),
  )
}

export async function startNode(options: OptionsInput): Promise<Devnet> {
  const devnet = createDevnet({ port: 0, noWallet: true, frozenTicks: true, ...options })
  await devnet.start()
  onTestFinished(() => devnet.stop())
  return devnet
}

/** A node with a counter at 7, and three blocks. */
export async function startUpstream(options: OptionsInput = {}): Promise<Devnet> {
  const devnet = await startNode({ timestamp: START, ...options })
  await ask(devnet, 'hardhat_setCode', COUNTER, COUNTER_CODE)
  await ask(devnet, 'hardhat_setStorageAt', COUNTER, '0x0', word(7))
  await devnet.clock.advance({ blocks: 3 })
  return devnet
}

export interface ForkedNode extends Devnet {
  readonly forks: readonly ForkEvent[]
}

/** A node on the newest block of another one, unless `options` say otherwise. */
export async function startFork(options: OptionsInput): Promise<ForkedNode> {
  const forks: ForkEvent[] = []
  const noForkCache = options.fork !== undefined && options.forkCache === undefined
  const devnet = createDevnet({
    port: 0,
    noWallet: true,
    frozenTicks: true,
    noForkCache,
    ...options,
  })
  devnet.on('fork', (event) => forks.push(event))
  await devnet.start()
  onTestFinished(() => devnet.stop())
  return Object.assign(devnet, { forks })
}

export function word(value: number): Hex {
  return `0x${value.toString(16).padStart(64, '0')}`
}

/** Adds one to the counter, in a transaction that is pre-confirmed at once. */
export async function count(devnet: Devnet): Promise<Hex> {
  const [sender] = devnet.accounts
  const transaction = { from: sender?.address, to: COUNTER }
  const hash = await ask<Hex>(devnet, 'eth_sendTransaction', transaction)
  await devnet.clock.advance({ ticks: 1 })
  return hash
}

export function counterOf(devnet: Devnet, block = 'pending') {
  return ask<Hex>(devnet, 'eth_getStorageAt', COUNTER, '0x0', block)
}
