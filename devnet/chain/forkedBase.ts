import type { Engine } from '../engine/engine.ts'
import { fromHex, toHex } from '../primitives/hex.ts'
import { EMPTY_BODY, type SealedBlock } from '../protocol/block.ts'
import type { ForkRules } from '../protocol/forks.ts'
import type { BlockHeader } from '../protocol/header.ts'
import { queueSlots } from '../protocol/requests.ts'
import { systemContracts } from '../protocol/systemContracts.ts'
import { EMPTY_ACCOUNT } from '../state/accounts.ts'
import { type Codes, EMPTY_CODE_HASH } from '../state/codes.ts'
import { addressKeyFromHex } from '../state/keys.ts'
import type { RemoteLayer } from '../state/remote/remoteLayer.ts'
import { VersionedStore } from '../state/store/versionedStore.ts'
import { StateTrie } from '../state/trie/stateTrie.ts'
import type { AccountRecord, AddressKey, StateReader } from '../state/types.ts'
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
  /** The state after the block. */
  readonly remote: RemoteLayer
}

/**
 * The base of a chain that stands on a block of another one. Lays in the system contracts that the
 * block's state lacks.
 *
 * @param engine - its schedule says which rules hold, at and above the fork block
 * @param accounts - accounts to load with the system contracts, such as the coinbase
 * @throws {UpstreamError} if the system contracts cannot be loaded
 */
export async function createForkedBase(
  origin: ForkOrigin,
  engine: Engine,
  accounts: readonly AddressKey[] = [],
): Promise<ChainBase> {
  const { header, hash, number, remote } = origin
  const rules = engine.schedule.at(header.number, header.timestamp)
  await remote.load(openingKeys(rules, accounts))
  const store = new VersionedStore(engine.codes, 0, remote)
  const diff = { accounts: missingContracts(rules, store.view(), engine.codes), storage: new Map() }
  const version = store.commit(diff)
  const unchanged = StateTrie.empty(engine.crypto.keccak256, header.stateRoot)
  const block: SealedBlock = {
    ...EMPTY_BODY,
    header,
    rules,
    number,
    hash: toHex(hash),
    hashBytes: hash,
    executed: [],
    steps: [],
    version,
    sealedVersion: version,
    trie: unchanged.apply(diff, store.view(version)),
  }
  return { store, history: new History(block, { randaoSeed: hash }), origin }
}

/** What the chain reads synchronously when it opens and seals blocks. */
function openingKeys(rules: ForkRules, accounts: readonly AddressKey[]) {
  const contracts = systemContracts(rules).map(({ address }) => addressKeyFromHex(address))
  return { accounts: [...contracts, ...accounts], slots: queueSlots(rules) }
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
