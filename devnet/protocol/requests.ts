import { createHash } from 'node:crypto'
import type { Executor } from '../engine/executor.ts'
import type { Machine } from '../engine/machine.ts'
import type { BlockContext, RawLog } from '../engine/types.ts'
import { concatBytes } from '../primitives/bytes.ts'
import { fromHex } from '../primitives/hex.ts'
import { addressKeyFromHex, slotKeyFromBigInt } from '../state/keys.ts'
import type { AddressKey, StateReader } from '../state/types.ts'
import type { ForkRules } from './forks.ts'
import { EMPTY_REQUESTS_HASH } from './header.ts'
import {
  CONSOLIDATION_REQUESTS,
  hasCode,
  type Predeploy,
  WITHDRAWAL_REQUESTS,
} from './systemContracts.ts'

/** A request from the execution layer to the consensus layer, made by a block (EIP-7685). */
export interface BlockRequest {
  /** 0 deposit (EIP-6110), 1 withdrawal (EIP-7002), 2 consolidation (EIP-7251). */
  readonly type: number
  readonly data: Uint8Array
}

/** A contract that queues requests and returns them to a system call at the end of a block. */
interface RequestContract {
  readonly type: BlockRequest['type']
  /** Kind of the requests in its queue. */
  readonly holds: 'withdrawal' | 'consolidation'
  readonly predeploy: Predeploy
  /** 20 bytes. */
  readonly address: Uint8Array
  readonly key: AddressKey
}

/** In the order in which they are called (EIP-7685). */
export const requestContracts: readonly RequestContract[] = [
  requestContract(1, 'withdrawal', WITHDRAWAL_REQUESTS),
  requestContract(2, 'consolidation', CONSOLIDATION_REQUESTS),
]

function requestContract(
  type: RequestContract['type'],
  holds: RequestContract['holds'],
  predeploy: Predeploy,
): RequestContract {
  const { address } = predeploy
  return { type, holds, predeploy, address: fromHex(address), key: addressKeyFromHex(address) }
}

/** Excess, count, head and tail of the queue: the first four slots of both contracts. */
const QUEUE_SLOTS = [0n, 1n, 2n, 3n].map(slotKeyFromBigInt)

const DEPOSIT_TOPIC = fromHex('0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5')
const DEPOSIT_LOG_LENGTH = 576

/** Whether the system calls at the end of the block would change the state or return requests. */
export function needsRequestCalls(state: StateReader, rules: ForkRules): boolean {
  return (
    rules.requests &&
    requestContracts.some(({ key }) => hasCode(key, state) && isQueueInUse(key, state))
  )
}

/** Whether a contract's queue holds requests to dequeue, or an excess that still has to decay. */
export function isQueueInUse(key: AddressKey, state: StateReader): boolean {
  return QUEUE_SLOTS.some((slot) => state.slot(key, slot).length > 0)
}

/** Makes the system calls of EIP-7002 and EIP-7251 on `machine`. A failed call adds no request. */
export async function callRequestContracts(
  executor: Executor,
  machine: Machine,
  block: BlockContext,
): Promise<BlockRequest[]> {
  const requests: BlockRequest[] = []
  for (const { type, address, key } of requestContracts) {
    if (!hasCode(key, machine.overlay)) continue
    const { returnData, failure } = await executor.systemCall(machine, address, block)
    if (failure === undefined) requests.push({ type, data: returnData })
  }
  return requests
}

/** The deposits that a block's logs announce (EIP-6110). */
export function deposits(logs: Iterable<RawLog>, rules: ForkRules): BlockRequest {
  const found: Uint8Array[] = []
  for (const [address, topics, data] of logs) {
    const [topic] = topics
    if (topic === undefined || data.length !== DEPOSIT_LOG_LENGTH) continue
    if (!Buffer.from(fromHex(rules.depositContract)).equals(address)) continue
    if (!Buffer.from(DEPOSIT_TOPIC).equals(topic)) continue
    // Five ABI-encoded byte strings at fixed offsets: key, credentials, amount, signature, index.
    found.push(
      data.subarray(192, 240),
      data.subarray(288, 320),
      data.subarray(352, 360),
      data.subarray(416, 512),
      data.subarray(544, 552),
    )
  }
  return { type: 0, data: concatBytes(...found) }
}

/** `requestsHash` of the header; requests without data do not count (EIP-7685). */
export function requestsHash(requests: readonly BlockRequest[]): Uint8Array {
  if (requests.every(({ data }) => data.length === 0)) return EMPTY_REQUESTS_HASH
  const outer = createHash('sha256')
  for (const { type, data } of requests) {
    if (data.length === 0) continue
    outer.update(createHash('sha256').update(Uint8Array.of(type)).update(data).digest())
  }
  return new Uint8Array(outer.digest())
}
