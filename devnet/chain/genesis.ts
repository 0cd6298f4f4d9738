import type { Engine } from '../engine/engine.ts'
import { ZERO_ADDRESS, ZERO_HASH } from '../primitives/bytes.ts'
import { fromHex, type Hex, toHex } from '../primitives/hex.ts'
import { EMPTY_BODY, type SealedBlock } from '../protocol/block.ts'
import type { BlockEnvironment } from '../protocol/environment.ts'
import { blobBaseFee } from '../protocol/fees.ts'
import type { ForkRules } from '../protocol/forks.ts'
import { type BlockResults, hashHeader, makeHeader } from '../protocol/header.ts'
import { predeploys } from '../protocol/systemContracts.ts'
import { EMPTY_CODE_HASH } from '../state/codes.ts'
import { addressKeyFromHex } from '../state/keys.ts'
import type { VersionedStore } from '../state/store/versionedStore.ts'
import { StateTrie } from '../state/trie/stateTrie.ts'
import type { AccountRecord, AddressKey, StateDiff } from '../state/types.ts'

/** Parameters of a devnet's genesis block. */
export interface GenesisParameters {
  /** s since the epoch. */
  readonly timestamp: number
  readonly gasLimit: bigint
  /** wei. */
  readonly baseFee: bigint
  /** Accounts with funds. */
  readonly accounts: readonly Hex[]
  /** wei of each. */
  readonly balance: bigint
}

/** Block 0: the dev accounts and the system contracts. */
export function createGenesis(
  parameters: GenesisParameters,
  engine: Engine,
  store: VersionedStore,
): SealedBlock {
  const timestamp = BigInt(parameters.timestamp)
  const rules = engine.schedule.at(0n, timestamp)
  return sealGenesis(
    genesisState(parameters, rules, engine),
    {
      rules,
      number: 0n,
      timestamp,
      gasLimit: parameters.gasLimit,
      baseFeePerGas: parameters.baseFee,
      coinbase: ZERO_ADDRESS,
      prevRandao: ZERO_HASH,
      difficulty: rules.proofOfStake ? 0n : 1n,
      excessBlobGas: 0n,
      blobBaseFee: blobBaseFee(0n, rules.blobSchedule),
      parentBeaconBlockRoot: ZERO_HASH,
    },
    { engine, store },
  )
}

/** The state that a devnet starts with. */
export function genesisState(
  { accounts: funded, balance }: Pick<GenesisParameters, 'accounts' | 'balance'>,
  rules: ForkRules,
  { codes }: Engine,
): StateDiff {
  const accounts = new Map<AddressKey, AccountRecord | null>()
  for (const { address, code } of predeploys(rules)) {
    const codeHash = codes.add(fromHex(code))
    accounts.set(addressKeyFromHex(address), { nonce: 1n, balance: 0n, codeHash })
  }
  for (const address of funded) {
    accounts.set(addressKeyFromHex(address), { nonce: 0n, balance, codeHash: EMPTY_CODE_HASH })
  }
  return { accounts, storage: new Map() }
}

/**
 * Commits the first state, and makes the block over it.
 *
 * @param options.given - header fields that differ from those of an empty block. Default: none
 */
export function sealGenesis(
  diff: StateDiff,
  environment: Omit<BlockEnvironment, 'parent'>,
  options: {
    readonly engine: Engine
    readonly store: VersionedStore
    readonly given?: Partial<BlockResults> & { readonly parentHash?: Uint8Array }
  },
): SealedBlock {
  const { store, given = {} } = options
  const { keccak256 } = options.engine.crypto
  const version = store.commit(diff)
  const trie = StateTrie.empty(keccak256).apply(diff, store.view(version))
  const header = makeHeader(environment, given.parentHash ?? ZERO_HASH, {
    stateRoot: trie.root(),
    ...given,
  })
  const hashBytes = hashHeader(header, keccak256)
  return {
    ...EMPTY_BODY,
    header,
    rules: environment.rules,
    number: 0,
    hash: toHex(hashBytes),
    hashBytes,
    executed: [],
    version,
    sealedVersion: version,
    trie,
  }
}
