import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { type Abi, encodeDeployData, encodeFunctionData } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import {
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  type MockInstance,
  test,
  vi,
} from 'vitest'
import type { ConsoleLogEvent } from '../../../../devnet/index.ts'
import { optionTable } from '../../../../devnet/options/optionTable.ts'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import { ConsoleLines } from '../../../../plugin/network/failures/console-lines.ts'
import { artifact } from '../../../support/solidity.ts'
import { connect, createHre, type OpenConnection, opened } from '../stage.ts'

let hre: HardhatRuntimeEnvironment
let printed: MockInstance<typeof console.log>

beforeAll(async () => {
  hre = await createHre()
})
beforeEach(() => {
  printed = vi.spyOn(console, 'log').mockImplementation(() => undefined)
})
afterEach(() => {
  printed.mockRestore()
})

/** What was printed since the last look. */
function lines(): unknown[] {
  const found = printed.mock.calls.map(([line]) => line)
  printed.mockClear()
  return found
}

const { abi, bytecode }: { abi: Abi; bytecode: Hex } = artifact('Talker')
const encoded = (functionName: string, ...args: unknown[]) =>
  encodeFunctionData({ abi, functionName, args })

/** What each way of running a contract prints. */
async function linesOf({ rpc, send }: OpenConnection): Promise<Record<string, unknown[]>> {
  const from = (await rpc<Hex[]>('eth_accounts'))[0]
  const gas = '0x30d40'
  const seen: Record<string, unknown[]> = {}
  const look = async (name: string, work: Promise<unknown>) => {
    const hash = await work.catch(() => undefined)
    // Which waits for the tick that runs it.
    if (name.startsWith('send'))
      await rpc('eth_getTransactionReceipt', hash ?? `0x${'00'.repeat(32)}`)
    seen[name] = lines()
  }
  const data = encodeDeployData({ abi, bytecode, args: ['Ann\u001b[31m'] })
  const hash = await send({ to: undefined, data, gas: '0x2dc6c0' })
  const { contractAddress: to } = await rpc<{ contractAddress: Hex }>(
    'eth_getTransactionReceipt',
    hash,
  )
  seen.creation = lines()
  const talk = { from, to, data: encoded('talk', 'one\ntwo', 3n) }
  const fail = { from, to, data: encoded('fail') }
  await look('call', rpc('eth_call', talk, 'pending'))
  await look('estimate', rpc('eth_estimateGas', talk))
  await look('send', send(talk))
  await look('send with gas', send({ ...talk, gas }))
  await look('failing call', rpc('eth_call', fail, 'pending'))
  await look('failing estimate', rpc('eth_estimateGas', fail))
  await look('sending what fails', send(fail))
  await look('sending what fails with gas', send({ ...fail, gas }))
  const nonce = Number(await rpc('eth_getTransactionCount', from, 'pending'))
  const signed = { to, gas: 200_000n, gasPrice: 10n ** 10n, nonce, chainId: 31_337 }
  const { signTransaction } = mnemonicToAccount(optionTable.mnemonic.default)
  const raw = await signTransaction({ ...signed, data: talk.data })
  await look('send of bytes', rpc('eth_sendRawTransaction', raw))
  const failing = await signTransaction({ ...signed, data: fail.data, nonce: nonce + 1 })
  await look('send of bytes that fail', rpc('eth_sendRawTransaction', failing))
  return seen
}

let expected: Record<string, unknown[]> | undefined

/** Hardhat's own network decides what is right. */
async function ofHardhat(): Promise<Record<string, unknown[]>> {
  if (expected === undefined) {
    const connection = opened(await hre.network.create('default'))
    expected = await linesOf(connection)
    await connection.close()
  }
  return expected
}

describe.each(['in-process', 'http'] as const)('transport %s', (transport) => {
  test.each([
    ['instant', {}],
    ['pending', {}],
    ['pending, frozen', { frozen: true }],
  ])('%s prints what Hardhat prints, once', async (name, options) => {
    const expected = await ofHardhat()
    expect(expected['send with gas']).toHaveLength(2)
    expect(expected['failing call']).toEqual(['before the revert'])
    const network = name === 'instant' ? 'instant' : 'pending'
    await using connection = await connect(hre, { transport, ...options }, { network })
    const seen = await linesOf(connection)
    // Hardhat passes on what would control the terminal.
    expect(seen.creation).toEqual(['made Ann\\x1b[31m'])
    expect({ ...seen, creation: expected.creation }).toEqual(expected)
  })
})

test('are told to who listens, and printed all the same', async () => {
  await using connection = await connect(hre, {}, { network: 'pending' })
  const told: string[] = []
  const end = connection.pendingNode.on('consoleLog', ({ messages }) => told.push(...messages))
  const data = encodeDeployData({ abi, bytecode, args: ['Ann'] })
  const create = async () => {
    const hash = await connection.send({ to: undefined, data, gas: '0x2dc6c0' })
    await connection.rpc('eth_getTransactionReceipt', hash)
  }
  await create()
  expect([told, lines()]).toEqual([['made Ann'], ['made Ann']])
  end()
  await create()
  expect([told, lines()]).toEqual([['made Ann'], ['made Ann']])
})

test('says what was left out', async () => {
  await using connection = await connect(hre, {}, { network: 'instant' })
  const { rpc, send } = connection
  const hash = await send({ to: undefined, data: encodeDeployData({ abi, bytecode, args: [''] }) })
  const { contractAddress: to } = await rpc<{ contractAddress: Hex }>(
    'eth_getTransactionReceipt',
    hash,
  )
  lines()
  await rpc('eth_call', { to, data: encoded('chatter', 1003n) })
  expect(lines().slice(998)).toEqual(['998', '999', '… and 3 more console.log'])
})

describe('held lines', () => {
  const to: Hex = `0x${'ab'.repeat(20)}`
  const event: ConsoleLogEvent = {
    transaction: null,
    method: 'eth_call',
    to,
    data: '0x12',
    messages: ['hello'],
    omitted: 0,
  }
  const call = {
    method: 'eth_call',
    params: [{ to: to.toUpperCase().replace('X', 'x'), input: '0x12' }, 'pending'],
  }

  test('are printed when their request has its answer', () => {
    const console = new ConsoleLines()
    const held = console.hold(call)
    console.print(event)
    expect(lines()).toEqual([])
    held.release()
    expect(lines()).toEqual(['hello'])
    console.print(event)
    expect(lines()).toEqual(['hello'])
  })

  test('are never printed if they were discarded', () => {
    const console = new ConsoleLines()
    const held = console.hold(call)
    console.print(event)
    held.discard()
    held.release()
    expect(lines()).toEqual([])
  })

  test('are those of the request only', () => {
    const console = new ConsoleLines()
    const held = console.hold(call)
    const foreign = [
      { ...event, method: 'eth_estimateGas' },
      { ...event, to: null },
      { ...event, data: '0x13' as const },
      { ...event, method: null, transaction: `0x${'01'.repeat(32)}` as const },
    ]
    for (const one of foreign) console.print(one)
    expect(lines()).toEqual(foreign.map(() => 'hello'))
    held.release()
  })

  test('of a transaction are found in its bytes', async () => {
    const account = mnemonicToAccount(optionTable.mnemonic.default)
    const sends: { to?: Hex; data?: Hex; value?: bigint }[] = [
      { to, data: '0x12' },
      { to, data: '0x12', value: 10n ** 18n },
      { to, data: `0x${'ef'.repeat(300)}` },
      { to: `0x${'cd'.repeat(20)}`, data: '0x12' },
      { to },
      { data: '0x12' },
    ]
    const fees = [{ gasPrice: 10n ** 10n }, { maxFeePerGas: 10n ** 10n, value: 5n }]
    for (const sent of sends.flatMap((one) => fees.map((fee) => ({ ...fee, ...one })))) {
      const raw = await account.signTransaction({
        gas: 100_000n,
        nonce: 3,
        chainId: 31_337,
        ...sent,
      })
      const console = new ConsoleLines()
      const held = console.hold({ method: 'eth_sendRawTransaction', params: [raw] })
      const printed = sends.map(({ to = null, data = '0x' }, index) => {
        const messages = [String(index)]
        const transaction: Hex = `0x${'01'.repeat(32)}`
        console.print({ ...event, method: null, transaction, to, data, messages })
        return lines().length === 1
      })
      const isOther = (one: (typeof sends)[number]) => one.to !== sent.to || one.data !== sent.data
      expect(printed).toEqual(sends.map(isOther))
      held.release()
      expect(lines()).toHaveLength(printed.filter((isPrinted) => !isPrinted).length)
    }
  })
})
