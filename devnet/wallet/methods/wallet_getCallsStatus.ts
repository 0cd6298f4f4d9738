import type { Hex } from '../../primitives/hex.ts'
import { postRequest, toCaller } from '../core/chainRpc.ts'
import type { RequestContext } from '../core/requestContext.ts'
import type { WalletMethod } from '../core/types.ts'

/** Receipt of a call; only some of its fields are passed on to the page. */
interface Receipt {
  readonly status: string
  readonly [field: string]: unknown
}

/**
 * Status of a batch (EIP-5792): 100 while a receipt is missing, then 200 if all calls succeeded,
 * 500 if none did, otherwise 600. A pre-confirmed call already has its receipt,
 * unless the option `receipts` is sealed.
 */
export default {
  isRead: true,
  async handle(context, params) {
    const { id, chainId, calls } = context.session.batches.read(context, params)
    const found = await Promise.all(calls.map((call) => receiptOf(context, chainId, call)))
    const receipts = found.filter((receipt) => typeof receipt === 'object')
    const successes = receipts.filter(({ status }) => status === '0x1').length
    const isPending = found.includes('pending')
    const status = isPending ? 100 : successes === calls.length ? 200 : successes === 0 ? 500 : 600
    return {
      version: '2.0.0',
      id,
      chainId,
      status,
      atomic: false,
      ...(isPending ? {} : { receipts: receipts.map(shown) }),
    }
  },
} satisfies WalletMethod

async function receiptOf(
  { session, client }: RequestContext,
  chainId: Hex,
  call: Hex | undefined,
): Promise<Receipt | 'pending' | 'failed'> {
  if (call === undefined) return 'failed'
  const { node } = session.wallet
  const request = { method: 'eth_getTransactionReceipt', params: [call] }
  const url = session.chains.find(chainId)?.rpcUrls[0]
  const isOwn = chainId === node.chainId || url === undefined
  const receipt = isOwn
    ? await node.request(request, toCaller(client))
    : await postRequest(session, url, request, client.signal)
  if (typeof receipt !== 'object' || receipt === null || !('status' in receipt)) return 'pending'
  return { ...receipt, status: String(receipt.status) }
}

function shown({ logs, status, blockHash, blockNumber, gasUsed, transactionHash }: Receipt) {
  return {
    // The RPC of an added chain may return malformed logs.
    logs: (Array.isArray(logs) ? logs : []).map((log) => {
      const { address, data, topics } = log ?? {}
      return { address, data, topics }
    }),
    status,
    blockHash,
    blockNumber,
    gasUsed,
    transactionHash,
  }
}
