import { join } from 'node:path'
import { getAddress, type Hex } from 'viem'
import { expect, test } from 'vitest'
import type { Stage } from './stage.ts'

/** What hardhat-ignition does, on the stage of the moment. */
export function ignitionCases(stage: () => Stage, folder: () => string): void {
  test('deploys a module, and the same again is no work', async () => {
    const { connection, devnet, mode } = stage()
    const { ignition, viem } = connection
    const { default: module } = await import(join(folder(), 'ignition/modules/Shop.ts'))
    const client = await viem.getPublicClient()
    const sender = devnet.accounts[0]?.address ?? '0x'
    const nonce = () => client.getTransactionCount({ address: sender, blockTag: 'pending' })
    // Where blocks come by a clock, ignition waits for five of them, and looks once a second, unless told.
    const config = mode === 'clocks' ? { requiredConfirmations: 1, blockPollingInterval: 20 } : {}
    await devnet.clock.resume()
    const deploy = async () => {
      // Which contracts a module answers, only its own types know.
      const deployed: Record<string, { address: Hex }> = await ignition.deploy(module, {
        deploymentId: `test-${mode}`,
        config,
      })
      return { stock: deployed.stock?.address ?? '0x', shop: deployed.shop?.address ?? '0x' }
    }

    const first = await deploy()
    const stock = await viem.getContractAt('Stock', first.stock)
    const shop = await viem.getContractAt('Shop', first.shop)
    expect(await shop.read.stock?.()).toBe(getAddress(stock.address))
    expect(await shop.read.isOpen?.()).toBe(true)
    expect(await stock.read.keeper?.()).toBe(getAddress(sender))
    expect(await nonce()).toBe(3)

    expect(await deploy()).toEqual(first)
    expect(await nonce()).toBe(3)
  })
}
