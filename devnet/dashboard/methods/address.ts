import { address as addressSchema } from '../../json/params.ts'
import type { Hex } from '../../primitives/hex.ts'
import { integerWithin, optional } from '../../primitives/reader.ts'
import { precompileNumbers } from '../../protocol/precompiles.ts'
import type { ExecutedTransaction } from '../../protocol/receipt.ts'
import { indexAddresses } from '../../rpc/queries/indexAddresses.ts'
import { untilKnown } from '../../rpc/untilKnown.ts'
import { addressHex, addressKey, addressKeyFromHex, addressKeysIn } from '../../state/keys.ts'
import type { AddressKey } from '../../state/types.ts'
import { bothStates, codeSizes } from '../accountState.ts'
import type { AddressAnswer } from '../apiTypes/accountTypes.ts'
import type { ExecutedRow } from '../apiTypes/transactionTypes.ts'
import type { Positioned } from '../chainIndex.ts'
import { fullNameOf } from '../contractRows.ts'
import type { Dashboard } from '../dashboard.ts'
import { defineQuery, fields } from '../query.ts'
import { executedRow, recipientOf } from '../rows.ts'
import { waitingList, waitingRows } from '../waitingRows.ts'

/** Number of executed transactions in one answer, and of those that wait. */
const MOST = 50
const MOST_WAITING = 20

/** ms after which the answer is what was found so far. */
const SEARCH_TIME = 200

/** An account in both states, with its history. */
export default defineQuery(
  'address',
  fields({ address: addressSchema(), before: optional(integerWithin(0)) }),
  async (dashboard, { address, before }, { signal }) => {
    const { chain } = dashboard.node.context
    const key = addressKeyFromHex(address)
    const states = await untilKnown(() => {
      const sizes = codeSizes(dashboard, address)
      const { sealed, pending } = bothStates(dashboard, address)
      return {
        sealed: { ...sealed, codeSize: sizes.sealed },
        pending: { ...pending, codeSize: sizes.pending },
      }
    }, signal)
    const [contract] = await dashboard.contracts.at(address)
    await indexAddresses(chain, signal, SEARCH_TIME)
    await dashboard.index.sync(signal)
    // In one turn, so that all of it is of one moment.
    const { addresses, unindexed } = chain.history
    const page = pageOf(dashboard, key, before ?? dashboard.index.end)
    const creation = addresses.creation(key)
    const kind = kindOf(dashboard, address, states.pending.codeSize)
    const waiting =
      before === undefined
        ? waitingList(
            dashboard,
            MOST_WAITING,
            (one) => one.sender === address || recipientOf(one) === address,
          )
        : { shown: [], omitted: 0 }
    const { naming } = dashboard.work(signal)
    const rows: ExecutedRow[] = []
    for (const found of page.found) rows.push(await executedRow(found, naming))
    await naming.nameAll([address, contract?.behind ?? null])
    return {
      address,
      kind,
      ...states,
      contract: contract === undefined ? null : fullNameOf(contract.found[0]),
      implementation: contract?.behind ?? null,
      // The index of addresses holds hashes of transactions as text.
      creation: creation
        ? { hash: creation.hash as Hex, creator: addressHex(creation.creator) }
        : null,
      rows,
      next: page.next,
      searchedTo: unindexed === undefined ? null : Math.max(0, unindexed.number - 1),
      waiting: await waitingRows(waiting, naming),
      omittedWaiting: waiting.omitted,
      names: naming.names,
    }
  },
)

function kindOf(
  { accountNames, node }: Dashboard,
  address: Hex,
  codeSize: number,
): AddressAnswer['kind'] {
  const { pending, settings } = node.context.chain
  if (accountNames.has(address)) return 'dev'
  if (settings.impersonated.has(address)) return 'impersonated'
  if (codeSize > 0) return 'contract'
  const numbers = precompileNumbers(pending.environment.rules)
  return numbers.has(addressKeyFromHex(address)) ? 'precompile' : 'other'
}

interface Page {
  readonly found: readonly Positioned[]
  readonly next: number | null
}

/** The newest transactions of an address before a position. */
function pageOf({ index, node }: Dashboard, key: AddressKey, before: number): Page {
  const { chain } = node.context
  const { pending, history } = chain
  const waiting = pending.executed
    .map((executed) => ({
      position: index.sealedEnd + executed.index,
      block: pending,
      executed,
    }))
    .filter(({ executed }) => touches(executed, key))
    .reverse()
  const last = index.at(Math.min(before, index.sealedEnd) - 1)
  const end = last !== undefined && 'number' in last.block ? last.block.number + 1 : 0
  // Whole blocks, of which the newest may reach beyond the position.
  const sealed = history.addresses.before(key, end, 2 * MOST)
  const all = [
    ...waiting,
    ...sealed.found.map(({ block, executed }) => ({
      position: index.firstOf(block) + executed.index,
      block,
      executed,
    })),
  ].filter(({ position }) => position < before)
  const found = all.slice(0, MOST)
  const isAll = found.length === all.length && sealed.isOldest
  return { found, next: isAll ? null : (found.at(-1)?.position ?? null) }
}

function touches(
  { transaction, contractAddress, innerFrames }: ExecutedTransaction,
  key: AddressKey,
): boolean {
  const other = transaction.to ?? contractAddress
  if (transaction.senderKey === key || (other !== undefined && addressKey(other) === key)) {
    return true
  }
  return addressKeysIn(innerFrames?.touched ?? '').includes(key)
}
