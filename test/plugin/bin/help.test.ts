import { describe, expect, test } from 'vitest'
import type { OptionDefinition } from '../../../devnet/options/optionDefinition.ts'
import { optionTable } from '../../../devnet/options/optionTable.ts'
import { optionFlag } from '../../../devnet/options/optionText.ts'
import { commandHelp, help } from '../../../plugin/bin/help.ts'
import { CONTROL_COMMANDS } from '../../../plugin/tasks/control-commands.ts'

const program = 'npx pending-node'
/** Without the line breaks that fit it to the terminal. */
const flat = (text: string) => text.replace(/\s+/g, ' ')

describe('help', () => {
  const options: [string, OptionDefinition][] = Object.entries(optionTable)

  test.each(options)('describes %s', (name, { alias, description, type }) => {
    const second = alias === undefined ? '' : `, ${optionFlag(alias)}`
    const value = `${second}${type === 'flag' ? '' : ` <${type}>`}`
    expect(flat(help(program))).toContain(`${optionFlag(name)}${value} ${description.slice(0, -1)}`)
  })

  test('names defaults as they can be typed', () => {
    const text = flat(help(program))
    expect(text).toContain('as in anvil (default: 2000, or that of the profile).')
    expect(text).toContain('for scripts.')
    expect(text).not.toMatch(/default: (?:undefined|true|false)/)
  })

  test('fits into 100 columns', () => {
    const widest = Math.max(
      ...help(program)
        .split('\n')
        .map((line) => line.length),
    )
    expect(widest).toBeLessThanOrEqual(100)
    expect(widest).toBeGreaterThan(80)
  })
})

test('commandHelp', () => {
  expect(commandHelp(program, 'freeze')).toMatchInlineSnapshot(`
    "Usage: npx pending-node freeze [options]

    Stop sealing: transactions are pre-confirmed and stay unsealed.

    Options
      --ticks                     Stop the ticks too.
      --url <address>             Address of the node (default: http://127.0.0.1:8545).
      --json                      Print the result as JSON, for scripts.
      -h, --help                  Print this."
  `)
  for (const [name, { description }] of Object.entries(CONTROL_COMMANDS)) {
    expect(help(program)).toContain(`  ${name.padEnd(28)}${description}.`)
  }
})
