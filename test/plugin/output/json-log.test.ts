import { expect, test } from 'vitest'
import type { ConsoleLogEvent } from '../../../devnet/types.ts'
import { JsonLog } from '../../../plugin/output/json-log.ts'
import { tickReverted, tickTransfer } from '../sampleStatus.ts'

const names = {
  contract: 'Token',
  function: 'transfer(address,uint256)',
  error: 'No()',
  errorText: 'No()',
}

const jsonLog = (verbose = false) =>
  new JsonLog({ verbose, findNames: async ({ data }) => (data === '0x' ? undefined : names) })

const parsed = ({ lines }: { lines: readonly string[] }): unknown[] =>
  lines.map((line) => JSON.parse(line))

const printed: ConsoleLogEvent = {
  transaction: tickReverted.hash,
  method: null,
  to: tickReverted.to,
  data: tickReverted.data,
  messages: ['one\ntwo\u001b[2J\u009b', 'three'],
  omitted: 0,
}

test('default: a tick, behind what its transactions printed', async () => {
  const transactions = [tickTransfer, tickReverted]
  const entry = await jsonLog().tick(
    { block: 1, tick: 0, transactions, elapsed: 1 },
    new Map([[tickReverted.hash, printed]]),
  )
  const { data: _, ...transfer } = tickTransfer
  const { data: __, ...reverted } = tickReverted
  expect(parsed(entry)).toEqual([
    {
      event: 'consoleLog',
      transaction: tickReverted.hash,
      method: null,
      to: tickReverted.to,
      contract: 'Token',
      function: 'transfer(address,uint256)',
      messages: printed.messages,
      omitted: 0,
    },
    {
      event: 'tick',
      block: 1,
      tick: 0,
      transactions: [
        { ...transfer, value: String(transfer.value), contract: null, function: null },
        {
          ...reverted,
          value: String(reverted.value),
          contract: 'Token',
          function: 'transfer(address,uint256)',
          error: { message: 'execution reverted: no', data: '0x08c379a0', name: 'No()' },
        },
      ],
      elapsed: 1,
    },
  ])
  for (const line of entry.lines) expect(line).not.toMatch(/\p{Cc}/u)
})

test('parameters only with verbose, and never secret ones', async () => {
  const request = { method: 'eth_getBalance', params: ['0x12'], elapsed: 1, error: null }
  const fields = { event: 'request', method: 'eth_getBalance', contract: null, function: null }
  expect(parsed(await jsonLog().request(request))).toEqual([{ ...fields, elapsed: 1, error: null }])
  expect(parsed(await jsonLog(true).request(request))).toEqual([
    { ...fields, params: ['0x12'], elapsed: 1, error: null },
  ])
  const secret = { ...request, method: 'personal_unlockAccount', params: ['0x12', 'my password'] }
  const error = { code: -32602, message: 'invalid argument 1: "my password"' }
  const { lines } = await jsonLog(true).request({ ...secret, error })
  expect(lines.join()).not.toContain('my password')
  expect(lines.join()).toContain('invalid parameters')
})

test('megabytes are cut', async () => {
  const entry = await jsonLog(true).request({
    method: 'x'.repeat(1_000_000),
    params: ['y'.repeat(1_000_000)],
    elapsed: 1,
    error: { code: 3, message: 'z'.repeat(1_000_000), data: `0x${'00'.repeat(1_000_000)}` },
  })
  expect(entry.lines.join().length).toBeLessThan(8000)
  const long = { ...printed, messages: ['m'.repeat(1_000_000)] }
  expect((await jsonLog().consoleLog(long)).lines.join().length).toBeLessThan(20_000)
})

test('what needs no names is one line as it is', () => {
  const log = jsonLog()
  expect(parsed(log.plain('hint', { text: 'Read pending.' }))).toEqual([
    { event: 'hint', text: 'Read pending.' },
  ])
  expect(
    parsed(log.plain('walletRequest', { waiting: 1, page: 'http://127.0.0.1:8545/wallet/' })),
  ).toEqual([{ event: 'walletRequest', waiting: 1, page: 'http://127.0.0.1:8545/wallet/' }])
})
