import { describe, expect, test } from 'vitest'
import { OptionError } from '../../../devnet/primitives/errors.ts'
import {
  controlDefinitions,
  nodeDefinitions,
  readCommandLine,
} from '../../../plugin/bin/command-line.ts'

const program = 'npx pending-node'
const read = (...argv: string[]) => readCommandLine(argv, nodeDefinitions, { program })
const nothing = { values: {}, words: [], help: false, version: false }

test('default', () => {
  expect(read()).toEqual(nothing)
})

test.each<[string[], Record<string, string | true>]>([
  [['--port', '0'], { port: '0' }],
  [['--port=0'], { port: '0' }],
  [['--frozen-ticks', '--tick-interval', '50'], { frozenTicks: true, tickInterval: '50' }],
  // Negative numbers and empty texts are for the check of the value to refuse.
  [['--tick-interval', '-1'], { tickInterval: '-1' }],
  [['--port='], { port: '' }],
  [['--mnemonic', 'two words'], { mnemonic: 'two words' }],
  [['--state=--odd'], { state: '--odd' }],
  [['--allow-host', 'a,b', '--allow-host', 'c'], { allowHost: 'a,b,c' }],
])('args: %j', (argv, values) => {
  expect(read(...argv)).toEqual({ ...nothing, values })
})

test.each<[string[], object]>([
  [['-h'], { help: true }],
  [['--help', '--version'], { help: true, version: true }],
  [['-v'], { version: true }],
  [['status', '--frozen', '1'], { values: { frozen: true }, words: ['status', '1'] }],
  [['--', '--frozen'], { words: ['--frozen'] }],
])('args: %j, besides options', (argv, expected) => {
  expect(read(...argv)).toEqual({ ...nothing, ...expected })
})

describe('one sentence for a mistake', () => {
  test.each([
    ['--prot 1', '--prot is not an option; did you mean --port?'],
    ['--tickInterval 1', '--tickInterval is not an option; did you mean --tick-interval?'],
    ['--no-frozen', '--no-frozen is not an option; did you mean --frozen?'],
    ['--halp', '--halp is not an option; did you mean --help?'],
    ['--colours', '--colours is not an option; "npx pending-node --help" lists all.'],
    ['--__proto__ 1', '--__proto__ is not an option; "npx pending-node --help" lists all.'],
    ['--constructor=1', '--constructor is not an option; "npx pending-node --help" lists all.'],
    ['-z 1', '-z is not an option; "npx pending-node --help" lists all.'],
    ['--port', '--port needs a value.'],
    ['--state --frozen', '--state needs a value.'],
    ['--frozen=true', '--frozen takes no value.'],
    ['--port 1 --port 2', '--port is given twice.'],
    ['--frozen --frozen', '--frozen is given twice.'],
  ])('args: %s', (argv, message) => {
    expect(() => read(...argv.split(' '))).toThrow(new OptionError(message))
  })

  test('args: a command', () => {
    const definitions = controlDefinitions('freeze')
    const control = (...argv: string[]) =>
      readCommandLine(argv, definitions, { program, command: 'freeze' })
    expect(control('--ticks', '--url', 'x').values).toEqual({ ticks: true, url: 'x' })
    expect(() => control('--port', '1')).toThrow(
      '--port is not an option of freeze; "npx pending-node freeze --help" lists all.',
    )
    expect(() => control('--tick')).toThrow(
      '--tick is not an option of freeze; did you mean --ticks?',
    )
  })
})
