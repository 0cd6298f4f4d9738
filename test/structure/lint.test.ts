import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** What `npm run lint` says of a project that has the configuration of this one and one file. */
function lint(name: string, text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'lint-'))
  onTestFinished(() => rmSync(folder, { recursive: true, maxRetries: 3 }))
  for (const path of ['biome.json', '.gitignore']) cpSync(join(root, path), join(folder, path))
  writeFileSync(join(folder, name), text)
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [program = '', ...args]: string[] = scripts.lint.split(' ')
  const command = join(root, 'node_modules/.bin', program)
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  return { status, said: stripVTControlCharacters(stdout + stderr) }
}

test('lint shows each of many mistakes', () => {
  // The mistake is in the text that lint is given.
  const lines = Array.from({ length: 40 }, (_, index) => `export let value${index}: any\n`)
  const { status, said } = lint('mistakes.ts', lines.join(''))
  expect(status).toBe(1)
  expect(said.match(/mistakes\.ts:\d+:\d+ lint\/suspicious\/noExplicitAny/g)).toHaveLength(40)
})

test('a warning alone fails lint', () => {
  const { status, said } = lint('warned.css', '.a .b {\n  top: 0;\n}\n\n.b {\n  top: 0;\n}\n')
  expect(said).toMatch(/Found 1 warning/)
  expect(status).toBe(1)
})

test('what is right passes lint', () => {
  expect(lint('right.ts', 'export const value = 1\n')).toMatchObject({ status: 0 })
})
