import { Socket } from 'node:net'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import type { HardhatPlugin } from 'hardhat/types/plugins'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import plugin from '../../../plugin/index.ts'
import type { PendingNodeTransport } from '../../../plugin/types.ts'
import { artifact } from '../../support/solidity.ts'
import { connect, createHre, type OpenConnection } from './stage.ts'

/** Methods whose requests came past this plugin, to Hardhat's own handlers. */
const passed: string[] = []

const inner: HardhatPlugin = {
  id: 'inner',
  hookHandlers: {
    network: async () => ({
      default: async () => ({
        onRequest: async (context, connection, request, next) => {
          passed.push(request.method)
          return await next(context, connection, request)
        },
      }),
    }),
  },
}

const transports: readonly PendingNodeTransport[] = ['in-process', 'http']
let hre: HardhatRuntimeEnvironment

beforeAll(async () => {
  hre = await createHre({}, [inner, plugin])
})
beforeEach(() => {
  passed.length = 0
})

test('only what Hardhat has a say in passes its handlers, and no socket', async () => {
  await using connection = await connect(hre, { frozen: true, tickInterval: 5 })
  const { rpc, send } = connection
  const connected = vi.spyOn(Socket.prototype, 'connect')
  const hash = await send()
  await rpc('eth_getTransactionReceipt', hash)
  await rpc('eth_call', { to: `0x${'11'.repeat(20)}` })
  await rpc('preconf_seal')
  const [account] = await rpc<Hex[]>('eth_accounts')
  await rpc('personal_sign', '0x12', account)
  expect(passed).toEqual([
    'eth_accounts',
    'eth_sendTransaction',
    // Hardhat asks for the account that a call has no sender for.
    'eth_accounts',
    'eth_accounts',
    'personal_sign',
  ])
  expect(connected).not.toHaveBeenCalled()
  connected.mockRestore()
})

test('plugins in front of this one see a request once, whether it fails or not', async () => {
  const seen: string[] = []
  const outer: HardhatPlugin = {
    id: 'outer',
    hookHandlers: {
      network: async () => ({
        default: async () => ({
          onRequest: async (context, connection, request, next) => {
            seen.push(request.method)
            return await next(context, connection, request)
          },
        }),
      }),
    },
  }
  await using connection = await connect(await createHre({}, [plugin, outer]), { frozen: true })
  await connection.send()
  const from = `0x${'12'.repeat(20)}`
  await expect(connection.rpc('eth_sendTransaction', { from, gas: '0x5208' })).rejects.toThrow()
  expect(seen.filter((method) => method === 'eth_sendTransaction')).toHaveLength(2)
  expect(seen).not.toContain('preconf_status')
})

test('args: transport http: every request', async () => {
  await using connection = await connect(hre, { transport: 'http' })
  await connection.rpc('eth_chainId')
  await connection.pendingNode.status()
  expect(passed).toEqual(['eth_chainId', 'preconf_status'])
})

test('calls look for a sender again after they were refused one', async () => {
  await using connection = await connect(hre, { frozen: true })
  const { rpc, pendingNode } = connection
  const method = 'eth_accounts'
  await pendingNode.faults({ rules: [{ kind: 'refuseAnswer', method, message: 'no', next: 1 }] })
  const call = () => rpc('eth_call', { to: `0x${'11'.repeat(20)}` })
  await expect(call()).rejects.toThrow('no')
  expect(await call()).toBe('0x')
})

test('sends that are not awaited get their nonces in the order of the calls', async () => {
  await using connection = await connect(hre, { frozenTicks: true })
  const [from] = await connection.rpc<Hex[]>('eth_accounts')
  const send = (value: number) =>
    connection.rpc<Hex>('eth_sendTransaction', { from, to: from, value: `0x${value.toString(16)}` })
  const values = Array.from({ length: 30 }, (_, index) => index + 1)
  const refused = connection.rpc('eth_sendTransaction', { from: `0x${'12'.repeat(20)}` })
  const [hashes] = await Promise.all([
    Promise.all(values.map(send)),
    // One that fails holds up none behind it.
    expect(refused).rejects.toThrow(),
  ])
  const sent = await Promise.all(
    hashes.map((hash) => connection.rpc<object>('eth_getTransactionByHash', hash)),
  )
  expect(sent).toMatchObject(values.map((value) => ({ nonce: `0x${(value - 1).toString(16)}` })))
})

test.each([{}, { instant: true }, { tickInterval: 3_600_000, frozen: true }])(
  'reads and commands come after sends that are not awaited: %o',
  async (options) => {
    await using connection = await connect(hre, options)
    const { rpc } = connection
    const [from] = await rpc<Hex[]>('eth_accounts')
    const to = `0x${'33'.repeat(20)}`
    const send = () => rpc('eth_sendTransaction', { from, to, value: '0x1' })
    const sends = [send(), send()]
    const balance = rpc('eth_getBalance', to, 'pending')
    sends.push(send())
    await rpc('evm_mine')
    expect(await balance).toMatch(/^0x[23]$/)
    expect(await rpc('eth_getTransactionCount', from, 'latest')).toBe('0x3')
    await Promise.all(sends)
    await send()
    expect(await rpc('eth_getBalance', to, 'pending')).toBe('0x4')
  },
)

test('args: readOwnWrites: false: reads do not tick', async () => {
  await using connection = await connect(hre, { readOwnWrites: false, tickInterval: 3_600_000 })
  const [from] = await connection.rpc<Hex[]>('eth_accounts')
  await connection.send()
  expect(await connection.rpc('eth_getTransactionCount', from, 'pending')).toBe('0x0')
})

test('a plugin may send on the way of a send', async () => {
  let asked = false
  const sponsor: HardhatPlugin = {
    id: 'sponsor',
    hookHandlers: {
      network: async () => ({
        default: async () => ({
          async onRequest(context, connection, request, next) {
            if (request.method === 'eth_sendTransaction' && !asked) {
              asked = true
              await connection.provider.request(request)
            }
            return await next(context, connection, request)
          },
        }),
      }),
    },
  }
  await using connection = await connect(await createHre({}, [sponsor, plugin]), { frozen: true })
  await connection.send()
  expect((await connection.pendingNode.tick()).pending.transactions).toHaveLength(2)
})

test('a send reaches the node with what Hardhat fills in', async () => {
  await using connection = await connect(
    hre,
    { frozen: true, tickInterval: 5 },
    { gas: 50_000n, gasPrice: 3_000_000_000n },
  )
  const [from] = await connection.rpc<Hex[]>('eth_accounts')
  const hash = await connection.rpc<Hex>('eth_sendTransaction', { to: from })
  expect(await connection.rpc('eth_getTransactionByHash', hash)).toMatchObject({
    from,
    gas: '0xc350',
    gasPrice: '0xb2d05e00',
  })
})

test('accounts of the configuration sign here', async () => {
  const key = `0x${'12'.repeat(32)}`
  await using connection = await connect(hre, { tickInterval: 5 }, { accounts: [key] })
  const [account] = await connection.rpc<Hex[]>('eth_accounts')
  await connection.rpc('hardhat_setBalance', account, '0xde0b6b3a7640000')
  const hash = await connection.send()
  expect(await connection.pendingNode.preconfirmed(hash)).toMatchObject({ from: account })
  // A call without a sender is made by that account too.
  expect(await sender(connection, {})).toBe(account)
})

describe.each(transports)('%s', (transport) => {
  test('a call without a sender is made by the first account', async () => {
    await using connection = await connect(hre, { transport, tickInterval: 5 })
    const [first, second] = await connection.rpc<Hex[]>('eth_accounts')
    expect(await sender(connection, {})).toBe(first)
    expect(await sender(connection, { from: second })).toBe(second)
    await using other = await connect(hre, { transport, tickInterval: 5 }, { from: second ?? '' })
    expect(await sender(other, {})).toBe(second)
  })

  test('errors', async () => {
    await using connection = await connect(hre, { transport })
    await expect(connection.rpc('eth_nonsense')).rejects.toMatchObject({ code: -32601 })
    await expect(connection.rpc('eth_getBalance', '0x12')).rejects.toMatchObject({ code: -32602 })
    await expect(connection.rpc('eth_call', null)).rejects.toMatchObject({ code: -32602 })
    const to = `0x${'22'.repeat(20)}`
    // Returns 32 bytes of memory as the reason to revert.
    await connection.rpc('hardhat_setCode', to, '0x60075f5260205ffd')
    await expect(connection.rpc('eth_call', { to })).rejects.toMatchObject({
      name: 'ProviderError',
      code: 3,
      data: `0x${'7'.padStart(64, '0')}`,
    })
    const stranger = { from: `0x${'12'.repeat(20)}`, gas: '0x5208', gasPrice: '0x77359400' }
    await expect(connection.rpc('eth_sendTransaction', stranger)).rejects.toMatchObject({
      name: 'ProviderError',
      code: -32000,
      message: expect.stringContaining('0x1212121212121212121212121212121212121212'),
    })
    await expect(
      connection.provider.request({ method: 'eth_sendTransaction', params: {} }),
    ).rejects.toThrow('HHE701')
  })

  test('a closed connection answers nothing', async () => {
    const connection = await connect(hre, { transport })
    const [from] = await connection.rpc<Hex[]>('eth_accounts')
    await connection.close()
    for (const method of ['eth_chainId', 'eth_accounts', 'eth_sendTransaction']) {
      await expect(connection.rpc(method, { from })).rejects.toThrow('HHE722')
    }
  })

  test('evm_revert tells those who listen', async () => {
    await using connection = await connect(hre, { transport })
    const id = await connection.rpc('evm_snapshot')
    let reverts = 0
    connection.provider.on('hardhatNetworkRevertSnapshot', () => reverts++)
    expect(await connection.rpc('evm_revert', id)).toBe(true)
    expect(reverts).toBe(1)
  })

  test('large deployments and results', async () => {
    await using connection = await connect(hre, { transport, instant: true })
    const data = artifact('Playground').bytecode
    const hash = await connection.send({ to: undefined, data })
    const receipt = await connection.pendingNode.sealed(hash)
    expect(await connection.rpc('eth_getCode', receipt.contractAddress)).toBe(
      artifact('Playground').deployedBytecode,
    )
  })
})

/** Who calls, as a contract sees it. */
async function sender({ rpc }: OpenConnection, call: object): Promise<string> {
  const to = `0x${'33'.repeat(20)}`
  // Returns the caller.
  await rpc('hardhat_setCode', to, '0x335f5260205ff3')
  // Behind what is pre-confirmed, the code is in the pending state only.
  return `0x${(await rpc<Hex>('eth_call', { to, ...call }, 'pending')).slice(-40)}`
}
