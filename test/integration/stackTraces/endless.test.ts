import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { watched } from '../../plugin/hardhatProcess.ts'
import { createProject, type Project } from './project.ts'

const child = fileURLToPath(new URL('./endless.child.ts', import.meta.url))

let project: Project

beforeAll(async () => {
  project = await createProject()
}, 60_000)
afterAll(() => project[Symbol.dispose]())

interface Line {
  readonly family: string
  readonly way: string
  readonly outcome: string
}

const networks = ['pending', 'instant', 'http'].flatMap((network) =>
  [2, 4].map((verbosity) => [network, verbosity] as const),
)

test.each(networks)(
  'calls without end, on %s at verbosity %s',
  async (network, verbosity) => {
    const args = [child, project.folder, String(verbosity), network]
    await using run = watched(spawn(process.execPath, args))
    const { code, stdout, stderr } = await run.ended
    expect({ code, stderr }).toMatchObject({ code: 0 })
    const lines = stdout.split('\n').filter((line) => line.startsWith('{'))
    const { megabytes }: { megabytes: number } = JSON.parse(lines.pop() ?? '')
    const outcomes: Line[] = lines.map((line) => JSON.parse(line))
    expect(outcomes).toHaveLength(9 * 4)
    for (const { family, way, outcome } of outcomes) {
      const wanted = /succeeds/.test(family)
        ? /^success$/
        : /all gas/.test(family)
          ? /invalid/i
          : /reverted; no Solidity stack trace: /
      expect(outcome, `${family}, ${way}`).toMatch(wanted)
    }
    expect(megabytes).toBeLessThan(1500)
  },
  300_000,
)
