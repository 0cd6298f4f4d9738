import type { RawLog } from '../../engine/executor.ts'
import { fromHex, toHex } from '../bytes.ts'
import type { JsonFields } from '../import/jsonFields.ts'
import type { ExecutedTransaction } from '../receipt.ts'
import { toQuantity } from './headerJson.ts'

/** A sealed transaction as anvil's dumps write it: what it did, and where it stands. */
export function executedToJson(
  executed: ExecutedTransaction,
  block: { readonly number: number; readonly hash: string },
): object {
  const { transaction, success, stateRoot, contractAddress } = executed
  const { tx, type } = transaction
  return {
    info: {
      transaction_hash: transaction.hash,
      transaction_index: executed.index,
      from: transaction.sender,
      to: tx.to === undefined ? null : toHex(tx.to.bytes),
      contract_address: contractAddress === undefined ? null : toHex(contractAddress),
      // anvil needs a list, and looks into it for trace_ methods only.
      traces: [],
      exit: success ? 'Stop' : 'Revert',
      out: null,
      nonce: Number(transaction.nonce),
      gas_used: Number(executed.gasUsed),
    },
    receipt: {
      type: toQuantity(type),
      ...(stateRoot === undefined
        ? { status: success ? '0x1' : '0x0' }
        : { root: toHex(stateRoot) }),
      cumulativeGasUsed: toQuantity(executed.cumulativeGasUsed),
      logs: executed.logs.map(([address, topics, data]) => ({
        address: toHex(address),
        topics: topics.map(toHex),
        data: toHex(data),
      })),
      logsBloom: toHex(executed.bloom),
    },
    block_hash: block.hash,
    block_number: block.number,
  }
}

/** What a receipt says that does not follow from its transaction and its block. */
export interface Outcome {
  readonly success: boolean
  readonly stateRoot: Uint8Array | undefined
  readonly cumulativeGasUsed: bigint
  readonly logs: readonly RawLog[]
  readonly bloom: Uint8Array
}

/** @throws {ChainFileError} where a field is missing or malformed */
export function outcomeFromJson(json: JsonFields): Outcome {
  const receipt = json.requiredObject('receipt')
  const root = receipt.bytes('root', 32)
  return {
    success:
      root === undefined
        ? receipt.requiredNumber('status') === 1n
        : json.requiredObject('info').text('exit') !== 'Revert',
    stateRoot: root === undefined ? undefined : fromHex(root),
    cumulativeGasUsed: receipt.requiredNumber('cumulativeGasUsed'),
    logs: receipt
      .objects('logs')
      .map((log) => [
        fromHex(log.requiredBytes('address', 20)),
        log.bytesList('topics', 32).map(fromHex),
        fromHex(log.requiredBytes('data')),
      ]),
    bloom: fromHex(receipt.requiredBytes('logsBloom', 256)),
  }
}
