import { type Hex, isBytes } from '../../primitives/hex.ts'
import {
  type CallNames,
  ContractFinder,
  type NamingSource,
  standardNames as namesBySelector,
} from '../../rpc/naming/contractNames.ts'
import { isLocal, readChain } from './chainRpc.ts'
import type { ShownTransaction } from './describeTransaction.ts'
import type { Session } from './session.ts'
import type { Wallet } from './wallet.ts'

/** Facts that the selector of a transaction tells without a look at the contract. */
export function standardNames({ naming }: Wallet, transaction: ShownTransaction): CallNames {
  return namesBySelector(naming, calldata(transaction))
}

/** Finds what transactions call by the code of the contracts, behind proxies too. */
export async function findNames(
  session: Session,
  transactions: readonly ShownTransaction[],
  signal: AbortSignal,
): Promise<readonly CallNames[]> {
  const finder = contractFinder(session, signal)
  return Promise.all(
    transactions.map((transaction) => finder.namesOf(transaction.to, calldata(transaction))),
  )
}

/** Finds contracts by their code on the active chain. */
export function contractFinder(session: Session, signal: AbortSignal): ContractFinder {
  const { naming } = session.wallet
  // Contracts of this node's project are not looked for on chains of other machines.
  const source: NamingSource = isLocal(session) ? naming : { ...naming, contracts: undefined }
  return new ContractFinder(source, async (method, ...params) => {
    const answer = await readChain(session, signal, method, ...params)
    // The RPC of an added chain may answer anything.
    return isBytes(answer) ? `0x${answer.slice(2).toLowerCase()}` : '0x'
  })
}

/** The data of a transaction; both names of the field are in use. */
export function calldata({ input, data }: ShownTransaction): Hex {
  return input ?? data ?? '0x'
}
