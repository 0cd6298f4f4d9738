import { setTimeout as pause } from 'node:timers/promises'
import type { Profile } from '../../devnet/pluginApi.ts'
import type { Check, Phase } from './check.ts'
import { MOST_ATTEMPTS, type Sender, type Signed, TOPIC } from './sender.ts'
import { type Fields, fieldsOf, listOf, numberOf, textOf } from './values.ts'
import type { Answer, Endpoint, Question, Socket, Subscription } from './wire.ts'

/** Most ms until a transaction is pre-confirmed, and from then on until it is sealed. */
const MOST_WAIT = 8_000

/** ms between two looks. */
const PAUSE = 40

/** ms after which a send behind a nonce gap gives up its wait for the receipt. */
const GAP_TIME = 300

/** ms; over the maximum of every endpoint. */
const LONG_TIME = 1_000_000_000

/** Heads after which at least one block was told of from its opening to its seal. */
const WHOLE_BLOCKS = 4

/** Observations of a run so far, which checks look at and ask about. */
export interface Seen {
  readonly sender: string
  readonly unfunded: ReturnType<Sender['unfunded']>
  /** Subscriptions by their kinds. */
  readonly told: ReadonlyMap<string, Subscription>
  /** A transaction that fills a nonce gap, and the one behind that gap. */
  readonly deployed: Signed
  readonly transfer: Signed
  /** Answer to the send of the latter that waits for its receipt. */
  readonly gapSync: Answer
  /** Answers to synchronous sends of a third: with a timeout over the maximum, and with none. */
  readonly longSync: Answer
  readonly sync: Answer
  /** The newest sealed block right after them. */
  readonly latestAtSync: Fields
  /** Nonce at `pending` minus the sealed one while the first two waited; `NaN` if unseen. */
  readonly waitingNonces: number
  /** Blocks and receipt before the questions of a phase, and `pending` after them. */
  readonly latest: Fields
  readonly pending: Fields
  readonly receipt: Fields
  readonly pendingAfter: Fields
  /** True if those questions were answered before the seal. */
  readonly isEarly: boolean
  /** The sealed block of the transactions, and the newest block at the end. */
  readonly sealed: Fields
  readonly newest: Fields
}

/** The endpoint, and what a run needs besides. */
export interface Stage {
  readonly endpoint: Endpoint
  /** `undefined` if there is none to check. */
  readonly socket: Socket | undefined
  readonly sender: Sender
  readonly profile: Profile
  readonly kinds: readonly string[]
  readonly checks: readonly Check[]
}

/**
 * Plays the phases of the checks; each asks all of its questions at the same time.
 *
 * @returns observations of the whole run, and what its checks were answered
 */
export async function run(stage: Stage) {
  const { endpoint, socket, sender, checks } = stage
  const answers = new Map<Check, { asked?: Question; answer: Answer }>()
  const ask = async (phase: Phase, seen: Seen) => {
    const asking = checks.map(async (check) => {
      if (check.phase !== phase) return
      const look = check.look(seen)
      if ('saw' in look) answers.set(check, { answer: { result: look.saw } })
      else answers.set(check, { asked: look, answer: await endpoint.ask(...look) })
    })
    await Promise.all(asking)
  }
  const none = { newest: {}, latest: {}, pending: {}, pendingAfter: {}, receipt: {}, sealed: {} }
  const unasked = {
    gapSync: {},
    longSync: {},
    sync: {},
    latestAtSync: {},
    waitingNonces: Number.NaN,
  }
  const signed = { deployed: sender.deployment(0), transfer: sender.transfer(1) }
  const own = { sender: sender.address, unfunded: sender.unfunded(), isEarly: false }
  let seen: Seen = { ...own, ...signed, ...none, ...unasked, told: await subscribe(stage) }
  seen = { ...seen, ...(await settled(endpoint)) }
  await ask('calm', seen)
  if (isSpending(checks)) {
    for (let count = 0; count < MOST_ATTEMPTS && !seen.isEarly; count++) {
      seen = await attempt(stage, seen, ask)
    }
    const heads = seen.told.get('newHeads')
    await socket?.until(() => (heads?.told.length ?? WHOLE_BLOCKS) >= WHOLE_BLOCKS, MOST_WAIT)
  }
  seen = { ...seen, newest: await endpoint.block('latest') }
  await Promise.all([ask('sealed', seen), ask('told', seen)])
  return { seen, answers }
}

/** True if any of the checks needs a transaction. */
export function isSpending(checks: readonly Check[]): boolean {
  return checks.some(({ phase, name }) => phase !== 'calm' && !name.startsWith('kinds'))
}

/** Subscribes to each kind: to those that only others have as well, which should be refused. */
async function subscribe({ socket, sender, profile, kinds }: Stage): Promise<Seen['told']> {
  const subTxFilter = { subscribeAddresses: [sender.address], txInfo: true, txReceipt: true }
  const isRange = profile.logs === 'pre-confirmation, from and to `pending` only'
  const logs = { topics: [TOPIC], ...(isRange && { fromBlock: 'pending', toBlock: 'pending' }) }
  const params: Readonly<Record<string, unknown>> = {
    ...{ logs, pendingLogs: logs, monadLogs: logs, stateChanges: [sender.address] },
    flashblocks: { headerInfo: true, subTxFilter },
  }
  if (socket === undefined) return new Map()
  const subscribed = kinds.map(async (kind) => {
    const own = kind in params ? [params[kind]] : []
    return [kind, await socket.subscribe(kind, ...own)] as const
  })
  return new Map(await Promise.all(subscribed))
}

/** `pending` between two equal `latest`, which is not genesis. */
async function settled(endpoint: Endpoint): Promise<Pick<Seen, 'latest' | 'pending'>> {
  let [latest, pending]: Fields[] = []
  await poll(async () => {
    latest = await endpoint.block('latest')
    pending = await endpoint.block('pending')
    return numberOf(latest.number) > 0 && latest.hash === (await endpoint.block('latest')).hash
  })
  return { latest: latest ?? {}, pending: pending ?? {} }
}

/** Sends a transfer behind a nonce gap, a deployment that fills it, and a third; looks at them. */
async function attempt(
  { endpoint, sender, profile }: Stage,
  before: Seen,
  ask: (phase: Phase, seen: Seen) => Promise<void>,
): Promise<Seen> {
  const count = ['eth_getTransactionCount', sender.address] as const
  let nonce = 0
  // The third of an earlier attempt may not be sealed yet.
  await poll(async () => {
    nonce = Number(await endpoint.quantity(...count, 'latest'))
    return nonce === Number(await endpoint.quantity(...count, 'pending'))
  })
  const deployed = sender.deployment(nonce)
  const transfer = sender.transfer(nonce + 1)
  const gapSync = await endpoint.ask('eth_sendRawTransactionSync', transfer.raw, GAP_TIME)
  // Networks that refuse the synchronous send behind a gap may let this one wait.
  await endpoint.ask('eth_sendRawTransaction', transfer.raw)
  const sent = { ...before, deployed, transfer, gapSync }
  await ask('gap', sent)
  // Right after a seal there is most time to look.
  const last = await endpoint.block('latest')
  let head = last
  const isNew = async () => {
    head = await endpoint.block('latest')
    return head.hash !== last.hash
  }
  await poll(isNew, 1.5 * profile.sealInterval)
  await endpoint.ask('eth_sendRawTransaction', deployed.raw)
  const pendingNonce = await endpoint.ask(...count, 'pending')
  const isIn = ({ transactions }: Fields) => listOf(transactions).includes(deployed.hash)
  const [open, newest] = await Promise.all([endpoint.block('pending'), endpoint.block('latest')])
  const isWaiting = !isIn(open) && newest.hash === head.hash
  const waitingNonces = isWaiting ? numberOf(pendingNonce.result) - nonce : before.waitingNonces
  const syncing = sendThird(endpoint, sender.transfer(nonce + 2))
  const receiptOf = async () =>
    fieldsOf((await endpoint.ask('eth_getTransactionReceipt', deployed.hash)).result)
  if (profile.preconfirms) {
    await poll(async () => isIn(await endpoint.block('pending')) || 'status' in (await receiptOf()))
  }
  const [receipt, latest, pending] = await Promise.all([
    receiptOf(),
    endpoint.block('latest'),
    endpoint.block('pending'),
  ])
  const look = { ...sent, waitingNonces, receipt, latest, pending }
  await ask('early', look)
  const pendingAfter = await endpoint.block('pending')
  const latestAfter = numberOf((await endpoint.block('latest')).number)
  let sealed: Fields = {}
  await poll(async () => {
    const { blockNumber } = await receiptOf()
    const newest = await endpoint.block('latest')
    if (!(numberOf(newest.number) >= numberOf(blockNumber))) return false
    sealed = await endpoint.block(textOf(blockNumber))
    return true
  })
  const isEarly = latestAfter < numberOf(sealed.number)
  return { ...look, pendingAfter, isEarly, sealed, ...(await syncing) }
}

async function sendThird(endpoint: Endpoint, { raw }: Signed) {
  const longSync = await endpoint.ask('eth_sendRawTransactionSync', raw, LONG_TIME)
  const isRefused = longSync.error !== undefined
  const sync = isRefused ? await endpoint.ask('eth_sendRawTransactionSync', raw) : longSync
  return { longSync, sync, latestAtSync: await endpoint.block('latest') }
}

/** Looks until something holds, at most `time` ms. */
async function poll(holds: () => Promise<boolean>, time = MOST_WAIT): Promise<void> {
  const end = Date.now() + time
  while (!(await holds()) && Date.now() < end) await pause(PAUSE)
}
