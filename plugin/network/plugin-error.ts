import { HardhatPluginError } from 'hardhat/plugins'

/** An error of this plugin in the form that Hardhat shows to users. */
export function pluginError(message: string, cause?: unknown): HardhatPluginError {
  return new HardhatPluginError(
    'hardhat-pending-node',
    message,
    cause instanceof Error ? cause : undefined,
  )
}
