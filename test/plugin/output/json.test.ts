import { expect, test } from 'vitest'
import { jsonLine, readyFields } from '../../../plugin/output/json-log.ts'
import { fakeDevnet } from '../fakeDevnet.ts'
import { repeated } from '../sampleStatus.ts'

test('default', () => {
  expect(jsonLine('seal', { number: 1, baseFeePerGas: 2n ** 64n })).toBe(
    '{"event":"seal","number":1,"baseFeePerGas":"18446744073709551616"}',
  )
})

test('what the ready event tells', () => {
  expect(readyFields(fakeDevnet({ chainId: 5, frozen: true }))).toEqual({
    url: 'http://127.0.0.1:8545',
    flashblocks: 'ws://127.0.0.1:8545/flashblocks',
    chainId: 5,
    accounts: [
      { address: repeated('1', 40), privateKey: repeated('e', 64) },
      { address: repeated('2', 40), privateKey: repeated('f', 64) },
    ],
    clocks: { tickInterval: 200, sealInterval: 2000, frozen: true, frozenTicks: false },
    wallet: {
      url: 'http://127.0.0.1:8545/wallet',
      pageUrl: 'http://127.0.0.1:8545/wallet/#token',
    },
    dashboard: { pageUrl: 'http://127.0.0.1:8545/dashboard/#token=seen' },
  })
})

test('the token of the wallet is not told where it is to be quiet, nor a wallet that there is not', () => {
  expect(readyFields(fakeDevnet({ quiet: true }))).toMatchObject({
    wallet: { url: 'http://127.0.0.1:8545/wallet' },
  })
  expect(jsonLine('ready', readyFields(fakeDevnet({ quiet: true })))).not.toContain('token')
  expect(readyFields(fakeDevnet({ noWallet: true }))).toMatchObject({ wallet: null })
  expect(readyFields(fakeDevnet({ noDashboard: true }))).toMatchObject({ dashboard: null })
})

test('keys of a private mnemonic are not told', () => {
  const mnemonic = `${'abandon '.repeat(11)}about`
  expect(readyFields(fakeDevnet({ mnemonic }))).toMatchObject({
    accounts: [{ address: repeated('1', 40) }, { address: repeated('2', 40) }],
  })
  expect(jsonLine('ready', readyFields(fakeDevnet({ mnemonic })))).not.toContain('privateKey')
})
