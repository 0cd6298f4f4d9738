import { expect, test } from 'vitest'
import { createDevnet } from '../../devnet/index.ts'
import type { OptionsInput } from '../../devnet/options/options.ts'
import { createProject } from '../integration/hardhat/project.ts'
import { startHardhat } from '../plugin/hardhatProcess.ts'

/** Runs `npx hardhat ignition deploy` of the project in `folder`; answers what it printed. */
async function deploy(folder: string, url: string): Promise<string> {
  await using hardhat = startHardhat(
    ['ignition', 'deploy', 'ignition/modules/Shop.ts', '--network', 'devnet'],
    { cwd: folder, env: { NODE_URL: url } },
  )
  const { code, stdout, stderr } = await hardhat.ended
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}

async function start(options: OptionsInput) {
  const devnet = createDevnet({ port: 0, ...options })
  await devnet.start()
  const sender = devnet.accounts[0]?.address
  return {
    url: devnet.url,
    sent: async () =>
      Number(
        await devnet.provider.request({
          method: 'eth_getTransactionCount',
          params: [sender, 'pending'],
        }),
      ),
    [Symbol.asyncDispose]: () => devnet.stop(),
  }
}

test.each<[string, OptionsInput]>([
  ['instant', { instant: true }],
  ['both clocks', { sealInterval: 200 }],
])('npx hardhat ignition deploy, again, and on another node: %s', async (_, options) => {
  using project = createProject()
  await using node = await start(options)
  const printed = await deploy(project.folder, node.url)
  expect(printed).toContain('successfully deployed')
  expect(printed).toMatch(/Shop#Stock - 0x[0-9a-fA-F]{40}\n.*Shop#Shop - 0x/)
  expect(await node.sent()).toBe(3)
  // Nothing new to deploy: by the journal on disk, which is that of this node.
  expect(await deploy(project.folder, node.url)).toContain('Nothing new to deploy')
  expect(await node.sent()).toBe(3)
  // Another node has another instance id, so that the journal is not believed.
  await using other = await start(options)
  expect(await deploy(project.folder, other.url)).toContain('successfully deployed')
  expect(await other.sent()).toBe(3)
})
