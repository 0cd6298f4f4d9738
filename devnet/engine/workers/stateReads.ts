import { afterwards } from '../../primitives/afterwards.ts'
import { EMPTY_CODE_HASH } from '../../state/codes.ts'
import type { AccountRecord, AddressKey, SlotKey, StateReader } from '../../state/types.ts'
import type { BlockHashes } from '../types.ts'

/** The parts of the chain that an execution reads. */
export interface Views {
  readonly state: StateReader
  readonly blockHashes: BlockHashes
}

/** A read of a {@link Views} by another thread. */
export type Read =
  | { readonly kind: 'account'; readonly account: AddressKey }
  | { readonly kind: 'slot'; readonly account: AddressKey; readonly slot: SlotKey }
  | { readonly kind: 'hasOldStorage'; readonly account: AddressKey }
  | { readonly kind: 'code'; readonly codeHash: Uint8Array }
  | { readonly kind: 'blockHash'; readonly number: bigint }

export interface Answers {
  /** Without a code hash if there is no code. */
  readonly account:
    | (Omit<AccountRecord, 'codeHash'> & { readonly codeHash: Uint8Array | undefined })
    | null
  readonly slot: Uint8Array
  readonly hasOldStorage: boolean
  readonly code: Uint8Array
  readonly blockHash: Uint8Array
}

type Answer = Answers[keyof Answers]

/** Answers a read of another thread; a promise if the value must be fetched first. */
export function answerRead({ state, blockHashes }: Views, read: Read): Answer | Promise<Answer> {
  const { lazyReads } = state
  switch (read.kind) {
    case 'account':
      return afterwards(lazyReads?.account(read.account), () => {
        const record = state.account(read.account)
        if (record === null) return null
        const { nonce, balance, codeHash } = record
        const hasCode = codeHash !== EMPTY_CODE_HASH
        return { nonce, balance, codeHash: hasCode ? compact(codeHash) : undefined }
      })
    case 'slot':
      return afterwards(lazyReads?.slot(read.account, read.slot), () =>
        compact(state.slot(read.account, read.slot)),
      )
    case 'hasOldStorage':
      return state.hasOldStorage(read.account)
    case 'code':
      return afterwards(lazyReads?.code(read.codeHash), () => compact(state.code(read.codeHash)))
    case 'blockHash': {
      const hash = blockHashes(read.number)
      return hash instanceof Promise ? hash.then(compact) : compact(hash)
    }
  }
}

/** A message takes the whole buffer along of which bytes are a part. */
function compact(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
}
