import { parseAbi, toEventSelector } from 'viem'
import { onTestFinished } from 'vitest'
import { createDevnet } from '../../devnet/index.ts'
import type { OptionsInput } from '../../devnet/options/options.ts'
import type { Hex } from '../../devnet/primitives/hex.ts'
import type { Devnet } from '../../devnet/types.ts'

export const abi = parseAbi(['event Told(uint256 indexed number)'])
/** Topic of the event. */
export const TOLD = toEventSelector(abi[0])
/** Emits Told(number), with its calldata as the number. */
export const EMITTER: Hex = `0x${'e1'.repeat(20)}`

/** Other work on this machine may take its time. */
export const SOON = { timeout: 15_000 }

/** A node with a contract that emits what it is told to; it stops after the test. */
export interface TellingDevnet extends Pick<Devnet, 'clock' | 'url'> {
  readonly from: Hex
  readonly socketUrl: string
  request<Result = unknown>(method: string, ...params: unknown[]): Promise<Result>
  /** Sends a transaction that emits Told(number); answers its hash. */
  tell(number: number): Promise<Hex>
}

export async function startTelling(options: OptionsInput = {}): Promise<TellingDevnet> {
  const devnet = createDevnet({ port: 0, frozenTicks: true, ...options })
  onTestFinished(() => devnet.stop())
  await devnet.start()
  const { url, clock } = devnet
  const from = devnet.accounts[0]?.address ?? '0x'
  const request = <Result = unknown>(method: string, ...params: unknown[]) =>
    // Each call knows what its method answers.
    devnet.provider.request({ method, params }) as Promise<Result>
  await request('hardhat_setCode', EMITTER, `0x5f357f${TOLD.slice(2)}5f5fa200`)
  return {
    url,
    clock,
    from,
    socketUrl: url.replace('http', 'ws'),
    request,
    tell: (number) =>
      request<Hex>('eth_sendTransaction', {
        from,
        to: EMITTER,
        data: `0x${number.toString(16).padStart(64, '0')}`,
        gas: '0x186a0',
      }),
  }
}
