import { encodeFunctionData, getContractAddress } from 'viem'
import { createDevnet, type OptionsInput } from '../../../devnet/index.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import type { Devnet } from '../../../devnet/types.ts'
import { artifact } from '../../support/solidity.ts'

/** A node whose clocks stand still, unless its options say otherwise, and what a test does with it. */
export interface Stage extends AsyncDisposable {
  readonly devnet: Devnet
  readonly from: Hex
  /** Sends a transaction of the first account. */
  send(fields?: object): Promise<Hex>
  /** Sends what creates a contract; answers where it will be. */
  deploy(name: string, nonce: number): Promise<{ hash: Hex; address: Hex }>
}

export async function createStage(options: OptionsInput = {}): Promise<Stage> {
  const devnet = createDevnet({ port: 0, frozen: true, frozenTicks: true, ...options })
  await devnet.start()
  const from = devnet.accounts[0]?.address
  if (from === undefined) throw new Error('There is no account.')
  const send = async (fields: object = {}) =>
    // The method answers a hash.
    (await devnet.provider.request({
      method: 'eth_sendTransaction',
      params: [{ from, to: from, gas: '0x30d40', ...fields }],
    })) as Hex
  return {
    devnet,
    from,
    send,
    async deploy(name, nonce) {
      const hash = await send({ to: null, data: artifact(name).bytecode, gas: '0x2dc6c0' })
      return { hash, address: getContractAddress({ from, nonce: BigInt(nonce) }) }
    },
    [Symbol.asyncDispose]: () => devnet.stop(),
  }
}

/** Fields of a transaction that calls a function of a contract. */
export function call(
  name: string,
  to: Hex,
  functionName: string,
  args: readonly unknown[],
): object {
  return { to, data: encodeFunctionData({ abi: artifact(name).abi, functionName, args }) }
}

/** What an assertion throws; fails where it throws nothing. */
export async function failure(assertion: Promise<void>): Promise<Error> {
  const thrown: unknown = await assertion.then(
    () => undefined,
    (error) => error,
  )
  if (thrown instanceof Error) return thrown
  throw new Error('The assertion held.')
}
