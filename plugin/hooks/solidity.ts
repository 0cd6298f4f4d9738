import type { SolidityHooks } from 'hardhat/types/hooks'

/**
 * Asks solc for the layout of storage too, by which the dashboard names variables. This changes
 * neither the code nor the id of a build, so nothing is compiled again for it.
 */
export default async (): Promise<Partial<SolidityHooks>> => ({
  async invokeSolc(context, compiler, input, config, next) {
    if (input.language !== 'Solidity') return await next(context, compiler, input, config)
    const { settings } = input
    const ofAll = settings.outputSelection['*'] ?? {}
    const outputSelection = {
      ...settings.outputSelection,
      '*': { ...ofAll, '*': [...(ofAll['*'] ?? []), 'storageLayout'] },
    }
    const asked = { ...input, settings: { ...settings, outputSelection } }
    return await next(context, compiler, asked, config)
  },
})
