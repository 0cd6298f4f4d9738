import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const MODULES = 'node_modules/.cache/anvil/node_modules/@foundry-rs'
const machine = process.arch === 'x64' ? 'amd64' : process.arch
const PROGRAM = `anvil-${process.platform}-${machine}/bin/anvil`

/** Fetches anvil in a folder of its own, with the shell script in the place of npm. */
function fetchAnvil(npm: string, environment: NodeJS.ProcessEnv) {
  const folder = mkdtempSync(join(tmpdir(), 'anvil-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  for (const file of ['.ci/anvil.mjs', 'test/support/anvil.ts']) {
    write(file, '')
    copyFileSync(join(root, file), join(folder, file))
  }
  write('package.json', '{"type":"module"}')
  write(`${MODULES}/anvil/package.json`, '{"name":"@foundry-rs/anvil","version":"0.0.0"}')
  write('bin/npm', `#!/bin/sh\ncd '${join(folder, MODULES)}'\n${npm}\n`)
  chmodSync(join(folder, 'bin/npm'), 0o755)
  const { status, stderr } = spawnSync(process.execPath, ['.ci/anvil.mjs'], {
    cwd: folder,
    encoding: 'utf8',
    env: {
      ...process.env,
      ...environment,
      PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
    },
  })
  return { status, stderr }
}

// A shell script is no program there.
describe.skipIf(process.platform === 'win32')('the fetch of anvil', () => {
  const installed = `mkdir -p ${dirname(PROGRAM)} && touch ${PROGRAM}`

  test.each([
    ['the program is left out', 'true', 'true', 1],
    ['npm fails', 'false', 'true', 1],
    ['npm installs it', installed, 'true', 0],
    ['the program is left out', 'true', '', 0],
    ['npm fails', 'false', '', 0],
  ])('%s (%s, CI=%s)', (_, npm, ci, status) => {
    const run = fetchAnvil(npm, { CI: ci })
    expect(run.status, run.stderr).toBe(status)
    if (npm === installed) expect(run.stderr).toBe('')
    else expect(run.stderr).toContain('@foundry-rs/anvil@1.7.1 could not be installed')
  })
})
