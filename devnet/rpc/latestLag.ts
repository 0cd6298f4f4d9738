import type { PendingView } from '../chain/building/pendingView.ts'
import type { Options } from '../options/options.ts'
import { isObject } from '../primitives/json.ts'
import { addressKeyFromHex } from '../state/keys.ts'
import type { HintEvent } from '../types.ts'
import { manifest } from './nodeInfo.ts'
import type { Request } from './ownWrites.ts'

/** The page that says which program works with which option. */
const PAGE = `${manifest.homepage.replace(/#.*/, '')}/blob/main/devnet/COMPATIBILITY.md`

/** Notices a client that knows nothing of pre-confirmation, and says once what helps it. */
export class LatestLag {
  readonly #say: (event: HintEvent) => void
  #isDue: boolean
  /** The advice, once it was given. */
  said: string | undefined

  constructor(options: Options, say: (event: HintEvent) => void) {
    const { follow, instant, latest, likeHardhat, profile, receipts } = options
    const isKnown = latest === 'ticks' || receipts === 'sealed' || profile !== 'plain'
    // Networks of the plugin give this advice at the end of a failed run.
    this.#isDue = !isKnown && !instant && !likeHardhat && follow === undefined
    this.#say = say
  }

  /**
   * Looks whether `pending` has another answer to a read of one account on `latest`; for a call,
   * whether the pending block has changed the callee. Indexers name the newest block by its number
   * on purpose: then only an account counts that the pending block has created.
   */
  look({ method, params, context, caller }: Request<never>, answer: unknown): void {
    if (!this.#isDue || context.chain.pending.executed.length === 0) return
    const { head, pending, store } = context.chain
    if (method.readsState === undefined && method.remote !== 'proof') return
    const [read]: readonly unknown[] = params
    const block: unknown = params[method.params?.blockAt ?? -1]
    const number = isObject(block) ? block.number : undefined
    // The cast is safe: the method's own schema has read the values.
    const onPending = method.params?.withPending(params) as never
    if (number === undefined && onPending === params) return
    const address = isObject(read) ? read.to : read
    if (typeof address !== 'string' || method.reads?.(context, params) !== undefined) return
    const key = addressKeyFromHex(address)
    if (number !== undefined) {
      if (isObject(read) || number !== BigInt(head.number)) return
      if (store.view(head.version).account(key) !== null || pending.state.account(key) === null)
        return
    } else if (isObject(read)) {
      if (!pending.blockDiffs.some((one) => one.accounts.has(key) || one.storage.has(key))) return
    } else if (JSON.stringify(answer) === JSON.stringify(method.handle(context, onPending, caller)))
      return
    this.tell(`A client has read ${address}`, pending)
  }

  /** @param what - says what the lag has caused */
  tell(what: string, { environment: { number } }: PendingView): void {
    if (!this.#isDue) return
    this.#isDue = false
    this.said = `${what}: \`latest\` has what is pre-confirmed only when block ${number} is sealed. If a program fails by that, start the node with --receipts sealed or --instant: ${PAGE}`
    this.#say({ text: this.said })
  }
}
