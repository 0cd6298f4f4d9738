import { addedAccessList } from '../../chain/building/blockAccesses.ts'
import type { PendingView } from '../../chain/building/pendingView.ts'
import type { Chain } from '../../chain/chain.ts'
import type { Publication } from '../../chain/chainEvents.ts'
import { formatAccessList } from '../../json/formatAccessList.ts'
import type { Profile } from '../../options/profile.ts'
import { receiptToJson, reservedToJson } from '../../persistence/dump/blockJson.ts'
import { stepText } from '../../persistence/dump/diffsText.ts'
import { limitsToJson } from '../../persistence/dump/forksJson.ts'
import { fromHex, type Hex, quantity, toHex } from '../../primitives/hex.ts'
import type { ExecutedTransaction } from '../../protocol/receipt.ts'
import { DEPOSIT_TYPE } from '../../protocol/rollup/depositTransaction.ts'
import { addressHex } from '../../state/keys.ts'
import type { StateDiff } from '../../state/types.ts'
import { newDiffs } from '../stateChanges.ts'

/**
 * The metadata of a message as JSON text: the number of the block, receipts and balances, and, if
 * it is whole, what a replica cannot learn by executing the transactions.
 *
 * @param form - which of these
 * @param executed - the transactions that the message adds
 */
export function encodeMetadata(
  chain: Chain,
  form: Exclude<Profile['metadata'], 'none'>,
  { view, before, isReorg }: Publication,
  executed: readonly ExecutedTransaction[],
): string {
  const block = { block_number: Number(view.environment.number) }
  if (form === 'number') return JSON.stringify(block)
  const formatReceipt = form === 'tagged receipts' ? taggedReceipt : bareReceipt
  const receipts: Record<Hex, object> = {}
  const senders: Record<Hex, Hex> = {}
  for (const one of executed) {
    const { hash, impersonated, sender } = one.transaction
    receipts[hash] = formatReceipt(one)
    if (impersonated) senders[hash] = sender
  }
  const outcome = { ...block, receipts, new_account_balances: balances(newDiffs(view, before)) }
  if (form !== 'whole') return JSON.stringify(outcome)
  const added = addedAccessList(view, before, chain.store)
  const fields = JSON.stringify({
    ...outcome,
    ...(before === undefined ? opening(chain, view) : {}),
    ...(added && { block_access_list: formatAccessList(added) }),
    ...(isReorg ? { reorg: true } : {}),
    ...(Object.keys(senders).length > 0 ? { senders } : {}),
  })
  return `${fields.slice(0, -1)}${stepsText(chain, view, before)}}`
}

/** Names of transaction types in op-alloy's receipts. */
const TYPE_NAMES: Readonly<Record<number, string>> = {
  0: 'Legacy',
  1: 'Eip2930',
  2: 'Eip1559',
  3: 'Eip4844',
  4: 'Eip7702',
  [DEPOSIT_TYPE]: 'Deposit',
}

/** A receipt below the name of its type, as Rust's enums are written. */
function taggedReceipt(executed: ExecutedTransaction) {
  const { type, ...receipt } = bareReceipt(executed)
  return { [TYPE_NAMES[executed.transaction.type] ?? type]: receipt }
}

/** A receipt in the form that Base had until version 0.8. */
export function bareReceipt(executed: ExecutedTransaction) {
  const { deposit, nonce } = executed.transaction
  return {
    ...receiptToJson(executed),
    ...(deposit === undefined ? {} : { depositNonce: quantity(nonce) }),
  }
}

/** Contents of the first message of a build besides its base. */
function opening({ engine, history }: Chain, { environment }: PendingView) {
  const { newestRange } = history
  return {
    chain_id: quantity(engine.chainId),
    hardfork: environment.rules.hardfork,
    ...limitsToJson(environment.rules),
    ...(newestRange && { reserved: reservedToJson(newestRange) }),
  }
}

/** The balances of the accounts that changed, in wei; 0 for those that are gone. */
function balances(diffs: readonly StateDiff[]): Record<Hex, Hex> {
  const changed: Record<Hex, Hex> = {}
  for (const { accounts } of diffs) {
    for (const [key, record] of accounts) changed[addressHex(key)] = quantity(record?.balance ?? 0n)
  }
  return changed
}

/** Changes by command and the codes they name, as further fields; empty if there are none. */
function stepsText(chain: Chain, view: PendingView, before: PendingView | undefined): string {
  const cheats = view.cheatDiffs.slice(before?.cheatDiffs.length ?? 0)
  const steps = view.steps.slice(before?.steps.length ?? 0)
  if (cheats.length === 0 && steps.length === 0) return ''
  const hashes = new Set<Hex>()
  const texts = [
    ...cheats.map((diff) => stepText({ after: 0, diff }, hashes)),
    ...steps.map((step) => stepText(step, hashes, step.cheat)),
  ]
  const codes: Record<Hex, Hex> = {}
  for (const hash of hashes) {
    codes[hash] = toHex(chain.engine.codes.get(fromHex(hash)))
  }
  return `,"steps":[${texts}],"codes":${JSON.stringify(codes)}`
}
