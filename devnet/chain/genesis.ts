import type { Engine } from '../engine/engine.ts'
import { withoutLeadingZeros, ZERO_ADDRESS, ZERO_HASH } from '../primitives/bytes.ts'
import { fromHex, type Hex, toHex } from '../primitives/hex.ts'
import { type Paced, runAtOnce } from '../primitives/paced.ts'
import { EMPTY_BODY, type SealedBlock } from '../protocol/block.ts'
import type { ForkRules } from '../protocol/forks.ts'
import {
  type BlockResults,
  type HeaderEnvironment,
  hashHeader,
  makeHeader,
} from '../protocol/header.ts'
import { type GenesisAccount, predeploys, slots } from '../protocol/systemContracts.ts'
import { EMPTY_CODE_HASH } from '../state/codes.ts'
import { addressKeyFromHex } from '../state/keys.ts'
import type { VersionedStore } from '../state/store/versionedStore.ts'
import { StateTrie } from '../state/trie/stateTrie.ts'
import type { AccountRecord, AddressKey, StateDiff } from '../state/types.ts'

export interface GenesisParameters {
  /** s since the epoch. */
  readonly timestamp: number
  readonly gasLimit: bigint
  /** wei. */
  readonly baseFee: bigint
  readonly accounts: readonly Hex[]
  /** Balance of each of the accounts, in wei. */
  readonly balance: bigint
  /** Contracts besides those of the hardfork. Default: none */
  readonly contracts?: readonly GenesisAccount[] | undefined
}

/** Block 0: the dev accounts and the system contracts. */
export function createGenesis(
  parameters: GenesisParameters,
  engine: Engine,
  store: VersionedStore,
): SealedBlock {
  const timestamp = BigInt(parameters.timestamp)
  const rules = engine.schedule.at(0n, timestamp)
  const environment = {
    rules,
    number: 0n,
    timestamp,
    gasLimit: parameters.gasLimit,
    baseFeePerGas: parameters.baseFee,
    coinbase: ZERO_ADDRESS,
    prevRandao: ZERO_HASH,
    difficulty: rules.proofOfStake ? 0n : 1n,
    excessBlobGas: 0n,
    parentBeaconBlockRoot: ZERO_HASH,
    slotNumber: 0n,
  }
  const state = genesisState(parameters, rules, engine)
  return runAtOnce(sealGenesis(state, environment, { engine, store }))
}

export function genesisState(
  {
    accounts: funded,
    balance,
    contracts = [],
  }: Pick<GenesisParameters, 'accounts' | 'balance' | 'contracts'>,
  rules: ForkRules,
  { codes }: Pick<Engine, 'codes'>,
): StateDiff {
  const accounts = new Map<AddressKey, AccountRecord | null>()
  const storage: StateDiff['storage'] = new Map()
  for (const { address, code } of [...predeploys(rules), ...contracts]) {
    const codeHash = codes.add(fromHex(code))
    accounts.set(addressKeyFromHex(address), { nonce: 1n, balance: 0n, codeHash })
  }
  for (const { address, storage: entries } of contracts) {
    if (entries.length > 0) {
      const stripped = entries.map(([slot, value]) => [slot, withoutLeadingZeros(value)] as const)
      storage.set(addressKeyFromHex(address), slots(stripped))
    }
  }
  for (const address of funded) {
    accounts.set(addressKeyFromHex(address), { nonce: 0n, balance, codeHash: EMPTY_CODE_HASH })
  }
  return { accounts, storage }
}

/**
 * Commits the initial state, and creates the first block on it.
 *
 * @param options.given - header fields that differ from an empty block's. Default: none
 */
export function* sealGenesis(
  diff: StateDiff,
  environment: EmptyBlockEnvironment,
  options: {
    readonly engine: Engine
    readonly store: VersionedStore
    readonly given?: GivenFields
  },
): Paced<SealedBlock> {
  const { engine, store, given } = options
  const version = yield* store.commitPaced(diff)
  store.noteGenesis(version)
  const empty = StateTrie.empty(engine.crypto.keccak256)
  const trie = yield* empty.applyPaced(diff, store.view(version))
  const block = emptyBlock(environment, trie.root(), engine, given)
  return { ...block, version, sealedVersion: version, trie }
}

type EmptyBlockEnvironment = HeaderEnvironment & { readonly rules: ForkRules }

type GivenFields = Partial<BlockResults> & { readonly parentHash?: Uint8Array }

/** A block without transactions, to which the caller adds its state version and trie. */
export function emptyBlock(
  environment: EmptyBlockEnvironment,
  stateRoot: Uint8Array,
  { crypto: { keccak256 } }: Engine,
  given: GivenFields = {},
): Omit<SealedBlock, 'version' | 'sealedVersion' | 'trie'> {
  const header = makeHeader(environment, given.parentHash ?? ZERO_HASH, { stateRoot, ...given })
  const hashBytes = hashHeader(header, keccak256)
  return {
    ...EMPTY_BODY,
    header,
    rules: environment.rules,
    number: Number(environment.number),
    hash: toHex(hashBytes),
    hashBytes,
    executed: [],
    steps: [],
  }
}
