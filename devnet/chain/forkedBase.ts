import type { Engine } from '../engine/engine.ts'
import { EMPTY_BYTES } from '../primitives/bytes.ts'
import { fromHex, toHex } from '../primitives/hex.ts'
import { EMPTY_BODY, type SealedBlock } from '../protocol/block.ts'
import type { ForkRules } from '../protocol/forks.ts'
import type { BlockHeader } from '../protocol/header.ts'
import { openingKeys, queuedReads } from '../protocol/requests.ts'
import { systemContracts } from '../protocol/systemContracts.ts'
import { EMPTY_ACCOUNT } from '../state/accounts.ts'
import { type Codes, EMPTY_CODE_HASH } from '../state/codes.ts'
import { addressKeyFromHex } from '../state/keys.ts'
import type { RemoteLayer } from '../state/remote/remoteLayer.ts'
import { VersionedStore } from '../state/store/versionedStore.ts'
import { StateTrie } from '../state/trie/stateTrie.ts'
import type { AccountRecord, AddressKey, StateReader, Version } from '../state/types.ts'
import type { ChainBase } from './chainBase.ts'
import { History } from './history.ts'

/** The block of another chain that a forked chain stands on. */
export interface ForkOrigin {
  /** Of the other chain; the forked one may have another. */
  readonly chainId: number
  readonly number: number
  /** 32 bytes, as the upstream says: the header may have fields that this node does not know. */
  readonly hash: Uint8Array
  readonly header: BlockHeader
  /** The block as the upstream shows it, with hashes of transactions. Default: unknown */
  readonly json?: Readonly<Record<string, unknown>> | undefined
  /** The state after the block. */
  readonly remote: RemoteLayer
  /** Base fee of the first own block, in wei. Default: what follows from the header */
  readonly firstBaseFee?: bigint | undefined
}

/**
 * The base of a chain that stands on a block of another one. Adds the system contracts that the
 * block's state lacks.
 *
 * @param engine - its schedule says which rules hold, at and above the fork block
 * @param options.accounts - accounts to load with the system contracts, such as the coinbase
 * @param options.firstVersion - so that versions do not overlap with those of the chain before
 * @throws {UpstreamError} if the system contracts cannot be loaded
 */
export async function createForkedBase(
  origin: ForkOrigin,
  engine: Pick<Engine, 'codes' | 'crypto' | 'schedule'>,
  options: { readonly accounts?: readonly AddressKey[]; readonly firstVersion?: Version } = {},
): Promise<ChainBase> {
  const { header, hash, remote } = origin
  await loadOpening(origin, engine, options.accounts)
  const store = new VersionedStore(engine.codes, options.firstVersion, remote)
  const block = forkBlock(origin, engine)
  const contracts = missingContracts(block.rules, store.view(), engine.codes)
  const diff = { accounts: contracts, storage: new Map() }
  const version = store.commit(diff)
  const unchanged = StateTrie.empty(engine.crypto.keccak256, header.stateRoot)
  const trie = unchanged.apply(diff, store.view(version))
  const oldest: SealedBlock = { ...block, version, sealedVersion: version, trie }
  return { store, history: new History(oldest, { randaoSeed: hash }), origin }
}

/** The fork block without what is upstream's: its transactions, uncles and withdrawals. */
export function forkBlock(
  { header, hash, number }: ForkOrigin,
  { schedule }: Pick<Engine, 'schedule'>,
): Omit<SealedBlock, 'version' | 'sealedVersion' | 'trie'> {
  return {
    ...EMPTY_BODY,
    header,
    rules: schedule.at(header.number, header.timestamp),
    number,
    hash: toHex(hash),
    hashBytes: hash,
    executed: [],
    steps: [],
  }
}

/**
 * Loads what a chain on `origin` reads synchronously when it opens and seals blocks.
 *
 * @param accounts - accounts to load as well. Default: none
 * @throws {UpstreamError}
 */
export async function loadOpening(
  { header, remote }: ForkOrigin,
  { schedule }: Pick<Engine, 'schedule'>,
  accounts: readonly AddressKey[] = [],
): Promise<void> {
  const rules = schedule.at(header.number, header.timestamp)
  await remote.load(openingKeys(rules, accounts))
  await remote.load(queuedReads((key, slot) => remote.slot(key, slot) ?? EMPTY_BYTES, rules))
}

function missingContracts(
  rules: ForkRules,
  state: StateReader,
  codes: Codes,
): Map<AddressKey, AccountRecord> {
  const missing = new Map<AddressKey, AccountRecord>()
  for (const { address, code } of systemContracts(rules)) {
    const key = addressKeyFromHex(address)
    const { nonce, balance, codeHash } = state.account(key) ?? EMPTY_ACCOUNT
    if (codeHash !== EMPTY_CODE_HASH) continue
    const laidIn = codes.add(fromHex(code))
    missing.set(key, { nonce: nonce === 0n ? 1n : nonce, balance, codeHash: laidIn })
  }
  return missing
}
