import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { parseOptions } from '../../../devnet/options/options.ts'
import { optionFlag } from '../../../devnet/options/optionText.ts'
import { OptionError } from '../../../devnet/primitives/errors.ts'
import { ignoredFlags, refusedFlags } from '../../../plugin/bin/anvil-flags.ts'
import {
  controlDefinitions,
  nodeDefinitions,
  readCommandLine,
} from '../../../plugin/bin/command-line.ts'
import { CONTROL_COMMANDS, isCommand } from '../../../plugin/tasks/control-commands.ts'
import { acceptedFlags, sameFlags } from '../../docs/anvilFlagsMarkdown.ts'
import { anvilProgram } from '../../support/anvil.ts'

const program = 'npx pending-node'
const read = (...argv: string[]) => readCommandLine(argv, nodeDefinitions, { program })
const each = (table: object) => Object.keys(table).flatMap((flags) => flags.split(' '))

/** All flags of a help text, with their short forms and aliases. */
function flagsOf(help: string): string[] {
  const [, options = ''] = /\nOptions:\n(.*)/s.exec(help) ?? []
  const heads = [...options.matchAll(/^ {2,6}(-\w, )?(--[\w-]+)/gm)].flatMap(([, short, long]) => [
    ...(short === undefined ? [] : [short.slice(0, 2)]),
    long ?? '',
  ])
  const aliases = [...options.matchAll(/\[aliases: ([^\]]+)\]/g)].flatMap(([, names = '']) =>
    names.split(', '),
  )
  return [...heads, ...aliases]
}

const anvil = anvilProgram()

test.skipIf(anvil === undefined)('each flag of `anvil --help` is in one of three classes', () => {
  const { stdout } = spawnSync(anvil ?? '', ['--help'], { encoding: 'utf8' })
  const flags = flagsOf(stdout)
  expect(flags.length).toBeGreaterThan(90)
  expect([...each(sameFlags), ...acceptedFlags, ...each(refusedFlags)].sort()).toEqual(flags.sort())
})

test('a flag that is not sorted yet is seen', () => {
  const help =
    '\nOptions:\n  -z, --zeta <N>\n          A letter\n\n          [aliases: --last]\n\n      --omega\n'
  expect(flagsOf(help)).toEqual(['-z', '--zeta', '--omega', '--last'])
})

test('the same ones are options, or belong to the program', () => {
  const names = Object.keys(nodeDefinitions).map(optionFlag)
  const own = ['--help', '-h', '--version', '-v']
  expect(each(sameFlags).filter((flag) => !names.includes(flag) && !own.includes(flag))).toEqual([])
})

describe('without effect', () => {
  test.each(Object.entries(ignoredFlags))('%s', (name, reading) => {
    const given = [optionFlag(name), ...(reading === 'text' ? ['1'] : [])]
    const message = `${optionFlag(name)} has no effect here; --anvil accepts it.`
    expect(() => read(...given)).toThrow(new OptionError(message))
    expect(read(...given, '--anvil')).toMatchObject({ values: { anvil: true }, words: [] })
  })

  test('none is an option of a command to a running node', () => {
    const names = Object.keys(CONTROL_COMMANDS)
      .filter(isCommand)
      .flatMap((command) => Object.keys(controlDefinitions(command)))
    expect(names.filter((name) => Object.hasOwn(ignoredFlags, name))).toEqual([])
  })
})

describe('refused', () => {
  test.each(
    Object.entries(refusedFlags).flatMap(([flags, use]) =>
      flags.split(' ').map((flag) => [flag, use] as const),
    ),
  )('%s: use %s', (flag, use) => {
    const message = `${flag}, a flag of anvil, is not an option; use ${use}.`
    expect(() => read(flag, '1', '--anvil')).toThrow(new OptionError(message))
    // Flags that are named there exist.
    for (const [named] of use.matchAll(/--[a-z-]+/g)) {
      expect([...each(sameFlags), ...Object.keys(nodeDefinitions).map(optionFlag)]).toContain(named)
    }
  })

  test('not of a command to a running node', () => {
    const freeze = () =>
      readCommandLine(['--network'], controlDefinitions('freeze'), { program, command: 'freeze' })
    expect(freeze).toThrow('--network is not an option of freeze;')
  })
})

test('--block-time counts seconds', () => {
  const interval = (text: string) => parseOptions({ blockTime: text }).sealInterval
  expect([interval('2'), interval('0.5'), interval('1.1')]).toEqual([2_000, 500, 1_100])
  expect(() => interval('two')).toThrow('--seal-interval must be')
  expect(() => interval('0')).toThrow('--seal-interval must be')
  expect(() => parseOptions({ blockTime: '1', sealInterval: '1000' })).toThrow('given twice')
})
