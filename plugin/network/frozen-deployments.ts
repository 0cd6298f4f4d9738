import type { Devnet } from '../../devnet/index.ts'
import { isObject } from '../../devnet/pluginApi.ts'
import { isEthersHelpers, wrapMethod } from './other-plugins.ts'
import { pluginError } from './plugin-error.ts'

/** Nodes that show receipts at the seal, by the provider of ethers that reads from them. */
const nodes = new WeakMap<object, Pick<Devnet, 'clock' | 'provider'>>()
const changedPrototypes = new WeakSet<object>()

/**
 * Makes deployments of other plugins fail with a sentence if they would wait for a seal that does
 * not come: with `receipts: 'sealed'`, while sealing is frozen. Otherwise they time out, or never
 * end.
 *
 * @param connection - with what the handlers of all plugins have added to it
 */
export function refuseFrozenDeployments(connection: object, devnet: Devnet): void {
  if (devnet.options.receipts !== 'sealed') return
  const viem: unknown = Reflect.get(connection, 'viem')
  const ethers: unknown = Reflect.get(connection, 'ethers')
  const ignition: unknown = Reflect.get(connection, 'ignition')
  const checked = async (method: (...args: unknown[]) => unknown, args: unknown[]) => {
    await requireSealing(devnet)
    return await method(...args)
  }
  if (isObject(viem)) wrapMethod(viem, 'deployContract', checked)
  if (isObject(ignition)) wrapMethod(ignition, 'deploy', checked)
  if (!isEthersHelpers(ethers)) return
  nodes.set(ethers.provider, devnet)
  checkWaits(ethers.BaseContract.prototype)
}

/** @param prototype - of all contracts of ethers, those of other providers too */
function checkWaits(prototype: object): void {
  const wait: unknown = Reflect.get(prototype, 'waitForDeployment')
  if (changedPrototypes.has(prototype) || typeof wait !== 'function') return
  changedPrototypes.add(prototype)
  Reflect.set(prototype, 'waitForDeployment', async function (this: Contract) {
    const provider = this.runner?.provider
    const devnet = isObject(provider) ? nodes.get(provider) : undefined
    const sent = this.deploymentTransaction()
    if (devnet !== undefined && sent !== null) {
      const request = { method: 'eth_getTransactionReceipt', params: [sent.hash] }
      if ((await devnet.provider.request(request)) === null) await requireSealing(devnet)
    }
    return await Reflect.apply(wait, this, [])
  })
}

/** The part of a contract of ethers that is looked at. */
interface Contract {
  readonly runner: { readonly provider: unknown } | null
  deploymentTransaction(): { readonly hash: string } | null
}

/** @throws {HardhatPluginError} if no block will be sealed without a command */
async function requireSealing({ clock }: Pick<Devnet, 'clock'>): Promise<void> {
  const { instant, sealing } = await clock.status()
  if (instant || sealing.running) return
  throw pluginError(
    'A deployment waits for its receipt, which this network shows at the seal (receipts: "sealed"), and sealing is frozen: resume() first, or leave receipts out.',
  )
}
