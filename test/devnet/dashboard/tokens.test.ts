import { encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../support/contractSource.ts'
import { artifact } from '../../support/solidity.ts'
import { ALICE, BOB, startDashboard } from './support.ts'

const LARGEST = 2n ** 256n - 1n
const ZERO = '0x0000000000000000000000000000000000000000'

async function start() {
  const started = await startDashboard({
    contracts: sourceOf('Dollar', 'Desk', 'Painting', 'Resource', 'Maker', 'Hostile', 'Liar'),
    frozen: true,
  })
  const { rpc } = started
  const tick = () => rpc('preconf_advance', { ticks: 1 })
  return {
    ...started,
    tick,
    async deploy(name: string, ...args: unknown[]): Promise<Hex> {
      const { abi, bytecode } = artifact(name)
      const data = encodeDeployData({ abi, bytecode, args })
      const hash = await rpc('eth_sendTransaction', { from: ALICE, data })
      await tick()
      const receipt = (await rpc('eth_getTransactionReceipt', hash)) as { contractAddress: Hex }
      return receipt.contractAddress
    },
    async send(name: string, to: Hex, functionName: string, args: unknown[], value = '0x0') {
      const data = encodeFunctionData({ abi: artifact(name).abi, functionName, args })
      const transaction = { from: ALICE, to, data, value, gas: '0x100000' }
      const hash = (await rpc('eth_sendTransaction', transaction)) as Hex
      await tick()
      return hash
    },
  }
}

describe('amounts of tokens', () => {
  test('default: calls and events of an ERC-20 show amounts in its unit', async () => {
    const { ask, deploy, send } = await start()
    const dollar = await deploy('Dollar')
    await send('Dollar', dollar, 'mint', [ALICE, 100_000_000n])
    const moved = await send('Dollar', dollar, 'transfer', [BOB, 70_000_000n])
    const answer = await ask('transaction', { hash: moved })
    expect(answer).toMatchObject({
      call: { text: 'Dollar.transfer(to: Account #1, value: 70 USDT)' },
      outcome: { events: [{ arguments: [{}, {}, { value: '70000000', amount: '70 USDT' }] }] },
    })
    const { frames } = await ask('trace', { hash: moved })
    expect(frames[0]?.call.decoded?.arguments?.[1]).toMatchObject({ amount: '70 USDT' })
    const calls = [{ function: 'balanceOf(address)', args: [ALICE] }]
    expect(await ask('read', { address: dollar, calls })).toMatchObject({
      results: [{ pending: { values: [{ value: '30000000', amount: '30 USDT' }] } }],
    })
  })

  test('an allowance without limit says so, in one line too', async () => {
    const { ask, deploy, send } = await start()
    const dollar = await deploy('Dollar')
    const hash = await send('Dollar', dollar, 'approve', [BOB, LARGEST])
    expect(await ask('transaction', { hash })).toMatchObject({
      call: { text: 'Dollar.approve(spender: Account #1, value: unlimited USDT)' },
    })
  })

  test('what may be another amount, or an id, is left as it is', async () => {
    const { ask, deploy, send } = await start()
    const dollar = await deploy('Dollar')
    const painting = await deploy('Painting')
    const minted = await send('Dollar', dollar, 'mint', [ALICE, 5n])
    const painted = await send('Painting', painting, 'mint', [ALICE, 7n])
    const given = await send('Painting', painting, 'transferFrom', [ALICE, BOB, 7n])
    expect(await ask('transaction', { hash: minted })).toMatchObject({
      call: { text: 'Dollar.mint(to: Account #0, value: 5)' },
    })
    for (const hash of [painted, given]) {
      expect(JSON.stringify(await ask('transaction', { hash }))).not.toContain('ART')
    }
  })

  test.each([
    ['Reverts', 0],
    ['Burns', 1],
    ['Loops', 2],
    ['Huge', 3],
    ['Bent', 4],
  ])('a hostile token costs little and shows digits: %s', async (_name, mode) => {
    const { ask, deploy, send } = await start()
    const token = await deploy('Hostile', mode)
    const hash = await send('Hostile', token, 'transfer', [BOB, 5n])
    const started = performance.now()
    const answer = await ask('transaction', { hash })
    expect(performance.now() - started).toBeLessThan(1_500)
    // A text that is cut may be of any length; its length in front of it passes for decimals.
    const amount = mode === 3 ? `0.${'0'.repeat(31)}5 ${'X'.repeat(20)}…` : '5'
    const text = `Hostile.transfer(to: Account #1, value: ${amount})`
    expect(answer).toMatchObject({ call: { text } })
    const { transfers } = await ask('trace', { hash })
    expect(JSON.stringify(transfers).length).toBeLessThan(1_000)
  })

  test('a symbol of 32 bytes is read, decimals that no amount has are not', async () => {
    const { ask, deploy, send } = await start()
    const [maker, liar] = [await deploy('Maker'), await deploy('Liar')]
    const old = await send('Maker', maker, 'transfer', [BOB, 10n ** 18n])
    const lie = await send('Liar', liar, 'transfer', [BOB, 10n ** 18n])
    expect(await ask('transaction', { hash: old })).toMatchObject({
      call: { text: 'Maker.transfer(to: Account #1, value: 1 MKR)' },
    })
    const { transfers } = await ask('trace', { hash: lie })
    expect(transfers.units[liar]).toEqual({ decimals: null, symbol: 'LIE' })
  })
})

describe('transfers of a transaction', () => {
  test('default: ether and tokens, with the sums by holder', async () => {
    const { ask, deploy, send } = await start()
    const [dollar, desk] = [await deploy('Dollar'), await deploy('Desk')]
    await send('Dollar', dollar, 'mint', [ALICE, 100_000_000n])
    await send('Dollar', dollar, 'approve', [desk, LARGEST])
    const hash = await send('Desk', desk, 'deposit', [dollar, 70_000_000n], '0x5')
    const { transfers } = await ask('trace', { hash })
    const beef = '0x000000000000000000000000000000000000beef'
    const ether = { token: null, id: null, isCollectible: false, amount: '5' }
    const usdt = { token: dollar, id: null, isCollectible: false }
    expect(transfers).toEqual({
      moves: [
        { ...ether, from: ALICE, to: desk },
        { ...ether, from: desk, to: beef },
        { ...usdt, amount: '70000000', from: ALICE, to: desk },
      ],
      omittedMoves: 0,
      held: [
        { ...usdt, holder: ALICE, amount: '-70000000' },
        { ...usdt, holder: desk, amount: '70000000' },
      ],
      omittedHeld: 0,
      units: {
        '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee': { decimals: 18, symbol: 'ETH' },
        [dollar]: { decimals: 6, symbol: 'USDT' },
      },
    })
  })

  test('what reverts moves nothing', async () => {
    const { ask, deploy, send } = await start()
    const [dollar, desk] = [await deploy('Dollar'), await deploy('Desk')]
    const hash = await send('Desk', desk, 'deposit', [dollar, 1n], '0x5')
    const { transfers } = await ask('trace', { hash })
    expect(transfers).toMatchObject({ moves: [], held: [] })
  })

  test('collectibles have ids', async () => {
    const { ask, deploy, send } = await start()
    const [painting, resource] = [await deploy('Painting'), await deploy('Resource')]
    const painted = await send('Painting', painting, 'mint', [ALICE, 7n])
    const made = await send('Resource', resource, 'mint', [ALICE, 3n, 40n])
    const movesOf = async (hash: Hex) => (await ask('trace', { hash })).transfers.moves
    expect(await movesOf(painted)).toEqual([
      { token: painting, id: '7', isCollectible: true, amount: '1', from: ZERO, to: ALICE },
    ])
    expect(await movesOf(made)).toEqual([
      { token: resource, id: '3', isCollectible: false, amount: '40', from: ZERO, to: ALICE },
    ])
  })
})

describe('holdings', () => {
  test('default: tokens that an account received, sealed beside pending', async () => {
    const { ask, deploy, send, rpc } = await start()
    const [dollar, painting] = [await deploy('Dollar'), await deploy('Painting')]
    const resource = await deploy('Resource')
    await send('Dollar', dollar, 'mint', [BOB, 40_000_000n])
    await send('Painting', painting, 'mint', [BOB, 7n])
    await rpc('preconf_seal')
    await send('Resource', resource, 'mint', [BOB, 3n, 9n])
    await send('Dollar', dollar, 'mint', [BOB, 2_000_000n])
    const { holdings, isPartial, omitted, names } = await ask('holdings', { address: BOB })
    expect({ isPartial, omitted }).toEqual({ isPartial: false, omitted: 0 })
    expect(holdings).toEqual([
      {
        token: resource,
        id: '3',
        unit: { decimals: null, symbol: null },
        sealed: '0',
        pending: '9',
      },
      {
        token: painting,
        id: null,
        unit: { decimals: 0, symbol: 'ART' },
        sealed: '1',
        pending: '1',
      },
      {
        token: dollar,
        id: null,
        unit: { decimals: 6, symbol: 'USDT' },
        sealed: '40000000',
        pending: '42000000',
      },
    ])
    expect(names[dollar]).toBe('Dollar')
  })

  test('what was given away, or taken back by a revert, is not held', async () => {
    const { ask, deploy, send, rpc } = await start()
    const dollar = await deploy('Dollar')
    await rpc('preconf_seal')
    const snapshot = await rpc('evm_snapshot')
    await send('Dollar', dollar, 'mint', [ALICE, 5n])
    await rpc('preconf_seal')
    expect((await ask('holdings', { address: ALICE })).holdings).toHaveLength(1)
    await rpc('evm_revert', snapshot)
    expect((await ask('holdings', { address: ALICE })).holdings).toEqual([])
    await send('Dollar', dollar, 'mint', [ALICE, 6n])
    await send('Dollar', dollar, 'transfer', [BOB, 6n])
    expect((await ask('holdings', { address: ALICE })).holdings).toEqual([])
    expect((await ask('holdings', { address: BOB })).holdings).toMatchObject([{ pending: '6' }])
  })
})
