import { readFileSync } from 'node:fs'
import hardhatViem from '@nomicfoundation/hardhat-viem'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import { expect, test } from 'vitest'
import plugin from '../../../plugin/index.ts'

/** Examples in the documentation of `connection.pendingNode`, without the asterisks before each line. */
const examples = [
  ...readFileSync(new URL('../../../plugin/types.ts', import.meta.url), 'utf8').matchAll(
    /^ *\* @example\n((?: *\*(?: .*)?\n)+?) *\*(?:\/| @)/gm,
  ),
].map(([, lines = '']) => lines.replace(/^ *\* ?/gm, ''))

// The constructor of async functions has no name of its own.
const AsyncFunction: FunctionConstructor = Object.getPrototypeOf(async () => undefined).constructor

test('there are examples', () => {
  expect(examples.length).toBeGreaterThanOrEqual(4)
})

test.each(examples)('%s', async (example) => {
  const hre = await createHardhatRuntimeEnvironment({ plugins: [plugin, hardhatViem] })
  const printed: string[] = []
  const console = { log: (...values: unknown[]) => printed.push(values.join(' ')) }
  await new AsyncFunction('hre', 'console', example)(hre, console)
  // What an example prints stands behind it.
  const expected = [...example.matchAll(/^console\.log\(.*\) \/\/ (.+)$/gm)].map(([, text]) => text)
  expect(printed).toEqual(expected)
})
