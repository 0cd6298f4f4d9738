import type { Access } from '../engine/accessWatch.ts'
import { CoreLimitError } from '../engine/core/codeCache.ts'
import { whyLibrary } from '../engine/fast/route.ts'
import type { Machine } from '../engine/machine.ts'
import type { Execution } from '../engine/types.ts'
import { failureMessage } from '../execution/failureMessage.ts'
import { EMPTY_BYTES } from '../primitives/bytes.ts'
import { precompileNumbers } from '../protocol/precompiles.ts'
import type { TransactionFields } from '../protocol/transaction.ts'
import { addressKey } from '../state/keys.ts'
import type { StateReader } from '../state/types.ts'
import { LightFrames } from './lightFrames.ts'
import type { TraceContext, Tracer } from './tracer.ts'

export type ExecutionContext = Omit<TraceContext, 'state' | 'isPrecompile'>

/**
 * Traces one execution by the fast engine, which loads nothing and takes no longer than without a
 * tracer. Leaves nothing behind if it does not know enough; the tracer is of no use then.
 *
 * @returns what was executed; `undefined` if only the library can trace it
 */
export async function traceLightly(
  machine: Machine,
  tracer: Tracer,
  context: ExecutionContext,
  run: () => Execution | Promise<Execution>,
): Promise<Execution | undefined> {
  const { fast, overlay } = machine
  const { tx, rules } = context
  if (tracer.isLight !== true || fast === undefined) return undefined
  // On a fork, an opcode runs again after a fetch, and would be traced twice.
  if (overlay.lazyReads !== undefined) return undefined
  if (whyLibrary(machine, tx.gasLimit) !== undefined) return undefined
  const precompiles = precompileNumbers(rules)
  let present: StateReader = overlay
  const state = liveState(() => present)
  const isPrecompile = (address: Uint8Array) => precompiles.has(addressKey(address))
  tracer.start?.({ ...context, state, isPrecompile })
  overlay.openCheckpoint()
  const accesses = {
    access(access: Access) {
      // From the first access on, the tracer must see the changes of the transaction.
      present = fast.present
      tracer.access?.(access)
    },
    undoAccess: () => tracer.undoAccess?.(),
  }
  const frames = new LightFrames(tracer, { logCount: context.logCount, isPrecompile })
  machine.watch = { accesses: tracer.access && accesses, frames }
  try {
    const execution = await run()
    present = overlay
    if (frames.isExplained) {
      overlay.keepCheckpoint()
      return execution
    }
  } catch (error) {
    if (!(error instanceof CoreLimitError)) throw error
  } finally {
    machine.watch = undefined
  }
  overlay.revertCheckpoint()
  return undefined
}

/** Reports the outermost frame of an execution that has ended. */
export function reportTopFrame(
  tracer: Tracer,
  { from, to, data: input, gasLimit: gas, value }: TransactionFields,
  execution: Execution,
): void {
  const { failure: halt, returnData: output, gasUsed, createdAddress: created } = execution
  const type = to === undefined ? 'CREATE' : 'CALL'
  tracer.enter?.({ type, depth: 0, from, to, input, gas, value })
  // Without the reason of a revert: tracers show that in a field of its own.
  const error = halt && failureMessage({ ...execution, returnData: EMPTY_BYTES })
  tracer.exit?.({ depth: 0, output, gasUsed, error, halt, created })
}

/** The state as it is at any time before, during and after an execution. */
function liveState(reader: () => StateReader): StateReader {
  return {
    account: (key) => reader().account(key),
    slot: (key, slot) => reader().slot(key, slot),
    hasOldStorage: (key) => reader().hasOldStorage(key),
    slots: (key) => reader().slots(key),
    code: (codeHash) => reader().code(codeHash),
  }
}
