import { expect } from 'vitest'
import type { Chain } from '../../../devnet/chain/chain.ts'
import { toHex } from '../../../devnet/primitives/hex.ts'
import type { SealedBlock } from '../../../devnet/protocol/block.ts'

/** The block with this number, which must be kept. */
export function blockAt({ history }: Pick<Chain, 'history'>, number: number): SealedBlock {
  const block = history.byNumber(number)
  if (block === undefined) throw new Error(`No block ${number}`)
  return block
}

/** Base fee after an empty block or one with transactions, as EIP-1559 writes it. */
function baseFeeAfter({ header }: SealedBlock): bigint {
  const { gasLimit, gasUsed, baseFeePerGas = 0n } = header
  const target = gasLimit / 2n
  if (gasUsed === target) return baseFeePerGas
  const change = (off: bigint) => (baseFeePerGas * off) / target / 8n
  if (gasUsed < target) return baseFeePerGas - change(target - gasUsed)
  const rise = change(gasUsed - target)
  return baseFeePerGas + (rise > 1n ? rise : 1n)
}

/**
 * Checks that a block is found by number and hash, and follows on the one before it.
 *
 * @param chosen - whether a command may have chosen its base fee. Default: false
 */
export function expectLinked(chain: Pick<Chain, 'history'>, number: number, chosen = false): void {
  const { history } = chain
  const block = blockAt(chain, number)
  const { header, hash, hashBytes } = block
  expect([block.number, header.number]).toEqual([number, BigInt(number)])
  expect([hash, history.hashOf(number)]).toEqual([toHex(hashBytes), hashBytes])
  expect(history.byHash(hash)).toEqual(block)
  const parent = history.byNumber(number - 1)
  const parentHash = history.hashOf(number - 1)
  if (parentHash !== undefined) expect(header.parentHash).toEqual(parentHash)
  if (parent === undefined) return
  expect(header.timestamp).toBeGreaterThan(parent.header.timestamp)
  if (!chosen) expect(header.baseFeePerGas).toBe(baseFeeAfter(parent))
  if (block.isReserved) {
    expect(header.stateRoot).toEqual(parent.header.stateRoot)
    expect(block.executed).toEqual([])
  }
}

/** Checks the links of a chain, those of a long range in part. */
export function expectAllLinked(
  chain: Pick<Chain, 'history'>,
  chosen: (number: number) => boolean = () => false,
): void {
  const { history } = chain
  for (const entry of history.entries()) {
    const { first, last } =
      'executed' in entry ? { first: entry.number, last: entry.number } : entry
    const edge = Math.min(last, first + 300)
    for (let number = first; number <= edge; number++) expectLinked(chain, number, chosen(number))
    for (let number = Math.max(edge + 1, last - 5); number <= last; number++) {
      expectLinked(chain, number)
    }
    if (edge < last) expectLinked(chain, Math.floor((first + last) / 2))
  }
}
