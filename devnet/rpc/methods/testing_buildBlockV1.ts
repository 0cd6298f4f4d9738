import { buildPayload, type Payload } from '../../execution/buildPayload.ts'
import { formatWithdrawal } from '../../json/formatBlock.ts'
import { address, data, hash32, params, quantity64 } from '../../json/params.ts'
import { WITHDRAWAL } from '../../json/schemas/blockOverrides.ts'
import { InvalidParamsError, RefusedError } from '../../primitives/errors.ts'
import { fromHex, quantity, toHex } from '../../primitives/hex.ts'
import { listOf, nullish, objectOf, optional } from '../../primitives/reader.ts'
import type { Withdrawal } from '../../protocol/withdrawals.ts'
import { defineMethod } from '../method.ts'

const ATTRIBUTES = objectOf({
  what: 'payload attributes',
  fields: {
    timestamp: quantity64(),
    prevRandao: hash32(),
    suggestedFeeRecipient: address(),
    withdrawals: listOf(WITHDRAWAL, 'a list of withdrawals'),
    parentBeaconBlockRoot: hash32(),
  },
  optional: { slotNumber: quantity64(), targetGasLimit: quantity64() },
})

/** Bytes of `extraData`, at most. */
const MOST_EXTRA = 32

/**
 * Builds a block on top of the newest one, in the form of the Engine API (execution-apis), and
 * leaves the chain as it is. Transactions with blobs are refused if given, and else left out:
 * nothing keeps their sidecars.
 */
export default defineMethod({
  params: params(
    hash32(),
    ATTRIBUTES,
    nullish(listOf(data(), 'a list of signed transactions')),
    optional(data(MOST_EXTRA)),
  ),
  browser: false,
  async handle({ chain, options }, [parent, attributes, given, extraData = '0x'], { signal }) {
    const { head } = chain
    const { timestamp, prevRandao, suggestedFeeRecipient, parentBeaconBlockRoot } = attributes
    const rules = chain.engine.schedule.at(head.header.number + 1n, timestamp)
    if (chain.origin !== undefined || !rules.blobs || rules.opStack) {
      throw new RefusedError(
        'payloads are built since Cancun, on chains of their own that are not of the OP Stack',
      )
    }
    if (parent !== head.hash) {
      throw new InvalidParamsError(`parentHash is not current head: that is ${head.hash}`)
    }
    if (timestamp <= head.header.timestamp) {
      throw new InvalidParamsError(
        `timestamp ${timestamp} is not later than ${head.header.timestamp}, that of the parent`,
      )
    }
    const { slotNumber, targetGasLimit } = attributes
    if (!rules.blockAccessLists && (slotNumber ?? targetGasLimit) !== undefined) {
      throw new InvalidParamsError(
        `slotNumber and targetGasLimit belong to payloads of Amsterdam, and at this time the chain is under ${rules.hardfork}: leave them out`,
      )
    }
    const payload = await buildPayload(chain, {
      timestamp,
      prevRandao: fromHex(prevRandao),
      feeRecipient: fromHex(suggestedFeeRecipient),
      parentBeaconBlockRoot: fromHex(parentBeaconBlockRoot),
      withdrawals: attributes.withdrawals,
      extraData: fromHex(extraData),
      gasLimit: targetGasLimit ?? BigInt(options.gasLimit),
      slotNumber,
      transactions: given?.map(fromHex),
      signal,
      timeout: options.simulateTimeout,
    })
    if ((payload.header.blobGasUsed ?? 0n) > 0n) {
      throw new RefusedError('a payload cannot hold blobs here: leave transactions of type 3 out')
    }
    return formatPayload(payload, attributes.withdrawals)
  },
})

function formatPayload(
  { header, hash, executed, requests, accessList }: Payload,
  withdrawals: readonly Withdrawal[],
) {
  const { baseFeePerGas = 0n, blobGasUsed = 0n, excessBlobGas = 0n } = header
  const tips = executed.map((one) => one.gasUsed * (one.effectiveGasPrice - baseFeePerGas))
  return {
    executionPayload: {
      parentHash: toHex(header.parentHash),
      feeRecipient: toHex(header.coinbase),
      stateRoot: toHex(header.stateRoot),
      receiptsRoot: toHex(header.receiptsRoot),
      logsBloom: toHex(header.logsBloom),
      prevRandao: toHex(header.mixHash),
      blockNumber: quantity(header.number),
      gasLimit: quantity(header.gasLimit),
      gasUsed: quantity(header.gasUsed),
      timestamp: quantity(header.timestamp),
      extraData: toHex(header.extraData),
      baseFeePerGas: quantity(baseFeePerGas),
      blockHash: toHex(hash),
      transactions: executed.map(({ transaction }) => toHex(transaction.raw)),
      withdrawals: withdrawals.map(formatWithdrawal),
      blobGasUsed: quantity(blobGasUsed),
      excessBlobGas: quantity(excessBlobGas),
      ...(accessList && {
        blockAccessList: toHex(accessList),
        slotNumber: quantity(header.slotNumber ?? 0n),
      }),
    },
    blockValue: quantity(tips.reduce((sum, tip) => sum + tip, 0n)),
    blobsBundle: { commitments: [], proofs: [], blobs: [] },
    executionRequests: requests
      .filter((request) => request.data.length > 0)
      .map((request) => `${toHex(Uint8Array.of(request.type))}${toHex(request.data).slice(2)}`),
    shouldOverrideBuilder: false,
  }
}
