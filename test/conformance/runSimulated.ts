import { type Hex, keccak256, toRlp } from 'viem'
import {
  type Difference,
  differentValues,
  first,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  shown,
} from './runDifference.ts'

const ZERO_HASH = `0x${'0'.repeat(64)}`
const HASH = /^0x[0-9a-f]{64}$/

/**
 * The recorded answer to an `eth_simulateV1`, as a node must give it that does not compute state roots: simulated blocks
 * have the recorded root, or one of zeros, and so other hashes. Each recorded hash of a simulated block becomes
 * the one that the node returned, wherever it stands: as `parentHash`, `blockHash`, or in data, which has it from BLOCKHASH.
 *
 * @returns the first hash of a simulated block that is none, or that two blocks have, in place of it
 */
export function withReturnedHashes(
  recorded: JsonObject,
  actual: JsonObject,
): { readonly recorded: JsonObject } | { readonly wrong: Difference } {
  const { result: blocks } = recorded
  const { result: returned } = actual
  if (!isArray(blocks) || !isArray(returned)) return { recorded }
  const hashes = new Map<string, string>()
  for (const [index, block] of blocks.entries()) {
    const other = returned[index]
    if (!isObject(block) || !isObject(other) || typeof block.hash !== 'string') continue
    const { hash } = other
    const path = `$.result[${index}].hash`
    if (typeof hash !== 'string' || !HASH.test(hash) || hash === ZERO_HASH) {
      return { wrong: { path, problem: `is no hash: ${shown(hash)}` } }
    }
    if ([...hashes.values()].includes(hash.slice(2))) {
      return { wrong: { path, problem: `is the hash of another block too: ${hash}` } }
    }
    hashes.set(block.hash.slice(2), hash.slice(2))
  }
  const renamed = replaced(blocks, hashes)
  const result = renamed.map((block, index) => {
    const other = returned[index]
    const isRootless = isObject(other) && other.stateRoot === ZERO_HASH
    return isObject(block) && isRootless ? { ...block, stateRoot: ZERO_HASH } : block
  })
  return { recorded: { ...recorded, result } }
}

function replaced(values: readonly Json[], hashes: ReadonlyMap<string, string>): readonly Json[] {
  if (hashes.size === 0) return values
  const pattern = new RegExp([...hashes.keys()].join('|'), 'g')
  const json = JSON.stringify(values)
  return JSON.parse(json.replace(pattern, (hash) => hashes.get(hash) ?? hash))
}

/** The first simulated block whose hash is not that of its header. */
export function wrongHeaderHash(blocks: Json | undefined): Difference | undefined {
  return first(isArray(blocks) ? blocks : [], (block, index) => {
    if (!isObject(block)) return undefined
    const hash = headerHash(block)
    const path = `$.result[${index}].hash`
    return hash === block.hash ? undefined : differentValues(hash, block.hash ?? null, path)
  })
}

/** The hash of the header that a block in JSON has. */
export function headerHash(block: JsonObject): Hex {
  const fields = HEADER.filter(([name]) => typeof block[name] === 'string')
  return keccak256(
    toRlp(
      fields.map(([name, isQuantity]) => {
        const value = String(block[name])
        return isQuantity ? quantityBytes(BigInt(value)) : hexOf(value.slice(2))
      }),
    ),
  )
}

/** In the order of the header; those behind the nonce are there from a hardfork on. */
const HEADER: readonly (readonly [name: string, isQuantity?: true])[] = [
  ['parentHash'],
  ['sha3Uncles'],
  ['miner'],
  ['stateRoot'],
  ['transactionsRoot'],
  ['receiptsRoot'],
  ['logsBloom'],
  ['difficulty', true],
  ['number', true],
  ['gasLimit', true],
  ['gasUsed', true],
  ['timestamp', true],
  ['extraData'],
  ['mixHash'],
  ['nonce'],
  ['baseFeePerGas', true],
  ['withdrawalsRoot'],
  ['blobGasUsed', true],
  ['excessBlobGas', true],
  ['parentBeaconBlockRoot'],
  ['requestsHash'],
]

/** RLP has quantities without leading zeros, and 0 as no byte. */
function quantityBytes(quantity: bigint): Hex {
  if (quantity === 0n) return '0x'
  const digits = quantity.toString(16)
  return hexOf(digits.padStart(digits.length + (digits.length % 2), '0'))
}

function hexOf(digits: string): Hex {
  return `0x${digits}`
}
