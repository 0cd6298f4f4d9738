import { Message } from '@ethereumjs/evm'
import { Address } from '@ethereumjs/util'
import { encodeDeployData, encodeFunctionData, getContractAddress, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { ConsoleRecorder } from '../../../devnet/engine/consoleCalls.ts'
import { createDevnet } from '../../../devnet/index.ts'
import { fromHex } from '../../../devnet/primitives/hex.ts'
import { artifact } from '../../support/solidity.ts'
import { CODE, createExecutionChain } from '../execution/harness.ts'

const CONSOLE = '000000000000000000636f6e736f6c652e6c6f67'
/** Differs from it in one byte at the end, and in one at the start. */
const NEIGHBOURS = [
  '000000000000000000636f6e736f6c652e6c6f68',
  '010000000000000000636f6e736f6c652e6c6f67',
]

const message = (to: string, data: Uint8Array) =>
  new Message({ gasLimit: 100_000n, to: new Address(fromHex(`0x${to}`)), data })

describe('recorder', () => {
  test('default: the calldata of each call, as it was then', () => {
    const recorder = new ConsoleRecorder()
    const memory = Uint8Array.of(1, 2, 3)
    recorder.see(message(CONSOLE, memory))
    memory[0] = 9
    recorder.see(message(CONSOLE, memory.subarray(0, 1)))
    expect(recorder.take()).toEqual({
      inputs: [Uint8Array.of(1, 2, 3), Uint8Array.of(9)],
      omitted: 0,
    })
    expect(recorder.take()).toBeUndefined()
  })

  test('other addresses and creations are none of its business', () => {
    const recorder = new ConsoleRecorder()
    for (const address of NEIGHBOURS) recorder.see(message(address, Uint8Array.of(1)))
    recorder.see(new Message({ gasLimit: 100_000n, data: Uint8Array.of(1) }))
    expect(recorder.take()).toBeUndefined()
  })

  test('memory is bounded, and small ones come through after a large one', () => {
    const recorder = new ConsoleRecorder()
    recorder.see(message(CONSOLE, new Uint8Array(300_000)))
    recorder.see(message(CONSOLE, new Uint8Array(200_000)))
    recorder.see(message(CONSOLE, new Uint8Array(100_000)))
    recorder.see(message(CONSOLE, Uint8Array.of(1)))
    const { inputs, omitted } = recorder.take() ?? { inputs: [], omitted: 0 }
    expect([inputs.map(({ length }) => length), omitted]).toEqual([[200_000, 1], 2])
    for (let count = 0; count < 1005; count++) recorder.see(message(CONSOLE, new Uint8Array(4)))
    expect(recorder.take()).toMatchObject({ inputs: { length: 1000 }, omitted: 5 })
  })
})

const OPCODES = { call: 'f1', staticcall: 'fa', delegatecall: 'f4' }

/** Code that calls `address` twice, and returns what gas each of the calls took. */
function measuring(address: string, opcode: keyof typeof OPCODES, zero: string): Hex {
  const value = opcode === 'call' ? zero : ''
  const once = `${zero}${zero}6024${zero}${value}73${address}5a${OPCODES[opcode]}50`
  return `0x5a${once}5a${once}5a81036020529003${zero}526040${zero}f3`
}

describe.each(['call', 'staticcall', 'delegatecall'] as const)('gas of a %s', (opcode) => {
  test.each([
    ['london', '6000'],
    ['bpo2', '5f'],
  ] as const)('default: %s, cold, then warm', async (hardfork, zero) => {
    const node = await createExecutionChain({ hardfork })
    const costs = async (address: string) => {
      const state = { [CODE]: { code: measuring(address, opcode, zero) } }
      const result = await node.call({ to: CODE }, { state })
      return [BigInt(result.slice(0, 66)), BigInt(`0x${result.slice(66)}`)]
    }
    const [cold = 0n, warm = 0n] = await costs(CONSOLE)
    // EIP-2929: 2,600 for the first access, 100 for the next; and the first one pays for two words
    // of memory.
    expect(cold - warm).toBe(2506n)
    for (const address of NEIGHBOURS) expect(await costs(address)).toEqual([cold, warm])
  })
})

test('blocks are the same with and without a listener', async () => {
  const { abi, bytecode } = artifact('Talker')
  const play = async (listens: boolean) => {
    const devnet = createDevnet({ port: 0, frozenTicks: true, timestamp: 1_800_000_000 })
    await devnet.start()
    let prints = 0
    if (listens) devnet.on('consoleLog', () => prints++)
    const from = devnet.accounts[0]?.address ?? '0x'
    const to = getContractAddress({ from, nonce: 0n })
    const talk = (functionName: string, ...args: unknown[]) =>
      encodeFunctionData({ abi, functionName, args })
    const sent = [
      { data: encodeDeployData({ abi, bytecode, args: ['Ada'] }) },
      { to, data: talk('talk', 'Bob', 5n) },
      { to, data: talk('fail'), gas: '0x186a0' },
      { to: `0x${CONSOLE}`, value: '0x1', data: '0xf82c50f1' },
    ]
    for (const transaction of sent) {
      await devnet.provider.request({
        method: 'eth_sendTransaction',
        params: [{ from, ...transaction }],
      })
    }
    await devnet.clock.advance({ blocks: 1 })
    const get = (method: string) => devnet.provider.request({ method, params: ['latest', true] })
    const result = {
      block: await get('eth_getBlockByNumber'),
      receipts: await devnet.provider.request({ method: 'eth_getBlockReceipts', params: ['0x1'] }),
    }
    await devnet.stop()
    return { prints, result }
  }
  const silent = await play(false)
  const heard = await play(true)
  expect([silent.prints, heard.prints]).toEqual([0, 4])
  expect(heard.result).toEqual(silent.result)
  expect(heard.result.receipts).toMatchObject([
    { status: '0x1' },
    { status: '0x1' },
    { status: '0x0' },
    { status: '0x1' },
  ])
})
