import type { ChainBase } from '../../chain/chainBase.ts'
import { sealGenesis } from '../../chain/genesis.ts'
import { History } from '../../chain/history.ts'
import type { Engine } from '../../engine/engine.ts'
import { Scheduler } from '../../engine/scheduler.ts'
import { ZERO_HASH } from '../../primitives/bytes.ts'
import { readForeignFile } from '../../primitives/foreign.ts'
import { fromHex } from '../../primitives/hex.ts'
import { runPaced } from '../../primitives/paced.ts'
import { VersionedStore } from '../../state/store/versionedStore.ts'
import { readState } from '../accountsJson.ts'
import { JsonFields } from '../jsonFields.ts'
import { readForks } from './genesisForks.ts'

type GenesisFile = Awaited<ReturnType<typeof readGenesisFile>>

/**
 * Reads a genesis file in the format of geth. Its accounts are left unread. Yields regularly.
 *
 * @throws {ChainFileError} if it cannot be read, or does not describe a chain
 */
export async function readGenesisFile(path: string) {
  const text = (await readForeignFile(path)).toString()
  const genesis = await runPaced(JsonFields.parse(path, text), new Scheduler())
  const config = genesis.requiredObject('config')
  const chainId = config.requiredNumber('chainId')
  if (chainId === 0n || chainId > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw config.error('chainId', `must be from 1 to ${Number.MAX_SAFE_INTEGER}, not ${chainId}`)
  }
  const header = readHeader(genesis)
  return {
    chainId: Number(chainId),
    schedule: readForks(config, header.timestamp),
    header,
    /** Accounts by address. */
    alloc: genesis.requiredObject('alloc'),
  }
}

/** The fields of the genesis header that cannot be computed. */
function readHeader(genesis: JsonFields) {
  for (const name of ['number', 'gasUsed']) {
    if (genesis.has(name) && genesis.number(name) !== 0n) throw genesis.error(name, 'must be 0')
  }
  const bytes = (name: string, length: number) =>
    fromHex(genesis.bytes(name, length) ?? `0x${'00'.repeat(length)}`)
  const nonce = genesis.number('nonce') ?? 0n
  return {
    /** s since the epoch. */
    timestamp: genesis.number('timestamp') ?? 0n,
    gasLimit: genesis.requiredNumber('gasLimit'),
    difficulty: genesis.number('difficulty', 256),
    /** wei. The default is 1 gwei, as in geth. */
    baseFeePerGas: genesis.number('baseFeePerGas', 256) ?? 10n ** 9n,
    excessBlobGas: genesis.number('excessBlobGas') ?? 0n,
    blobGasUsed: genesis.number('blobGasUsed') ?? 0n,
    slotNumber: genesis.number('slotNumber') ?? 0n,
    coinbase: bytes('coinbase', 20),
    mixHash: bytes('mixHash', 32),
    /** Zero, except in test suites. */
    parentHash: bytes('parentHash', 32),
    nonce: fromHex(`0x${nonce.toString(16).padStart(16, '0')}`),
    extraData: fromHex(genesis.bytes('extraData') ?? '0x'),
  }
}

/** Default difficulty of a genesis block with proof of work, as in geth. */
const DEFAULT_DIFFICULTY = 131_072n

/**
 * The chain of a genesis file with its block 0, identical to that of geth. Yields regularly.
 *
 * @throws {ChainFileError} if an account is malformed
 */
export async function createFileBase(
  { header, alloc }: GenesisFile,
  engine: Engine,
): Promise<ChainBase> {
  const scheduler = new Scheduler()
  const store = new VersionedStore(engine.codes)
  const { mixHash, difficulty, blobGasUsed, nonce, extraData, parentHash, ...rest } = header
  const rules = engine.schedule.at(0n, header.timestamp)
  const environment = {
    ...rest,
    rules,
    number: 0n,
    prevRandao: mixHash,
    difficulty: difficulty ?? (rules.proofOfStake ? 0n : DEFAULT_DIFFICULTY),
    parentBeaconBlockRoot: ZERO_HASH,
  }
  const state = await runPaced(readState(alloc, engine.codes), scheduler)
  const given = { blobGasUsed, nonce, extraData, parentHash }
  const genesis = sealGenesis(state, environment, { engine, store, given })
  return { store, history: new History(await runPaced(genesis, scheduler)) }
}
