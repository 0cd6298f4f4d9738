import type { KindName, Profile } from '../../devnet/pluginApi.ts'
import { type Check, checksAt, type Part } from './check.ts'
import type { Seen } from './run.ts'
import { fieldsOf, listOf, numberOf, ONES_HASH, ZERO_HASH } from './values.ts'

/** JSON-RPC: invalid params. */
const INVALID_PARAMS = -32602

const NO_SOCKET = 'the run has no WebSocket'
const NO_BLOCK = 'no whole block was told of'

/** True if a notification is the one that a kind has about the deployment. */
type IsAbout = (value: unknown, seen: Seen) => boolean

const isHash: IsAbout = (value, { deployed }) => value === deployed.hash
const hasHash = (list: unknown, seen: Seen) =>
  listOf(list).some((one) => isHash(fieldsOf(one).hash, seen))

const KINDS: Readonly<Record<KindName, IsAbout>> = {
  newHeads: (value, { sealed }) => fieldsOf(value).hash === sealed.hash,
  logs: (value, { deployed }) => fieldsOf(value).transactionHash === deployed.hash,
  newPendingTransactions: isHash,
  syncing: (value) => value === false,
  transactionReceipts: (value, { deployed }) =>
    listOf(value).some((receipt) => fieldsOf(receipt).transactionHash === deployed.hash),
  newFlashblocks: (value, seen) => hasHash(fieldsOf(value).transactions, seen),
  newFlashblockTransactions: isHash,
  pendingLogs: (value, { deployed }) => {
    const { transactionHash, blockHash } = fieldsOf(value)
    return transactionHash === deployed.hash && blockHash === ZERO_HASH
  },
  shreds: (value, seen) => {
    const shown = listOf(fieldsOf(value).transactions)
    const transactions = shown.map((one) => fieldsOf(one).transaction)
    return hasHash(transactions, seen)
  },
  miniBlocks: (value, seen) => hasHash(fieldsOf(value).transactions, seen),
  stateChanges: (value, { sender }) => fieldsOf(value).address === sender,
  flashblocks: (value, seen) => isHash(fieldsOf(fieldsOf(value).transaction).txHash, seen),
}

/** The kinds of all profiles. */
export const kindNames = Object.keys(KINDS)

/** The kinds that tell of what is not sealed yet. */
const EARLY = [
  ...(['newFlashblocks', 'newFlashblockTransactions', 'pendingLogs', 'flashblocks'] as const),
  ...(['shreds', 'miniBlocks', 'stateChanges'] as const),
]

const has = (kinds: readonly string[], kind: string) => kinds.includes(kind)
const isHeard = ({ kinds, silentKinds }: Profile, kind: string) =>
  has(kinds, kind) && !has(silentKinds, kind)

/** Number of the message about the deployment, on the WebSocket. */
const messagePosition = (kind: KindName, seen: Seen) =>
  seen.told.get(kind)?.told.find(({ value }) => KINDS[kind](value, seen))?.at

/** Of these, those that tell of each slice. */
const SLICES = ['newFlashblocks', 'flashblocks'] as const

const hasSlices = (profile: Profile) =>
  profile.preconfirmedEvents === 'slices' && SLICES.some((kind) => isHeard(profile, kind))

/** A check of the numbers of messages about blocks that were told whole. */
const perBlock = (
  holds: (counts: readonly number[], profile: Profile) => boolean,
): Part<unknown> => [
  ({ told }) => {
    const counts = new Map<unknown, number>()
    for (const { value } of SLICES.flatMap((kind) => told.get(kind)?.told ?? [])) {
      const { number = fieldsOf(fieldsOf(value).header).number } = fieldsOf(value)
      if (number !== undefined) counts.set(number, (counts.get(number) ?? 0) + 1)
    }
    return { saw: [...counts.values()].slice(1, -1) }
  },
  ({ result }, _, _seen, profile) => {
    const counts = listOf(result).map(Number)
    return counts.length === 0 ? NO_BLOCK : holds(counts, profile)
  },
  hasSlices,
]

const eachKind = <Value>(part: (kind: KindName, isAbout: IsAbout) => Part<Value>) =>
  // Object.entries forgets the names.
  Object.fromEntries((kindNames as KindName[]).map((kind) => [kind, part(kind, KINDS[kind])]))

/** Checks of `eth_subscribe`. */
export const subscriptionChecks: readonly Check[] = checksAt('told', {
  kinds: eachKind((kind) => [
    ({ told }) => ({ saw: told.get(kind)?.error ?? told.get(kind) }),
    (_, kinds, { told }) => {
      const subscription = told.get(kind)
      if (subscription === undefined) return NO_SOCKET
      return subscription.error?.code === (has(kinds, kind) ? undefined : INVALID_PARAMS)
    },
  ]),
  silentKinds: eachKind((kind, isAbout) => [
    ({ told }) => ({ saw: told.get(kind)?.told.at(-1)?.value }),
    (_, silent, seen) => {
      const { told, error } = seen.told.get(kind) ?? {}
      if (told === undefined) return NO_SOCKET
      if (error !== undefined) return 'it is refused; see kinds'
      return has(silent, kind) ? told.length === 0 : told.some(({ value }) => isAbout(value, seen))
    },
    ({ kinds }) => has(kinds, kind),
  ]),
  preconfirms: Object.fromEntries(
    EARLY.map((kind) => [
      kind,
      [
        (seen) => ({ saw: [messagePosition(kind, seen), messagePosition('newHeads', seen)] }),
        (_, _does, seen) => {
          const [own, head] = [messagePosition(kind, seen), messagePosition('newHeads', seen)]
          return own === undefined || head === undefined ? 'one of both told nothing' : own < head
        },
        (profile) => isHeard(profile, kind),
      ] satisfies Part<boolean>,
    ]),
  ),
  logs: {
    row: [
      ({ told }) => ({ saw: told.get('logs')?.told.map(({ value }) => fieldsOf(value).blockHash) }),
      ({ result }, at, { sealed }, { pendingHash }) => {
        if (result === undefined) return NO_SOCKET
        const early = pendingHash === 'ones' ? ONES_HASH : ZERO_HASH
        const hash =
          at === 'pre-confirmation, `null`' ? null : at === 'the seal' ? sealed.hash : early
        return listOf(result).at(-1) === hash
      },
    ],
  },
  preconfirmedEvents: {
    row: [
      ({ told }) => ({
        saw: ['newFlashblocks', 'shreds'].flatMap((kind) =>
          (told.get(kind)?.told ?? []).map(
            ({ value }) => listOf(fieldsOf(value).transactions).length,
          ),
        ),
      }),
      ({ result }) => !listOf(result).includes(0) && listOf(result).length > 0,
      ({ preconfirmedEvents }) => preconfirmedEvents === 'ticks that took something',
    ],
    slices: perBlock((counts) => Math.max(...counts) > 1),
  },
  // A block whose seal is late has more.
  slices: { row: perBlock((counts, { slices }) => Math.min(...counts) <= slices + 1) },
  tickInterval: {
    row: perBlock(
      (counts, { sealInterval, tickInterval }) =>
        Math.max(...counts) > sealInterval / tickInterval / 2,
    ),
  },
  baseTime: {
    steps: [
      ({ told }) => ({
        saw: told.get('newHeads')?.told.map(({ value }) => fieldsOf(value).timestampMs),
      }),
      ({ result }) => {
        const times = listOf(result).map(numberOf)
        return times.length < 2
          ? NO_BLOCK
          : times.every((time, at) => at === 0 || time === (times[at - 1] ?? 0) + 200)
      },
      ({ baseTime }) => baseTime,
    ],
  },
  milliseconds: {
    newHeads: [
      ({ told }) => ({ saw: told.get('newHeads')?.told.at(-1)?.value }),
      ({ result }, does) =>
        result === undefined ? NO_SOCKET : numberOf(fieldsOf(result).timestampMs) > 0 === does,
    ],
  },
})
