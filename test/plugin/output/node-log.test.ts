import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import type { ConsoleLogEvent, RequestEvent } from '../../../devnet/types.ts'
import type { FindNames, NameTexts } from '../../../plugin/artifacts/contract-names.ts'
import { LineWriter } from '../../../plugin/output/line-writer.ts'
import { type LogFormat, NodeLog } from '../../../plugin/output/node-log.ts'
import { fakeDevnet } from '../fakeDevnet.ts'
import { repeated, tickReverted, tickTransfer } from '../sampleStatus.ts'

const seal = {
  number: 1,
  hash: repeated('c', 64),
  timestamp: 1,
  transactions: 1,
  gasUsed: 1,
  baseFeePerGas: 1n,
  elapsed: 1,
}
const tick = { block: 1, tick: 0, transactions: [tickTransfer, tickReverted], elapsed: 1 }
const printed: ConsoleLogEvent = {
  transaction: tickReverted.hash,
  method: null,
  to: tickReverted.to,
  data: tickReverted.data,
  messages: ['hello'],
  omitted: 0,
}
const call = { ...printed, transaction: null, method: 'eth_call' }
const good: RequestEvent = { method: 'eth_chainId', params: [], elapsed: 1, error: null }
const bad = { ...good, method: 'no_such', error: { code: -32601, message: 'no' } }

/** One word for each event; a tick waits for a name of its first call. */
const words = (findNames: FindNames): LogFormat => ({
  async tick({ transactions: [, second] }, prints) {
    const names = second && (await findNames(second))
    return { lines: [`tick ${names?.contract} ${[...prints.values()].map((one) => one.messages)}`] }
  },
  seal: () => ({ lines: ['seal'] }),
  plain: (name, event) => ({ lines: [`${name} ${Object.values(event)[0]}`] }),
  consoleLog: async ({ method }) => ({ lines: [`console.log ${method}`] }),
  request: async ({ method }) => ({ lines: [`request ${method}`], key: `${method}` }),
})

function openLog(
  parameters: { verbose?: boolean; findNames?: FindNames; stamp?: () => string } = {},
) {
  const devnet = fakeDevnet()
  const stdout = new PassThrough()
  let text = ''
  stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  const log = new NodeLog({
    devnet,
    writer: new LineWriter(stdout, (count) => `${count} left out`),
    format: words,
    findNames: parameters.findNames ?? (async () => named('Token')),
    findFrames: async () => [],
    verbose: parameters.verbose ?? false,
    stamp: parameters.stamp ?? (() => ''),
    columns: () => undefined,
  })
  /** What was printed so far. */
  const lines = () => text.split('\n').slice(0, -1)
  const printedAre = (expected: readonly string[]) =>
    vi.waitFor(() => expect(lines()).toEqual(expected))
  /** Closes the log; answers all that was printed. */
  const close = async () => {
    await log.close()
    await setImmediate()
    return lines()
  }
  return { ...devnet, printedAre, close }
}

const named = (contract: string): NameTexts => ({
  contract,
  function: undefined,
  error: undefined,
  errorText: undefined,
})

test('default: in the order of the events, though names come late', async () => {
  const { emit, printedAre, close } = openLog({
    async findNames() {
      await setImmediate()
      return named('Token')
    },
  })
  emit('consoleLog', printed)
  emit('tick', tick)
  emit('seal', seal)
  emit('request', good)
  emit('request', bad)
  emit('consoleLog', call)
  await printedAre(['tick Token hello', 'seal', 'request no_such', 'console.log eth_call'])
  await close()
})

test('nothing is made while the event is told', async () => {
  let asked = 0
  const { emit, close } = openLog({
    findNames: async () => {
      asked++
      return undefined
    },
  })
  emit('tick', tick)
  expect(asked).toBe(0)
  await vi.waitFor(() => expect(asked).toBe(1))
  await close()
})

test('args: verbose', async () => {
  const { emit, close } = openLog({ verbose: true })
  emit('request', good)
  emit('request', good)
  emit('request', bad)
  expect(await close()).toEqual([
    'request eth_chainId',
    '                           … and 1 more of these',
    'request no_such',
  ])
})

test('what transactions printed goes with their tick only', async () => {
  const { emit, printedAre, close } = openLog()
  emit('consoleLog', printed)
  emit('tick', tick)
  emit('tick', tick)
  await printedAre(['tick Token hello', 'tick Token '])
  await close()
})

test('while the log is off, console.log alone goes on', async () => {
  const { emit, close } = openLog({ verbose: true })
  emit('logging', { enabled: false })
  emit('consoleLog', printed)
  emit('tick', tick)
  emit('seal', seal)
  emit('request', bad)
  emit('consoleLog', call)
  emit('logging', { enabled: true })
  emit('seal', seal)
  expect(await close()).toEqual(['console.log null', 'console.log eth_call', 'seal'])
})

test('closing does not wait for names that never come', async () => {
  let asked = 0
  const { emit, close } = openLog({
    findNames: () => {
      asked++
      return new Promise(() => undefined)
    },
  })
  emit('tick', tick)
  emit('seal', seal)
  await vi.waitFor(() => expect(asked).toBe(1))
  const lines = await close()
  expect(lines).toEqual(['tick undefined ', 'seal'])
  emit('seal', seal)
  expect(await close()).toEqual(lines)
})

test('a defect in one line is reported, and the next ones are printed', async () => {
  const report = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const defect = new Error('no names today')
  const { emit, close } = openLog({ findNames: () => Promise.reject(defect) })
  emit('tick', tick)
  emit('seal', seal)
  await vi.waitFor(() =>
    expect(report).toHaveBeenCalledWith(expect.stringContaining('Error: no names today\n')),
  )
  expect(await close()).toEqual(['seal'])
  report.mockRestore()
})

test('events that come faster than they are printed are counted', async () => {
  const { emit, close } = openLog()
  for (let count = 0; count < 10_003; count++) emit('seal', seal)
  const lines = await close()
  expect(lines.filter((line) => line === 'seal')).toHaveLength(10_000)
  expect(lines).toContain('3 left out')
})

test('a line begins with the time of its event, however late its names come', async () => {
  let now = 1
  const { emit, close } = openLog({
    stamp: () => `${now} `,
    async findNames() {
      await setImmediate()
      return named('Token')
    },
  })
  emit('tick', tick)
  now = 2
  emit('seal', seal)
  expect(await close()).toEqual(['1 tick Token ', '2 seal'])
})
