import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import type { NetworkConnection } from 'hardhat/types/network'
import { encodeFunctionData, numberToHex } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createProject, type Project } from './project.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url)).slice(0, -1)

let project: Project

/** Requests to the networks on which failed calls are executed again, since the test began. */
const replays: string[] = []
/** Methods that fail there. */
const broken = new Set<string>()

beforeAll(async () => {
  project = await createProject()
  project.hre.hooks.registerHandlers('network', {
    onRequest(context, connection, request, next) {
      if (!connection.networkName.endsWith(':replay')) return next(context, connection, request)
      replays.push(request.method)
      if (broken.has(request.method)) throw new Error(`no ${request.method}`)
      return next(context, connection, request)
    },
  })
})
afterAll(() => project[Symbol.dispose]())
beforeEach(() => {
  replays.length = 0
})
afterEach(() => {
  vi.restoreAllMocks()
  broken.clear()
})

type Open = NetworkConnection & {
  readonly rpc: (method: string, ...params: unknown[]) => Promise<unknown>
}

async function open(override: object = {}, network = 'pending'): Promise<Open> {
  const connection: NetworkConnection = await project.hre.network.create({ network, override })
  return Object.assign(connection, {
    rpc: (method: string, ...params: unknown[]) => connection.provider.request({ method, params }),
  })
}

/** A contract `Failures` and the calls of its functions. */
async function deploy({ viem }: NetworkConnection) {
  const { address: to, abi } = await viem.deployContract('Failures')
  return (functionName: string, args: unknown[] = []) => ({
    to,
    // The functions and arguments of the contract are not known to the types here.
    data: encodeFunctionData({ abi, functionName, args } as never),
  })
}

async function failure(work: () => Promise<unknown>): Promise<Error> {
  const error: unknown = await work().then(
    () => undefined,
    (reason) => reason,
  )
  if (!(error instanceof Error)) throw new Error('No failure')
  return error
}

/** All that a test can see of an error, but for its stack. */
const seen = (error: Error) => ({ ...error, name: error.name, message: error.message })

describe("the node's own error, byte for byte", () => {
  test('stackTraces is false', async () => {
    await using plain = await open({ stackTraces: false })
    const call = await deploy(plain)
    const error = await failure(() => plain.rpc('eth_call', call('custom', [1n]), 'pending'))
    expect(seen(error)).toEqual({
      name: 'ProviderError',
      code: 3,
      message: 'execution reverted',
      data: expect.stringMatching(/^0xc246547f/),
    })
    expect(replays).toEqual([])
  })

  test('the call fails otherwise when it is executed again', async () => {
    await using on = await open()
    await using off = await open({ stackTraces: false })
    const errors: object[] = []
    for (const connection of [on, off]) {
      const call = await deploy(connection)
      await connection.rpc('hardhat_mine', '0x5')
      const { hash } = (await connection.rpc('eth_getBlockByNumber', '0x3', false)) as {
        hash: string
      }
      const error = await failure(() => connection.rpc('eth_call', call('hash', [3n]), 'pending'))
      errors.push({
        ...seen(error),
        data: String(Reflect.get(error, 'data')).replace(hash.slice(2), ''),
      })
    }
    expect(errors[0]).toEqual(errors[1])
    expect(errors[0]).toMatchObject({ name: 'ProviderError', message: 'execution reverted' })
  })

  test('the call does not fail when it is executed again', async () => {
    await using connection = await open()
    await connection.rpc('hardhat_mine', '0x5')
    const { hash } = (await connection.rpc('eth_getBlockByNumber', '0x3', false)) as {
      hash: string
    }
    // Reverts if BLOCKHASH(3) is the hash of this chain.
    const to = '0x00000000000000000000000000000000000000bb'
    await connection.rpc('hardhat_setCode', to, `0x6003407f${hash.slice(2)}14602957005b5f5ffd`)
    const error = await failure(() => connection.rpc('eth_call', { to, data: '0x' }, 'pending'))
    expect(seen(error)).toMatchObject({ name: 'ProviderError', code: 3 })
  })

  const unexplained = { name: 'ProviderError', message: 'execution reverted: because' }
  const explained = { name: 'SolidityError', message: 'execution reverted: because' }

  test('there is no network for the replay', async () => {
    // Nothing was executed again for this network before.
    await using connection = await open({}, 'instant')
    const call = await deploy(connection)
    const create = vi.spyOn(project.hre.network, 'create').mockRejectedValueOnce(new Error('none'))
    const reason = () => failure(() => connection.rpc('eth_call', call('reason'), 'pending'))
    expect(seen(await reason())).toMatchObject(unexplained)
    expect(create).toHaveBeenCalledTimes(1)
    expect(seen(await reason())).toMatchObject(explained)
  })

  test.each(['evm_revert', 'evm_setNextBlockTimestamp', 'eth_call'])(
    'the replay itself fails, at %s',
    async (method) => {
      await using connection = await open()
      const call = await deploy(connection)
      const reason = () => failure(() => connection.rpc('eth_call', call('reason'), 'pending'))
      broken.add(method)
      expect(seen(await reason())).toMatchObject(unexplained)
      expect(replays.at(-1)).toBe(method)
      broken.clear()
      expect(seen(await reason())).toMatchObject(explained)
    },
  )

  test('the build infos cannot be found', async () => {
    await using connection = await open()
    const call = await deploy(connection)
    vi.spyOn(project.hre.artifacts, 'getAllBuildInfoIds').mockRejectedValue(new Error('none'))
    const error = await failure(() => connection.rpc('eth_call', call('reason'), 'pending'))
    expect(seen(error)).toMatchObject(unexplained)
  })

  test('the project has no build info', async () => {
    using bare = await createProject({ build: false })
    const connection = await bare.hre.network.create('pending')
    const create = vi.spyOn(bare.hre.network, 'create')
    const error = await failure(() =>
      connection.provider.request({
        method: 'eth_call',
        params: [{ data: '0x5f5ffd' }, 'pending'],
      }),
    )
    expect(seen(error)).toEqual({
      name: 'ProviderError',
      code: 3,
      message: 'execution reverted',
      data: '0x',
    })
    expect(create).not.toHaveBeenCalled()
    await connection.close()
  })
})

/** The bytes of a failure, as assertions for Hardhat look for them. */
function bytesOf(error: Error): unknown {
  const data: unknown = Reflect.get(error, 'data')
  return typeof data === 'object' && data !== null ? Reflect.get(data, 'data') : data
}

describe.each(['default', 'pending', 'instant'])('the bytes of a lack of gas, on %s', (network) => {
  test.each(['eth_call', 'eth_estimateGas', 'eth_call with gas', 'eth_estimateGas with gas'])(
    '%s',
    async (way) => {
      await using connection = await open({}, network)
      const call = await deploy(connection)
      const [method = '', gas] = way.split(' with ')
      const request = { ...call('burns'), ...(gas === undefined ? {} : { gas: '0x186a0' }) }
      const params = method === 'eth_call' ? [request, 'pending'] : [request]
      expect(bytesOf(await failure(() => connection.rpc(method, ...params)))).toBe('0x')
    },
  )
})

describe('not executed again', () => {
  test('a lack of gas', async () => {
    await using connection = await open()
    const call = await deploy(connection)
    const error = await failure(() => connection.rpc('eth_call', call('burns'), 'pending'))
    expect(seen(error)).toMatchObject({ name: 'ProviderError', code: -32000, data: '0x' })
    expect(replays).toEqual([])
  })

  test('more than 3 million gas', async () => {
    await using connection = await open()
    const call = await deploy(connection)
    const revert = (slots: bigint) =>
      failure(() => connection.rpc('eth_call', call('burnsThenReverts', [slots]), 'pending'))
    expect(await revert(1500n)).toMatchObject({
      name: 'ProviderError',
      message: expect.stringMatching(
        /^execution reverted: burnt; no Solidity stack trace: it uses/,
      ),
    })
    expect(replays).toEqual([])
    expect(await revert(10n)).toMatchObject({ name: 'SolidityError' })
    expect(replays.filter((method) => method === 'eth_call')).toHaveLength(1)
  })

  test('what succeeds', async () => {
    await using connection = await open()
    const call = await deploy(connection)
    await connection.rpc('eth_call', call('stored'), 'pending')
    await connection.rpc('eth_estimateGas', call('store', [1n]))
    expect(replays).toEqual([])
  })
})

test('one network executes all failed calls again, those of other connections too', async () => {
  const reason = async () => {
    await using connection = await open()
    const call = await deploy(connection)
    return await failure(() => connection.rpc('eth_call', call('reason'), 'pending'))
  }
  await reason()
  replays.length = 0
  const create = vi.spyOn(project.hre.network, 'create')
  expect(await reason()).toMatchObject({ name: 'SolidityError' })
  // That of the test itself.
  expect(create).toHaveBeenCalledTimes(1)
  expect(replays[0]).toBe('evm_revert')
  expect(replays.at(-1)).toBe('eth_call')
})

test('an error holds no source text', async () => {
  await using connection = await open()
  const call = await deploy(connection)
  const error = await failure(() => connection.rpc('eth_call', call('custom', [1n]), 'pending'))
  expect(Object.keys(error).sort()).toEqual(['code', 'data', 'name'])
  // vitest prints fields that are not enumerable too.
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('pragma solidity')
  expect(Reflect.get(error, 'solidityStack')).toMatch(
    /^Failures\.custom \(contracts\/Failures\.sol:\d+\)$/,
  )
  expect(error.stack).toMatch(
    /^SolidityError: execution reverted: Refused\("0x\w{40}", 1\)\n {4}at Failures\.custom \(contracts\/Failures\.sol:\d+:1\)\n/,
  )
})

test('the stack ends with the line of the test, without frames of Hardhat', async () => {
  await using connection = await open()
  const call = await deploy(connection)
  const errors = [
    await failure(async () => await connection.rpc('eth_call', call('reason'), 'pending')),
    await failure(
      async () =>
        await connection.rpc('eth_sendTransaction', {
          ...call('reason'),
          from: ((await connection.rpc('eth_accounts')) as string[])[0],
        }),
    ),
  ]
  for (const error of errors) {
    // The folder of this package may have such a name, too.
    const stack = error.stack?.replaceAll(root, '')
    expect(stack).toContain('stackTraces/unexplained.test.ts')
    expect(stack).not.toMatch(/node_modules\/(?:hardhat|@nomicfoundation)|\/plugin\/|\/devnet\//)
  }
})

test('the JavaScript frames are not written before the stack is read', async () => {
  await using connection = await open()
  const call = await deploy(connection)
  const error = await failure(() => connection.rpc('eth_call', call('reason'), 'pending'))
  const { prepareStackTrace } = Error
  Error.prepareStackTrace = () => 'Error\n    at late (/late.ts:1:1)'
  try {
    expect(error.stack?.split('\n').at(-1)).toBe('    at late (/late.ts:1:1)')
  } finally {
    Error.prepareStackTrace = prepareStackTrace
  }
})

test('five connections at once', async () => {
  const connections = await Promise.all(Array.from({ length: 5 }, () => open()))
  const errors = await Promise.all(
    connections.map(async (connection, index) => {
      const call = await deploy(connection)
      return await failure(() =>
        connection.rpc('eth_call', call('custom', [BigInt(index)]), 'pending'),
      )
    }),
  )
  for (const [index, { message }] of errors.entries()) {
    expect(message).toMatch(new RegExp(`, ${index}\\)$`))
  }
  await Promise.all(connections.map((connection) => connection.close()))
})

describe('console.log: one copy', () => {
  const printed = async (override: object, work: (connection: Open) => Promise<unknown>) => {
    await using connection = await open(override)
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined)
    await work(connection)
    const lines = log.mock.calls.map(([line]) => String(line))
    log.mockRestore()
    return lines
  }

  const works: Readonly<Record<string, (connection: Open) => Promise<unknown>>> = {
    'a call that succeeds': async (connection) => {
      const call = await deploy(connection)
      await connection.rpc('eth_call', call('says', [0n]), 'pending')
    },
    'a call that fails': async (connection) => {
      const call = await deploy(connection)
      await failure(() => connection.rpc('eth_call', call('says', [0x777n]), 'pending'))
    },
    'an estimate that fails': async (connection) => {
      const call = await deploy(connection)
      await failure(() => connection.rpc('eth_estimateGas', call('says', [0x777n])))
    },
    'a send that fails': async (connection) => {
      const call = await deploy(connection)
      const [from] = (await connection.rpc('eth_accounts')) as string[]
      await failure(() =>
        connection.rpc('eth_sendTransaction', { from, ...call('says', [0x777n]) }),
      )
    },
    'a send whose gas is given': async (connection) => {
      const call = await deploy(connection)
      const [from] = (await connection.rpc('eth_accounts')) as string[]
      const gas = numberToHex(200_000)
      await connection
        .rpc('eth_sendTransaction', { from, gas, ...call('says', [0x777n]) })
        .then((hash) => connection.pendingNode.preconfirmed(hash as `0x${string}`))
        .catch(() => undefined)
    },
  }

  const networks = {
    pending: {},
    instant: { pendingNode: { instant: true } },
    'without stack traces': { stackTraces: false },
    'over HTTP': { pendingNode: { transport: 'http' } },
  }

  describe.each(Object.entries(networks))('%s', (_name, override) => {
    test.each(Object.entries(works))('%s', async (name, work) => {
      expect(await printed(override, work)).toEqual([
        `value ${name.includes('succeeds') ? 0 : 0x777}`,
      ])
    })
  })
})
