/**
 * Fields in which the answers of both nodes may differ, each with its reason. What is not here must be equal.
 */
const BLOCK = {
  hash: 'of the roots, and of what EDR draws at random',
  parentHash: 'as hash',
  stateRoot:
    'our genesis has the CREATE2 deployer and the contracts of EIP-7002 and 7251, and our system calls write (EIP-4788, 2935)',
  parentBeaconBlockRoot: 'EDR draws one at random; ours is zero, so that equal commands give equal blocks',
  totalDifficulty: 'taken out of geth and of execution-apis; EDR still has it',
  size: 'EDR counts typed transactions without the string header that they have in a block body',
} as const

const PENDING_BLOCK = {
  ...BLOCK,
  number: 'null at EDR; DESIGN.md §6: the next number',
  nonce: 'null at EDR; DESIGN.md §6: a block as others',
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
    : { ...BLOCK, mixHash: 'EDR draws it at random, ours is derived (DESIGN.md §5)' }
  return (block) => withTransactions(without(block, names))
}

export const pendingBlockForm = (block: unknown): unknown => without(block, PENDING_BLOCK)

export const transactionForm = (transaction: unknown): unknown =>
  isRecord(transaction) && transaction.type === '0x0'
    ? without(transaction, LEGACY_TRANSACTION)
    : without(transaction, TRANSACTION)

export const logsForm = (logs: unknown): unknown =>
  Array.isArray(logs) ? logs.map((log) => without(log, LOG)) : logs

export const feeHistoryForm = (history: unknown): unknown => without(history, FEE_HISTORY)

export function receiptForm(receipt: unknown): unknown {
  const rest = without(receipt, { blockHash: 'as in blocks' })
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
      ? storageProof.map((slot) => without(slot, { proof: 'EDR proves an empty trie with 0x80, geth with nothing' }))
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

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value as an object. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw new Error(`Not an object: ${JSON.stringify(value)}`)
  return value
}
