import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The packages whose types the declarations of the package name, each with a file that does. */
function packagesNamed(): Map<string, string> {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const found = new Map<string, string>()
  const files: string[] = Object.values<{ types?: string }>(exports).flatMap(({ types }) =>
    types === undefined ? [] : [join(root, types)],
  )
  expect(files).toHaveLength(8)
  // Grows while it is walked.
  for (const file of files) {
    const text = readFileSync(file, 'utf8')
    for (const [, name = ''] of text.matchAll(
      /(?:\bfrom |\bimport\(|^import )['"]([^'"\s]+)['"]/gm,
    )) {
      if (!name.startsWith('.')) {
        found.set(name.split('/')[0] ?? name, file)
        continue
      }
      const path = join(dirname(file), name.replace(/\.[jt]s$/, '.d.ts'))
      if (existsSync(path) && !files.includes(path)) files.push(path)
    }
  }
  expect(files.length).toBeGreaterThan(15)
  return found
}

test('the types of the package need no types but those of Node.js, Hardhat and vitest', () => {
  const names = [...packagesNamed().keys()].filter((name) => !name.startsWith('node:'))
  expect(names.toSorted()).toEqual(['hardhat', 'vitest'])
})
