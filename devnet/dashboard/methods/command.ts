import { MAX_TICKS } from '../../clock/advance.ts'
import { hash32 } from '../../json/params.ts'
import { InvalidParamsError, RefusedError } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import {
  choice,
  either,
  flag,
  integerWithin,
  type Output,
  optional,
  text,
} from '../../primitives/reader.ts'
import { formatDashboardStatus, formatSnapshots } from '../formatState.ts'
import { defineQuery, fields } from '../query.ts'

const NAMES = [
  'freeze',
  'resume',
  'tick',
  'advance',
  'seal',
  'instant',
  'snapshot',
  'revert',
  'reset',
  'drop',
] as const

const COMMAND = fields({
  name: choice(NAMES, `one of ${NAMES.join(', ')}`),
  ticks: optional(
    either<boolean | number>(
      'true, false or a number of ticks',
      flag(),
      integerWithin(1, MAX_TICKS),
    ),
  ),
  blocks: optional(integerWithin(1)),
  enabled: optional(flag()),
  id: optional(text('the id of a snapshot')),
  hash: optional(hash32()),
})

/** Commands of the page; besides, only `send` changes the node. */
export type Command =
  /** Freezes sealing, with `ticks` both clocks. */
  | { readonly name: 'freeze'; readonly ticks?: boolean }
  | { readonly name: 'resume' }
  | { readonly name: 'tick' }
  | { readonly name: 'advance'; readonly ticks: number }
  | { readonly name: 'advance'; readonly blocks: number }
  | { readonly name: 'seal' }
  /** Enters or leaves instant mode. */
  | { readonly name: 'instant'; readonly enabled: boolean }
  | { readonly name: 'snapshot' }
  | { readonly name: 'revert'; readonly id: Hex }
  | { readonly name: 'reset' }
  /** Drops a waiting or pre-confirmed transaction. */
  | { readonly name: 'drop'; readonly hash: Hex }

/** A method of the node that does the work. */
interface Request {
  readonly method: string
  readonly params: readonly unknown[]
  /** The message if it answers false. */
  readonly missing?: string
}

/** The commands of the page: these, and no others. */
export default defineQuery(COMMAND, async (dashboard, command, { signal }) => {
  const { dispatch } = dashboard.node
  const { missing, ...request } = requestOf(command)
  // The page was admitted by its token, so the node need not know that it is one.
  const caller = { signal, origin: undefined, subscribe: () => undefined }
  const answer = await dispatch.request(request, caller)
  // As with anvil, the answer may be null.
  if (missing !== undefined && (answer === false || answer === null))
    throw new RefusedError(missing)
  await dashboard.feed.now()
  const status = formatDashboardStatus(dashboard)
  return { status, snapshots: formatSnapshots(dashboard) }
})

function requestOf({ name, ticks, blocks, enabled, id, hash }: Output<typeof COMMAND>): Request {
  switch (name) {
    case 'freeze':
      return { method: 'preconf_freeze', params: ticks === undefined ? [] : [{ ticks }] }
    case 'resume':
      return { method: 'preconf_resume', params: [] }
    case 'tick':
      return { method: 'preconf_advance', params: [{ ticks: 1 }] }
    case 'advance':
      return { method: 'preconf_advance', params: [{ ticks, blocks }] }
    case 'seal':
      return { method: 'preconf_seal', params: [] }
    case 'instant':
      return { method: 'evm_setAutomine', params: [need(enabled, 'enabled')] }
    case 'snapshot':
      return { method: 'evm_snapshot', params: [] }
    case 'revert': {
      const missing = `There is no snapshot ${id} any more: an earlier revert deleted it.`
      return { method: 'evm_revert', params: [need(id, 'id')], missing }
    }
    case 'reset':
      return { method: 'hardhat_reset', params: [] }
    case 'drop': {
      const missing = `There is no transaction ${hash} to drop: it was sealed or dropped meanwhile.`
      return { method: 'hardhat_dropTransaction', params: [need(hash, 'hash')], missing }
    }
  }
}

function need<Value extends string | boolean | Hex>(value: Value | undefined, name: string) {
  if (value !== undefined) return value
  throw new InvalidParamsError(`missing field ${name}`)
}
