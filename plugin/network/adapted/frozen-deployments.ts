import type { Devnet } from '../../../devnet/index.ts'
import { pluginError } from '../plugin-error.ts'
import { wrapMethod } from '../wrap-method.ts'

/**
 * Makes a method of a plugin that deploys fail with a sentence if it would wait for a seal that
 * does not come: with `receipts: 'sealed'`, while sealing is frozen. Otherwise it never ends.
 */
export function refuseFrozen(helpers: object, method: string, devnet: Devnet): void {
  if (!waitsForSeal(devnet)) return
  wrapMethod(helpers, method, async (deploy, args) => {
    await requireSealing(devnet)
    return await deploy(...args)
  })
}

/** `true` for a node that shows receipts at the seal. */
export function waitsForSeal({ options }: Devnet): boolean {
  return options.receipts === 'sealed'
}

/** @throws {HardhatPluginError} if no block will be sealed without a command */
export async function requireSealing({ clock }: Devnet): Promise<void> {
  const { instant, sealing } = await clock.status()
  if (instant || sealing.running) return
  throw pluginError(
    'A deployment waits for its receipt, which this network shows at the seal (receipts: "sealed"), and sealing is frozen: resume() first, or leave receipts out.',
  )
}
