import type { HardhatRuntimeEnvironmentHooks } from 'hardhat/types/hooks'

/**
 * Handlers that are registered here are around those of all plugins, wherever this one is in their list. Runs at each
 * start of Hardhat, and few make a connection: it loads nothing.
 */
export default async (): Promise<Partial<HardhatRuntimeEnvironmentHooks>> => ({
  created: async (_context, hre) =>
    hre.hooks.registerHandlers('network', {
      async newConnection(context, next) {
        const { newConnection } = await import('../network/new-connection.ts')
        return await newConnection(context, next)
      },
    }),
})
