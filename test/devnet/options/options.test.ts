import { describe, expect, test } from 'vitest'
import type { OptionDefinition } from '../../../devnet/options/optionDefinition.ts'
import { type OptionsInput, parseOptions, resolveOptions } from '../../../devnet/options/options.ts'
import { optionTable } from '../../../devnet/options/optionTable.ts'
import { optionVariable } from '../../../devnet/options/optionText.ts'
import { resolveWalletOptions } from '../../../devnet/options/walletOptions.ts'
import { OptionError } from '../../../devnet/primitives/errors.ts'

const defaults = {
  tickInterval: 200,
  sealInterval: 2000,
  frozen: false,
  frozenTicks: false,
  instant: false,
  tickBudget: 180,
  slices: 1,
  order: 'fifo',
  profile: 'plain',
  genesis: undefined,
  import: undefined,
  follow: undefined,
  chainId: 31337,
  hardfork: 'bpo2',
  engine: 'fast',
  gasLimit: 60_000_000,
  transactionGasCap: undefined,
  codeSizeLimit: undefined,
  coinbase: '0xc014ba5ec014ba5ec014ba5ec014ba5ec014ba5e',
  baseFee: 1_000_000_000n,
  timestamp: undefined,
  allowBlocksWithSameTimestamp: false,
  safeDepth: 0,
  finalizedDepth: 0,
  keepBlocks: 0,
  mempoolSize: 100_000,
  receipts: 'preconfirmed',
  latest: 'sealed',
  revealMempool: false,
  anvil: false,
  simulateErrors: 'string',
  fork: undefined,
  forkBlockNumber: 'latest',
  forkAtTransaction: undefined,
  forkHeader: [],
  forkTimeout: 45_000,
  forkCache: undefined,
  noForkCache: false,
  forkOffline: false,
  forkRecording: undefined,
  forkPrefetch: 'auto',
  forkBatch: 100,
  forkConcurrency: 8,
  state: undefined,
  loadState: undefined,
  dumpState: undefined,
  stateInterval: 60_000,
  accounts: 20,
  mnemonic: 'test test test test test test test test test test test junk',
  balance: 10_000,
  port: 8545,
  hostname: '127.0.0.1',
  allowOrigin: [],
  allowHost: [],
  flashblocksPort: undefined,
  walletPolicy: 'approve',
  walletProfile: 'devnet',
  walletAtomic: 'unsupported',
  walletPort: undefined,
  noDashboard: false,
  noWallet: false,
  open: false,
  wallet: resolveWalletOptions(),
  maxBodySize: 5_242_880,
  maxBatch: 1000,
  callGasLimit: 50_000_000,
  maxBranches: 1000,
  simulateBlocks: 256,
  simulateCallsPerBlock: 5000,
  simulateCalls: 10_000,
  simulateTimeout: 5000,
  syncTimeout: 6000,
  maxSyncTimeout: 60_000,
  maxLogs: 20_000,
  maxTraceSize: 134_217_728,
  filterTimeout: 300_000,
  maxFilters: 1000,
  maxHeldSize: 268_435_456,
  maxSubscriptions: 1024,
  maxTotalSubscriptions: 10_000,
  maxFlashblockClients: 100,
  quiet: false,
  verbose: false,
  json: false,
  keepAlive: false,
  readOwnWrites: false,
  likeHardhat: false,
  coverage: false,
}

/** The message with which `input` is refused; fails when it is not. */
function refusal(resolve: () => unknown): string {
  try {
    resolve()
  } catch (error) {
    if (error instanceof OptionError) return error.message
    throw error
  }
  throw new Error('The options were accepted.')
}

describe('resolveOptions', () => {
  test('default', () => {
    const cure = 'test/devnet/options/options.test.ts: the default in `defaults`'
    expect(resolveOptions(), cure).toEqual(defaults)
    expect(resolveOptions({ port: undefined, order: undefined })).toEqual(defaults)
  })

  test('keeps what is given', () => {
    const given = {
      tickInterval: 0,
      sealInterval: 1,
      frozen: true,
      frozenTicks: true,
      instant: true,
      allowBlocksWithSameTimestamp: true,
      anvil: true,
      syncTimeout: 1,
      maxSyncTimeout: 2,
      tickBudget: 7,
      slices: 3,
      order: 'fees',
      profile: 'unichain',
      receipts: 'preconfirmed',
      latest: 'sealed',
      chainId: Number.MAX_SAFE_INTEGER,
      hardfork: 'london',
      engine: 'library',
      gasLimit: 30_000_000,
      transactionGasCap: 0,
      codeSizeLimit: 49_152,
      coinbase: '0x00000000000000000000000000000000DeaDBeef',
      baseFee: 7n,
      timestamp: 0,
      safeDepth: 2,
      finalizedDepth: 3,
      keepBlocks: 4,
      mempoolSize: 1,
      revealMempool: true,
      simulateErrors: 'object',
      fork: 'https://rpc.example/key',
      forkBlockNumber: -1n,
      forkHeader: ['Authorization: Bearer key'],
      forkTimeout: 1,
      forkCache: 'cache',
      noForkCache: false,
      forkOffline: false,
      forkPrefetch: 'off',
      forkBatch: 1,
      forkConcurrency: 1,
      state: 'a/state.json',
      stateInterval: 1000,
      accounts: 0,
      mnemonic: `${'abandon '.repeat(23)}art`,
      balance: 0,
      port: 0,
      hostname: '::1',
      allowOrigin: ['https://App.example:8080/', 'moz-extension://1-2', 'null', '*'],
      allowHost: ['Devnet', '[fe80::1]'],
      maxBodySize: 1024,
      maxBatch: 1,
      callGasLimit: 21_000,
      maxBranches: 0,
      simulateBlocks: 1,
      simulateCallsPerBlock: 1,
      simulateCalls: 1,
      simulateTimeout: 1,
      maxLogs: 1,
      maxTraceSize: 1024,
      filterTimeout: 1,
      maxFilters: 1,
      maxHeldSize: 2_000_000,
      maxSubscriptions: 1,
      maxTotalSubscriptions: 1,
      maxFlashblockClients: 1,
      quiet: false,
      open: false,
      verbose: true,
      json: true,
      walletPolicy: 'hold',
      walletProfile: 'metamask',
      walletAtomic: 'ready',
      walletPort: 0,
      flashblocksPort: 0,
      noDashboard: true,
      noWallet: true,
      keepAlive: true,
      readOwnWrites: true,
      likeHardhat: true,
      coverage: true,
    } as const satisfies OptionsInput
    expect(resolveOptions(given)).toEqual({
      ...given,
      wallet: false,
      genesis: undefined,
      import: undefined,
      loadState: undefined,
      dumpState: undefined,
    })
  })

  test('a profile decides the defaults of clocks and order', () => {
    const unichain = {
      profile: 'unichain',
      sealInterval: 1000,
      slices: 5,
      order: 'fees',
    } as const
    expect(resolveOptions({ profile: 'unichain' })).toEqual({ ...defaults, ...unichain })
    expect(parseOptions({ profile: 'unichain' })).toEqual({
      ...defaults,
      ...unichain,
      keepAlive: true,
    })
  })

  test('what is given wins over the profile, also if it is the default of plain', () => {
    const given = {
      profile: 'unichain',
      tickInterval: 50,
      sealInterval: 2000,
      slices: 1,
      order: 'fifo',
    } as const
    expect(resolveOptions(given)).toEqual({ ...defaults, ...given, tickBudget: 45 })
  })

  test('a genesis file, and blocks to go on from', () => {
    const given = { genesis: 'a/genesis.json', import: '/chain.rlp', accounts: 3, timestamp: 5 }
    expect(resolveOptions(given)).toEqual({ ...defaults, ...given })
    expect(resolveOptions(resolveOptions(given))).toEqual({ ...defaults, ...given })
  })

  test.each(['chainId', 'hardfork', 'gasLimit', 'baseFee', 'balance'] as const)(
    '%s is in the genesis file, also where its default is given',
    (name) => {
      const input = { genesis: 'genesis.json', [name]: optionTable[name].default }
      expect(refusal(() => resolveOptions(input))).toBe(
        `${name} cannot be combined with genesis: the genesis file decides it.`,
      )
    },
  )

  test('the result does not change with what was given', () => {
    const allowHost = ['devnet']
    const options = resolveOptions({ allowHost })
    allowHost.push('other')
    expect(options.allowHost).toEqual(['devnet'])
    expect(Object.isFrozen(options)).toBe(true)
  })

  test('resolved options resolve to themselves', () => {
    const options = resolveOptions({ tickInterval: 100, safeDepth: 3, timestamp: 5 })
    expect(resolveOptions(options)).toEqual(options)
  })

  test('an amount of wei may be a number', () => {
    expect(resolveOptions({ baseFee: 5 }).baseFee).toBe(5n)
  })

  test('the tick budget ends before the next tick', () => {
    const budget = (input: OptionsInput) => resolveOptions(input).tickBudget
    expect([
      budget({ tickInterval: 1000 }),
      budget({ tickInterval: 100 }),
      budget({ tickInterval: 1 }),
      budget({ tickInterval: 0 }),
      budget({ tickInterval: 100, tickBudget: 90 }),
      budget({ tickInterval: 100, tickBudget: 5000 }),
    ]).toEqual([180, 90, 1, 180, 90, 100])
  })

  test('"finalized" is never newer than "safe"', () => {
    expect(resolveOptions({ safeDepth: 5 }).finalizedDepth).toBe(5)
    expect(refusal(() => resolveOptions({ safeDepth: 5, finalizedDepth: 4 }))).toBe(
      'finalizedDepth must be at least safeDepth (5), not 4.',
    )
  })

  test('the finalized block is kept', () => {
    expect(refusal(() => resolveOptions({ finalizedDepth: 8, keepBlocks: 8 }))).toBe(
      'keepBlocks must be 0 (keep all) or more than finalizedDepth (8), not 8.',
    )
    expect(resolveOptions({ finalizedDepth: 8, keepBlocks: 9 }).keepBlocks).toBe(9)
  })

  test.each<[Record<string, unknown>, string]>([
    [{ port: 99_999 }, 'port must be an integer from 0 to 65535, not 99999.'],
    [{ port: -1 }, 'port must be an integer from 0 to 65535, not -1.'],
    [{ port: 1.5 }, 'port must be an integer from 0 to 65535, not 1.5.'],
    [{ port: '8545' }, 'port must be an integer from 0 to 65535, not "8545".'],
    [{ port: null }, 'port must be an integer from 0 to 65535, not null.'],
    [{ port: [1] }, 'port must be an integer from 0 to 65535, not a list.'],
    [{ chainId: 0 }, 'chainId must be an integer from 1 to 9007199254740991, not 0.'],
    [{ chainId: 2n }, 'chainId must be an integer from 1 to 9007199254740991, not 2.'],
    [{ sealInterval: 0 }, 'sealInterval must be an integer from 1 to 86400000, not 0.'],
    [{ accounts: 1001 }, 'accounts must be an integer from 0 to 1000, not 1001.'],
    [{ baseFee: -1n }, 'baseFee must be an amount of wei from 0 to 18446744073709551615, not -1.'],
    [{ baseFee: 0.5 }, 'baseFee must be an amount of wei from 0 to 18446744073709551615, not 0.5.'],
    [{ frozen: 'yes' }, 'frozen must be true or false, not "yes".'],
    [{ order: 'lifo' }, 'order must be one of fifo, fees, not "lifo".'],
    [
      { hardfork: 'berlin' },
      'hardfork must be one of london, paris, shanghai, cancun, prague, osaka, bpo1, bpo2, amsterdam, not "berlin".',
    ],
    [
      { hostname: 'http://localhost' },
      'hostname must be a host name or address without port, such as 127.0.0.1, not "http://localhost".',
    ],
    [
      { hostname: 'localhost:8545' },
      'hostname must be a host name or address without port, such as 127.0.0.1, not "localhost:8545".',
    ],
    [
      { mnemonic: 'secret words' },
      'mnemonic must be 12, 15, 18, 21 or 24 lower-case words with one space between them.',
    ],
    [
      { allowHost: 'devnet' },
      'allowHost must be a list of host names without port, such as devnet, not "devnet".',
    ],
    [
      { allowHost: ['devnet', 'devnet:8545'] },
      'allowHost must be a list of host names without port, such as devnet, not "devnet:8545".',
    ],
    [
      { allowOrigin: ['https://app.example/page'] },
      'allowOrigin must be a list of origins without a path, such as https://app.example, or null, or * for all, not "https://app.example/page".',
    ],
    [{ genesis: '' }, 'genesis must be the path of a file, not "".'],
    [
      { follow: 'http://127.0.0.1:8545' },
      'follow must be the URL of a stream, such as ws://127.0.0.1:8545/flashblocks, not "http://127.0.0.1:8545".',
    ],
    [{ genesis: 5 }, 'genesis must be the path of a file, not 5.'],
    [{ import: 'chain.rlp' }, 'import needs genesis: the genesis file that the blocks begin with.'],
    [
      { state: 's.json', loadState: 's.json' },
      'state cannot be combined with loadState: it loads from its own file.',
    ],
    [
      { state: 's.json', dumpState: 't.json' },
      'state cannot be combined with dumpState: it saves to its own file.',
    ],
    [
      { loadState: 's.json', genesis: 'genesis.json' },
      'loadState cannot be combined with genesis: either file begins a chain.',
    ],
    [
      { loadState: 's.json', stateInterval: 5000 },
      'stateInterval needs state or dumpState: the file to save to.',
    ],
    [
      { state: 's.json', stateInterval: 999 },
      'stateInterval must be an integer from 1000 to 2147483647, not 999.',
    ],
    [{ tickIntervall: 1 }, 'tickIntervall is not an option; did you mean tickInterval?'],
    [{ 'seal-interval': 1 }, 'seal-interval is not an option; did you mean sealInterval?'],
    [{ walet: true }, 'walet is not an option; did you mean wallet?'],
    [{ keepAliv: true }, 'keepAliv is not an option; did you mean keepAlive?'],
    [{ keepAlive: 1 }, 'keepAlive must be true or false, not 1.'],
    [{ wallet: { dedline: 1 } }, 'wallet.dedline is not an option; did you mean wallet.deadline?'],
    [
      { wallet: { deadline: '1s' } },
      'wallet.deadline must be an integer from 0 to 2147483647, not "1s".',
    ],
    [{ toString: 1 }, 'toString is not an option; devnet/options/README.md lists all.'],
  ])('args: %o', (input, message) => {
    expect(refusal(() => resolveOptions(input))).toBe(message)
  })
})

describe('parseOptions', () => {
  const commandLineDefaults = { ...defaults, keepAlive: true }

  test('default', () => {
    expect(parseOptions({})).toEqual(commandLineDefaults)
  })

  test('its own defaults, as text, are the defaults', () => {
    const options: [string, OptionDefinition][] = Object.entries(optionTable)
    const args = options
      .filter(([, { type }]) => type !== 'list' && type !== 'flag')
      .map(([name, option]) => [name, option.default?.toString()])
    expect(parseOptions(Object.fromEntries(args))).toEqual(commandLineDefaults)
  })

  test("anvil's flag for no limit of code", () => {
    expect(parseOptions({ disableCodeSizeLimit: true }).codeSizeLimit).toBe(0)
    // The task gives each of its flags.
    expect(parseOptions({ disableCodeSizeLimit: false })).toEqual(commandLineDefaults)
    expect(
      refusal(() => parseOptions({ codeSizeLimit: '30_000', disableCodeSizeLimit: true })),
    ).toBe('--code-size-limit is given twice.')
    expect(refusal(() => resolveOptions(JSON.parse('{"disableCodeSizeLimit":true}')))).toBe(
      'disableCodeSizeLimit is not an option; did you mean codeSizeLimit?',
    )
  })

  test('reads text', () => {
    expect(
      parseOptions({
        port: '0',
        chainId: '0x539',
        gasLimit: '30_000_000',
        baseFee: '5e9',
        frozen: true,
        order: 'fees',
        hostname: '0.0.0.0',
        allowOrigin: 'https://a.example, http://b.example:81,',
        allowHost: '',
      }),
    ).toEqual({
      ...commandLineDefaults,
      port: 0,
      chainId: 1337,
      gasLimit: 30_000_000,
      baseFee: 5_000_000_000n,
      frozen: true,
      order: 'fees',
      hostname: '0.0.0.0',
      allowOrigin: ['https://a.example', 'http://b.example:81'],
    })
  })

  test('each secret can come from the environment, and the command line counts first', () => {
    const mnemonic = `${'abandon '.repeat(11)}about`
    const environment = {
      PENDING_NODE_FORK: 'https://node.example/key',
      PENDING_NODE_FORK_HEADER: 'Authorization: Bearer key\nX-Team: 7, 8',
      PENDING_NODE_MNEMONIC: mnemonic,
      // No secret, so that the command line shows it.
      PENDING_NODE_PORT: '1',
    }
    expect(parseOptions({}, environment)).toEqual({
      ...commandLineDefaults,
      fork: 'https://node.example/key',
      forkHeader: ['Authorization: Bearer key', 'X-Team: 7, 8'],
      mnemonic,
    })
    const given = { forkUrl: 'https://other.example', forkHeader: 'X-Team: 9' }
    expect(parseOptions(given, environment)).toMatchObject({
      fork: 'https://other.example',
      forkHeader: ['X-Team: 9'],
      mnemonic,
    })
    expect(parseOptions({}, { PENDING_NODE_FORK: '' })).toEqual(commandLineDefaults)
  })

  test('error: a secret of the environment is named by its variable, and not shown', () => {
    expect(refusal(() => parseOptions({}, { PENDING_NODE_MNEMONIC: 'my secret' }))).toBe(
      'PENDING_NODE_MNEMONIC must be 12, 15, 18, 21 or 24 lower-case words with one space between them.',
    )
    const environment = { PENDING_NODE_FORK: 'https://node.example/key' }
    expect(refusal(() => parseOptions({ genesis: 'genesis.json' }, environment))).toMatch(
      /PENDING_NODE_FORK(?!.*key)/,
    )
  })

  test('the description of each secret names its variable', () => {
    const options: [string, OptionDefinition][] = Object.entries(optionTable)
    const secrets = options.filter(([, definition]) => 'secret' in definition)
    expect(secrets.map(([name]) => name)).toEqual(['fork', 'forkHeader', 'mnemonic'])
    for (const [name, { description }] of secrets) {
      expect(description).toContain(`${optionVariable(name)} in the environment`)
    }
  })

  test.each([
    [{ port: 'abc' }, '--port must be an integer from 0 to 65535, not "abc".'],
    [{ port: '' }, '--port must be an integer from 0 to 65535, not "".'],
    [{ tickInterval: '-1' }, '--tick-interval must be an integer from 0 to 3600000, not -1.'],
    [
      { chainId: '9007199254740992' },
      '--chain-id must be an integer from 1 to 9007199254740991, not "9007199254740992".',
    ],
    [
      { baseFee: '1gwei' },
      '--base-fee must be an amount of wei from 0 to 18446744073709551615, not "1gwei".',
    ],
    [
      { genesis: 'genesis.json', chainId: '31337' },
      '--chain-id cannot be combined with --genesis: the genesis file decides it.',
    ],
    [{ quiet: true, verbose: true }, '--quiet cannot be combined with --verbose.'],
    [
      { import: 'chain.rlp' },
      '--import needs --genesis: the genesis file that the blocks begin with.',
    ],
    [
      { safeDepth: '2', finalizedDepth: '1' },
      '--finalized-depth must be at least --safe-depth (2), not 1.',
    ],
  ])('args: %o', (args, message) => {
    expect(refusal(() => parseOptions(args))).toBe(message)
  })
})

test('every description is one sentence', () => {
  for (const [name, { description }] of Object.entries(optionTable)) {
    expect(description, name).toMatch(/^[A-Z][^\n]*[^.]\.$/)
  }
})
