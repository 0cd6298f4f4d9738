import { addressKey, slotKeyFromBigInt } from '../../state/keys.ts'
import type { RemoteKeys } from '../../state/remote/remoteSource.ts'
import type { AddressKey, Keccak256, StateReader } from '../../state/types.ts'
import type { BlockEnvironment } from '../environment.ts'
import type { ForkRules } from '../forks.ts'
import { BASE_TIME_KEY, baseTimeDeposit } from './baseTime.ts'
import { DEPOSITOR } from './depositTransaction.ts'
import { L1_ATTRIBUTES_READS, l1AttributesDeposit } from './l1Attributes.ts'

/**
 * The deposits that open a block of an OP Stack chain, as EIP-2718 bytes: the L1 attributes, and
 * BaseTime on Base. Those whose contracts the state does not have are left out.
 *
 * @param state - before the block
 */
export function openingDeposits(
  block: BlockEnvironment,
  state: StateReader,
  keccak256: Keccak256,
): Uint8Array[] {
  const gas = depositGas(block.gasLimit)
  const l1Attributes = l1AttributesDeposit(block, gas, state, keccak256)
  const baseTime = block.rules.baseTime ? baseTimeDeposit(block, gas, state, keccak256) : undefined
  return [l1Attributes, baseTime].filter((deposit) => deposit !== undefined)
}

const DEPOSITOR_KEY = addressKey(DEPOSITOR)

/** Reads of {@link openingDeposits} and their execution. */
export const OPENING_READS: RemoteKeys = {
  accounts: [DEPOSITOR_KEY, ...L1_ATTRIBUTES_READS.accounts, BASE_TIME_KEY],
  slots: [...L1_ATTRIBUTES_READS.slots, [BASE_TIME_KEY, slotKeyFromBigInt(0n)]],
}

/** True if a transaction is one of {@link openingDeposits}, of whatever block. */
export function isOpeningDeposit(transaction: {
  readonly deposit?: object | undefined
  readonly senderKey: AddressKey
}): boolean {
  return transaction.deposit !== undefined && transaction.senderKey === DEPOSITOR_KEY
}

/** Gas of a block that these deposits may use, so that no other transaction can have it. */
export function openingGas(blockGasLimit: bigint, { opStack, baseTime }: ForkRules): bigint {
  if (!opStack) return 0n
  return depositGas(blockGasLimit) * (baseTime ? 2n : 1n)
}

/** Gas that each may use (since Regolith); less in blocks that could hold nothing else. */
const GAS = 1_000_000n

function depositGas(blockGasLimit: bigint): bigint {
  const quarter = blockGasLimit / 4n
  return quarter < GAS ? quarter : GAS
}
