import { network } from 'hardhat'
import { defineConfig } from 'hardhat/config'
import pendingNodePlugin, { pendingNode } from 'hardhat-pending-node'
import { assertPreconfirmed } from 'hardhat-pending-node/assertions'
import { createDevnet } from 'hardhat-pending-node/devnet'
import { createGlobalSetup } from 'hardhat-pending-node/vitest'
import setup from 'hardhat-pending-node/vitest/setup'
import * as wallet from 'hardhat-pending-node/wallet'

export default defineConfig({
  plugins: [pendingNodePlugin],
  networks: { pending: pendingNode({ codeSizeLimit: 0, transactionGasCap: 0 }) },
})

export async function work(): Promise<void> {
  const { pendingNode } = await network.create('pending')
  const devnet = createDevnet({ port: 0, coverage: true })
  devnet.on('coverage', ({ tags }) => console.log(tags))
  await pendingNode.advance({ ticks: 1 })
  await assertPreconfirmed('0x12', devnet)
  // @ts-expect-error: a distance
  await pendingNode.advance({})
  // @ts-expect-error: one distance
  await pendingNode.advance({ ticks: 1, blocks: 1 })
  // @ts-expect-error: a distance
  await devnet.clock.advance({})
  // @ts-expect-error: one distance
  await devnet.clock.advance({ ticks: 1, blocks: 1 })
}

export const all = [createGlobalSetup, setup, wallet]
