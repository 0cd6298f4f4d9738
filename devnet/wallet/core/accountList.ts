import type { Hex } from '../../primitives/hex.ts'
import type { WalletAccount } from '../types.ts'
import { forward, isLocal, ownClient } from './chainRpc.ts'
import type { Session } from './session.ts'

/** Time in ms after which a balance is given up. */
const TIMEOUT = 1000

/** The accounts of a session, the selected one first, with their numbers and balances. */
export async function listAccounts(
  session: Session,
  signal: AbortSignal,
): Promise<readonly WalletAccount[]> {
  const { wallet } = session
  const until = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)])
  return Promise.all(
    session.state().accounts.map(async (account) => {
      const number = wallet.node.accounts.indexOf(account)
      return {
        address: wallet.checksum(account),
        number: number < 0 ? null : number,
        balance: await balanceOf(session, account, until),
      }
    }),
  )
}

/** `null` if the active chain is on another machine or does not answer. */
async function balanceOf(session: Session, account: Hex, signal: AbortSignal): Promise<Hex | null> {
  if (!isLocal(session)) return null
  const params = [account, 'pending']
  // What fails here fails for the dApp too, which is told why; the page shows no balance.
  const balance = await forward(session, 'eth_getBalance', params, ownClient(signal)).catch(
    () => undefined,
  )
  // Checked by the pattern.
  return typeof balance === 'string' && /^0x[0-9a-f]{1,64}$/i.test(balance)
    ? (balance as Hex)
    : null
}
