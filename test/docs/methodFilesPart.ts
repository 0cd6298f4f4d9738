import { readdirSync } from 'node:fs'

/** Biome breaks lines that are longer. */
const MAX_COLUMNS = 100

/** The table of the methods' files. Loads none of them, so that it can be written before they are. */
export function methodFilesPart(): { readonly path: string; readonly text: string } {
  const files = readdirSync(new URL('../../devnet/rpc/methods', import.meta.url))
  const entries = files
    .map((file) => file.slice(0, -3))
    .sort()
    .map((name) => {
      const load = `import('./methods/${name}.ts'),`
      const line = `  ${name}: () => ${load}`
      return line.length <= MAX_COLUMNS ? line : `  ${name}: () =>\n    ${load}`
    })
  const text = `// Written by \`npm run generate\`.
import type { MethodTable } from './method.ts'

/** Every method by the name of its file, which is loaded on first use. */
export const methodFiles: MethodTable = {
${entries.join('\n')}
}
`
  return { path: 'devnet/rpc/methodFiles.ts', text }
}
