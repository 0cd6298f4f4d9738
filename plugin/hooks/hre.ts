import type { HardhatRuntimeEnvironmentHooks } from 'hardhat/types/hooks'

/**
 * A handler registered here wraps those of all plugins, in whatever order the project lists them.
 * Each start of Hardhat runs this, but few make a connection, so it imports nothing up front.
 */
export default async (): Promise<Partial<HardhatRuntimeEnvironmentHooks>> => ({
  created: async (_context, hre) =>
    hre.hooks.registerHandlers('network', {
      async newConnection(context, next) {
        const { newConnection } = await import('../network/node-per-connection.ts')
        return await newConnection(context, next)
      },
    }),
})
