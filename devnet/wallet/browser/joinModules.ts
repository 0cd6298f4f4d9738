import { readFileSync } from 'node:fs'
import nodeModule from 'node:module'

const FOLDER = new URL('./client/', import.meta.url)
/** From the sources the types have to be stripped first; in the package the modules are compiled. */
const isSource = import.meta.url.endsWith('.ts')

/**
 * Joins modules of `client/` into one classic script, without a bundler: what they export becomes one scope, so that
 * no two may use a name twice (a test holds that), and each comes after those whose classes it needs.
 *
 * The browser's code is written as ordinary modules, which the compiler checks and builds like all others; so the same
 * lines of this function serve the sources, where tests run, and the package, where users do.
 *
 * @param names - without ending, e.g. `provider/install`
 * @param start - what is called at the end, with its argument
 */
export function joinModules(names: readonly string[], start: string): string {
  const parts = names.map((name) => withoutLinks(readModule(name)))
  return `;(() => {\n'use strict'\n${parts.join('\n')}\n${start}\n})()\n`
}

function readModule(name: string): string {
  if (!isSource) return readFileSync(new URL(`${name}.js`, FOLDER), 'utf8')
  const text = readFileSync(new URL(`${name}.ts`, FOLDER), 'utf8')
  return nodeModule.stripTypeScriptTypes(text)
}

/** Reads a file that is served as it is. */
export function readAsset(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8')
}

/** Drops imports, the word `export`, and what else has a meaning in a module alone. */
function withoutLinks(text: string): string {
  return text
    .replace(/^import\s[^;']*?'[^']+';?$/gm, '')
    .replace(/^export \{\s*\};?$/gm, '')
    .replace(/^export (?=(?:async function|function|class|const)\b)/gm, '')
    .replace(/^\/\/# sourceMappingURL=.*$/gm, '')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
