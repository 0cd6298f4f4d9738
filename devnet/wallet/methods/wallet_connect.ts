import { DevnetError } from '../../primitives/errors.ts'
import { flag, nullish, objectOf, optional, recordOf, text } from '../../primitives/reader.ts'
import { connectAccount } from '../core/connectAccount.ts'
import type { WalletMethod } from '../core/types.ts'
import { WalletErrorCode } from '../core/walletErrors.ts'
import { list, readParams } from '../core/walletParams.ts'

const REQUEST = objectOf({
  fields: {
    version: text(),
    capabilities: nullish(
      recordOf(objectOf({ fields: { optional: optional(flag()) } }), 'an object of capabilities'),
    ),
  },
  what: 'an object that describes the connection',
})

const PARAMS = list([REQUEST], 'one object that describes the connection')

/**
 * Connects the client's origin (ERC-7846, a draft). The wallet has no capabilities of connections,
 * such as `signInWithEthereum`: optional ones are ignored.
 */
export default {
  async handle(context, params) {
    const [{ capabilities }] = readParams(PARAMS, params, context.session.wallet.settings)
    for (const [name, { optional }] of Object.entries(capabilities ?? {})) {
      if (optional === true) continue
      throw new DevnetError(
        WalletErrorCode.unsupportedCapability,
        `The wallet does not support the capability ${name.slice(0, 100)}: connect without it, and sign with personal_sign`,
      )
    }
    if (context.accounts.length === 0) await connectAccount(context)
    return { accounts: context.accounts.map((address) => ({ address, capabilities: {} })) }
  },
} satisfies WalletMethod
