import { HardhatPluginError } from 'hardhat/plugins'

/** An error of this plugin in the form that Hardhat shows to users. */
export function pluginError(message: string, cause?: unknown): HardhatPluginError {
  return new HardhatPluginError(
    'hardhat-pending-node',
    message,
    cause instanceof Error ? cause : undefined,
  )
}

/** Adds `cause` to the end of the causes of `error`, so that both are printed. */
export function addCause(error: unknown, cause: unknown): void {
  const chain = new Set([error])
  let last = error
  while (last instanceof Error && last.cause !== undefined) {
    last = last.cause
    // The causes form a cycle, so there is no end to add to.
    if (chain.has(last)) return
    chain.add(last)
  }
  if (last instanceof Error && Object.isExtensible(last)) last.cause = cause
}
