import { receiptForm } from './forms.ts'
import { OWN_SLOTS } from './slots.ts'
import { isRecord, record } from './values.ts'
import type { World } from './world.ts'

const TRACERS = [
  { tracer: 'callTracer' },
  { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } },
  { tracer: 'callTracer', tracerConfig: { withLog: true } },
  { tracer: 'prestateTracer' },
  { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
  { tracer: '4byteTracer' },
  { tracer: 'noopTracer' },
] as const

/** How a sealed transaction ran, by one of the tracers that both nodes have. */
export async function trace({ duel, random, sealed, accounts }: World): Promise<void> {
  if (sealed.length === 0) return
  const hash = random.pick(sealed)
  const { to, status } = record(await duel.result('eth_getTransactionReceipt', [hash], receiptForm))
  const options = random.pick(TRACERS)
  // EDR also tells slots that an opcode failed to reach, and the contract that a dev account has delegated to.
  const tellsMore = status === '0x0' || accounts.some((address) => address === to)
  if (options.tracer === 'prestateTracer' && tellsMore) return
  await duel.result('debug_traceTransaction', [hash, options], FORMS[options.tracer])
}

const same = (trace: unknown): unknown => trace

const FORMS = {
  callTracer: callForm,
  prestateTracer: prestateForm,
  '4byteTracer': same,
  noopTracer: same,
} as const

/** Why a precompile failed, EDR does not tell. It counts logs from the transaction on, geth from the block on. */
function callForm(call: unknown): unknown {
  if (!isRecord(call)) return call
  const { error, calls, logs, ...rest } = call
  return {
    ...rest,
    ...(Array.isArray(logs) ? { logs: logs.map((log) => ({ ...record(log), index: '' })) } : {}),
    ...(error === undefined ? {} : { error: isPrecompile(call.to) ? 'failed' : errorForm(error) }),
    ...(Array.isArray(calls) ? { calls: calls.map(callForm) } : {}),
  }
}

/** Here EDR has names of its own. */
function errorForm(error: unknown): unknown {
  return error === 'CreateContractStartingWithEF' ? 'invalid code: must not begin with 0xef' : error
}

function isPrecompile(address: unknown): boolean {
  return typeof address === 'string' && /^0x0{37}[0-9a-f]{3}$/.test(address)
}

/** Accounts by address, or such before and after. */
function prestateForm(state: unknown): unknown {
  if (!isRecord(state)) return state
  if (isRecord(state.pre)) return { pre: prestateForm(state.pre), post: prestateForm(state.post) }
  return Object.fromEntries(
    Object.entries(state)
      .map(([address, account]) => [address, accountForm(account)] as const)
      .filter(([, account]) => !isEmpty(account)),
  )
}

/** Without the hash of the code, which EDR does not have, and slots that are each node's own. */
function accountForm(account: unknown): unknown {
  if (!isRecord(account)) return account
  const { codeHash: _, storage, ...rest } = account
  if (!isRecord(storage)) return rest
  const slots = Object.entries(storage).filter(([slot]) => !OWN_SLOTS.some((own) => own === slot))
  return { ...rest, storage: Object.fromEntries(slots) }
}

/** geth leaves out accounts that do not exist; EDR has them. */
function isEmpty(account: unknown): boolean {
  if (!isRecord(account)) return false
  const { balance, storage: _, ...rest } = account
  return balance === '0x0' && Object.keys(rest).length === 0
}
