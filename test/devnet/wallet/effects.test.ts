import { encodeFunctionData, getAddress, type Hex, keccak256, parseEther, toBytes } from 'viem'
import { expect, test } from 'vitest'
import type { OptionsInput, WalletOptions } from '../../../devnet/index.ts'
import { artifact } from '../../support/solidity.ts'
import { ALICE, BOB, startAsking } from './support.ts'

const COIN = '0x000000000000000000000000000000000000c011'
const COIN_CHECKSUM = getAddress(COIN)
const BOB_SHOWN = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8 (account #1)'
const BOB_FIRST = 'account #1 (0x70997970C51812dc3A010C7d01b50e0d17dc79C8)'
const LARGEST = 2n ** 256n - 1n

function coin(functionName: string, ...args: unknown[]): { to: Hex; data: Hex } {
  return { to: COIN, data: encodeFunctionData({ abi: artifact('Coupon').abi, functionName, args }) }
}

async function begin(options: WalletOptions = {}, contract = 'Coupon', node: OptionsInput = {}) {
  const started = await startAsking(options, node)
  const code = artifact(contract).deployedBytecode
  await started.devnet.provider.request({ method: 'hardhat_setCode', params: [COIN, code] })
  return {
    ...started,
    async effectsOf(method: string, params: unknown) {
      const { fields, warnings } = await started.summaryOf(method, params)
      return { changes: fields.find(({ label }) => label === 'Asset changes')?.value, warnings }
    },
  }
}

const value = (amount: string): Hex => `0x${parseEther(amount).toString(16)}`

test.each<[string, { to: Hex; data?: Hex; value?: Hex }, string, string[]?]>([
  ['ether', { to: BOB, value: value('1.5') }, '−1.5 ETH'],
  ['nothing', { to: BOB }, 'none but the fee'],
  ['a token', coin('transfer', BOB, 2_500_000n), `−2.5 COIN (${COIN_CHECKSUM})`],
  [
    'ether and a token',
    { ...coin('transfer', BOB, 1n), value: value('1') },
    `−1 ETH\n−0.000001 COIN (${COIN_CHECKSUM})`,
  ],
  [
    'what comes back is not lost',
    { ...coin('refund'), value: value('1') },
    `+2.5 COIN (${COIN_CHECKSUM})`,
  ],
  [
    'an allowance',
    coin('approve', BOB, 7_000_000n),
    `${BOB_SHOWN} may spend 7 COIN (${COIN_CHECKSUM})`,
  ],
  [
    'an allowance without limit',
    coin('approve', BOB, LARGEST),
    `${BOB_SHOWN} may spend unlimited COIN (${COIN_CHECKSUM})`,
    [`${BOB_FIRST} may spend all COIN of this account, now and later, without a limit.`],
  ],
  [
    'all tokens',
    coin('setApprovalForAll', BOB, true),
    `${BOB_SHOWN} may move all tokens of ${COIN_CHECKSUM}`,
    [`${BOB_FIRST} may move all COIN of this account, now and later.`],
  ],
  ['no tokens any more', coin('setApprovalForAll', BOB, false), 'none but the fee'],
])('default: %s', async (_name, transaction, changes, warnings = []) => {
  const { effectsOf } = await begin()
  expect(await effectsOf('eth_sendTransaction', [{ from: ALICE, ...transaction }])).toEqual({
    changes,
    warnings,
  })
})

// Each transfer of ether has a log there, of which simulations have one of their own too.
test('ether is shown once under Amsterdam', async () => {
  const { effectsOf } = await begin({}, 'Coupon', { hardfork: 'amsterdam' })
  const transaction = { from: ALICE, to: BOB, value: value('1.5') }
  const { changes } = await effectsOf('eth_sendTransaction', [transaction])
  expect(changes).toBe('−1.5 ETH')
})

test('what reverts says why, and changes nothing', async () => {
  const { effectsOf } = await begin()
  const transaction = { from: ALICE, ...coin('transfer', BOB, 10n ** 12n) }
  expect(await effectsOf('eth_sendTransaction', [transaction])).toEqual({
    changes: 'none but the fee',
    warnings: ['The transaction will revert: too much'],
  })
  const unknown = { from: ALICE, to: COIN, data: '0x12345678' }
  expect((await effectsOf('eth_sendTransaction', [unknown])).warnings).toEqual([
    'The transaction will revert, without a message',
  ])
})

test('what cannot be paid says so', async () => {
  const { effectsOf } = await begin()
  const { changes, warnings } = await effectsOf('eth_sendTransaction', [
    { from: ALICE, to: BOB, value: value('10001') },
  ])
  expect(changes).toBe('none')
  expect(warnings).toEqual([expect.stringMatching(/^The transaction will fail: .*insufficient/)])
})

test('the gas of the transaction counts', async () => {
  const { effectsOf } = await begin()
  const transaction = { from: ALICE, ...coin('transfer', BOB, 1n), gas: '0x5700' }
  expect((await effectsOf('eth_sendTransaction', [transaction])).warnings).toEqual([
    expect.stringMatching(/^The transaction will fail: .*gas/),
  ])
})

test.each([
  ['a collectible has an id', 'take', [7n], `+token 7 of ${COIN_CHECKSUM}`],
  ['without symbol and decimals', 'pay', [BOB, 9n], `−9 units of a token (${COIN_CHECKSUM})`],
])('%s', async (_name, functionName, args, changes) => {
  const { effectsOf } = await begin({}, 'Nameless')
  const data = encodeFunctionData({ abi: artifact('Nameless').abi, functionName, args })
  expect(await effectsOf('eth_sendTransaction', [{ from: ALICE, to: COIN, data }])).toEqual({
    changes,
    warnings: [],
  })
})

const bazaar = (functionName: string, ...args: unknown[]) => ({
  to: COIN,
  data: encodeFunctionData({ abi: artifact('Bazaar').abi, functionName, args }),
})

test.each([
  ['one token', bazaar('buy', 7n, 3n), `+3 × token 7 of ${COIN_CHECKSUM}`],
  ['given away', bazaar('give', BOB, 7n, 3n), `−3 × token 7 of ${COIN_CHECKSUM}`],
  ['given to oneself', bazaar('give', ALICE, 7n, 3n), 'none but the fee'],
  [
    'several at once, the same one twice',
    bazaar('giveMany', BOB, [7n, 8n, 7n], [1n, 2n, 10n]),
    `−11 × token 7 of ${COIN_CHECKSUM}\n−2 × token 8 of ${COIN_CHECKSUM}`,
  ],
  [
    'more amounts than ids',
    bazaar('giveMany', BOB, [7n], [1n, 2n]),
    `−1 × token 7 of ${COIN_CHECKSUM}`,
  ],
  ['none at all', bazaar('giveMany', BOB, [], []), 'none but the fee'],
])('ERC-1155, %s', async (_name, transaction, changes) => {
  const { effectsOf } = await begin({}, 'Bazaar')
  expect(await effectsOf('eth_sendTransaction', [{ from: ALICE, ...transaction }])).toEqual({
    changes,
    warnings: [],
  })
})

test('of many changes the first are shown, and how many there are', async () => {
  const { effectsOf } = await begin({}, 'Bazaar')
  const ids = Array.from({ length: 1012 }, (_, id) => BigInt(id))
  const transaction = {
    from: ALICE,
    ...bazaar(
      'giveMany',
      BOB,
      ids,
      ids.map(() => 1n),
    ),
  }
  const { changes } = await effectsOf('eth_sendTransaction', [transaction])
  const lines = changes?.split('\n') ?? []
  expect(lines).toHaveLength(11)
  expect([lines[0], lines[10]]).toEqual([`−1 × token 0 of ${COIN_CHECKSUM}`, '… and 1,002 more'])
})

test('a log of ERC-1155 without its data is no change', async () => {
  const { effectsOf, devnet } = await begin()
  const topics = [
    `73${BOB.slice(2)}`,
    `73${ALICE.slice(2)}`,
    `73${ALICE.slice(2)}`,
    `7f${keccak256(toBytes('TransferBatch(address,address,address,uint256[],uint256[])')).slice(2)}`,
  ]
  // PUSH1 1 PUSH0 LOG4
  const code = `0x${topics.join('')}60015fa4`
  await devnet.provider.request({ method: 'hardhat_setCode', params: [COIN, code] })
  expect(await effectsOf('eth_sendTransaction', [{ from: ALICE, to: COIN }])).toEqual({
    changes: 'none but the fee',
    warnings: [],
  })
})

test('calls run one after the other, and each failure is named', async () => {
  const { effectsOf } = await begin()
  const calls = [
    coin('transfer', BOB, 1_000_000n),
    coin('transfer', BOB, 10n ** 12n),
    { to: BOB, value: value('2') },
  ]
  const batch = { version: '2.0.0', chainId: '0x7a69', atomicRequired: false, calls }
  expect(await effectsOf('wallet_sendCalls', [batch])).toEqual({
    changes: `−1 COIN (${COIN_CHECKSUM})\n−2 ETH`,
    warnings: ['If one call fails, the others still happen.', 'Call 2 will revert: too much'],
  })
})

test('nobody looks, so nothing is simulated; the history keeps what was seen', async () => {
  const { effectsOf, ask, wallet } = await begin()
  const transaction = { from: ALICE, to: BOB, value: value('1') }
  await effectsOf('eth_sendTransaction', [transaction])
  await wallet.policy({ default: 'reject' })
  await ask('eth_sendTransaction', [transaction])
  const entries = await wallet.history({ method: 'eth_sendTransaction' })
  expect(entries.map(({ summary }) => summary.fields[0]?.label)).toEqual(['Asset changes', 'From'])
})

test('an RPC that does not simulate costs the effects, not the request', async () => {
  const { createServer } = await import('node:http')
  const server = createServer((_request, response) => {
    const error = { code: -32601, message: 'the method eth_simulateV1 does not exist' }
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error }))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  try {
    const rpcUrls = [`http://127.0.0.1:${port}`]
    const { effectsOf } = await begin({
      knownChains: [{ chainId: '0x539', symbol: 'TEST', rpcUrls }],
    })
    const transaction = { from: ALICE, to: BOB, value: value('1') }
    expect(await effectsOf('eth_sendTransaction', [transaction])).toEqual({
      changes: 'unknown: this network has no simulation',
      warnings: [],
    })
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('a contract that never ends costs the simulation at most a second', async () => {
  const { effectsOf, devnet } = await begin()
  // JUMPDEST PUSH0 JUMP
  await devnet.provider.request({ method: 'hardhat_setCode', params: [COIN, '0x5b5f56'] })
  const { changes, warnings } = await effectsOf('eth_sendTransaction', [{ from: ALICE, to: COIN }])
  // As fast as the machine is: it runs out of gas or of time.
  expect([changes, ...warnings].join()).toMatch(/longer than 1000 ms|will fail: out of gas/)
})
