import { expect, test } from 'vitest'
import type { Paint } from '../../../plugin/output/paint.ts'
import { transactionLines } from '../../../plugin/output/transactionLines.ts'
import { repeated, tickReverted, tickTransfer } from '../sampleStatus.ts'

const plain: Paint = (_, text) => text
const marked: Paint = (style, text) => `<${style}>${text}</${style}>`
const names = { contract: 'Token', function: 'transfer(address,uint256)', error: undefined }

test('default: a transfer', () => {
  expect(`\n${transactionLines(tickTransfer, undefined, undefined, plain).join('\n')}`)
    .toMatchInlineSnapshot()
})

test('behavior: a call that prints and fails', () => {
  const printed = {
    transaction: tickReverted.hash,
    method: null,
    to: tickReverted.to,
    data: tickReverted.data,
    messages: ['balance is 5', 'two\nlines'],
    omitted: 0,
  }
  expect(`\n${transactionLines(tickReverted, names, printed, marked).join('\n')}`)
    .toMatchInlineSnapshot()
})

test('behavior: a deployment', () => {
  const deployment = {
    ...tickTransfer,
    to: null,
    value: 0n,
    data: '0x6080' as const,
    contractAddress: repeated('3', 40),
  }
  expect(`\n${transactionLines(deployment, names, undefined, plain).join('\n')}`)
    .toMatchInlineSnapshot()
})
