import * as z from 'zod'
import { toCaller } from '../core/chainRpc.ts'
import type { WalletMethod } from '../core/types.ts'
import { ACCOUNT, BYTES, must, readParams, refuse, requireAccount } from '../core/walletParams.ts'

/** Message and account; some libraries swap them or add a password, which is ignored. */
const PARAMS = z
  .array(z.unknown(), must('a list of the message and the account'))
  .min(2, must('a list of the message and the account'))
  .max(3, must('a list of the message and the account'))
  .transform(([first, second], context): { message: string; from: unknown } => {
    const isSwapped = isAddress(first) && !isAddress(second)
    const message = isSwapped ? second : first
    if (typeof message !== 'string') {
      return refuse(context, 'type', 'a string', [isSwapped ? 1 : 0])
    }
    return { message, from: isSwapped ? first : second }
  })

/** How many characters of a message tell it apart from others. */
const DETAIL_LENGTH = 60

/** Signs a message (EIP-191), given in hexadecimal or as plain text. */
export default {
  async handle(context, params) {
    const { message, from } = readParams(PARAMS, params)
    const sender = requireAccount(context, readParams(ACCOUNT, from))
    const data = BYTES.safeParse(message).success
      ? message
      : `0x${Buffer.from(message).toString('hex')}`
    const text = shownText(data)
    await context.ask({
      isChainBound: false,
      summary: {
        title: 'Sign a message',
        detail: (text ?? data).slice(0, DETAIL_LENGTH),
        fields: [
          { label: 'Account', value: context.session.wallet.describe(sender) },
          { label: text === undefined ? 'Message (bytes)' : 'Message', value: text ?? data },
        ],
        warnings: [],
      },
    })
    requireAccount(context, sender)
    const { node } = context.session.wallet
    return node.request(
      { method: 'personal_sign', params: [data, sender] },
      toCaller(context.client),
    )
  },
} satisfies WalletMethod

function isAddress(value: unknown): boolean {
  return ACCOUNT.safeParse(value).success
}

/** Decodes a hexadecimal message as text; `undefined` if it is not UTF-8. */
function shownText(data: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(data.slice(2), 'hex'),
    )
  } catch {
    return undefined
  }
}
