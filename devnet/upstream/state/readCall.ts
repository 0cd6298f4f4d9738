import { concatBytes, WORD, withoutLeadingZeros } from '../../primitives/bytes.ts'
import { fromHex, type Hex, isBytes, quantity, toHex } from '../../primitives/hex.ts'
import { addressHex, slotHex } from '../../state/keys.ts'
import type { RemoteSlot } from '../../state/remote/remoteSource.ts'
import type { AddressKey } from '../../state/types.ts'

/** Values in one call: some 5 million gas, which every node grants to a call. */
export const MOST_VALUES = 2000

/**
 * In the place of a contract's code: returns the values of the slots in its calldata. PUSH0 is left
 * out, as older hardforks do not have it.
 *
 * for (i = 0; i < calldatasize; i += 32) mstore(i, sload(calldataload(i))); return(0, calldatasize)
 */
const READER = '0x60005b8036111560155780355481526020016002565b366000f3'

/** First word of an answer: shows that our code ran, and every reader with it. */
const MAGIC = '5e1f'.repeat(16)

/** Address of the code that reads balances and calls all readers: one that nobody has. */
const CALLER: Hex = '0x7e4de25e1f7e4de25e1f7e4de25e1f7e4de25e1f'

/** Highest address at which a node may run code of its own in the place of ours. */
const LAST_PRECOMPILE = 0xffffn

/** @param balances - of accounts that {@link isReadable | are readable}, as those of the slots */
export function readCall(
  slots: readonly RemoteSlot[],
  balances: readonly AddressKey[] = [],
): ReadCall {
  const byAccount = Map.groupBy(
    slots.map(([account, slot], index) => ({ account, slot, index })),
    ({ account }) => account,
  )
  const order: number[] = []
  const data: Uint8Array[] = []
  const overrides: Record<Hex, { code: Hex }> = {}
  let code = `0x7f${MAGIC}600052`
  for (const [account, list] of byAccount) {
    const start = order.length
    for (const { slot, index } of list) {
      order.push(index)
      data.push(fromHex(slotHex(slot)))
    }
    overrides[addressHex(account)] = { code: READER }
    code += callReader(account, start * WORD, list.length * WORD)
  }
  for (const [index, account] of balances.entries()) {
    code += readBalance(account, (order.length + 1 + index) * WORD)
  }
  const size = (slots.length + balances.length + 1) * WORD
  overrides[CALLER] = { code: `0x${code.slice(2)}${push(size)}6000f3` }
  return {
    transaction: { to: CALLER, data: toHex(concatBytes(...data)) },
    overrides,
    read(result) {
      if (!isBytes(result)) return undefined
      const bytes = fromHex(result)
      if (bytes.length !== size || toHex(bytes.subarray(0, WORD)) !== `0x${MAGIC}`) return undefined
      const value = (position: number) => {
        const start = (position + 1) * WORD
        return withoutLeadingZeros(bytes.slice(start, start + WORD))
      }
      const values: Uint8Array[] = []
      order.forEach((index, position) => {
        values[index] = value(position)
      })
      return [...values, ...balances.map((_, index) => value(slots.length + index))]
    },
  }
}

/** True if code can be put in the place of the account's, and its balance is that of the block. */
export function isReadable(account: AddressKey): boolean {
  return BigInt(addressHex(account)) > LAST_PRECOMPILE
}

/** A call that reads slots of many contracts and balances at once, through state overrides. */
export interface ReadCall {
  readonly transaction: { readonly to: Hex; readonly data: Hex }
  readonly overrides: Readonly<Record<Hex, { readonly code: Hex }>>
  /**
   * The values without leading zeros, in order, first those of the slots; `undefined` if something
   * else has answered.
   */
  read(result: unknown): Uint8Array[] | undefined
}

/** Copies a part of the calldata to memory behind the magic, and lets the reader replace it. */
function callReader(account: AddressKey, offset: number, length: number): string {
  const memory = push(offset + WORD)
  const copy = `${push(length)}${push(offset)}${memory}37`
  const target = `73${addressHex(account).slice(2)}5a`
  // STATICCALL(gas, account, memory, length, memory, length)
  const call = `${push(length)}${memory}${push(length)}${memory}${target}fa`
  // magic *= success * (returndatasize == length): after a failure the memory holds no values.
  return `${copy}${call}3d${push(length)}140260005102600052`
}

function readBalance(account: AddressKey, memory: number): string {
  return `73${addressHex(account).slice(2)}31${push(memory)}52`
}

/** PUSH3 of a number. */
function push(value: number): string {
  return `62${quantity(value).slice(2).padStart(6, '0')}`
}
