import { crc32 } from 'node:zlib'
import type { ForkSchedule } from './forkSchedule.ts'

export interface GenesisIdentity {
  /** 32 bytes. */
  readonly hash: Uint8Array
  /** s since the epoch. */
  readonly timestamp: bigint
}

/**
 * FORK_HASH (EIP-2124, EIP-6122): the CRC-32 of the genesis hash, the start blocks of all hardforks
 * that start at a block, and the start times up to `time` of those that start at a time.
 *
 * @param time - s since the epoch
 * @returns 4 bytes
 */
export function forkHash(
  genesis: GenesisIdentity,
  { changes }: ForkSchedule,
  time: bigint,
): Uint8Array {
  const blocks = new Set<bigint>()
  const times = new Set<bigint>()
  for (const step of changes) {
    if (step.block !== undefined) blocks.add(step.block)
    if (step.time !== undefined && step.time <= time) times.add(step.time)
  }
  let sum = crc32(genesis.hash)
  for (const block of rising(blocks)) if (block > 0n) sum = crc32(bigEndian64(block), sum)
  for (const start of rising(times)) {
    if (start > genesis.timestamp) sum = crc32(bigEndian64(start), sum)
  }
  const hash = Buffer.alloc(4)
  hash.writeUInt32BE(sum)
  return hash
}

function rising(values: Iterable<bigint>): bigint[] {
  return [...values].sort((a, b) => (a < b ? -1 : 1))
}

function bigEndian64(value: bigint): Uint8Array {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(value)
  return bytes
}
