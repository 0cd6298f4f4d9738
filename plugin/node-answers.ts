import type { Status } from '../devnet/types.ts'

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Looks at the parts only: a node that knows `preconf_status` answers with a whole status. */
export function isStatus(value: unknown): value is Status {
  const parts = ['ticks', 'sealing', 'latest', 'pending', 'mempool', 'dropped']
  return isObject(value) && parts.every((part) => isObject(value[part]))
}

/** Whether an error's code is that of a method which the node does not have. */
export function isUnknownMethod(code: unknown): boolean {
  // -32601 by JSON-RPC; -32004 is what `hardhat node` says (EIP-1474).
  return code === -32601 || code === -32004
}
