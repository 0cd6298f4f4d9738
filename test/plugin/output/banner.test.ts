import { describe, expect, test } from 'vitest'
import { type OptionsInput, resolveOptions } from '../../../devnet/options/options.ts'
import {
  accountsLines,
  bindingLines,
  clocksLines,
  pageLines,
  readyLine,
  streamLines,
} from '../../../plugin/output/banner.ts'
import type { Paint } from '../../../plugin/output/lines.ts'
import { fakeDevnet } from '../fakeDevnet.ts'
import { repeated } from '../sampleStatus.ts'

const plain: Paint = (_, text) => text

describe('readyLine', () => {
  test('default', () => {
    expect(readyLine('http://127.0.0.1:8545', plain)).toBe(
      'Started HTTP and WebSocket JSON-RPC server at http://127.0.0.1:8545/',
    )
  })
})

describe('accountsLines', () => {
  test('default', () => {
    expect(`\n${accountsLines(fakeDevnet(), plain).join('\n')}`).toMatchInlineSnapshot(`
      "
      Accounts
      ========

      WARNING: Funds sent on live network to accounts with publicly known private keys WILL BE LOST.

      Account #0:  0x1111111111111111111111111111111111111111 (10000 ETH)
      Private Key: 0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee

      Account #1:  0x2222222222222222222222222222222222222222 (10000 ETH)
      Private Key: 0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff

      WARNING: Funds sent on live network to accounts with publicly known private keys WILL BE LOST.
      "
    `)
  })

  test('keys of a private mnemonic are not shown', () => {
    const mnemonic = `${'abandon '.repeat(11)}about`
    const lines = accountsLines(fakeDevnet({ mnemonic, balance: 5 }), plain)
    expect(`\n${lines.join('\n')}`).toMatchInlineSnapshot(`
      "
      Accounts
      ========
      Account #0: 0x1111111111111111111111111111111111111111 (5 ETH)

      Account #1: 0x2222222222222222222222222222222222222222 (5 ETH)
      "
    `)
  })

  test.each([{ genesis: 'genesis.json' }, { state: 'state.json' }, { loadState: 'state.json' }])(
    'what accounts have in a file is not said, args: %o',
    (options) => {
      const lines = accountsLines(fakeDevnet(options), plain)
      expect(lines).toContain('Account #0:  0x1111111111111111111111111111111111111111')
    },
  )

  test('no accounts', () => {
    expect(accountsLines({ ...fakeDevnet(), accounts: [] }, plain)).toEqual([])
  })
})

test('on a terminal all fits into 50 rows of 80 columns; --verbose shows all keys', () => {
  const account = { address: repeated('1', 40), privateKey: repeated('e', 64) }
  const many = { ...fakeDevnet(), accounts: Array.from({ length: 20 }, () => account) }
  const shown = accountsLines(many, plain, true)
  expect(shown.slice(0, 2)).toEqual([
    `Account #0:  ${account.address} (10000 ETH)`,
    `Private Key: ${account.privateKey}`,
  ])
  expect(shown.length).toBeLessThan(38)
  expect(shown.filter((line) => line.length > 80 && !line.startsWith('WARNING'))).toEqual([])
  const keys = (lines: readonly string[]) => lines.join().split(account.privateKey).length - 1
  expect(keys(shown)).toBe(10)
  expect(shown).toContain('--verbose shows the keys of the other 10 too.')
  const verbose = { ...many, options: { ...many.options, verbose: true } }
  expect(keys(accountsLines(verbose, plain, true))).toBe(20)
})

test('the dashboard is the last of the pages, and stands out', () => {
  const bold: Paint = (style, text) => `<${style}>${text}</${style}>`
  expect(pageLines(fakeDevnet(), bold)).toEqual([
    'Mock wallet at http://127.0.0.1:8545/wallet',
    'Approval page at http://127.0.0.1:8545/wallet/#token',
    '<bold>Dashboard at http://127.0.0.1:8545/dashboard/#token=seen</bold>',
  ])
  expect(pageLines(fakeDevnet({ noWallet: true, noDashboard: true }), bold)).toEqual([])
})

test('the flashblock stream is told if it has a port of its own', () => {
  expect(streamLines(fakeDevnet())).toEqual([])
  expect(streamLines(fakeDevnet({ flashblocksPort: 0 }))).toEqual([
    'Flashblock stream at ws://127.0.0.1:8545/flashblocks',
  ])
})

const ADVICE = 'For programs that read `latest`, as cast does: --receipts sealed or --instant'

describe('clocksLines', () => {
  test('a node that follows another has no clocks', () => {
    const follow = 'ws://127.0.0.1:8545/flashblocks'
    expect(clocksLines(resolveOptions({ follow }), 'http://127.0.0.1:8546')).toEqual([
      'Follows ws://127.0.0.1:8545/flashblocks: transactions and commands belong to that node.',
    ])
  })

  const url = 'http://127.0.0.1:8545'

  test.each<[string, OptionsInput, boolean]>([
    ['two clocks', {}, true],
    ['frozen', { frozen: true }, true],
    ['receipts sealed', { receipts: 'sealed' }, false],
    ['latest ticks', { latest: 'ticks' }, false],
    ['instant', { instant: true }, false],
    ['another profile', { profile: 'base' }, false],
    ['a node that follows', { follow: 'ws://127.0.0.1:8545/flashblocks' }, false],
  ])('%s: options for programs that read latest', (_, options, isAdvised) => {
    expect(clocksLines(resolveOptions(options), url).includes(ADVICE)).toBe(isAdvised)
  })

  test('default', () => {
    expect(clocksLines(resolveOptions(), url)).toEqual([
      'Ticks every 200 ms, seals every 2,000 ms.',
      'To control them: npx hardhat pending-node freeze|resume|advance|seal|status',
      ADVICE,
    ])
  })

  test('the profile', () => {
    expect(clocksLines(resolveOptions({ profile: 'unichain' }), url)).toEqual([
      'Ticks every 200 ms, seals every 1,000 ms.',
      'Answers as in profile unichain.',
      'To control them: npx hardhat pending-node freeze|resume|advance|seal|status',
    ])
  })

  test('frozen clocks', () => {
    const state = (frozen: boolean, frozenTicks: boolean) =>
      clocksLines(resolveOptions({ frozen, frozenTicks, tickInterval: 0 }), url)[0]
    expect([state(true, false), state(false, true)]).toEqual([
      'Ticks on arrival; sealing (every 2,000 ms) is frozen.',
      'Ticks (on arrival) and sealing (every 2,000 ms) are frozen.',
    ])
  })

  test('args: instant', () => {
    const state = (frozen: boolean) =>
      clocksLines(resolveOptions({ instant: true, frozen }), url)[0]
    expect([state(false), state(true)]).toEqual([
      'Instant mode: each transaction is sealed at once.',
      'Ticks every 200 ms; sealing (each transaction at once) is frozen.',
    ])
  })

  test('names the address when it is not the default one', () => {
    expect(clocksLines(resolveOptions(), 'http://127.0.0.1:9000')[1]).toBe(
      'To control them: npx hardhat pending-node freeze|resume|advance|seal|status --url http://127.0.0.1:9000',
    )
  })
})

describe('bindingLines', () => {
  test('default', () => {
    for (const hostname of ['127.0.0.1', 'localhost', '::1']) {
      expect(bindingLines(hostname, false, plain)).toEqual([])
    }
  })

  test('warns of a wide binding', () => {
    expect(bindingLines('0.0.0.0', true, plain)).toEqual([
      'WARNING: Everyone who can reach 0.0.0.0 can use the unlocked accounts, and the tokens of the pages below cross the network unencrypted.',
      '',
    ])
  })

  test('says in a container how to be reached', () => {
    expect(bindingLines('127.0.0.1', true, plain)[0]).toContain('--hostname 0.0.0.0')
  })
})
