import type { Engine } from '../../engine/engine.ts'
import { type ForkRules, forkRules, type HardforkName } from '../../engine/forks.ts'
import { ChainFileError } from '../../errors.ts'
import { EMPTY_ROOT } from '../../state/persistentTrie.ts'
import type { Hex } from '../../types.ts'
import { EMPTY_BODY } from '../block.ts'
import { fromHex, toHex, ZERO_HASH } from '../bytes.ts'
import { blobBaseFee } from '../fees.ts'
import { type BlockHeader, hashHeader } from '../header.ts'
import type { JsonFields } from '../import/jsonFields.ts'
import { EMPTY_REQUESTS_HASH, makeHeader } from '../roots.ts'
import { type BlockEntry, readBlockEntries } from './blockEntries.ts'
import type { RestoredBlock } from './restoreBlock.ts'

/**
 * The entries of the newest block and its ancestors, oldest first: anvil writes them in any order, and keeps blocks that a
 * reorganisation left behind.
 */
export function anvilEntries(fields: JsonFields, label: string, { crypto }: Engine): BlockEntry[] {
  const blocks = readBlockEntries(fields, crypto)
  const best = fields.number('best_block_number')
  const numbers = new Set(blocks.map(({ header }) => header.number))
  const byHash = new Map(blocks.map((block) => [block.hash, block]))
  let block =
    blocks.findLast(({ header }) => header.number === best) ??
    blocks.toSorted((one, other) => Number(one.header.number - other.header.number)).at(-1)
  const chain: BlockEntry[] = []
  while (block !== undefined) {
    const { header }: BlockEntry = block
    chain.push(block)
    block = byHash.get(toHex(header.parentHash))
    if (block === undefined && numbers.has(header.number - 1n)) {
      throw new ChainFileError(
        `${label}: block ${header.number} has the parent ${toHex(header.parentHash)}, and no block ${header.number - 1n} has that hash.`,
      )
    }
  }
  return chain.reverse()
}

/** The first field of a header that came with each hardfork, newest first. */
const BROUGHT: readonly [HardforkName, keyof BlockHeader][] = [
  ['prague', 'requestsHash'],
  ['cancun', 'blobGasUsed'],
  ['shanghai', 'withdrawalsRoot'],
  ['london', 'baseFeePerGas'],
]

/** anvil does not say what hardfork a block is of; its fields tell as much as matters for a block that is sealed. */
export function rulesOfFields(header: BlockHeader, label: string): ForkRules {
  const [hardfork] = BROUGHT.find(([, field]) => header[field] !== undefined) ?? ['berlin']
  if (hardfork === 'berlin' && header.difficulty === 0n) {
    throw new ChainFileError(
      `${label}: block ${header.number} has neither a base fee nor a difficulty.`,
    )
  }
  if (hardfork !== 'london') return forkRules(hardfork)
  return forkRules(header.difficulty === 0n ? 'paris' : 'london')
}

/** The newest block of a dump without blocks, from before anvil wrote them. */
export function environmentBlock(
  fields: JsonFields,
  stateRoot: Uint8Array,
  { schedule, crypto }: Engine,
  time: number,
): RestoredBlock {
  const block = fields.object('block')
  const number = fields.number('best_block_number') ?? block?.number('number', 256) ?? 0n
  const timestamp = block?.number('timestamp', 256) ?? BigInt(time)
  const rules = schedule.at(number, timestamp)
  const excessBlobGas = block?.object('blob_excess_gas_and_price')?.number('excess_blob_gas') ?? 0n
  const coinbase = block?.bytes('beneficiary', 20) ?? block?.bytes('coinbase', 20)
  const header = makeHeader(
    {
      rules,
      number,
      timestamp,
      gasLimit: block?.number('gas_limit', 256) ?? DEFAULT_GAS_LIMIT,
      baseFeePerGas: block?.number('basefee', 256) ?? 0n,
      coinbase: fromHex(coinbase ?? `0x${'00'.repeat(20)}`),
      prevRandao: fromHex(block?.bytes('prevrandao', 32) ?? `0x${'00'.repeat(32)}`),
      difficulty: rules.proofOfStake ? 0n : (block?.number('difficulty', 256) ?? 1n),
      excessBlobGas,
      blobBaseFee: blobBaseFee(excessBlobGas, rules.blobSchedule),
      parentBeaconBlockRoot: ZERO_HASH,
    },
    ZERO_HASH,
    {
      stateRoot,
      transactionsRoot: EMPTY_ROOT,
      receiptsRoot: EMPTY_ROOT,
      logsBloom: new Uint8Array(256),
      gasUsed: 0n,
      blobGasUsed: 0n,
      requestsHash: EMPTY_REQUESTS_HASH,
    },
  )
  const hashBytes = hashHeader(header, crypto.keccak256)
  const hash: Hex = toHex(hashBytes)
  return { ...EMPTY_BODY, header, rules, number: Number(number), hash, hashBytes, executed: [] }
}

/** anvil's own. */
const DEFAULT_GAS_LIMIT = 30_000_000n
