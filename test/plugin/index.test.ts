import { execFileSync } from 'node:child_process'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import { expect, test } from 'vitest'
import type { OptionDefinition } from '../../devnet/options/optionDefinition.ts'
import { optionTable, secondSpellings } from '../../devnet/options/optionTable.ts'
import plugin from '../../plugin/index.ts'

const root = new URL('../..', import.meta.url)

test('default', async () => {
  const hre = await createHardhatRuntimeEnvironment({ plugins: [plugin] })
  const task = hre.tasks.getTask('pending-node')
  expect([...task.options.keys()].sort()).toEqual(
    [...Object.keys(optionTable), ...secondSpellings.keys()].sort(),
  )
  expect([...task.subtasks.keys()].sort()).toEqual([
    'advance',
    'conformance',
    'faults',
    'freeze',
    'report',
    'resume',
    'seal',
    'status',
  ])
})

test('the task gives no default in place of a secret of the environment', async () => {
  const hre = await createHardhatRuntimeEnvironment({ plugins: [plugin] })
  const { options } = hre.tasks.getTask('pending-node')
  for (const [name, definition] of Object.entries<OptionDefinition>(optionTable)) {
    if ('secret' in definition) expect(options.get(name)?.defaultValue, name).toBe(undefined)
  }
})

test('a start of Hardhat loads the description, and the handlers that run then', () => {
  // Written down by a load hook, in a process of its own because this one has loaded more.
  const script = `
    const { registerHooks } = await import('node:module')
    const loaded = []
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
    const { default: plugin } = await import('./plugin/index.ts')
    await plugin.hookHandlers.config()
    await plugin.hookHandlers.hre()
    console.log(JSON.stringify(loaded))`
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: root,
    encoding: 'utf8',
  })
  const urls: string[] = JSON.parse(output)
  const own = urls.filter((url) => url.startsWith(root.href) && !url.includes('/node_modules/'))
  const packages = urls.flatMap(
    (url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? [],
  )
  const paths = own.map((url) => url.slice(root.href.length))
  expect(paths.sort()).toEqual([
    ...['account', 'chain', 'clock', 'fork', 'limit', 'output', 'server', 'state'].map(
      (group) => `devnet/options/groups/${group}Options.ts`,
    ),
    'devnet/options/optionTable.ts',
    'devnet/primitives/timers.ts',
    'plugin/hooks/config.ts',
    'plugin/hooks/hre.ts',
    'plugin/index.ts',
    'plugin/network-config.ts',
    'plugin/tasks/control-commands.ts',
  ])
  expect(
    [...new Set(packages)].filter((name) => !/^(?:hardhat|@nomicfoundation\/hardhat-)/.test(name)),
  ).toEqual([])
})
