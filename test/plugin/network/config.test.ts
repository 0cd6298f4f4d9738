import type { HardhatUserConfig } from 'hardhat/config'
import { configVariable } from 'hardhat/config'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import type {
  EdrNetworkUserConfig,
  HttpNetworkUserConfig,
  NetworkUserConfig,
} from 'hardhat/types/config'
import type { HardhatPlugin } from 'hardhat/types/plugins'
import { describe, expect, test } from 'vitest'
import plugin, { pendingNode } from '../../../plugin/index.ts'
import { nodeOptions } from '../../../plugin/network/node-options.ts'
import { foreignKey } from '../../../plugin/network/validate.ts'
import { createHre, opened } from './stage.ts'

/** A configuration that its types would refuse. */
const untyped = (networks: unknown) =>
  createHardhatRuntimeEnvironment({ plugins: [plugin], networks } as HardhatUserConfig)

/** The lines of the message that name what is wrong. */
async function problems(network: unknown): Promise<string[]> {
  const error: unknown = await untyped({ pending: network }).then(
    () => undefined,
    (reason) => reason,
  )
  const lines = error instanceof Error ? error.message.split('\n') : []
  return lines.filter((line) => line.includes('* ')).map((line) => line.trim())
}

test('default: there are the networks pending and instant', async () => {
  const { config } = await createHre()
  const own = { transport: 'in-process', defaultBlock: 'pending' }
  const { default: _default, localhost: _localhost, node: _node, ...added } = config.networks
  expect(added).toMatchObject({
    pending: { type: 'http', pendingNode: own },
    instant: { type: 'http', pendingNode: { ...own, instant: true } },
  })
  expect(Object.keys(added).sort()).toEqual([
    'instant',
    'instant:replay',
    'localhost:replay',
    'pending',
    'pending:replay',
  ])
  for (const name of ['instant', 'localhost', 'pending']) {
    expect(added[`${name}:replay`]).toMatchObject({ type: 'edr-simulated', accounts: [] })
  }
  expect(
    Object.keys(added.pending?.type === 'http' ? (added.pending.pendingNode ?? {}) : {}),
  ).toEqual(['transport', 'defaultBlock'])
})

test.each(['pending', 'instant'])(
  'a network that the user calls %s stays as it is',
  async (name) => {
    const network: NetworkUserConfig = { type: 'http', url: 'http://10.0.0.1:8545' }
    const { config } = await createHre({ [name]: network })
    const resolved = config.networks[name]
    expect(resolved).not.toHaveProperty('pendingNode')
    expect(resolved?.type === 'http' && (await resolved.url.getUrl())).toBe('http://10.0.0.1:8545')
    const { config: second } = await createHre({ [name]: pendingNode({ frozen: true }) })
    expect(second.networks[name]).toMatchObject({ pendingNode: { frozen: true } })
    expect(second.networks[name]).not.toHaveProperty('pendingNode.instant')
  },
)

test('pendingNode', async () => {
  const { config } = await createHre({
    fast: {
      ...pendingNode({ tickInterval: 50, transport: 'http', defaultBlock: 'latest' }),
      gasMultiplier: 2,
    },
  })
  expect(config.networks.fast).toMatchObject({
    type: 'http',
    gasMultiplier: 2,
    pendingNode: { tickInterval: 50, transport: 'http', defaultBlock: 'latest' },
  })
})

test('args: the plain object, with and without what JavaScript leaves out', async () => {
  const { config } = await untyped({
    plain: { type: 'http', url: 'http://127.0.0.1:8545', pendingNode: { frozen: true } },
    short: { type: 'http', pendingNode: {} },
    pending: { pendingNode: { frozen: true } },
    instant: { gas: 100_000, pendingNode: { accounts: 2 } },
  })
  expect(config.networks.plain).toMatchObject({ pendingNode: { frozen: true } })
  expect(config.networks.short).toMatchObject({ pendingNode: { transport: 'in-process' } })
  expect(config.networks.pending).toMatchObject({ type: 'http', pendingNode: { frozen: true } })
  expect(config.networks.instant).toMatchObject({
    type: 'http',
    gas: 100_000n,
    pendingNode: { instant: true, accounts: 2 },
  })
})

test('without a connection there is no address', async () => {
  const { config } = await createHre()
  const { pending } = config.networks
  if (pending?.type !== 'http') throw new Error('It is an http network')
  await expect(pending.url.getUrl()).rejects.toThrow('read connection.pendingNode.url')
  await expect(pending.url.getBigInt()).rejects.toThrow('is an address')
})

test('what goes on after a connection is made gets no node of its own', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let late: Promise<unknown> = Promise.resolve()
  const lingering: HardhatPlugin = {
    id: 'lingering',
    hookHandlers: {
      network: async () => ({
        default: async () => ({
          newConnection: async (context, next) => {
            const connection = await next(context)
            const { networkConfig } = connection
            if (networkConfig.type === 'http') late = promise.then(() => networkConfig.url.getUrl())
            return connection
          },
        }),
      }),
    },
  }
  const hre = await createHre({}, [lingering, plugin])
  const { close } = await hre.network.create('pending')
  resolve()
  await expect(late).rejects.toThrow('read connection.pendingNode.url')
  await close()
})

test('a network under the next hardfork stands beside those of today', async () => {
  const hre = await createHre({ amsterdam: pendingNode({ hardfork: 'amsterdam', instant: true }) })
  const headers = await Promise.all(
    ['instant', 'amsterdam'].map(async (network) => {
      const connection = opened(await hre.network.create({ network }))
      await connection.send()
      const block = await connection.rpc<object>('eth_getBlockByNumber', 'latest', false)
      await connection.close()
      return 'blockAccessListHash' in block
    }),
  )
  expect(headers).toEqual([false, true])
})

describe('keys of edr-simulated', () => {
  const at = (key: string) => `* Config error in config.networks.pending.${key}: `
  const words = 'is for networks of type "edr-simulated": '

  test.each([
    [
      'allowBlocksWithSameTimestamp',
      true,
      'use pendingNode: { allowBlocksWithSameTimestamp: true }.',
    ],
    ['allowUnlimitedContractSize', true, 'use pendingNode: { codeSizeLimit: 0 }.'],
    ['blockGasLimit', 30_000_000, 'use pendingNode: { gasLimit }.'],
    ['coinbase', '0x12', 'use pendingNode: { coinbase }.'],
    [
      'forking',
      { url: 'http://127.0.0.1:1' },
      'use pendingNode: { forking }, which has the same fields.',
    ],
    ['gasEstimationMode', 'topLevelSuccess', 'it has no counterpart: leave it out.'],
    ['hardfork', 'prague', 'use pendingNode: { hardfork }.'],
    ['initialBaseFeePerGas', 0, 'use pendingNode: { baseFee }, in wei.'],
    ['initialDate', '2030-01-01', 'use pendingNode: { timestamp }, in seconds since the epoch.'],
    [
      'loggingEnabled',
      true,
      'it has no counterpart: leave it out. "npx hardhat pending-node" prints the log of a node.',
    ],
    ['minGasPrice', 1, 'it has no counterpart: leave it out, or call hardhat_setMinGasPrice.'],
    [
      'mining',
      { auto: false },
      'use pendingNode: { instant } for auto, { sealInterval } for interval, { order } for mempool.order.',
    ],
    ['networkId', 5, 'it has no counterpart: leave it out. The network id is the chain id.'],
    [
      'throwOnCallFailures',
      false,
      'it has no counterpart: leave it out. A call that fails always throws.',
    ],
    [
      'throwOnTransactionFailures',
      true,
      'use pendingNode: { instant: true }; otherwise a transaction runs after its send has returned.',
    ],
    ['transactionGasCap', false, 'use pendingNode: { transactionGasCap }, 0 for none.'],
  ])('args: %s', async (key, value, sentence) => {
    const message = `${key} ${words}${sentence}`
    expect(await problems({ type: 'http', pendingNode: {}, [key]: value })).toEqual([
      at(key) + message,
    ])
    // Without a type it completes the network of the plugin.
    expect(await problems({ [key]: value })).toEqual([at(key) + message])
    const isOurs = [
      'allowBlocksWithSameTimestamp',
      'coinbase',
      'forking',
      'hardfork',
      'transactionGasCap',
    ].includes(key)
    if (isOurs) return
    expect(await problems({ type: 'http', pendingNode: { [key]: value } })).toEqual([
      at(`pendingNode.${key}`) + message,
    ])
  })

  test('all of them are known', () => {
    type Own =
      | 'type'
      | 'accounts'
      | 'chainId'
      | 'chainType'
      | 'from'
      | 'gas'
      | 'gasMultiplier'
      | 'gasPrice'
    const keys: Record<
      Exclude<keyof EdrNetworkUserConfig, Own | keyof HttpNetworkUserConfig>,
      true
    > = {
      allowBlocksWithSameTimestamp: true,
      allowUnlimitedContractSize: true,
      blockGasLimit: true,
      coinbase: true,
      forking: true,
      gasEstimationMode: true,
      hardfork: true,
      initialBaseFeePerGas: true,
      initialDate: true,
      loggingEnabled: true,
      minGasPrice: true,
      mining: true,
      networkId: true,
      throwOnCallFailures: true,
      throwOnTransactionFailures: true,
      transactionGasCap: true,
    }
    for (const key of Object.keys(keys)) expect(foreignKey(key), key).toContain(key)
  })

  test.each([
    ['a phrase', { mnemonic: 'test', accountsBalance: '1' }],
    ['keys', [{ privateKey: `0x${'11'.repeat(32)}`, balance: '1' }]],
  ])('args: accounts with balances: %s', async (_, accounts) => {
    expect(await problems({ type: 'http', pendingNode: {}, accounts })).toContain(
      `${at('accounts')}accounts with balances are for networks of type "edr-simulated": use pendingNode: { mnemonic, accounts, balance }, where accounts is their number.`,
    )
  })

  test('what every http network has stays', async () => {
    const network = {
      from: `0x${'11'.repeat(20)}`,
      gas: 1_000_000,
      gasMultiplier: 2,
      gasPrice: 1,
      timeout: 5,
      httpHeaders: {},
      accounts: 'remote',
      chainId: 5,
      chainType: 'l1',
    }
    expect(await problems({ type: 'http', pendingNode: {}, ...network })).toEqual([])
  })

  test('in an override', async () => {
    const hre = await createHre()
    const override: object = { blockGasLimit: 30_000_000 }
    await expect(hre.network.create({ network: 'instant', override })).rejects.toThrow(
      'use pendingNode: { gasLimit }',
    )
  })
})

describe('validation', () => {
  const path = '* Config error in config.networks.pending.pendingNode'
  const network = (options: unknown) => ({ type: 'http', pendingNode: options })

  test.each([
    [
      { tickInterval: -1 },
      'tickInterval: tickInterval must be an integer from 0 to 3600000, not -1.',
    ],
    [{ order: 'random' }, 'order: order must be one of fifo, fees, not "random".'],
    [
      { tickIntervall: 5 },
      'tickIntervall: tickIntervall is not an option; did you mean tickInterval?',
    ],
    [{ transpot: 'http' }, 'transpot: transpot is not an option; did you mean transport?'],
    [{ transport: 'ipc' }, 'transport: transport must be one of in-process, http, not "ipc".'],
    [
      { defaultBlok: 'latest' },
      'defaultBlok: defaultBlok is not an option; did you mean defaultBlock?',
    ],
    [
      { defaultBlock: 'safe' },
      'defaultBlock: defaultBlock must be one of pending, latest, not "safe".',
    ],
    [
      { verbose: true },
      'verbose: verbose belongs to the task "pending-node": a node in this process has no log.',
    ],
    [
      { coverage: true },
      'coverage: coverage is an option of createDevnet: networks record it if Hardhat runs with --coverage.',
    ],
    [
      { keepAlive: true },
      'keepAlive: keepAlive is an option of createDevnet: a process does not wait for the nodes of its connections.',
    ],
    [
      { stackTraces: false },
      'stackTraces: stackTraces stands beside pendingNode: { ...pendingNode(), stackTraces: false }.',
    ],
  ])('args: %j', async (options, expected) => {
    expect(await problems(network(options))).toEqual([`${path}.${expected}`])
  })

  test('args: several that are wrong', async () => {
    expect(await problems(network({ tickInterval: '200', accounts: 2000 }))).toEqual([
      `${path}.tickInterval: tickInterval must be an integer from 0 to 3600000, not "200".`,
      `${path}.accounts: accounts must be an integer from 0 to 1000, not 2000.`,
    ])
  })

  test('args: what does not go together', async () => {
    expect(await problems(network({ import: 'chain.rlp' }))).toEqual([
      `${path}: import needs genesis: the genesis file that the blocks begin with.`,
    ])
    expect(await problems({ ...network({ chainId: 5 }), chainId: 6 })).toEqual([
      `${path}.chainId: chainId must be that of the network (6); leave one of them out.`,
    ])
  })

  test.each([[true], [null], ['fast'], [[]]])(
    'args: %j in place of the options',
    async (options) => {
      expect(await problems(network(options))).toEqual([
        `${path}: Expected an object with the options of the node, e.g. {}`,
      ])
    },
  )

  test.each([true, null, 'fast', []])('args: %j completes no built-in network', async (options) => {
    await expect(untyped({ instant: { pendingNode: options } })).rejects.toThrow(
      'config.networks.instant.pendingNode: Expected an object with the options of the node',
    )
  })

  test('only http networks have a node', async () => {
    expect(await problems({ type: 'edr-simulated', pendingNode: {} })).toEqual([
      `${path}: It needs type "http"; use pendingNode({ … }) for the network`,
    ])
  })

  test.each([[null], [7], ['http']])('a network that is %j is left to Hardhat', async (other) => {
    await expect(untyped({ other })).rejects.toThrow(/HHE15/)
  })

  test('an override is checked too', async () => {
    const hre = await createHre()
    const override = { pendingNode: { tickInterval: 0.5 } }
    await expect(hre.network.create({ network: 'pending', override })).rejects.toThrow(
      'Error in pendingNode.tickInterval: tickInterval must be an integer',
    )
  })
})

describe('forking', () => {
  const url = 'https://rpc.example/secret'
  const path = '* Config error in config.networks.pending.pendingNode.'

  test('default', async () => {
    const { config } = await createHre({
      pending: pendingNode({
        forking: { url, blockNumber: 7, httpHeaders: { 'X-Key': 'secret' } },
      }),
      variable: pendingNode({ forking: { url: configVariable('FORK_URL'), enabled: false } }),
    })
    const { pending, variable } = config.networks
    expect(pending).toMatchObject({
      pendingNode: {
        forking: { enabled: true, blockNumber: 7, httpHeaders: { 'X-Key': 'secret' } },
      },
    })
    expect(pending?.type === 'http' && (await pending.pendingNode?.forking?.url.getUrl())).toBe(url)
    expect(variable).toMatchObject({
      pendingNode: { forking: { enabled: false, url: { name: 'FORK_URL' } } },
    })
  })

  test('the options of the node', async () => {
    const forking = { url, blockNumber: 7, httpHeaders: { 'X-Key': 'a', Other: 'b, c' } } as const
    const { config } = await createHre({
      pending: pendingNode({ forking, forkTimeout: 5, frozen: true }),
    })
    const { pending } = config.networks
    const resolved = pending?.type === 'http' ? pending.pendingNode : undefined
    if (resolved?.forking === undefined) throw new Error('There is no forking')
    expect(await nodeOptions(resolved)).toEqual({
      fork: url,
      forkBlockNumber: 7,
      forkHeader: ['X-Key: a', 'Other: b, c'],
      forkTimeout: 5,
      frozen: true,
    })
    // The headers are secrets of the URL that they were configured for.
    expect(await nodeOptions(resolved, { fork: 'http://127.0.0.1:1' })).toEqual({
      fork: 'http://127.0.0.1:1',
      forkTimeout: 5,
      frozen: true,
    })
    const disabled = { ...resolved, forking: { ...resolved.forking, enabled: false } }
    expect(await nodeOptions(disabled)).toEqual({ frozen: true })
  })

  test.each([
    [{ url: 'ws://rpc.example/secret' }, 'url: Expected an http or https URL, or a configuration'],
    [{}, 'url: Expected an http or https URL, or a configuration variable'],
    [{ url, enabled: 1 }, 'enabled: Expected true or false'],
    [{ url, blockNumber: 'earliest' }, 'blockNumber: Expected a block number, a block hash or one'],
    [
      { url, httpHeaders: { 'X Key': 'secret' } },
      'httpHeaders: Expected an object with the values',
    ],
    [{ url, httpHeaders: { 'X-Key': 7 } }, 'httpHeaders: Expected an object with the values'],
    [{ url, httpHeaders: ['secret'] }, 'httpHeaders: Expected an object with the values'],
    [{ url, transactionHash: '0xsecret' }, 'transactionHash: Expected the hash of a transaction'],
    [{ url, recording: 7 }, 'recording: Expected the path of a file'],
    [{ url, blockNumbr: 7 }, 'blockNumbr: blockNumbr is not an option of forking; did you mean'],
  ])('args: %j', async (forking, expected) => {
    const [problem = '', ...others] = await problems({ type: 'http', pendingNode: { forking } })
    expect(problem).toContain(`${path}forking.${expected}`)
    expect(problem).not.toContain('secret')
    expect(others).toEqual([])
  })

  test.each([
    [{ forking: 'http://a' }, 'forking: Expected an object, e.g. { url: "https://…" }'],
    [
      { fork: url },
      'fork: fork belongs into forking: { url, blockNumber, transactionHash, recording, httpHeaders }.',
    ],
    [{ forkTimeout: 5 }, 'forkTimeout: forkTimeout needs forking: { url }.'],
  ])('args: %j beside it', async (options, expected) => {
    expect(await problems({ type: 'http', pendingNode: options })).toEqual([path + expected])
  })

  test('args: what does not go together in it', async () => {
    const forking = { url, blockNumber: 7, transactionHash: `0x${'ab'.repeat(32)}` }
    expect(await problems({ type: 'http', pendingNode: { forking } })).toEqual([
      '* Config error in config.networks.pending.pendingNode: forkAtTransaction cannot be combined with forkBlockNumber: the transaction names its block.',
    ])
  })

  test('args: what does not go together', async () => {
    const options = { forking: { url }, forkOffline: true }
    expect(await problems({ type: 'http', pendingNode: options })).toEqual([
      '* Config error in config.networks.pending.pendingNode: forkOffline needs forkBlockNumber: the number or the hash of the block.',
    ])
  })
})

describe('stackTraces', () => {
  test.each([true, false])('%s, of each http network', async (stackTraces) => {
    const { config } = await createHre({
      pending: { ...pendingNode(), stackTraces },
      remote: { type: 'http', url: 'http://10.0.0.1:8545', stackTraces },
    })
    expect(config.networks.pending).toMatchObject({ stackTraces })
    expect(config.networks.remote).toMatchObject({ stackTraces })
    expect(config.networks.localhost).not.toHaveProperty('stackTraces')
  })

  test('args: not a boolean', async () => {
    expect(await problems({ ...pendingNode(), stackTraces: 'no' })).toEqual([
      '* Config error in config.networks.pending.stackTraces: Expected true or false, not "no"',
    ])
  })

  test("args: on a network of Hardhat's own", async () => {
    const own: object = { type: 'edr-simulated', stackTraces: false }
    expect(await problems(own)).toEqual([
      `* Config error in config.networks.pending.stackTraces: It is for networks of type "http": Hardhat's own always have stack traces.`,
    ])
  })

  test('a network that the user calls as that of the replays stays as it is', async () => {
    const { config } = await createHre({
      'pending:replay': { type: 'edr-simulated', chainId: 5 },
    })
    expect(config.networks['pending:replay']).toMatchObject({ chainId: 5 })
  })
})
