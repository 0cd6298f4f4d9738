import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildModule } from '@nomicfoundation/hardhat-ignition/modules'
import hardhatIgnitionViem from '@nomicfoundation/hardhat-ignition-viem'
import hardhatViem from '@nomicfoundation/hardhat-viem'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import type { NetworkHooks } from 'hardhat/types/hooks'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import plugin from '../../../../plugin/index.ts'
import { createProject, type TemporaryProject } from '../../temporaryProject.ts'
import { connect, type OpenConnection } from '../stage.ts'

const nobody = `0x${'55'.repeat(20)}`

/** Two contracts and a call, each of which needs the one before. */
const market = buildModule('Market', (builder) => {
  const token = builder.contract('Token', [100n])
  const minted = builder.call(token, 'mint', [nobody, 7n])
  const supply = builder.staticCall(token, 'totalSupply', [], 0, { after: [minted] })
  return { token, second: builder.contract('Token', [supply], { id: 'second' }) }
})

const single = buildModule('Single', (builder) => ({ token: builder.contract('Token', [100n]) }))

/** The call reverts: nobody has as much. */
const failing = buildModule('Failing', (builder) => {
  const token = builder.contract('Token', [100n])
  builder.call(token, 'transfer', [nobody, 101n])
  return { token }
})

let project: TemporaryProject
let hre: HardhatRuntimeEnvironment
const deployments = () => join(project.path, 'ignition/deployments')

beforeAll(async () => {
  project = createProject('Token')
  const plugins = [hardhatViem, hardhatIgnitionViem, plugin]
  hre = await createHardhatRuntimeEnvironment({ plugins }, {}, project.path)
})
afterAll(() => project[Symbol.dispose]())

/** Deploys, and answers the addresses; which contracts a module has, only generated types know. */
async function deploy(
  { ignition }: Pick<OpenConnection, 'ignition'>,
  ...given: Parameters<OpenConnection['ignition']['deploy']>
) {
  const deployed: Record<string, { address: Hex }> = await ignition.deploy(...given)
  return Object.fromEntries(Object.entries(deployed).map(([name, { address }]) => [name, address]))
}

async function supplyOf({ viem }: Pick<OpenConnection, 'viem'>, address: Hex | undefined) {
  return await (await viem.getContractAt('Token', address ?? '0x')).read.totalSupply?.()
}

describe.each(['in-process', 'http'] as const)('transport: %s', (transport) => {
  test('deploys while nothing is sealed, beside unsealed transactions of the deployer', async () => {
    const options = { frozen: true, tickInterval: 5, transport }
    await using connection = await connect(hre, options)
    const { pendingNode, send } = connection
    await pendingNode.preconfirmed(await send())
    const { token, second } = await deploy(connection, market)
    expect(await supplyOf(connection, token)).toBe(107n)
    expect(await supplyOf(connection, second)).toBe(107n)
    const { latest, pending } = await pendingNode.status()
    expect([latest.number, pending.transactions.length]).toEqual([0, 4])
    // Again, behind the first.
    await deploy(connection, single)
    await pendingNode.seal()
    expect((await pendingNode.status()).latest).toMatchObject({ number: 1 })
    expect(await supplyOf(connection, second)).toBe(107n)
    // And behind a sealed block.
    expect(await supplyOf(connection, (await deploy(connection, single)).token)).toBe(100n)
  })
})

test('sealing goes on meanwhile', async () => {
  await using connection = await connect(hre, { tickInterval: 1, sealInterval: 3 })
  for (let round = 0; round < 5; round++) {
    const { second } = await deploy(connection, market)
    expect(await supplyOf(connection, second)).toBe(107n)
  }
})

test('each connection and each request for itself', async () => {
  const options = { frozen: true, tickInterval: 5 }
  await using first = await connect(hre, options)
  await using second = await connect(hre, options)
  const [one, other] = await Promise.all([deploy(first, market), deploy(second, market)])
  expect(one).toEqual(other)
  // A request beside the deployment sees the chain as it is, whenever it is answered.
  let done = false
  const deployment = deploy(first, single).finally(() => {
    done = true
  })
  while (!done) {
    expect(await first.rpc('eth_blockNumber')).toBe('0x0')
    expect(await first.rpc('eth_getTransactionCount', nobody, 'latest')).toBe('0x0')
    expect(await first.rpc('eth_getBlockByNumber', 'latest', false)).toMatchObject({
      number: '0x0',
    })
    await new Promise((resolve) => setImmediate(resolve))
  }
  await deployment
})

test('only one at a time on a connection, as on other networks', async () => {
  await using connection = await connect(hre, { frozen: true, tickInterval: 5 })
  const [first, second] = await Promise.allSettled([
    deploy(connection, single),
    deploy(connection, single),
  ])
  expect(first.status).toBe('fulfilled')
  expect(second).toMatchObject({
    reason: { message: expect.stringMatching(/already|in progress/i) },
  })
  expect(existsSync(deployments())).toBe(false)
})

test('a failure says what it says on the network of Hardhat', async () => {
  const messageOf = async (connection: Pick<OpenConnection, 'ignition'>) =>
    await deploy(connection, failing).then(
      () => 'no error',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
  await using pending = await connect(hre, { frozen: true, tickInterval: 5 })
  const message = await messageOf(pending)
  expect(message).toBe(await messageOf(await hre.network.create('default')))
  expect(message).toContain('Simulating the transaction failed')
  expect(existsSync(deployments())).toBe(false)
  // And the connection can deploy again.
  expect(await deploy(pending, single)).toEqual({ token: expect.stringMatching(/^0x/) })
})

test('keeps a deployment in memory, and shows nobody else another network', async () => {
  await using connection = await connect(hre, { frozen: true, tickInterval: 5 })
  // Where Ignition would make its folder.
  mkdirSync(dirname(deployments()), { recursive: true })
  writeFileSync(deployments(), '')
  const types = new Set<string>()
  const handlers: Partial<NetworkHooks> = {
    onRequest: async (context, network, request, next) => {
      types.add(network.networkConfig.type)
      return await next(context, network, request)
    },
  }
  hre.hooks.registerHandlers('network', handlers)
  try {
    await deploy(connection, single)
  } finally {
    hre.hooks.unregisterHandlers('network', handlers)
    rmSync(deployments())
  }
  expect([...types]).toEqual(['http'])
  expect(connection.networkConfig.type).toBe('http')
})

test('args: config: requiredConfirmations', async () => {
  await using connection = await connect(hre, { frozen: true, tickInterval: 5 })
  const config = { requiredConfirmations: 2 }
  let done = false
  const deployment = deploy(connection, single, { config }).finally(() => {
    done = true
  })
  const blocks = async () => (await connection.pendingNode.status()).latest.number
  // Waits for the second block, which the transaction of another makes.
  do await new Promise((resolve) => setImmediate(resolve))
  while ((await connection.pendingNode.status()).pending.transactions.length === 0)
  expect([done, await blocks()]).toEqual([false, 0])
  await connection.pendingNode.seal()
  const [, other] = await connection.rpc<Hex[]>('eth_accounts')
  await connection.send({ from: other })
  await deployment
  expect(await blocks()).toBe(1)
})

test('args: deploymentId: the record of a deployment before the seal', async () => {
  await using connection = await connect(hre, { frozen: true, tickInterval: 5 })
  const options = { deploymentId: 'kept' }
  const first = await deploy(connection, market, options)
  expect(await deploy(connection, market, options)).toEqual(first)
  expect((await connection.pendingNode.status()).pending.transactions).toHaveLength(3)
  rmSync(deployments(), { recursive: true })
})

test('args: strategy: create2', async () => {
  await using connection = await connect(hre, { frozen: true, tickInterval: 5 })
  const salt = `0x${'00'.repeat(32)}`
  const options = { strategy: 'create2', strategyConfig: { salt } } as const
  const { token } = await deploy(connection, single, options)
  expect(await supplyOf(connection, token)).toBe(100n)
})
