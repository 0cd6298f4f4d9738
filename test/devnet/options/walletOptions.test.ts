import { describe, expect, test } from 'vitest'
import { checkOption, parseOptions, resolveOptions } from '../../../devnet/options/options.ts'
import { resolveWalletOptions } from '../../../devnet/options/walletOptions.ts'
import { OptionError } from '../../../devnet/primitives/errors.ts'

test('default', () => {
  expect(resolveWalletOptions()).toEqual({
    policy: 'approve',
    port: undefined,
    profile: 'devnet',
    atomic: 'unsupported',
    knownChains: undefined,
    addableChains: undefined,
    probe: undefined,
    switchAfterAdd: undefined,
    autoConnect: false,
    unsupportedMethodCode: 4100,
    deadline: 120_000,
    deadlineCode: 4001,
    maxPending: 100,
    maxHistory: 1000,
  })
})

test.each([
  [{ policy: 'maybe' }, 'policy must be one of approve, reject, hold'],
  [{ polici: 'hold' }, 'wallet.polici is not an option; did you mean wallet.policy?'],
  [{ port: 65_536 }, 'port must be an integer from 0 to 65535'],
  [{ profile: 'brave' }, 'profile must be one of'],
  [{ knownChains: [] }, 'knownChains must be a list that begins with the active chain'],
  [{ knownChains: [{ chainId: '1', symbol: 'ETH' }] }, 'knownChains[0].chainId must be'],
  [{ knownChains: [{ chainId: '0x1' }] }, 'knownChains[0].symbol must be'],
  [
    { knownChains: [{ chainId: '0x1', symbol: 'ETH', rpcUrls: ['ftp://a'] }] },
    'knownChains[0].rpcUrls[0] must be an http or https URL',
  ],
  [
    {
      knownChains: [
        { chainId: '0xa', symbol: 'ETH' },
        { chainId: '0xA', symbol: 'ETH' },
      ],
    },
    'knownChains[1].chainId must be listed only once (0xa)',
  ],
  [{ addableChains: ['0x01'] }, 'addableChains[0] must be'],
  [{ probe: true }, 'probe must be a function of the URL, or false'],
  [{ switchAfterAdd: true }, 'switchAfterAdd must be one of'],
  [{ autoConnect: 1 }, 'autoConnect must be true or false'],
  [{ unsupportedMethodCode: 1 }, 'unsupportedMethodCode must be one of 4100, 4200, -32601'],
  [{ deadline: -1 }, 'deadline must be'],
  [{ deadlineCode: 4100 }, 'deadlineCode must be one of 4001, -32002'],
  [{ maxPending: 0 }, 'maxPending must be'],
  [{ maxHistory: 1.5 }, 'maxHistory must be'],
  [true, 'wallet must be an object of options, or false for no wallet'],
])('%o is refused', (given, message) => {
  const problem = () => resolveWalletOptions(given)
  expect(problem).toThrow(OptionError)
  expect(problem).toThrow(message)
})

test('null is the default', () => {
  const given = Object.fromEntries(Object.keys(resolveWalletOptions()).map((name) => [name, null]))
  expect(resolveWalletOptions(given)).toEqual(resolveWalletOptions())
})

describe('with the options of the node', () => {
  test('the command line has some of them', () => {
    const options = parseOptions({
      walletPolicy: 'hold',
      walletProfile: 'metamask',
      walletAtomic: 'ready',
      walletPort: '8546',
    })
    expect(options.wallet).toMatchObject({
      policy: 'hold',
      profile: 'metamask',
      atomic: 'ready',
      port: 8546,
    })
    expect(() => parseOptions({ walletPolicy: 'maybe' })).toThrow('--wallet-policy must be')
  })

  test('those of the object win', () => {
    const options = resolveOptions({ walletPolicy: 'hold', wallet: { policy: 'reject' } })
    expect(options.wallet).toMatchObject({ policy: 'reject' })
  })

  test('checked alone', () => {
    expect(() => checkOption('wallet', { policy: 'maybe' })).toThrow('wallet.policy must be')
    expect(() => checkOption('wallet', { policy: 'hold' })).not.toThrow()
    expect(() => checkOption('wallet', undefined)).not.toThrow()
  })

  test('off', () => {
    expect(parseOptions({ noWallet: true }).wallet).toBe(false)
    expect(resolveOptions({ wallet: false }).wallet).toBe(false)
  })

  test('resolved options are options', () => {
    const knownChains = [{ chainId: '0x1', symbol: 'ETH' }] as const
    const first = resolveOptions({ wallet: { knownChains, addableChains: ['0x2'], deadline: 5 } })
    expect(resolveOptions({ ...first }).wallet).toEqual(first.wallet)
  })
})
