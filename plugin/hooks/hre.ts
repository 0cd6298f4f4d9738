import type { HardhatRuntimeEnvironmentHooks } from 'hardhat/types/hooks'

/**
 * Handlers registered here wrap those of all plugins, in whatever order the project lists them. It
 * runs at each start of Hardhat, of which few make a connection, so it loads nothing.
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
