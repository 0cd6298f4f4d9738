import { expect, test } from 'vitest'
import { toHex } from '../../../../devnet/primitives/hex.ts'
import { methodTable } from '../../../../devnet/rpc/methodTable.ts'
import { BLOCK_FORKS, FUNDED, genesisOf, temporaryFile } from '../../../support/genesisFile.ts'
import { createRpcChain } from './rpcChain.ts'

interface Config {
  readonly activationTime: number
  readonly blobSchedule: object | null
  readonly chainId: string
  readonly forkId: string
  readonly precompiles: Readonly<Record<string, string>>
  readonly systemContracts: Readonly<Record<string, string>>
}

interface Configs {
  readonly current: Config
  readonly next: Config | null
  readonly last: Config | null
}

const DEPOSITS = `0x${'de'.repeat(20)}`

/** A chain that has Cancun behind, and Prague, Osaka and BPO1 before it. */
function scheduled() {
  const config = {
    ...BLOCK_FORKS,
    terminalTotalDifficulty: 0,
    shanghaiTime: 0,
    cancunTime: 1_700_000_000,
    pragueTime: 1_900_000_000,
    osakaTime: 1_900_000_000,
    bpo1Time: 2_000_000_000,
    depositContractAddress: DEPOSITS,
    blobSchedule: {
      cancun: { target: 1, max: 2, baseFeeUpdateFraction: 3 },
      prague: { target: 4, max: 5, baseFeeUpdateFraction: 6 },
    },
  }
  const fields = { timestamp: '0x6553f100', difficulty: '0x0', baseFeePerGas: '0x3b9aca00' }
  return temporaryFile('genesis.json', genesisOf(config, fields))
}

test('default: eth_config of a devnet: one hardfork, from the genesis on', async () => {
  const { call } = await createRpcChain()
  expect(await call('eth_config')).toEqual({
    current: {
      activationTime: 0,
      blobSchedule: { baseFeeUpdateFraction: 11_684_671, max: 21, target: 14 },
      chainId: '0x7a69',
      forkId: expect.stringMatching(/^0x[0-9a-f]{8}$/),
      precompiles: expect.objectContaining({
        BN254_ADD: '0x0000000000000000000000000000000000000006',
        P256VERIFY: '0x0000000000000000000000000000000000000100',
      }),
      systemContracts: {
        BEACON_ROOTS_ADDRESS: '0x000f3df6d732807ef1319fb7b8bb8522d0beac02',
        CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS: '0x0000bbddc7ce488642fb579f8b00f3a590007251',
        DEPOSIT_CONTRACT_ADDRESS: '0x00000000219ab540356cbb839cbe05303d7705fa',
        HISTORY_STORAGE_ADDRESS: '0x0000f90827f1c53a10cb7a02335b175320002935',
        WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS: '0x00000961ef480eb55e80d19ad83579a64c007002',
      },
    },
    next: null,
    last: null,
  })
})

test.each([
  ['amsterdam', 18, 7],
  ['osaka', 18, 5],
  ['prague', 17, 5],
  ['cancun', 10, 1],
  ['shanghai', 9, 0],
] as const)('args: hardfork %s', async (hardfork, precompiles, contracts) => {
  const { call, engine } = await createRpcChain({ hardfork })
  const { current } = await call<Configs>('eth_config')
  expect(Object.keys(current.precompiles)).toHaveLength(precompiles)
  expect(Object.keys(current.precompiles)).toEqual(Object.keys(current.precompiles).toSorted())
  expect(Object.keys(current.systemContracts)).toHaveLength(contracts)
  if (hardfork === 'shanghai') expect(current.blobSchedule).toBeNull()
  // What the EVM runs at these addresses.
  const executor = await engine.executor()
  const machine = await executor.acquire(
    (await createRpcChain()).chain.pending.state,
    () => new Uint8Array(32),
  )
  expect(Object.values(current.precompiles).toSorted()).toEqual(
    [...(await machine.library()).evm.precompiles.keys()].map((digits) => `0x${digits}`).toSorted(),
  )
})

test('eth_config of a schedule follows the newest block', async () => {
  const { call } = await createRpcChain({ genesis: scheduled(), timestamp: 1_700_000_100 })
  const configs = () => call<Configs>('eth_config')
  // The genesis is of Cancun's first second.
  expect(await configs()).toMatchObject({
    current: {
      activationTime: 0,
      blobSchedule: { target: 1, max: 2, baseFeeUpdateFraction: 3 },
      chainId: '0x1092',
    },
    // Prague and Osaka begin together: what holds then is Osaka.
    next: { activationTime: 1_900_000_000, blobSchedule: { target: 4, max: 5 } },
    last: { activationTime: 2_000_000_000 },
  })
  const { current, next, last } = await configs()
  expect(current.systemContracts).not.toHaveProperty('HISTORY_STORAGE_ADDRESS')
  expect(next?.systemContracts.DEPOSIT_CONTRACT_ADDRESS).toBe(DEPOSITS)
  expect(next?.precompiles).toHaveProperty('P256VERIFY')
  expect(new Set([current, next, last].map((config) => config?.forkId)).size).toBe(3)

  await call('evm_setNextBlockTimestamp', 1_900_000_000)
  await call('evm_mine')
  expect(await configs()).toEqual({ current: next, next: last, last })

  await call('evm_setNextBlockTimestamp', 2_100_000_000)
  await call('evm_mine')
  expect(await configs()).toEqual({ current: last, next: null, last: null })
})

test('eth_config of Amsterdam has the contracts of builders, and a fork id of its own', async () => {
  const times = { shanghaiTime: 0, cancunTime: 0, pragueTime: 0, osakaTime: 0 }
  const config = { ...BLOCK_FORKS, ...times, amsterdamTime: 1_900_000_000 }
  const genesis = genesisOf(config, { timestamp: '0x6553f100', difficulty: '0x0' })
  const { call } = await createRpcChain({
    genesis: temporaryFile('genesis.json', genesis),
    timestamp: 1_700_000_100,
  })
  const { current, next, last } = await call<Configs>('eth_config')
  expect(next).toEqual({
    ...current,
    activationTime: 1_900_000_000,
    blobSchedule: { baseFeeUpdateFraction: 11_684_671, max: 21, target: 14 },
    forkId: expect.not.stringMatching(current.forkId),
    systemContracts: {
      ...current.systemContracts,
      BUILDER_DEPOSIT_CONTRACT_ADDRESS: '0x0000bff46984e3725691fa540a8c7589300d8282',
      BUILDER_EXIT_CONTRACT_ADDRESS: '0x000064d678505ad48f8ccb093bc65613800e8282',
    },
  })
  expect(last).toEqual(next)
  await call('evm_setNextBlockTimestamp', 1_900_000_000)
  await call('evm_mine')
  expect(await call('eth_config')).toEqual({ current: next, next: null, last: null })
})

test('a chain crosses into Amsterdam without the contracts of builders, and has no such requests', async () => {
  const times = { shanghaiTime: 0, cancunTime: 0, pragueTime: 0, osakaTime: 0 }
  // The helper adds these contracts only to a file that schedules Amsterdam.
  const genesis = genesisOf({ ...BLOCK_FORKS, ...times }, { timestamp: 0, difficulty: '0x0' })
  const config = { chainId: 4242, ...BLOCK_FORKS, ...times, amsterdamTime: 1_900_000_000 }
  const { call } = await createRpcChain({
    genesis: temporaryFile('genesis.json', { ...genesis, config, slotNumber: '0x7' }),
    timestamp: 1_899_999_990,
  })
  await call('evm_setNextBlockTimestamp', 1_900_000_000)
  await call('evm_mine')
  await call('evm_mine')
  const none = `0x${'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'}`
  expect(await call('eth_getBlockByNumber', 'latest', false)).toMatchObject({
    number: '0x2',
    slotNumber: expect.stringMatching(/^0x[0-9a-f]+$/),
    requestsHash: none,
  })
})

test('eth_config knows the genesis when its block is not kept', async () => {
  const { call, failure } = await createRpcChain({ keepBlocks: 2 })
  const before = await call<Configs>('eth_config')
  await call('preconf_advance', { blocks: 5 })
  expect(await failure('eth_getBalance', FUNDED[0], '0x0')).toMatchObject({ code: -32001 })
  expect(await call('eth_config')).toEqual(before)
})

test('default: eth_capabilities', async () => {
  const { call, chain } = await createRpcChain()
  await call('preconf_advance', { blocks: 3 })
  const all = { disabled: false, oldestBlock: '0x0' }
  expect(await call('eth_capabilities')).toEqual({
    head: { number: '0x3', hash: toHex(chain.head.hashBytes) },
    state: all,
    tx: all,
    logs: all,
    receipts: all,
    blocks: all,
    stateproofs: all,
  })
})

test('args: keepBlocks in eth_capabilities', async () => {
  const { call } = await createRpcChain({ keepBlocks: 4 })
  await call('preconf_advance', { blocks: 9 })
  const { state } = await call<{ state: { oldestBlock: string } }>('eth_capabilities')
  expect(state).toEqual({
    disabled: false,
    oldestBlock: '0x6',
    deleteStrategy: { type: 'window', retentionBlocks: '0x4' },
  })
  expect(await call('eth_getBlockByNumber', state.oldestBlock)).not.toBeNull()
  expect(await call('eth_getBlockByNumber', '0x5')).toBeNull()
})

test('default: what is the same on every devnet', async () => {
  const { call } = await createRpcChain()
  expect(await call('eth_protocolVersion')).toBe('0x44')
  expect(await call('eth_hashrate')).toBe('0x0')
  expect(await call('net_peerCount')).toBe('0x0')
  expect(await call('op_supportedCapabilities')).toEqual(['flashblocksv1'])
  expect(await call('eth_requestAccounts')).toEqual(await call('eth_accounts'))
})

test('default: rpc_modules names the namespace of every method', async () => {
  const { call } = await createRpcChain({ profile: 'megaeth' })
  const modules = await call<Record<string, string>>('rpc_modules')
  expect(modules).toMatchObject({ eth: '1.0', net: '1.0', web3: '1.0', txpool: '1.0', rpc: '1.0' })
  const names = Object.keys(methodTable).map((name) => name.slice(0, name.indexOf('_')))
  const namespaces = [...new Set(names)].sort()
  const lacks = namespaces.filter((name) => modules[name] === undefined)
  const cure = `devnet/rpc/methods/rpc_modules.ts: '${lacks}' in NAMESPACES`
  expect(Object.keys(modules), cure).toEqual(namespaces)
})
