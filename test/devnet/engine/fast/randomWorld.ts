import type { Crypto } from '../../../../devnet/engine/crypto.ts'
import { toHex } from '../../../../devnet/primitives/hex.ts'
import type { ForkRules } from '../../../../devnet/protocol/forks.ts'
import type { Codes } from '../../../../devnet/state/codes.ts'
import { addressKey, slotKeyFromHex } from '../../../../devnet/state/keys.ts'
import { Overlay } from '../../../../devnet/state/overlay/overlay.ts'
import { type StateView, VersionedStore } from '../../../../devnet/state/store/versionedStore.ts'
import type { Random } from '../../../support/random.ts'
import {
  COINBASE,
  type CodeMaker,
  EMPTY,
  PROGRAMS,
  RICH,
  senders,
  shortAddress,
} from './randomTransactions.ts'

export const BLOCK = {
  number: 4n,
  timestamp: 99n,
  gasLimit: 30_000_000n,
  baseFeePerGas: 7n,
  coinbase: shortAddress(COINBASE),
  prevRandao: new Uint8Array(32).fill(5),
  difficulty: 12345n,
  blobBaseFee: 2n,
  slotNumber: 77n,
}

/** A state, and the nonces of its senders by address. */
export interface World {
  readonly view: StateView
  readonly nonces: ReadonlyMap<string, bigint>
}

/** A state with programs and senders, of which one delegates. */
export function createWorld(
  random: Random,
  maker: CodeMaker,
  { crypto, codes, rules }: { crypto: Crypto; codes: Codes; rules: ForkRules },
  delegates: boolean,
): World {
  const store = new VersionedStore(codes)
  const state = new Overlay(store.view(), codes)
  for (const program of PROGRAMS) {
    const key = addressKey(shortAddress(program))
    state.setCode(key, Uint8Array.from(maker.code()))
    state.setNonce(key, BigInt(random.below(3)))
    state.setBalance(key, BigInt(random.below(40)))
    for (let slot = 0; slot < 4; slot++) {
      if (random.once(2)) continue
      state.setSlot(key, slotKeyFromHex(`0x${slot}`), Uint8Array.of(random.below(4)))
    }
  }
  const nonces = new Map<string, bigint>()
  for (const [index, sender] of senders(crypto).entries()) {
    const key = addressKey(sender)
    const nonce = BigInt(random.below(200))
    nonces.set(toHex(sender), nonce)
    state.setBalance(key, 10n ** 12n)
    state.setNonce(key, nonce)
    if (index === 0 && delegates) {
      const target = shortAddress(random.pick(PROGRAMS))
      state.setCode(key, Uint8Array.from([0xef, 1, 0, ...target]))
    }
  }
  state.setBalance(addressKey(shortAddress(RICH)), 5n)
  if (random.once(2)) state.setBalance(addressKey(shortAddress(EMPTY)), 0n)
  // From Amsterdam on, the library touches RIPEMD-160 before a SELFDESTRUCT to it is paid for.
  if (!rules.stateGas && random.once(2)) state.setBalance(addressKey(shortAddress(3)), 0n)
  store.commit(state.takeDiff())
  return { view: store.view(), nonces }
}
