import { createHash } from 'node:crypto'
import { bytesToBigInt, concatBytes, readWord, sameBytes, WORD } from '../primitives/bytes.ts'
import { fromHex, type Hex } from '../primitives/hex.ts'
import { addressKey, addressKeyFromHex, slotKeyFromBigInt } from '../state/keys.ts'
import type { RemoteKeys, RemoteSlot } from '../state/remote/remoteSource.ts'
import type { AddressKey, StateReader } from '../state/types.ts'
import type { ForkRules } from './forks.ts'
import type { Halt } from './halt.ts'
import { EMPTY_REQUESTS_HASH } from './header.ts'
import type { RawLog } from './receipt.ts'
import {
  BUILDER_DEPOSITS,
  BUILDER_EXITS,
  CONSOLIDATION_REQUESTS,
  isStandard,
  type Predeploy,
  SYSTEM_ADDRESS,
  systemContracts,
  WITHDRAWAL_REQUESTS,
} from './systemContracts.ts'

/** A request from the execution layer to the consensus layer, made by a block (EIP-7685). */
export interface BlockRequest {
  /**
   * 0 deposit (EIP-6110), 1 withdrawal (EIP-7002), 2 consolidation (EIP-7251), 3 deposit of a
   * builder and 4 exit of a builder (EIP-8282).
   */
  readonly type: number
  readonly data: Uint8Array
}

/** A contract that queues requests and returns them to a system call at the end of a block. */
interface RequestContract {
  readonly type: BlockRequest['type']
  /** Kind of the requests in its queue. */
  readonly holds: 'withdrawal' | 'consolidation' | 'builder deposit' | 'builder exit'
  readonly address: Hex
  readonly key: AddressKey
  /** Slots of a request in its queue. */
  readonly width: bigint
}

const REQUEST_CONTRACTS: readonly RequestContract[] = [
  requestContract(1, 'withdrawal', WITHDRAWAL_REQUESTS, 3n),
  requestContract(2, 'consolidation', CONSOLIDATION_REQUESTS, 4n),
]

const ALL_REQUEST_CONTRACTS: readonly RequestContract[] = [
  ...REQUEST_CONTRACTS,
  requestContract(3, 'builder deposit', BUILDER_DEPOSITS, 6n),
  requestContract(4, 'builder exit', BUILDER_EXITS, 3n),
]

/** The contracts of a block's rules, in the order in which they are called (EIP-7685). */
export function requestContracts({
  requests,
  builderRequests,
}: ForkRules): readonly RequestContract[] {
  if (builderRequests) return ALL_REQUEST_CONTRACTS
  return requests ? REQUEST_CONTRACTS : []
}

function requestContract(
  type: RequestContract['type'],
  holds: RequestContract['holds'],
  { address }: Predeploy,
  width: bigint,
): RequestContract {
  return { type, holds, address, key: addressKeyFromHex(address), width }
}

/** A request contract that cannot answer, which makes a block invalid (EIP-7002). */
interface RequestContractFault {
  readonly contract: RequestContract
  /** Reason why its call failed; `undefined` if it has no code. */
  readonly failed: { readonly failure: Halt; readonly returnData: Uint8Array } | undefined
}

/** That, or the data of a deposit log that is not laid out as in EIP-6110. */
export type RequestFault = RequestContractFault | Uint8Array

/** Excess, count, head and tail of the queue: the first four slots of each contract. */
export const QUEUE_SLOTS = [0n, 1n, 2n, 3n].map(slotKeyFromBigInt)

/**
 * Values that each block reads: the system contracts, the slots that tell whether it has to make
 * the system calls of its end, and these accounts.
 */
export function openingKeys(rules: ForkRules, accounts: readonly AddressKey[]): RemoteKeys {
  const contracts = systemContracts(rules).map(({ address }) => addressKeyFromHex(address))
  const slots = requestContracts(rules).flatMap(({ key }) =>
    QUEUE_SLOTS.map((slot) => [key, slot] as const),
  )
  return { accounts: [...new Set([...contracts, ...accounts])], slots }
}

/** Requests that are looked for in a queue: more than a block takes from it. */
const MOST_QUEUED = 64n

/** Reads of the system calls of the next blocks, for the requests that are queued already. */
export function queuedReads(slotOf: StateReader['slot'], rules: ForkRules): RemoteKeys {
  const slots: RemoteSlot[] = []
  for (const { key, width } of requestContracts(rules)) {
    const [, , head = 0n, tail = 0n] = QUEUE_SLOTS.map((slot) => bytesToBigInt(slotOf(key, slot)))
    const end = tail - head > MOST_QUEUED ? head + MOST_QUEUED : tail
    // The queue begins behind its four numbers.
    for (let slot = 4n + head * width; slot < 4n + end * width; slot++) {
      slots.push([key, slotKeyFromBigInt(slot)])
    }
  }
  return { accounts: slots.length === 0 ? [] : [addressKey(SYSTEM_ADDRESS)], slots }
}

/**
 * True if a call would change nothing, return nothing and read the {@link QUEUE_SLOTS}: the
 * contract is the one of its EIP, its queue is empty, and no excess has to decay.
 */
export function isIdle(key: AddressKey, state: StateReader): boolean {
  return isStandard(key, state) && QUEUE_SLOTS.every((slot) => state.slot(key, slot).length === 0)
}

const DEPOSIT_TOPIC = fromHex('0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5')
const DEPOSIT_LOG_LENGTH = 576

/**
 * Public key, withdrawal credentials, amount, signature and index in the data of a deposit log:
 * where the ABI puts each one's length, and that length, both in bytes (EIP-6110).
 */
const DEPOSIT_FIELDS = [
  { offset: 160, length: 48 },
  { offset: 256, length: 32 },
  { offset: 320, length: 8 },
  { offset: 384, length: 96 },
  { offset: 512, length: 8 },
] as const

/**
 * The deposits that a block's logs announce (EIP-6110).
 *
 * @param onFault - called for a deposit log of another layout, which makes a block invalid; unless
 *   it throws, the log is left out
 */
export function deposits(
  logs: Iterable<RawLog>,
  rules: ForkRules,
  onFault: (data: Uint8Array) => void,
): BlockRequest {
  const found: Uint8Array[] = []
  for (const [address, topics, data] of logs) {
    const topic = topics[0]
    if (topic === undefined || !sameBytes(topic, DEPOSIT_TOPIC)) continue
    if (!sameBytes(address, fromHex(rules.depositContract))) continue
    if (!hasDepositLayout(data)) {
      onFault(data)
      continue
    }
    for (const { offset, length } of DEPOSIT_FIELDS) {
      found.push(data.subarray(offset + WORD, offset + WORD + length))
    }
  }
  return { type: 0, data: concatBytes(...found) }
}

function hasDepositLayout(data: Uint8Array): boolean {
  if (data.length !== DEPOSIT_LOG_LENGTH) return false
  return DEPOSIT_FIELDS.every(
    ({ offset, length }, index) =>
      readWord(data, index * WORD) === BigInt(offset) && readWord(data, offset) === BigInt(length),
  )
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
