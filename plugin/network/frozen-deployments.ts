import type { Devnet } from '../../devnet/index.ts'
import { isObject } from '../../devnet/pluginApi.ts'
import { isEthersHelpers, wrapMethod } from './other-plugins.ts'
import { pluginError } from './plugin-error.ts'

/** Nodes that show receipts at the seal, by the provider of ethers that reads from them. */
const nodes = new WeakMap<object, Devnet>()
const changedPrototypes = new WeakSet<object>()

/**
 * Makes deployments of other plugins fail with a sentence if they would wait for a seal that does
 * not come: with `receipts: 'sealed'`, while sealing is frozen. Otherwise they never end.
 *
 * @param connection - with what the handlers of all plugins have added to it
 */
export function refuseFrozenDeployments(connection: object, devnet: Devnet): void {
  if (devnet.options.receipts !== 'sealed') return
  const check = (name: string, method: string) => {
    const helpers: unknown = Reflect.get(connection, name)
    if (!isObject(helpers)) return
    wrapMethod(helpers, method, (deploy, args) =>
      requireSealing(devnet).then(() => deploy(...args)),
    )
  }
  check('viem', 'deployContract')
  check('ignition', 'deploy')
  const ethers: unknown = Reflect.get(connection, 'ethers')
  if (!isEthersHelpers(ethers)) return
  nodes.set(ethers.provider, devnet)
  const { prototype } = ethers.BaseContract
  if (changedPrototypes.has(prototype)) return
  changedPrototypes.add(prototype)
  wrapWaits(prototype)
}

/** @param prototype - of all contracts of ethers, those of other providers too */
function wrapWaits(prototype: object): void {
  const wait: unknown = Reflect.get(prototype, 'waitForDeployment')
  if (typeof wait !== 'function') return
  Reflect.set(prototype, 'waitForDeployment', async function (this: Contract) {
    const devnet = nodes.get(this.runner?.provider ?? {})
    const params = [this.deploymentTransaction()?.hash]
    if (devnet !== undefined && params[0] !== undefined) {
      const request = { method: 'eth_getTransactionReceipt', params }
      if ((await devnet.provider.request(request)) === null) await requireSealing(devnet)
    }
    return await Reflect.apply(wait, this, [])
  })
}

/** The part of a contract of ethers that is looked at. */
interface Contract {
  readonly runner: { readonly provider: object | null } | null
  deploymentTransaction(): { readonly hash: string } | null
}

/** @throws {HardhatPluginError} if no block will be sealed without a command */
async function requireSealing({ clock }: Devnet): Promise<void> {
  const { instant, sealing } = await clock.status()
  if (instant || sealing.running) return
  throw pluginError(
    'A deployment waits for its receipt, which this network shows at the seal (receipts: "sealed"), and sealing is frozen: resume() first, or leave receipts out.',
  )
}
