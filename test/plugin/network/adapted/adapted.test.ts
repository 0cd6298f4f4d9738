import { readFileSync } from 'node:fs'
import type { HardhatPlugin } from 'hardhat/types/plugins'
import { describe, expect, test } from 'vitest'
import plugin from '../../../../plugin/index.ts'
import { connect, createHre } from '../stage.ts'

const root = new URL('../../../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

/** What the file that adapts a plugin says that it was tried with. */
function triedWith(name: string) {
  const source = read(`plugin/network/adapted/hardhat-${name}.ts`)
  const [, oldest = ''] = /oldest: '([^']+)'/.exec(source) ?? []
  const [, newest = ''] = /newest: '([^']+)'/.exec(source) ?? []
  return { packageName: `@nomicfoundation/hardhat-${name}`, oldest, newest }
}

/** A plugin that adds something to each connection. */
function adding(name: string, value: unknown): HardhatPlugin {
  return {
    id: 'fake',
    hookHandlers: {
      network: async () => ({
        default: async () => ({
          async newConnection(context, next) {
            return Object.assign(await next(context), { [name]: value })
          },
        }),
      }),
    },
  }
}

/** Has every method. */
const anything = new Proxy({}, { get: () => () => undefined })

class BaseContract {
  queryFilter(): void {}
}
const signers = { getSigner() {}, getSigners() {}, getImpersonatedSigner() {} }

describe.each([
  ['viem', 'viem', {}, 'connection.viem to have getPublicClient, getTestClient,'],
  ['viem', 'viem', 'fake', 'connection.viem to have getPublicClient,'],
  ['ethers', 'ethers', signers, 'connection.ethers to have BaseContract, Wallet,'],
  [
    'ethers',
    'ethers',
    { ...signers, BaseContract, Wallet() {}, provider: { getSigner() {} } },
    'connection.ethers.provider to have getBalance, getCode,',
  ],
  [
    'ethers',
    'ethers',
    { ...signers, BaseContract, Wallet() {}, provider: anything },
    'connection.ethers.BaseContract.prototype to have waitForDeployment,',
  ],
  ['networkHelpers', 'network-helpers', {}, 'connection.networkHelpers to have getStorageAt,'],
  [
    'networkHelpers',
    'network-helpers',
    { getStorageAt() {}, time: { latest() {} } },
    'connection.networkHelpers.time to have increase,',
  ],
  ['ignition', 'ignition', { deploy: true }, 'connection.ignition to have deploy,'],
] as const)('%s', (name, adapted, value, expected) => {
  const { packageName, oldest, newest } = triedWith(adapted)
  test(`a connection fails if it finds another shape: ${expected}`, async () => {
    const { version } = JSON.parse(read(`node_modules/${packageName}/package.json`))
    for (const plugins of [
      [plugin, adding(name, value)],
      [adding(name, value), plugin],
    ]) {
      const connecting = connect(await createHre({}, plugins))
      await expect(connecting).rejects.toMatchObject({
        name: 'HardhatPluginError',
        message: expect.stringContaining(
          `${packageName} cannot be adapted to this network: expected ${expected}`,
        ),
      })
      const way = `which version ${version} has not. Install one from ${oldest} to ${newest}, `
      await expect(connecting).rejects.toThrow(way)
    }
  })
})

test('each says with which versions it was tried', () => {
  const { devDependencies } = JSON.parse(read('package.json'))
  const hardhats = read('.ci/hardhats.mjs')
  for (const name of ['viem', 'ethers', 'network-helpers', 'ignition']) {
    const { packageName, oldest, newest } = triedWith(name)
    expect(devDependencies[packageName]).toBe(newest)
    expect(hardhats).toContain(`'${name}@${oldest}'`)
  }
})
