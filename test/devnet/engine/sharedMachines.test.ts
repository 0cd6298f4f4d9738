import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { DevnetNode } from '../../../devnet/node/node.ts'
import { type OptionsInput, resolveOptions } from '../../../devnet/options/options.ts'
import { addressKeyFromHex } from '../../../devnet/state/keys.ts'
import { createTestChain } from '../../support/chain.ts'
import { collectGarbage } from '../execution/held.ts'

test.each(['fast', 'library'] as const)(
  'a machine of the %s engine goes on to the next chain under the same rules',
  async (engine) => {
    const chainOf = async (chainId: number) => {
      const { accounts, chain } = await createTestChain({ engine, chainId })
      const executor = await chain.engine.executor(chain.pending.environment.rules)
      const acquire = () => executor.acquire(chain.pending.state, chain.blockHashes)
      return { address: accounts[0]?.address ?? '0x', chain, executor, acquire }
    }
    const first = await chainOf(77)
    const machine = await first.acquire()
    const { overlay } = machine
    const key = addressKeyFromHex(first.address)
    expect(overlay.account(key)?.balance).toBeGreaterThan(0n)
    first.executor.release(machine)
    await first.chain.close()
    // It keeps nothing of a chain that is gone.
    expect(overlay.account(key)).toBeNull()

    expect(await (await chainOf(78)).acquire()).not.toBe(machine)
    const next = await chainOf(77)
    expect(await next.acquire()).toBe(machine)
    expect(overlay.account(key)?.balance).toBeGreaterThan(0n)
    expect(await next.acquire()).not.toBe(machine)
  },
)

describe.each(['fast', 'library'] as const)('with the %s engine', (engine) => {
  async function start(options: OptionsInput) {
    const devnet = new DevnetNode(resolveOptions({ port: 0, instant: true, engine, ...options }))
    onTestFinished(() => devnet.stop())
    await devnet.start()
    return devnet
  }

  /** The state of a node that has executed something, and was stopped. */
  async function stopped(options: OptionsInput): Promise<WeakRef<object>> {
    const devnet = new DevnetNode(resolveOptions({ port: 0, instant: true, engine, ...options }))
    await devnet.start()
    const [from] = devnet.accounts.map(({ address }) => address)
    const params = [{ from, data: '0x60015ff3' }]
    await devnet.provider.request({ method: 'eth_sendTransaction', params })
    await devnet.provider.request({ method: 'eth_call', params })
    const state = new WeakRef(devnet.parts.context.chain.store)
    await devnet.stop()
    return state
  }

  test.each([false, true])(
    'the state of a stopped node is collected (a fork: %j)',
    async (isFork) => {
      const { url } = await start({})
      const state = await stopped(isFork ? { fork: url, noForkCache: true } : {})
      for (let round = 0; round < 50 && state.deref() !== undefined; round++) {
        await turn()
        collectGarbage()
      }
      expect(state.deref()).toBeUndefined()
    },
  )
})
