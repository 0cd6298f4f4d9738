import { isRecord, record } from './values.ts'

/**
 * Fields in which the answers of both nodes may differ, each with its reason. What is not here must be equal.
 */
const BLOCK = {
  hash: 'of the roots, and of what EDR draws at random',
  parentHash: 'as hash',
  stateRoot:
    'our genesis has the CREATE2 deployer and the contracts of EIP-7002 and 7251, and our system calls write (EIP-4788, 2935)',
  parentBeaconBlockRoot:
    'EDR draws one at random; ours is zero, so that equal commands give equal blocks',
  totalDifficulty: 'taken out of geth and of execution-apis; EDR still has it',
  size: 'EDR counts typed transactions without the string header that they have in a block body',
} as const

const PENDING_BLOCK = {
  ...BLOCK,
  number: 'null at EDR; here: the next number',
  nonce: 'null at EDR; here: a block as others',
  mixHash: 'null at EDR, likewise',
} as const

const TRANSACTION = {
  blockHash: 'as in blocks',
  blockTimestamp: 'execution-apis; EDR does not have it',
  yParity: 'execution-apis; EDR has it for types 1 and 4 only',
} as const

const LEGACY_TRANSACTION = {
  ...TRANSACTION,
  chainId: 'geth tells it of legacy transactions too; EDR only of typed ones',
} as const

const IMPERSONATED_TRANSACTION = {
  ...TRANSACTION,
  v: 'EDR tells 27 or 28 of a signature that it made up, also of typed transactions, and hashes them with 0 or 1',
} as const

const LOG = {
  blockHash: 'as in blocks',
  blockTimestamp: 'execution-apis; EDR does not have it',
} as const

const FEE_HISTORY = {
  baseFeePerBlobGas: 'execution-apis; EDR does not have it',
  blobGasUsedRatio: 'likewise',
} as const

type Names = Readonly<Record<string, string>>

/** A sealed block with whole transactions. `randao`: whether its prevRandao was given; else each node makes its own. */
export function blockForm(randao: boolean): (block: unknown) => unknown {
  const names: Names = randao
    ? BLOCK
    : { ...BLOCK, mixHash: 'EDR draws it at random, ours is derived' }
  return (block) => withTransactions(without(block, names))
}

export const pendingBlockForm = (block: unknown): unknown => without(block, PENDING_BLOCK)

export function transactionForm(transaction: unknown): unknown {
  if (!isRecord(transaction)) return transaction
  const { type, r, s } = transaction
  if (type === '0x0') return without(transaction, LEGACY_TRANSACTION)
  return without(transaction, r === s ? IMPERSONATED_TRANSACTION : TRANSACTION)
}

export const logsForm = (logs: unknown): unknown =>
  Array.isArray(logs) ? logs.map((log) => without(log, LOG)) : logs

export function feeHistoryForm(history: unknown): unknown {
  const rest = without(history, FEE_HISTORY)
  if (!isRecord(rest) || !Array.isArray(rest.gasUsedRatio)) return rest
  // EDR's are off by the last bit now and then.
  return { ...rest, gasUsedRatio: rest.gasUsedRatio.map((ratio) => Number(ratio).toFixed(12)) }
}

const RECEIPT = { blockHash: 'as in blocks' } as const

const FAILED_RECEIPT = {
  ...RECEIPT,
  contractAddress: 'geth tells it of a creation that failed, too; EDR not of all of them',
} as const

export function receiptForm(receipt: unknown): unknown {
  const failed = isRecord(receipt) && receipt.status === '0x0'
  const rest = without(receipt, failed ? FAILED_RECEIPT : RECEIPT)
  return isRecord(rest) ? { ...rest, logs: logsForm(rest.logs) } : rest
}

/**
 * An account with the values of slots. `storage`: whether its storage must be the same as a whole, which says more than
 * the slots that are asked for; not where code has stored the hash of a block.
 */
export function proofForm(storage: boolean): (proof: unknown) => unknown {
  return (proof) => {
    const { accountProof: _, storageProof, storageHash, ...account } = record(proof)
    const values = Array.isArray(storageProof)
      ? storageProof.map((slot) =>
          without(slot, { proof: 'EDR proves an empty trie with 0x80, geth with nothing' }),
        )
      : storageProof
    return { ...account, values, ...(storage ? { storageHash } : {}) }
  }
}

function withTransactions(block: unknown): unknown {
  if (!isRecord(block) || !Array.isArray(block.transactions)) return block
  return { ...block, transactions: block.transactions.map(transactionForm) }
}

function without(value: unknown, names: Names): unknown {
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => !(name in names)))
}
