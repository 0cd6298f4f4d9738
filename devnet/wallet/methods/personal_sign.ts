import { fromHex, isBytes } from '../../primitives/hex.ts'
import { accepts, anything, at, listOf, mapped, text } from '../../primitives/reader.ts'
import { requestTo } from '../core/chainRpc.ts'
import { readSignIn } from '../core/signIn.ts'
import type { WalletMethod } from '../core/types.ts'
import { ACCOUNT, readParams, requireAccount } from '../core/walletParams.ts'

const MESSAGE = text()
const WHAT = 'a list of the message and the account'
/** Message and account; some libraries swap them or add a password, which is ignored. */
const PARAMS = mapped(
  listOf(anything, WHAT, { min: 2, max: 3 }),
  ([first, second], context): { message: string; from: unknown } => {
    const isSwapped = accepts(ACCOUNT, first) && !accepts(ACCOUNT, second)
    const message = at(context, isSwapped ? 1 : 0, MESSAGE, isSwapped ? second : first)
    return { message, from: isSwapped ? first : second }
  },
)

/** Signs a message (EIP-191), given in hexadecimal or as plain text. */
export default {
  async handle(context, params) {
    const { message, from } = readParams(PARAMS, params)
    const sender = requireAccount(context, readParams(ACCOUNT, from))
    const data = isBytes(message) ? message : `0x${Buffer.from(message).toString('hex')}`
    const shown = shownText(data)
    const { session, client } = context
    const { chains, wallet } = session
    const signIn = readSignIn(shown ?? '', {
      origin: client.origin,
      chainId: chains.active,
      now: wallet.clock.now(),
    })
    await context.ask({
      isChainBound: false,
      summary: {
        title: signIn === undefined ? 'Sign a message' : `Sign in to ${signIn.domain}`,
        detail: (shown ?? data).slice(0, 60),
        fields: [
          { label: 'Account', value: wallet.describe(sender) },
          ...(signIn?.fields ?? []),
          { label: shown === undefined ? 'Message (bytes)' : 'Message', value: shown ?? data },
        ],
        warnings: signIn?.warnings ?? [],
      },
    })
    requireAccount(context, sender)
    const request = { method: 'personal_sign', params: [data, sender] }
    return requestTo(session, session.wallet.node.chainId, request, client)
  },
} satisfies WalletMethod

/** Decodes a hexadecimal message as text; `undefined` if it is not UTF-8. */
function shownText(data: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fromHex(data))
  } catch {
    return undefined
  }
}
