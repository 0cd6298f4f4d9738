import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { root } from '../project.ts'
import type { Measurement, Scenario } from '../scenario.ts'

const run = promisify(execFile)
const hardhat = join(root, 'node_modules/hardhat/dist/src/cli.js')
const plugin = pathToFileURL(join(root, 'dist/plugin/index.js')).href

const withPlugin = 'with the plugin'
const without = 'without the plugin'

/** A task that does nothing, so that all that is measured is the start. */
const config = (imports: string, plugins: string) => `${imports}
import { task } from 'hardhat/config'
export default {
  plugins: [${plugins}],
  tasks: [task('nothing', 'Does nothing').setInlineAction(() => {}).build()],
}
`

let rounds = 0

/** What a project pays for listing the plugin, at each start of Hardhat that does not use it. */
export const pluginStart: Scenario = {
  name: 'pluginStart',
  about:
    'a task of Hardhat that does nothing, in a project that lists the plugin and in one that does not',
  peers: ['ours'],
  rounds: 20,
  async measure() {
    const folder = mkdtempSync(join(tmpdir(), 'pending-node-bench-'))
    try {
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
      writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
      const configs: Readonly<Record<string, string>> = {
        [withPlugin]: config(`import plugin from ${JSON.stringify(plugin)}`, 'plugin'),
        [without]: config('', ''),
      }
      const times = new Map<string, number>()
      // In turn the one and the other first, so that neither always finds the caches warm.
      const order = rounds++ % 2 === 0 ? [withPlugin, without] : [without, withPlugin]
      for (const metric of order) {
        writeFileSync(join(folder, 'hardhat.config.js'), configs[metric] ?? '')
        times.set(metric, await timeOf(folder))
      }
      const [listed = 0, plain = 0] = [times.get(withPlugin), times.get(without)]
      return [
        milliseconds(withPlugin, listed),
        milliseconds(without, plain),
        { metric: 'with / without', unit: '×', better: 'lower', value: listed / plain },
      ]
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

async function timeOf(cwd: string): Promise<number> {
  const begin = performance.now()
  await run(process.execPath, [hardhat, 'nothing'], { cwd })
  return performance.now() - begin
}

function milliseconds(metric: string, value: number): Measurement {
  return { metric, unit: 'ms', better: 'lower', value }
}
