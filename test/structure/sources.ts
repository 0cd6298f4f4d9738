import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** An import, or a re-export, of another file of the project. */
export interface Import {
  readonly from: string
  readonly to: string
  /** Whether it vanishes when the file is compiled. */
  readonly isType: boolean
}

/** A source file; paths are relative to the top of the project. */
export interface Source {
  readonly path: string
  readonly lines: readonly string[]
  readonly imports: readonly Import[]
}

/** Biome formats imports, so that a pattern finds them all. */
const IMPORT =
  /^(?:import|export) (type )?([^'"]*? from )?'(\.[^']+)'|\bimport\('(\.[^']+)'\)|new URL\('(\.[^']+\.ts)'/gm

function read(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8')
  const imports = [...text.matchAll(IMPORT)].map(
    ([, type, names = '', imported, loaded, worker]): Import => ({
      from: path,
      to: normalize(join(dirname(path), imported ?? loaded ?? worker ?? '')),
      isType: type !== undefined || isTypesOnly(names),
    }),
  )
  return { path, lines: text.split('\n'), imports }
}

/** `{ type A, type B } from` imports no value either. */
function isTypesOnly(names: string): boolean {
  const list = /^\{([^}]*)\} from $/s.exec(names)?.[1]
  return list?.split(',').every((name) => /^\s*(?:type .*)?$/s.test(name)) ?? false
}

/** All TypeScript files of `devnet/` and `plugin/`. */
export function readSources(): Source[] {
  return ['devnet', 'plugin'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => read(join(folder, path))),
  )
}
