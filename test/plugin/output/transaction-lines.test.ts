import { expect, test } from 'vitest'
import type { Paint } from '../../../plugin/output/lines.ts'
import { transactionLines } from '../../../plugin/output/text-log.ts'
import { repeated, tickReverted, tickTransfer } from '../sampleStatus.ts'

const plain: Paint = (_, text) => text
const marked: Paint = (style, text) => `<${style}>${text}</${style}>`
const names = {
  contract: 'Token',
  fullName: 'project/contracts/Token.sol:Token',
  function: 'transfer(address,uint256)',
  error: undefined,
  errorText: undefined,
}
const unknown = { names, frames: [], printed: undefined }

test('default: a transfer', () => {
  expect(
    `\n${transactionLines(tickTransfer, { ...unknown, names: undefined }, plain).join('\n')}`,
  ).toMatchInlineSnapshot(`
      "
        Transaction:         0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
        From:                0x1111111111111111111111111111111111111111
        To:                  0x2222222222222222222222222222222222222222
        Value:               1.5 ETH
        Gas used:            21,000 of 30,000
      "
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
        Contract call:       Token.transfer
        Transaction:         0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
        From:                0x1111111111111111111111111111111111111111
        To:                  0x2222222222222222222222222222222222222222
        Value:               1.5 ETH
        Gas used:            1,250,000 of 2,000,000
      <red>  Error:               execution reverted: no</red>

        console.log:
          balance is 5
          two
          lines
      "
    `)
})

test('a failure with its place in Solidity', () => {
  const known = {
    names: { ...names, error: 'TooMuch(uint256,uint256)', errorText: 'TooMuch(5, 0)' },
    frames: [
      'Vault._take (contracts/Vault.sol:20)',
      'Vault.withdraw (contracts/Vault\u001b.sol:12)',
    ],
    printed: undefined,
  }
  expect(transactionLines(tickReverted, known, plain).slice(-4)).toEqual([
    '  Error:               execution reverted: no: TooMuch(5, 0)',
    '                         at Vault._take (contracts/Vault.sol:20)',
    String.raw`                         at Vault.withdraw (contracts/Vault\x1b.sol:12)`,
    '',
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
        Contract deployment: Token
        Contract address:    0x3333333333333333333333333333333333333333
        Transaction:         0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
        From:                0x1111111111111111111111111111111111111111
        Value:               0 ETH
        Gas used:            21,000 of 30,000
      "
    `)
})
