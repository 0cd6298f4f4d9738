import { describe, expect, test } from 'vitest'
import { ALICE, BOB, chainOf, startWallet } from './support.ts'

const CHAIN = '0x53a'
const calls = {
  version: '2.0.0',
  chainId: '0x7a69',
  from: ALICE,
  atomicRequired: false,
  id: 'mine',
}
const typedData = {
  types: { EIP712Domain: [], Mail: [{ name: 'text', type: 'string' }] },
  primaryType: 'Mail',
  domain: {},
  message: { text: 'hello' },
}

/** Each method with a list of parameters, in an order in which none of them is in another's way. */
const REQUESTS: readonly [method: string, params: readonly unknown[]][] = [
  ['wallet_requestPermissions', [{ eth_accounts: {} }]],
  ['wallet_addEthereumChain', [chainOf(CHAIN)]],
  ['wallet_switchEthereumChain', [{ chainId: '0x7a69' }]],
  ['eth_sendTransaction', [{ from: ALICE, to: BOB, value: '0x1' }]],
  ['eth_signTypedData_v4', [ALICE, typedData]],
  ['wallet_sendCalls', [{ ...calls, calls: [{ to: BOB }] }]],
  ['wallet_getCallsStatus', ['mine']],
  ['wallet_showCallsStatus', ['mine']],
  ['wallet_getCapabilities', [ALICE, ['0x7a69']]],
  ['wallet_revokePermissions', [{ eth_accounts: {} }]],
]

/** As pages send them that ask a wallet as they would ask a node. */
const SUPERFLUOUS = [ALICE, 'latest', 1, null, {}, { parentCapability: 'eth_accounts' }]

describe('parameters behind those of the method', () => {
  test.each(['devnet', 'metamask'] as const)(
    'default: profile %s ignores them',
    async (profile) => {
      const { ask } = await startWallet({ profile, probe: async () => CHAIN })
      for (const [method, params] of REQUESTS) {
        for (const [index, more] of SUPERFLUOUS.entries()) {
          // A batch's id is used once.
          if (method === 'wallet_sendCalls' && index > 0) continue
          await ask('wallet_requestPermissions', [{ eth_accounts: {} }])
          const answer = await ask(method, [...params, more, more])
          expect({ method, more, ...answer }).not.toHaveProperty('error')
        }
      }
    },
  )

  test('args: profile eip3085 refuses them', async () => {
    const { ask } = await startWallet({ profile: 'eip3085', probe: async () => CHAIN })
    await ask('wallet_requestPermissions', [{ eth_accounts: {} }])
    for (const [method, params] of REQUESTS) {
      for (const more of SUPERFLUOUS) {
        const answer = await ask(method, [...params, more])
        expect({ method, more, ...answer }).toMatchObject({ error: { code: -32602 } })
      }
    }
  })
})
