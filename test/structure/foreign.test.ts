import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Node } from 'typescript/unstable/ast'
import { isCallExpression, isIdentifier, isTemplateSpan } from 'typescript/unstable/ast/is'
import { API, type Type, TypeFlags } from 'typescript/unstable/sync'
import { expect, test } from 'vitest'
import { readSources } from './sources.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The one place that makes text of anything. */
const READER = 'devnet/primitives/errors.ts'

/** Files with a line that fits, but for the one reader. */
function filesWith(pattern: RegExp): string[] {
  return readSources()
    .filter(
      ({ path, lines }) =>
        path !== 'devnet/primitives/foreign.ts' && lines.some((line) => pattern.test(line)),
    )
    .map(({ path }) => path)
    .sort()
}

test('files of others are read by one reader', () => {
  expect(filesWith(/\b(?:readFile(?:Sync)?|createReadStream)\(/)).toEqual([
    // Parts of this package.
    'devnet/engine/core/coreModule.ts',
    // A stream of blocks may be larger than the memory; its size is looked at first.
    'devnet/persistence/import/blockFile.ts',
    'devnet/server/pageFile.ts',
    'devnet/server/pageHandlers.ts',
    // Looks at owner and mode of the file that it has opened.
    'devnet/server/projectToken.ts',
  ])
})

test('answers of others are read within a bound', () => {
  expect(filesWith(/\.(?:text|json|arrayBuffer|blob)\(\)|\.on\('data'/)).toEqual([
    // Requests, which it counts as they come.
    'devnet/server/httpEndpoint.ts',
    'devnet/server/socketConnection.ts',
    // In a page, which has no Buffer, and asks its own wallet.
    'devnet/wallet/provider/channel.ts',
  ])
})

test('no unknown value is asked for its text or number', () => {
  const api = new API({ cwd: root })
  try {
    const config = join(root, 'tsconfig.json')
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)
    if (project === undefined) throw new Error('tsconfig.json is no project.')
    const found: string[] = []
    let looked = 0
    for (const { path } of readSources()) {
      // Errors of its own, not of others.
      if (/^devnet\/(?:pages|engine|tracing|wallet\/provider)\//.test(path) || path === READER)
        continue
      const file = project.program.getSourceFile(join(root, path))
      if (file === undefined) continue
      const converted: Node[] = []
      const visit = (node: Node): void => {
        if (isTemplateSpan(node)) converted.push(node.expression)
        if (isCallExpression(node) && isIdentifier(node.expression)) {
          const [value] = node.arguments
          const isOne = /^(?:String|Number|BigInt)$/.test(node.expression.text)
          if (isOne && value !== undefined) converted.push(value)
        }
        node.forEachChild(visit)
      }
      file.forEachChild(visit)
      looked += converted.length
      const types = converted.length === 0 ? [] : project.checker.getTypeAtLocation(converted)
      types.forEach((type, index) => {
        const node = converted[index]
        if (type === undefined || node === undefined || !isUnknown(type, project.checker)) return
        const line = file.text.slice(0, node.end).split('\n').length
        found.push(`${path}:${line}: ${node.getText(file)}; use plainText() or reasonOf()`)
      })
    }
    expect(looked).toBeGreaterThan(1_000)
    expect(found).toEqual([])
  } finally {
    api.close()
  }
}, 60_000)

/** True for `unknown`, `any` and `{}`, and for unions with them. */
function isUnknown(type: Type, checker: { typeToString(type: Type): string }): boolean {
  if ((type.flags & (TypeFlags.Any | TypeFlags.Unknown)) !== 0) return true
  return /^\{\}(?: \| null)?$/.test(checker.typeToString(type))
}
