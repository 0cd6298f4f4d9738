import { readFile } from 'node:fs/promises'
import { sealGenesis } from '../../chain/genesis.ts'
import type { Engine } from '../../engine/engine.ts'
import { withoutLeadingZeros, ZERO_HASH } from '../../primitives/bytes.ts'
import { ChainFileError } from '../../primitives/errors.ts'
import { fromHex } from '../../primitives/hex.ts'
import type { SealedBlock } from '../../protocol/block.ts'
import { blobBaseFee } from '../../protocol/fees.ts'
import type { ForkSchedule } from '../../protocol/forkSchedule.ts'
import { addressKeyFromHex, slotKeyFromHex } from '../../state/keys.ts'
import type { VersionedStore } from '../../state/store/versionedStore.ts'
import type { SlotKey, StateDiff } from '../../state/types.ts'
import { readForks } from './genesisForks.ts'
import { hexDigits, JsonFields } from './jsonFields.ts'

/** What a geth genesis file says. */
export interface GenesisFile {
  readonly chainId: number
  readonly schedule: ForkSchedule
  readonly header: GenesisHeader
  readonly alloc: readonly GenesisAccount[]
}

/** What of the genesis block's header is given rather than following from the rest. */
export interface GenesisHeader {
  /** s since the epoch. */
  readonly timestamp: bigint
  readonly gasLimit: bigint
  /** `undefined`: as the rules have it. */
  readonly difficulty: bigint | undefined
  /** wei; `undefined`: as the rules have it. */
  readonly baseFeePerGas: bigint | undefined
  readonly excessBlobGas: bigint
  readonly blobGasUsed: bigint
  /** 20 bytes. */
  readonly coinbase: Uint8Array
  /** 32 bytes. */
  readonly mixHash: Uint8Array
  /** 32 bytes; zero for all but those who test. */
  readonly parentHash: Uint8Array
  /** 8 bytes. */
  readonly nonce: Uint8Array
  readonly extraData: Uint8Array
}

/** An account that is there from the genesis on. */
export interface GenesisAccount {
  /** 0x and 40 digits in lower case. */
  readonly address: string
  readonly nonce: bigint
  /** wei. */
  readonly balance: bigint
  readonly code: Uint8Array
  readonly storage: ReadonlyMap<SlotKey, Uint8Array>
}

/**
 * Reads a geth genesis file.
 *
 * @throws {ChainFileError} where it cannot be read, or says what makes no chain
 */
export async function readGenesisFile(path: string): Promise<GenesisFile> {
  const genesis = JsonFields.parse(path, await textOf(path))
  const config = genesis.requiredObject('config')
  const chainId = config.number('chainId')
  if (chainId === undefined) throw config.error('chainId', 'is missing')
  if (chainId === 0n || chainId > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw config.error('chainId', `must be from 1 to ${Number.MAX_SAFE_INTEGER}, not ${chainId}`)
  }
  const header = readHeader(genesis)
  return {
    chainId: Number(chainId),
    schedule: readForks(config, header.timestamp),
    header,
    alloc: readAccounts(genesis.requiredObject('alloc')),
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw unreadable(path, error)
  }
}

/** The error that says why a file cannot be read, in the system's words. */
export function unreadable(path: string, error: unknown): ChainFileError {
  const reason = error instanceof Error ? error.message.replace(/, \w+(?: '.*')?$/, '') : error
  return new ChainFileError(`${path} cannot be read: ${reason}.`, { cause: error })
}

function readHeader(genesis: JsonFields): GenesisHeader {
  for (const name of ['number', 'gasUsed']) {
    if (genesis.has(name) && genesis.number(name) !== 0n) throw genesis.error(name, 'must be 0')
  }
  const gasLimit = genesis.number('gasLimit')
  if (gasLimit === undefined) throw genesis.error('gasLimit', 'is missing')
  const bytes = (name: string, length: number) =>
    fromHex(genesis.bytes(name, length) ?? `0x${'00'.repeat(length)}`)
  const nonce = genesis.number('nonce') ?? 0n
  return {
    timestamp: genesis.number('timestamp') ?? 0n,
    gasLimit,
    difficulty: genesis.number('difficulty', 256),
    baseFeePerGas: genesis.number('baseFeePerGas', 256),
    excessBlobGas: genesis.number('excessBlobGas') ?? 0n,
    blobGasUsed: genesis.number('blobGasUsed') ?? 0n,
    coinbase: bytes('coinbase', 20),
    mixHash: bytes('mixHash', 32),
    parentHash: bytes('parentHash', 32),
    nonce: fromHex(`0x${nonce.toString(16).padStart(16, '0')}`),
    extraData: fromHex(genesis.bytes('extraData') ?? '0x'),
  }
}

/** Accounts by address, as genesis files and dumps hold them. */
export function readAccounts(alloc: JsonFields): GenesisAccount[] {
  return alloc.names().map((name) => {
    const digits = hexDigits(name)
    if (digits?.length !== 40) throw alloc.error(name, 'is not an address of 40 hexadecimal digits')
    const account = alloc.requiredObject(name)
    return {
      address: `0x${digits}`,
      nonce: account.number('nonce') ?? 0n,
      balance: account.number('balance', 256) ?? 0n,
      code: fromHex(account.bytes('code') ?? '0x'),
      storage: readStorage(account.object('storage')),
    }
  })
}

/** Slots by number with their values, without those that are zero. */
export function readStorage(storage: JsonFields | undefined): Map<SlotKey, Uint8Array> {
  const slots = new Map<SlotKey, Uint8Array>()
  for (const name of storage?.names() ?? []) {
    const digits = hexDigits(name) ?? ''
    if (digits.length === 0 || digits.length > 64) {
      throw storage?.error(name, 'is not a storage slot in hexadecimal')
    }
    const value = withoutLeadingZeros(fromHex(storage?.bytes(name, 32) ?? '0x'))
    if (value.length > 0) slots.set(slotKeyFromHex(`0x${digits}`), value)
  }
  return slots
}

/** The state that an allocation makes; also accounts without anything are in it, as in geth. */
export function allocDiff(
  alloc: readonly GenesisAccount[],
  addCode: (code: Uint8Array) => Uint8Array,
): StateDiff {
  const diff: StateDiff = { accounts: new Map(), storage: new Map() }
  for (const { address, nonce, balance, code, storage } of alloc) {
    const key = addressKeyFromHex(address)
    diff.accounts.set(key, { nonce, balance, codeHash: addCode(code) })
    if (storage.size > 0) diff.storage.set(key, { cleared: false, slots: new Map(storage) })
  }
  return diff
}

/** Of a genesis block with proof of work that names none (geth). */
const DEFAULT_DIFFICULTY = 131_072n

/** wei; of a genesis block that names none (geth). */
const DEFAULT_BASE_FEE = 10n ** 9n

/** Block 0 as geth makes it of the file. */
export function createFileGenesis(
  { header, alloc }: GenesisFile,
  engine: Engine,
  store: VersionedStore,
): SealedBlock {
  const { timestamp, excessBlobGas, blobGasUsed, nonce, extraData, parentHash } = header
  const rules = engine.schedule.at(0n, timestamp)
  return sealGenesis(
    allocDiff(alloc, (code) => engine.codes.add(code)),
    {
      rules,
      number: 0n,
      timestamp,
      gasLimit: header.gasLimit,
      baseFeePerGas: header.baseFeePerGas ?? DEFAULT_BASE_FEE,
      coinbase: header.coinbase,
      prevRandao: header.mixHash,
      difficulty: header.difficulty ?? (rules.proofOfStake ? 0n : DEFAULT_DIFFICULTY),
      excessBlobGas,
      blobBaseFee: blobBaseFee(excessBlobGas, rules.blobSchedule),
      parentBeaconBlockRoot: ZERO_HASH,
    },
    engine,
    store,
    { blobGasUsed, nonce, extraData, parentHash },
  )
}
