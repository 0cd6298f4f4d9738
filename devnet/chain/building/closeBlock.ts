import type { SystemExecution } from '../../engine/types.ts'
import { fromHex } from '../../primitives/hex.ts'
import { type BlockBody, unclesHash } from '../../protocol/block.ts'
import { encodeBlockAccessList } from '../../protocol/blockAccessList.ts'
import type { BlockResults } from '../../protocol/header.ts'
import {
  type BlockRequest,
  deposits,
  isIdle,
  QUEUE_SLOTS,
  type RequestFault,
  requestContracts,
  requestsHash,
} from '../../protocol/requests.ts'
import { blockRewards, withdrawalIncrements } from '../../protocol/rewards.ts'
import { accessesBetween, type StepAccesses, Touched } from '../../protocol/stepAccesses.ts'
import { hasCode } from '../../protocol/systemContracts.ts'
import { withdrawalsRoot } from '../../protocol/withdrawals.ts'
import { increased } from '../../state/accounts.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import type { Overlay } from '../../state/overlay/overlay.ts'
import type { Keccak256 } from '../../state/types.ts'
import { type ExecutedBlock, headerContents } from './pendingView.ts'

interface Closing extends BlockBody {
  /** The accesses of the block's opening; only needed from Amsterdam on. */
  readonly opening: StepAccesses
  /** The state after the transactions, which gets the changes. */
  readonly overlay: Overlay
  /** Makes a system call on the overlay, which it does not change if it fails. */
  readonly call: (to: Uint8Array) => Promise<SystemExecution>
  /** Unless it throws, the block goes without the request. */
  readonly onFault: (fault: RequestFault) => void
  readonly keccak256: Keccak256
}

/**
 * Ends a block: makes its requests to the consensus layer (EIP-6110, EIP-7002, EIP-7251, EIP-8282)
 * and credits withdrawals and rewards.
 */
export async function closeBlock(block: ExecutedBlock, closing: Closing) {
  const { environment, executed } = block
  const { call, keccak256, onFault, opening, overlay, uncles, withdrawals } = closing
  const { rules } = environment
  const before = rules.blockAccessLists ? overlay.shallowCopy() : undefined
  const touched =
    before && new Touched(withdrawals.map(({ address }) => addressKeyFromHex(address)))
  const requests: BlockRequest[] = []
  if (rules.requests) {
    const logs = executed.flatMap((transaction) => transaction.logs)
    requests.push(deposits(logs, rules, onFault))
  }
  for (const contract of requestContracts(rules)) {
    const { address, key, type } = contract
    if (isIdle(key, overlay)) {
      touched?.addAccount(key, QUEUE_SLOTS)
    } else if (hasCode(key, overlay)) {
      const { accesses, failure, returnData } = await call(fromHex(address))
      touched?.add(accesses ?? [])
      if (failure === undefined) requests.push({ type, data: returnData })
      else onFault({ contract, failed: { failure, returnData } })
    } else {
      onFault({ contract, failed: undefined })
    }
  }
  const increments = [...withdrawalIncrements(withdrawals), ...blockRewards(environment, uncles)]
  for (const [key, wei] of increments) {
    overlay.setBalance(key, increased(overlay.account(key)?.balance ?? 0n, wei))
  }
  /** RLP (EIP-7928); `undefined` before Amsterdam. */
  const accessList =
    before &&
    touched &&
    encodeBlockAccessList([opening, ...block.accesses, accessesBetween(before, overlay, touched)])
  /** All that the header has of the block, but for the root of its state. */
  const results: Omit<BlockResults, 'stateRoot'> = {
    ...headerContents(block),
    sha3Uncles: unclesHash(uncles, keccak256),
    withdrawalsRoot: withdrawalsRoot(withdrawals, keccak256),
    requestsHash: requestsHash(requests),
    blockAccessListHash: accessList && keccak256(accessList),
  }
  return { requests, accessList, results }
}
