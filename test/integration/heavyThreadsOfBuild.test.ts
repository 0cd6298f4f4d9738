import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('./heavyThreadsOfBuild.child.ts', import.meta.url))

test('default: a node of the build has threads for heavy calls, which let the process end', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script])
  expect(stdout).toBe(`0x${'2a'.padStart(64, '0')}\n`)
  expect(stderr).toBe('')
})
