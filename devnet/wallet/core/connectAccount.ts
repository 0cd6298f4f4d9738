import { RefusedError } from '../../primitives/errors.ts'
import { objectOf } from '../../primitives/reader.ts'
import type { RequestContext } from './requestContext.ts'
import { list } from './walletParams.ts'

/** Parameters that name the wallet's only permission, `eth_accounts` (EIP-2255). */
export const PERMISSIONS = list(
  [
    objectOf({
      fields: { eth_accounts: objectOf({}) },
      what: 'an object with eth_accounts and no other permission',
      isStrict: true,
    }),
  ],
  'one object of permissions',
)

/** Asks the user to connect the client's origin to an account. @throws {DevnetError} if refused */
export async function connectAccount(context: RequestContext): Promise<void> {
  const { session, client } = context
  const { selected } = session.permissions
  if (selected === undefined) {
    throw new RefusedError('the wallet has no accounts: start the node with --accounts')
  }
  const { account = session.permissions.selected ?? selected } = await context.ask({
    isExclusive: true,
    summary: {
      title: 'Connect',
      fields: [
        { label: 'Account', value: session.wallet.describe(selected) },
        { label: 'This site will', value: 'see your address and may ask you to sign and send' },
      ],
      warnings: [],
    },
  })
  session.connect(client.origin, account)
}

/** The permissions of the client's origin, in the format of EIP-2255. */
export function formatPermissions({ session, client, accounts }: RequestContext): unknown[] {
  if (accounts.length === 0) return []
  return [
    {
      invoker: client.origin ?? '',
      parentCapability: 'eth_accounts',
      date: session.permissions.grantedAt(client.origin),
      caveats: [{ type: 'restrictReturnedAccounts', value: accounts }],
    },
  ]
}
