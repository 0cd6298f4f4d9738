import { type Hex, isHex, quantityFrom } from '../../primitives/hex.ts'
import type { WalletAccount } from '../types.ts'
import { isLocal, readChain } from './chainRpc.ts'
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
  const read = readChain(session, signal, 'eth_getBalance', account, 'pending')
  // If this fails, the dApp's own requests report why; the page just shows no balance.
  const balance = await read.catch(() => undefined)
  return isHex(balance) && quantityFrom(balance) !== undefined ? balance : null
}
