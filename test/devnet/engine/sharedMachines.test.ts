import { expect, test } from 'vitest'
import { addressKeyFromHex } from '../../../devnet/state/keys.ts'
import { createTestChain } from '../../support/chain.ts'

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
