import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** One statement of a declaration file. */
interface Statement {
  readonly name: string
  readonly text: string
}

interface DeclarationFile {
  readonly statements: readonly Statement[]
  /** Files of all whose exports this file exports. */
  readonly all: readonly string[]
  /** Exported names, each with the file that it comes from and its name there. */
  readonly named: ReadonlyMap<string, Origin>
  /** Names that the file takes from other files of the package. */
  readonly imported: ReadonlyMap<string, Origin>
}

interface Origin {
  readonly file: string
  readonly name: string
  /** Nothing of it is there at run time. */
  readonly isType: boolean
}

/** Parts of the tables that the report lists row by row. */
const TABLES =
  /\/options\/(?:optionTable|walletOptions|optionDefinition|options|profileTable)\.d\.ts$/

/** The declarations that the entries of a package export, and those that they are made of. */
export class Declarations {
  readonly #files = new Map<string, DeclarationFile>()

  /** @throws {Error} if the package is not built */
  constructor(entries: readonly string[]) {
    const missing = entries.find((file) => !existsSync(file))
    if (missing !== undefined)
      throw new Error(`${missing} is missing: run \`npm run build\` first.`)
  }

  /** The names that a file exports, sorted, each with its origin. */
  exportsOf(path: string): ReadonlyMap<string, Origin> {
    const { named, all } = this.#file(path)
    const found = new Map(named)
    // The compiler knows no `export *` without `type` in these files.
    for (const file of all) {
      for (const [name, origin] of this.exportsOf(file)) {
        if (name !== 'default' && !found.has(name)) found.set(name, { ...origin, isType: true })
      }
    }
    return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)))
  }

  /** Whether a file exports all types of another one. */
  includes(path: string, other: string): boolean {
    return this.#file(path).all.includes(other)
  }

  /** The text of what files export, and of all that this names, in the order of their names. */
  textsOf(entries: readonly string[]): string[] {
    const texts = new Set<string>()
    const seen = new Set<string>()
    const add = ({ file, name }: Pick<Origin, 'file' | 'name'>) => {
      if (seen.has(`${file} ${name}`) || TABLES.test(file)) return
      seen.add(`${file} ${name}`)
      const { statements, named, all, imported } = this.#file(file)
      const own = statements.filter((statement) => statement.name === name)
      const elsewhere = named.get(name) ?? imported.get(name)
      if (own.length === 0 && elsewhere !== undefined && elsewhere.file !== file) add(elsewhere)
      if (own.length === 0 && elsewhere === undefined) {
        for (const other of all) if (this.exportsOf(other).has(name)) add({ file: other, name })
      }
      for (const { text } of own) {
        texts.add(`${name}\t${text}`)
        const words = new Set(text.match(/\b[A-Za-z]\w*\b/g))
        const known = new Set([...statements.map((one) => one.name), ...imported.keys()])
        for (const word of words) {
          if (known.has(word)) add(imported.get(word) ?? { file, name: word })
        }
      }
    }
    for (const entry of entries) {
      for (const origin of this.exportsOf(entry).values()) add(origin)
      for (const file of [entry, ...this.#file(entry).all]) {
        // What it adds to the types of Hardhat and of vitest.
        const added = this.#file(file).statements.filter(({ name }) => name.includes(' '))
        for (const { name } of added) add({ file, name })
      }
    }
    return [...texts].sort().map((text) => text.slice(text.indexOf('\t') + 1))
  }

  #file(path: string): DeclarationFile {
    const known = this.#files.get(path)
    if (known !== undefined) return known
    const file = read(path)
    this.#files.set(path, file)
    return file
  }
}

function read(path: string): DeclarationFile {
  const statements: Statement[] = []
  const all: string[] = []
  const named = new Map<string, Origin>()
  const imported = new Map<string, Origin>()
  const fileOf = (name: string) => join(dirname(path), name.replace(/\.ts$/, '.d.ts'))
  for (const text of statementsOf(readFileSync(path, 'utf8'))) {
    const from = /from ['"](\.[^'"]+)['"];$/.exec(text)?.[1]
    if (/^(?:import|export (?:type )?(?:\*|\{))/.test(text)) {
      if (from === undefined) continue
      if (/^export (?:type )?\*/.test(text)) all.push(fileOf(from))
      const list = /\{([^}]*)\}/.exec(text)?.[1] ?? ''
      for (const part of list.split(',').filter((one) => one.trim() !== '')) {
        const [name = '', as = name] = part
          .replace(/\btype /, '')
          .trim()
          .split(/ as /)
        const target = text.startsWith('import') ? imported : named
        const isType = /^\w+ type /.test(text) || /\btype /.test(part)
        target.set(as, { file: fileOf(from), name, isType })
      }
      continue
    }
    const standard = /^export default (\w+);$/.exec(text)?.[1]
    if (standard !== undefined) named.set('default', { file: path, name: standard, isType: false })
    const name = nameOf(text)
    if (name === undefined) continue
    statements.push({
      name,
      text: text.replace(/^export (?:declare )?|^declare (?!module|global)/, ''),
    })
    const isType = /^export (?:interface|type) /.test(text)
    if (text.startsWith('export ')) named.set(name, { file: path, name, isType })
  }
  // `export { name }` of what was imported or declared above.
  const own = /^export (type )?\{([^}]*)\};$/gm
  for (const [, type, list = ''] of readFileSync(path, 'utf8').matchAll(own)) {
    for (const part of list.split(',').filter((one) => one.trim() !== '')) {
      const isType = type !== undefined || /\btype /.test(part)
      const name = part.replace(/\btype /, '').trim()
      named.set(name, { ...(imported.get(name) ?? { file: path, name }), isType })
    }
  }
  return { statements, all, named, imported }
}

/** The statements of a file without its comments. Compilers write each from the first column on. */
function statementsOf(text: string): string[] {
  const lines = text
    .replace(/^ *\/\*\*[\s\S]*?\*\/ ?/gm, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^ *(?:private |#|\/\/)/.test(line))
  const statements: string[][] = []
  for (const line of lines) {
    if (/^(?:import|export|declare|interface|type) /.test(line)) statements.push([line])
    else statements.at(-1)?.push(line)
  }
  return statements.map((part) => part.join('\n').replaceAll('    ', '  '))
}

function nameOf(text: string): string | undefined {
  const added = /^declare (module [^ ]+|global) \{/.exec(text)?.[1]
  if (added !== undefined) return `added to ${added}`
  return /^(?:export )?(?:declare )?(?:abstract )?(?:class|const|function|interface|type) (\w+)/.exec(
    text,
  )?.[1]
}
