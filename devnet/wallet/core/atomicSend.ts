import { DevnetError } from '../../primitives/errors.ts'
import { type Hex, isBytes, quantity } from '../../primitives/hex.ts'
import type { AtomicStatus } from '../types.ts'
import {
  EXECUTOR,
  EXECUTOR_CODE,
  type ExecutedCall,
  executeCalls,
  UPGRADED,
} from './batchExecutor.ts'
import { requestTo } from './chainRpc.ts'
import { chainText } from './describeTransaction.ts'
import type { RequestContext } from './requestContext.ts'
import { sendCall } from './sendTransaction.ts'
import { UserRejectedError, WalletErrorCode } from './walletErrors.ts'

/**
 * The status of an account of the client for batches of calls (EIP-5792): `unsupported` on other
 * chains than the node's, before Prague, and if the account has code of something else.
 */
export async function atomicStatus(
  context: RequestContext,
  chainId: Hex,
  account: Hex,
): Promise<AtomicStatus> {
  const { session, client } = context
  const { node } = session.wallet
  const wanted = session.policy.atomic({ chainId, origin: client.origin })
  if (wanted === 'unsupported' || chainId !== node.chainId || !node.hasDelegations) {
    return 'unsupported'
  }
  const code = await codeOf(context, account)
  if (code === '0x') return wanted
  return code === UPGRADED ? 'supported' : 'unsupported'
}

/**
 * Asks the user to let the wallet upgrade an account.
 *
 * @throws {DevnetError} code 5750 if the user refuses
 */
export async function askToUpgrade(context: RequestContext, account: Hex): Promise<void> {
  const { wallet, chains } = context.session
  const { chainId } = wallet.node
  try {
    await context.ask({
      isChainBound: true,
      summary: {
        title: 'Upgrade the account',
        fields: [
          { label: 'Account', value: wallet.describe(account) },
          { label: 'Network', value: chainText(chains.find(chainId), chainId) },
          { label: 'Code', value: `${wallet.checksum(EXECUTOR)} (batches of calls, EIP-7702)` },
        ],
        warnings: [],
      },
    })
  } catch (error) {
    if (!(error instanceof UserRejectedError)) throw error
    throw new DevnetError(
      WalletErrorCode.upgradeRejected,
      'User rejected the upgrade of the account, which atomic calls need',
    )
  }
}

/**
 * Sends calls in one transaction, in which all of them happen or none. Upgrades the account with
 * it, if that is still to be done.
 *
 * @returns its hash
 * @throws {DevnetError}
 */
export async function sendAtomically(
  context: RequestContext,
  from: Hex,
  calls: readonly ExecutedCall[],
): Promise<Hex> {
  const { session, client } = context
  const { node } = session.wallet
  const transaction = { to: from, data: executeCalls(calls) }
  const isUpgraded = (await codeOf(context, from)) === UPGRADED
  if (!isUpgraded && (await codeOf(context, EXECUTOR)) === '0x') {
    const request = { method: 'hardhat_setCode', params: [EXECUTOR, EXECUTOR_CODE] }
    // No page may lay code in, so the wallet asks itself.
    await requestTo(session, node.chainId, request, { ...client, origin: null })
  }
  const upgrade = async (nonce: bigint) => ({
    nonce: quantity(nonce),
    // The transaction has used its own nonce then.
    authorizationList: [await node.authorize(from, EXECUTOR, nonce + 1n)],
  })
  return await sendCall(context, node.chainId, from, transaction, isUpgraded ? undefined : upgrade)
}

async function codeOf({ session, client }: RequestContext, address: Hex): Promise<Hex | undefined> {
  const request = { method: 'eth_getCode', params: [address, 'pending'] }
  const code = await requestTo(session, session.wallet.node.chainId, request, client)
  return isBytes(code) ? code : undefined
}
