import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('what is exported is used elsewhere', async () => {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const knip = ['node_modules/knip/bin/knip.js', '--no-progress', '--reporter', 'json']
  const run = promisify(execFile)(process.execPath, knip, { cwd: root })
  // It exits with 1 if it finds something.
  const { stdout } = await run.catch((error: { stdout: string }) => error)
  const { issues }: { issues: Record<string, { name: string }[] | string>[] } = JSON.parse(stdout)
  const unused = issues.flatMap(({ file, ...kinds }) =>
    Object.values(kinds).flatMap((list) =>
      Array.isArray(list) ? list.map(({ name }) => `${file}: ${name}`) : [],
    ),
  )
  expect(unused).toEqual([])
})
