import type { Hex } from '../primitives/hex.ts'
import { addressKeyFromHex } from '../state/keys.ts'
import type { StateReader } from '../state/types.ts'
import type { Dashboard } from './dashboard.ts'

/** An account in the newest sealed state, and in the pending one. */
export function bothStates({ node }: Dashboard, address: Hex) {
  const { head, pending, store } = node.context.chain
  return {
    sealed: stateIn(store.view(head.version), address),
    pending: stateIn(pending.state, address),
  }
}

function stateIn(state: StateReader, address: Hex) {
  const account = state.account(addressKeyFromHex(address))
  return { balance: String(account?.balance ?? 0n), nonce: Number(account?.nonce ?? 0n) }
}

/** Size of the code of an account in bytes. */
export function codeSizes({ node }: Dashboard, address: Hex): { sealed: number; pending: number } {
  const { head, pending, store } = node.context.chain
  const sizeIn = (state: StateReader) => {
    const account = state.account(addressKeyFromHex(address))
    return account === null ? 0 : state.code(account.codeHash).length
  }
  return { sealed: sizeIn(store.view(head.version)), pending: sizeIn(pending.state) }
}
