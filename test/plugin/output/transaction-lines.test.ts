import { expect, test } from 'vitest'
import type { Paint } from '../../../plugin/output/lines.ts'
import { transactionLines } from '../../../plugin/output/text-log.ts'
import { repeated, tickReverted, tickTransfer } from '../sampleStatus.ts'

const plain: Paint = (_, text) => text
const marked: Paint = (style, text) => `<${style}>${text}</${style}>`
const names = {
  contract: 'Token',
  function: 'transfer(address,uint256)',
  error: undefined,
  errorText: undefined,
}
const accounts = new Map([[repeated('1', 40), 'Account #0']])
const unknown = { names, accounts, columns: undefined, frames: [], printed: undefined }

test('default: a transfer', () => {
  expect(
    `\n${transactionLines(tickTransfer, { ...unknown, names: undefined }, plain).join('\n')}`,
  ).toMatchInlineSnapshot(`
    "
        0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
        from Account #0 to 0x222222…2222, 1.5 ETH, 21,000 of 30,000 gas"
  `)
})

test('a call that prints and fails', () => {
  const printed = {
    transaction: tickReverted.hash,
    method: null,
    to: tickReverted.to,
    data: tickReverted.data,
    messages: ['balance is 5', 'two\nlines'],
    omitted: 0,
  }
  expect(
    `\n${transactionLines(tickReverted, { ...unknown, printed }, marked).join('\n')}`,
  ).toMatchInlineSnapshot(`
    "
      Token.transfer
        0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
        from Account #0 to Token, 1.5 ETH, 1,250,000 of 2,000,000 gas
    <red>    Error: execution reverted: no</red>
        console.log:
          balance is 5
          two
          lines"
  `)
})

test('a failure with its place in Solidity', () => {
  const known = {
    names: { ...names, error: 'TooMuch(uint256,uint256)', errorText: 'TooMuch(5, 0)' },
    frames: [
      'Vault._take (contracts/Vault.sol:20)',
      'Vault.withdraw (contracts/Vault\u001b.sol:12)',
    ],
  }
  expect(transactionLines(tickReverted, { ...unknown, ...known }, plain).slice(-3)).toEqual([
    '    Error: execution reverted: no: TooMuch(5, 0)',
    '      at Vault._take (contracts/Vault.sol:20)',
    String.raw`      at Vault.withdraw (contracts/Vault\x1b.sol:12)`,
  ])
})

test('a deployment', () => {
  const deployment = {
    ...tickTransfer,
    to: null,
    value: 0n,
    data: '0x6080' as const,
    contractAddress: repeated('3', 40),
  }
  expect(`\n${transactionLines(deployment, unknown, plain).join('\n')}`).toMatchInlineSnapshot(`
    "
      new Token
        at 0x3333333333333333333333333333333333333333
        0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
        from Account #0, 21,000 of 30,000 gas"
  `)
})

test('a call has its arguments in one line, cut where a terminal would wrap it', () => {
  const known = { ...unknown, names: { ...names, arguments: 'to: Account #1, memo: "\u001b[2J"' } }
  const first = (columns?: number) =>
    transactionLines(tickReverted, { ...known, columns }, plain)[0]
  expect(first()).toBe('  Token.transfer(to: Account #1, memo: "\\x1b[2J")')
  expect(first(20)).toBe('  Token.transfer(to…')
})
