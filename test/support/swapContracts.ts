import type { Hex } from '../../devnet/primitives/hex.ts'

/** Contracts of the workload, each with five slots: 30 slots behind one call. */
const CONTRACTS = 6
const SLOTS = 5
/** Accounts without code whose balances are read. */
const HOLDERS = 2

type Ask = <Result>(method: string, ...params: unknown[]) => Promise<Result>

/** The workload *swap*: what a call reads that goes through six contracts. */
export interface Swap {
  readonly transaction: { readonly from: Hex; readonly to: Hex; readonly data: Hex }
  /** The sum of all slots and of the balances, as the call returns it. */
  readonly result: Hex
}

/**
 * Deploys the contracts on a node. Each adds up its slots and calls the next one, whose answer it
 * adds; the last one adds the balances of two holders.
 *
 * @param salt - a byte: other holders
 */
export async function deploySwap(ask: Ask, salt = 0): Promise<Swap> {
  const holders = Array.from(
    { length: HOLDERS },
    (_, holder): Hex => `0x${hexByte(0xe1 + holder)}${hexByte(salt).repeat(19)}`,
  )
  const [from] = await ask<Hex[]>('eth_accounts')
  if (from === undefined) throw new Error('the node has accounts')
  let next: Hex | undefined
  let sum = 0n
  for (let contract = 0; contract < CONTRACTS; contract++) {
    const values = Array.from({ length: SLOTS }, (_, slot) => BigInt(1000 * contract + slot + 1))
    sum += values.reduce((total, value) => total + value, 0n)
    const data = initCode(values, runtime(next, holders))
    const hash = await ask<Hex>('eth_sendTransaction', { from, data, gas: '0x80000' })
    await ask('evm_mine')
    const receipt = await ask<{ contractAddress: Hex }>('eth_getTransactionReceipt', hash)
    next = receipt.contractAddress
  }
  for (const [index, to] of holders.entries()) {
    const value = BigInt(index + 5)
    await ask('eth_sendTransaction', { from, to, value: `0x${value.toString(16)}`, gas: '0x8000' })
    sum += value
  }
  await ask('evm_mine')
  if (next === undefined) throw new Error('there are contracts')
  const result: Hex = `0x${sum.toString(16).padStart(64, '0')}`
  return { transaction: { from, to: next, data: '0x12345678' }, result }
}

/** Adds up the slots, and what the next contract returns or the holders have. */
function runtime(next: Hex | undefined, holders: readonly Hex[]): string {
  let code = '6000'
  for (let slot = 0; slot < SLOTS; slot++) code += `60${hexByte(slot)}5401`
  if (next === undefined) for (const holder of holders) code += `73${holder.slice(2)}3101`
  // STATICCALL(gas, next, 0, 0, 0, 32), then MLOAD(0).
  else code += `602060006000600073${next.slice(2)}5afa5060005101`
  return `${code}60005260206000f3`
}

/** Sets the slots, and returns the code that follows. */
function initCode(values: readonly bigint[], code: string): Hex {
  const set = values
    .map((value, slot) => `61${value.toString(16).padStart(4, '0')}60${hexByte(slot)}55`)
    .join('')
  const size = `61${(code.length / 2).toString(16).padStart(4, '0')}`
  // PUSH2 size, DUP1, PUSH2 offset, PUSH1 0, CODECOPY, PUSH1 0, RETURN
  const offset = set.length / 2 + 3 + 1 + 3 + 2 + 1 + 2 + 1
  const copy = `${size}8061${offset.toString(16).padStart(4, '0')}6000396000f3`
  return `0x${set}${copy}${code}`
}

function hexByte(value: number): string {
  return value.toString(16).padStart(2, '0')
}
