import type { Engine } from '../../engine/engine.ts'
import type { VersionedStore } from '../../state/versionedStore.ts'
import type { SealedBlock } from '../block.ts'
import { ZERO_HASH } from '../bytes.ts'
import { blobBaseFee } from '../fees.ts'
import { sealGenesis } from '../genesis.ts'
import { allocDiff, type GenesisFile } from './genesisFile.ts'

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
