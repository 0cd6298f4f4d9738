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
import type { Positioned } from '../chainIndex.ts'
import { fullNameOf } from '../contractRows.ts'
import type { Dashboard } from '../dashboard.ts'
import type { AccountKind } from '../knownAccounts.ts'
import { defineQuery, fields } from '../query.ts'
import { type ExecutedRow, executedRow, recipientOf } from '../rows.ts'
import { waitingList, waitingRows } from '../waitingRows.ts'

/** Number of executed transactions in one answer, and of those that wait. */
const MOST = 50
const MOST_WAITING = 20

/** ms after which the answer is what was found so far. */
const SEARCH_TIME = 200

/** An account in both states, with its history. */
export default defineQuery(
  fields({
    address: addressSchema(),
    /** Only transactions before this position. Default: the newest */
    before: optional(integerWithin(0)),
  }),
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
      /** Full name of the contract in `contracts`; `null` if it is unknown or none. */
      contract: contract === undefined ? null : fullNameOf(contract.found[0]),
      /** The code that it runs: delegate (EIP-7702), clone or proxy; `null` if its own. */
      implementation: contract?.behind ?? null,
      /** Its direct creator, and the transaction of that; `null` if unknown. */
      // The index of addresses holds hashes of transactions as text.
      creation: creation
        ? { hash: creation.hash as Hex, creator: addressHex(creation.creator) }
        : null,
      /** Newest first, calls inside of transactions included. */
      rows,
      /** `before` of the next page; `null` if there is nothing older. */
      next: page.next,
      /**
       * Newest block that was looked at for `rows` and `creation`, from the oldest on; `null` once
       * all were. The next answer has looked further.
       */
      searchedTo: unindexed === undefined ? null : Math.max(0, unindexed.number - 1),
      /** Waiting transactions from or to it; only without `before`. */
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
): AccountKind | 'precompile' | 'other' {
  const { pending, settings } = node.context.chain
  if (accountNames.has(address)) return 'dev'
  if (settings.impersonated.has(address)) return 'impersonated'
  if (codeSize > 0) return 'contract'
  const numbers = precompileNumbers(pending.environment.rules)
  return numbers.has(addressKeyFromHex(address)) ? 'precompile' : 'other'
}

/** The newest transactions of an address before a position. */
function pageOf({ index, node }: Dashboard, key: AddressKey, before: number) {
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
  // The index gives whole blocks, so the newest may contain later positions.
  const sealed = history.addresses.before(key, end, 2 * MOST)
  const all: Positioned[] = [
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
