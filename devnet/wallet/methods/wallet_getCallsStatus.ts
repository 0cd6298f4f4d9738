import { plainText } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import { requestTo } from '../core/chainRpc.ts'
import type { RequestContext } from '../core/requestContext.ts'
import type { WalletMethod } from '../core/types.ts'

/** Receipt of a call; only some of its fields are passed on to the page. */
interface Receipt {
  readonly status: string
  readonly [field: string]: unknown
}

/**
 * Status of a batch (EIP-5792): 100 while a receipt is missing, then 200 if all calls succeeded,
 * 400 if none is on the chain any more, nor waits for it, 500 if none succeeded, otherwise 600. A
 * pre-confirmed call already has its receipt, unless the option `receipts` is sealed.
 */
export default {
  isRead: true,
  async handle(context, params) {
    const { id, chainId, sent, isAtomic } = context.session.batches.read(context, params)
    const found = await Promise.all(sent.map((hash) => receiptOf(context, chainId, hash)))
    const receipts = found.filter((receipt) => typeof receipt === 'object')
    const successes = receipts.filter(({ status }) => status === '0x1').length
    const isPending = found.includes('pending')
    const isGone = found.every((receipt) => receipt === 'gone')
    const failed = isGone ? 400 : successes === 0 ? 500 : 600
    const status = isPending ? 100 : successes === sent.length ? 200 : failed
    return {
      version: '2.0.0',
      id,
      chainId,
      status,
      atomic: isAtomic,
      ...(isPending ? {} : { receipts: receipts.map(callsReceipt) }),
    }
  },
} satisfies WalletMethod

async function receiptOf(
  { session, client }: RequestContext,
  chainId: Hex,
  call: Hex | undefined,
): Promise<Receipt | 'pending' | 'failed' | 'gone'> {
  if (call === undefined) return 'failed'
  const { node } = session.wallet
  const request = { method: 'eth_getTransactionReceipt', params: [call] }
  const receipt = await requestTo(session, chainId, request, client)
  if (typeof receipt !== 'object' || receipt === null || !('status' in receipt)) {
    return chainId === node.chainId && !node.knows(call) ? 'gone' : 'pending'
  }
  return { ...receipt, status: plainText(receipt.status) }
}

function callsReceipt({ logs, status, blockHash, blockNumber, gasUsed, transactionHash }: Receipt) {
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
