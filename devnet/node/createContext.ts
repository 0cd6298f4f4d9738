import type { FaultEvent } from '../faults/types.ts'
import { profileOf } from '../options/profileTable.ts'
import type { RpcContext } from '../rpc/context.ts'
import type { ForkEvent } from '../types.ts'
import type { Branch, Branches } from './branches.ts'
import type { NodeEvents } from './nodeEvents.ts'
import { NodeFaults } from './nodeFaults.ts'
import { NodeFork } from './nodeFork.ts'

interface ContextParameters
  extends Omit<RpcContext, 'profile' | 'fork' | 'faults' | 'branches' | 'observer'> {
  /** Is told what happens to the chain. */
  readonly events: NodeEvents
  readonly branches: Branches
  /** `undefined` for the node's own chain. */
  readonly branch?: Branch
  /** Aborts when the chain is closed. */
  readonly signal: AbortSignal
  readonly cutSockets: () => void
}

/** The parts that RPC methods use, of a node's chain or of a branch. */
export function createContext({
  events,
  branches,
  branch,
  signal,
  cutSockets,
  ...parts
}: ContextParameters) {
  const { chain, clocks, options, accounts } = parts
  const onFork = (event: ForkEvent) => events.emit('fork', event)
  const onFault = (event: FaultEvent) => events.emit('fault', event)
  const context: RpcContext & { readonly fork: NodeFork } = {
    ...parts,
    profile: profileOf(options.profile),
    fork: new NodeFork({ chain, clocks, options, accounts, signal, onFork }),
    faults: new NodeFaults({ chain, clocks, onFault, cutSockets }),
    branches: branches.control(() => context, branch),
    observer: events.observe(chain),
  }
  return context
}
