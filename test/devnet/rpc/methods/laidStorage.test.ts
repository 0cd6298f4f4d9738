import { writeFileSync } from 'node:fs'
import { getContractAddress, type Hex, pad } from 'viem'
import { describe, expect, test } from 'vitest'
import { BLOCK_FORKS, temporaryFile } from '../../../support/genesisFile.ts'
import { dumpOf, restored } from '../../persistence/dump/support.ts'
import { createRpcChain, type RpcChain, rpcChain } from './rpcChain.ts'

/** Returns slot 0. */
const INIT: Hex = '0x675f545f5260205ff35f5260086018f3'
/** Stores in slot 1 what its constructor finds in slot 0. */
const CURIOUS_INIT: Hex = `0x5f54600155${INIT.slice(2)}`
const FACTORY: Hex = `0x${'fa'.repeat(20)}`
/** Creates it by CREATE2, and returns what the child says. */
const FACTORY_CODE: Hex = `0x6f${INIT.slice(2)}5f525f601060105ff560205f5f5f845afa5060205ff3`
const CHILD = getContractAddress({
  opcode: 'CREATE2',
  from: FACTORY,
  salt: pad('0x0'),
  bytecode: INIT,
}).toLowerCase() as Hex
const VALUE = pad('0x2a')
const ZERO = pad('0x0')
/** The same call in each method; answers what the child has in its slot, or how much gas it took. */
type Call = (node: RpcChain, call: object, overrides: object) => Promise<unknown>

const METHODS: readonly (readonly [method: string, call: Call, expected: unknown])[] = [
  ['eth_call', (node, call, state) => node.call('eth_call', call, 'latest', state), VALUE],
  [
    'eth_simulateV1',
    async (node, call, stateOverrides) => {
      const blockStateCalls = [{ stateOverrides }, { calls: [call] }]
      const blocks = await node.call<{ calls: { returnData: Hex }[] }[]>(
        'eth_simulateV1',
        { blockStateCalls },
        'latest',
      )
      return blocks[1]?.calls[0]?.returnData
    },
    VALUE,
  ],
  [
    'debug_traceCall',
    async (node, call, stateOverrides) => {
      const config = { tracer: 'callTracer', stateOverrides }
      const trace = await node.call<{ output: Hex }>('debug_traceCall', call, 'latest', config)
      return trace.output
    },
    VALUE,
  ],
  [
    'debug_traceCall with steps',
    async (node, call, stateOverrides) => {
      const config = { stateOverrides }
      const trace = await node.call<{ returnValue: Hex }>('debug_traceCall', call, 'latest', config)
      return trace.returnValue
    },
    VALUE,
  ],
  [
    'eth_estimateGas',
    async (node, call, state) =>
      Number(await node.call<Hex>('eth_estimateGas', call, 'latest', state)) < 90_000,
    true,
  ],
  [
    'eth_createAccessList',
    async (node, call, state) => {
      const { accessList } = await node.call<{
        accessList: { address: Hex; storageKeys: Hex[] }[]
      }>('eth_createAccessList', call, 'latest', state)
      return accessList.find(({ address }) => address === CHILD)?.storageKeys
    },
    [ZERO],
  ],
]

describe.each(['fast', 'library'] as const)('with the %s engine', (engine) => {
  describe.each(['state', 'stateDiff'])('%s at an address that the call creates', (kind) => {
    test.each(METHODS)('%s', async (_method, call, expected) => {
      const node = await createRpcChain({ engine })
      const overrides = {
        [FACTORY]: { code: FACTORY_CODE },
        [CHILD]: { [kind]: { [ZERO]: VALUE } },
      }
      const request = { from: node.account(0).address, to: FACTORY, gas: '0xf4240' }
      expect(await call(node, request, overrides)).toEqual(expected)
    })

    test('a call without a recipient', async () => {
      const node = await createRpcChain({ engine })
      const from = node.account(0).address
      const created = getContractAddress({ from, nonce: 0n })
      const overrides = { [created]: { [kind]: { [ZERO]: VALUE } } }
      const call = { from, data: '0x5f545f5260205ff3' }
      expect(await node.call('eth_call', call, 'latest', overrides)).toBe(VALUE)
      const accessList = [{ address: created, storageKeys: [ZERO] }]
      expect(await node.call('eth_call', { ...call, accessList }, 'latest', overrides)).toBe(VALUE)
    })
  })

  /** Lays storage at the address of the next contract; answers that. */
  async function lay(node: RpcChain, method = 'hardhat_setStorageAt'): Promise<Hex> {
    const { address: from } = node.account(0)
    const created = getContractAddress({ from, nonce: 0n })
    for (const slot of ['0x0', '0x5']) await node.call(method, created, slot, VALUE)
    return created
  }

  /** Deploys there: as on Hardhat and anvil, the new contract does not see what lay there. */
  async function deploy(node: RpcChain, created: Hex, accessList: object[] = []): Promise<void> {
    const { address: from } = node.account(0)
    const tx = { from, data: CURIOUS_INIT, gas: '0xf4240', accessList }
    const hash = await node.call('eth_sendTransaction', tx)
    await node.call('evm_mine')
    const receipt = await node.call<{ status: Hex }>('eth_getTransactionReceipt', hash)
    expect(receipt).toMatchObject({ status: '0x1', contractAddress: created.toLowerCase() })
    for (const slot of ['0x0', '0x1', '0x5']) {
      expect(await node.call('eth_getStorageAt', created, slot, 'latest')).toBe(ZERO)
    }
    const trace = await node.call('debug_traceTransaction', hash, { tracer: 'callTracer' })
    expect(trace).not.toHaveProperty('error')
  }

  test.each(['hardhat_setStorageAt', 'anvil_setStorageAt'])(
    '%s, then a deployment',
    async (name) => {
      const node = await createRpcChain({ engine })
      await deploy(node, await lay(node, name))
    },
  )

  test('a deployment that lists the laid slots', async () => {
    const node = await createRpcChain({ engine })
    const created = await lay(node)
    await deploy(node, created, [{ address: created, storageKeys: [ZERO] }])
  })

  test('a deployment with block access lists', async () => {
    const node = await createRpcChain({ engine, hardfork: 'amsterdam' })
    await deploy(node, await lay(node))
  })

  test('a deployment after a restart', async () => {
    const node = await createRpcChain({ engine })
    const created = await lay(node)
    await node.call('evm_mine')
    const again = rpcChain(await restored(await dumpOf(node), { engine }))
    await deploy(again, created)
  })

  test('storage of the genesis block is in the way, before and after a restart (EIP-7610)', async () => {
    const file = temporaryFile('genesis.json', '')
    const probe = await createRpcChain({ engine })
    const { address: from } = probe.account(0)
    const created = getContractAddress({ from, nonce: 0n })
    const alloc = {
      [from]: { balance: '0xffffffffffffffff' },
      [created]: { storage: { [ZERO]: VALUE } },
    }
    const config = {
      chainId: 31337,
      ...BLOCK_FORKS,
      terminalTotalDifficulty: 0,
      shanghaiTime: 0,
      cancunTime: 0,
    }
    writeFileSync(file, JSON.stringify({ config, gasLimit: '0x1c9c380', alloc }))
    const node = await createRpcChain({ engine, genesis: file })
    await node.call('evm_mine')
    const call = { from, data: INIT, gas: '0xf4240' }
    const again = rpcChain(await restored(await dumpOf(node), { engine }))
    for (const chain of [node, again]) {
      const asked = chain.call('eth_call', call, 'latest', {
        [created]: { stateDiff: { [ZERO]: ZERO } },
      })
      await expect(asked).rejects.toThrow('contract address collision')
      const overridden = await chain.call('eth_call', call, 'latest', { [created]: { state: {} } })
      expect(overridden).toBe('0x5f545f5260205ff3')
    }
  })
})
