import { getContractAddress, type Hex, keccak256, pad } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { toHex } from '../../../devnet/primitives/hex.ts'
import { addressKeyFromHex } from '../../../devnet/state/keys.ts'
import { CODE, ETHER, GWEI, NOBODY, OTHER } from '../execution/harness.ts'
import { createTracingChain, type TraceChanges, type TracingChain } from './harness.ts'

interface Account {
  readonly balance?: Hex
  readonly nonce?: number
  readonly code?: Hex
  readonly codeHash?: Hex
  readonly storage?: Readonly<Record<Hex, Hex>>
}
type Accounts = Readonly<Record<Hex, Account>>
interface Diff {
  readonly pre: Accounts
  readonly post: Accounts
}

let node: TracingChain
beforeAll(async () => {
  node = await createTracingChain()
})

function prestate<Trace = Accounts>(
  code: Hex,
  tracerConfig: object = {},
  state: TraceChanges['state'] = {},
): Promise<Trace> {
  return node.traceCode(
    code,
    { tracer: 'prestateTracer', tracerConfig },
    { gas: 500_000n },
    { state },
  )
}

const word = (value: number): Hex => pad(`0x${value.toString(16).padStart(2, '0')}`)
const storage = (entries: [number, number][]) =>
  new Map(entries.map(([slot, value]) => [word(slot), word(value)]))

const balanceOf = (address: Hex): Hex =>
  `0x${(node.chain.pending.state.account(addressKeyFromHex(address))?.balance ?? 0n).toString(16)}`

describe('what it came to', () => {
  test('default: sender, recipient and slots as they were', async () => {
    // SLOAD(1), SSTORE(2, 7), SLOAD(3)
    const code: Hex = '0x600154506007600255600354'
    const {
      [CODE]: contract,
      [node.from]: sender,
      ...rest
    } = await prestate(
      code,
      {},
      {
        [CODE]: { code, balance: 1n, stateDiff: storage([[1, 5]]) },
      },
    )
    expect(sender).toEqual({ balance: balanceOf(node.from) })
    expect(contract).toEqual({
      balance: '0x1',
      code,
      codeHash: keccak256(code),
      storage: { [word(1)]: word(5), [word(2)]: word(0), [word(3)]: word(0) },
    })
    // The fee recipient has nothing yet, and is left out.
    expect(rest).toEqual({})
  })

  test.each<[string, (address: string) => Hex]>([
    ['BALANCE', (address) => `0x73${address}31`],
    ['EXTCODESIZE', (address) => `0x73${address}3b`],
    ['EXTCODEHASH', (address) => `0x73${address}3f`],
    ['EXTCODECOPY', (address) => `0x5f5f5f73${address}3c`],
    ['CALL', (address) => `0x5f5f5f5f5f73${address}5af1`],
    ['CALLCODE', (address) => `0x5f5f5f5f5f73${address}5af2`],
    ['DELEGATECALL', (address) => `0x5f5f5f5f73${address}5af4`],
    ['STATICCALL', (address) => `0x5f5f5f5f73${address}5afa`],
    ['SELFDESTRUCT', (address) => `0x73${address}ff`],
  ])('%s', async (_name, code) => {
    const accounts = await prestate(
      code(OTHER.slice(2)),
      {},
      { [OTHER]: { balance: 3n, nonce: 2n } },
    )
    expect(accounts[OTHER]).toEqual({ balance: '0x3', nonce: 2 })
  })

  test('a step that fails comes to nothing', async () => {
    // A stipend of gas is not enough for a cold account.
    const accounts = await node.traceCode<Accounts>(
      `0x73${OTHER.slice(2)}31`,
      { tracer: 'prestateTracer' },
      { gas: 22_000n },
      { state: { [OTHER]: { balance: 3n } } },
    )
    expect(accounts[OTHER]).toBeUndefined()
  })

  test('args: includeEmpty', async () => {
    const code: Hex = `0x73${NOBODY.slice(2)}31`
    expect(await prestate(code)).not.toHaveProperty(NOBODY)
    expect((await prestate(code, { includeEmpty: true }))[NOBODY]).toEqual({ balance: '0x0' })
  })

  test('args: disableCode, disableStorage', async () => {
    const code: Hex = '0x5f54'
    const show = async (config: object) => (await prestate(code, config))[CODE]
    const hash = { codeHash: keccak256(code) }
    const slots = { storage: { [word(0)]: word(0) } }
    expect(await show({ disableCode: true })).toEqual({ balance: '0x1', ...hash, ...slots })
    expect(await show({ disableStorage: true })).toEqual({ balance: '0x1', ...hash, code })
  })
})

describe('diffMode', () => {
  test('default: only what changed, before and after', async () => {
    // SSTORE(1, 0), SSTORE(2, 7), SSTORE(3, 3), SLOAD(4), and 1 wei to another account.
    const code: Hex = `0x5f600155600760025560036003556004545f5f5f5f600173${OTHER.slice(2)}5af1`
    const { pre, post } = await prestate<Diff>(
      code,
      { diffMode: true },
      {
        [CODE]: {
          code,
          balance: 1n,
          stateDiff: storage([
            [1, 5],
            [2, 6],
            [3, 3],
            [4, 4],
          ]),
        },
      },
    )
    expect(pre[CODE]).toEqual({
      balance: '0x1',
      code,
      codeHash: keccak256(code),
      storage: { [word(1)]: word(5), [word(2)]: word(6) },
    })
    // What is zero now is not shown.
    expect(post[CODE]).toEqual({ balance: '0x0', storage: { [word(2)]: word(7) } })
    expect(pre).not.toHaveProperty(OTHER)
    expect(post[OTHER]).toEqual({ balance: '0x1' })
    expect(post[node.from]).toEqual({ nonce: 1 })
  })

  test('what a frame changed that failed is no change', async () => {
    const { pre, post } = await prestate<Diff>('0x60015f555f5ffd', { diffMode: true })
    expect(pre).not.toHaveProperty(CODE)
    expect(Object.keys(post)).toEqual([node.from])
  })

  test('a new contract', async () => {
    const address = getContractAddress({ from: node.from, nonce: 0n }).toLowerCase() as Hex
    const config = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }
    const request = { from: node.from, data: '0x60015ff3' as Hex }
    const { pre, post } = await node.traceCall<Diff>(request, config)
    expect(pre).not.toHaveProperty(address)
    expect(post[address]).toEqual({ nonce: 1, code: '0x00', codeHash: keccak256('0x00') })
    const withoutCode = { ...config, tracerConfig: { diffMode: true, disableCode: true } }
    expect((await node.traceCall<Diff>(request, withoutCode)).post[address]).toEqual({
      nonce: 1,
      codeHash: keccak256('0x00'),
    })
  })

  test('contracts that code makes, also where they come to an end at once', async () => {
    // CREATE, then CREATE2, of init code that is SELFDESTRUCT(0): MSTORE8(0, 0x5f), MSTORE8(1,
    // 0xff).
    const code: Hex = '0x605f5f5360ff60015360025f5ff050600760025f5ff550'
    const { pre, post } = await prestate<Diff>(
      code,
      { diffMode: true },
      { [CODE]: { code, nonce: 4n } },
    )
    const first = getContractAddress({ from: CODE, nonce: 4n }).toLowerCase()
    expect(post[CODE]).toMatchObject({ nonce: 6 })
    for (const accounts of [pre, post]) expect(accounts).not.toHaveProperty(first)
    expect(Object.keys(post).sort()).toEqual([CODE, node.from].sort())
  })

  test('an authorization changes code and nonce of its signer', async () => {
    const chain = await createTracingChain()
    const signer = chain.account(1)
    const address = signer.address.toLowerCase() as Hex
    const send = async (nonce: number, contractAddress: Hex) => {
      const raw = await chain.account().signTransaction({
        type: 'eip7702',
        chainId: 31337,
        nonce,
        to: NOBODY,
        gas: 200_000n,
        maxFeePerGas: 10n * GWEI,
        authorizationList: [
          await signer.signAuthorization({ contractAddress, chainId: 31337, nonce }),
        ],
      })
      const { hash } = await chain.chain.submit(Buffer.from(raw.slice(2), 'hex'))
      await chain.tick()
      const config = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }
      return chain.traceSent<Diff>(hash, config)
    }
    const code: Hex = `0xef0100${OTHER.slice(2)}`
    const balance: Hex = `0x${(10_000n * ETHER).toString(16)}`
    const set = await send(0, OTHER)
    expect(set.pre[address]).toEqual({ balance })
    expect(set.post[address]).toEqual({ nonce: 1, code, codeHash: keccak256(code) })
    const cleared = await send(1, `0x${'0'.repeat(40)}`)
    expect(cleared.pre[address]).toEqual({ balance, nonce: 1, code, codeHash: keccak256(code) })
    // Code that is gone is shown as such.
    expect(cleared.post[address]).toEqual({ nonce: 2, code: '0x', codeHash: keccak256('0x') })
  })

  test('fees of a transaction', async () => {
    const chain = await createTracingChain()
    const key = chain.accounts[3]?.privateKey ?? '0x'
    const { address } = privateKeyToAccount(key)
    const hash = await chain.send({ to: address, value: 5n })
    await chain.tick()
    const { pre, post } = await chain.traceSent<Diff>(hash, {
      tracer: 'prestateTracer',
      tracerConfig: { diffMode: true },
    })
    const coinbase = toHex(chain.chain.pending.environment.coinbase)
    expect(Object.keys(post).sort()).toEqual([chain.from, address.toLowerCase(), coinbase].sort())
    const change = (of: Hex) => BigInt(post[of]?.balance ?? 0) - BigInt(pre[of]?.balance ?? 0)
    expect(change(address.toLowerCase() as Hex)).toBe(5n)
    expect(change(coinbase)).toBe(21_000n)
  })
})
