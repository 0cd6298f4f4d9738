import { readdirSync, readFileSync } from 'node:fs'
import { packageRoot } from '../../devnet/primitives/packageRoot.ts'

/** Names of a page's scripts and style sheets, as the build has made them. */
interface PageParts {
  /** What is loaded with the page: its html names them, or one of them does. */
  readonly first: readonly string[]
  /** With what is loaded when it is needed. */
  readonly all: readonly string[]
}

export function pageParts(room: 'dashboard' | 'wallet'): PageParts {
  const first = new Set(namesIn(readPart(room, 'page.html'), /(?:href|src)="\/[a-z]+\/([\w.-]+)"/g))
  // Grows while it is walked.
  for (const name of first) {
    for (const other of namesIn(readPart(room, name), /\b(?:from|import)"\.\/([\w.-]+)"/g)) {
      first.add(other)
    }
  }
  const all = readdirSync(folderOf(room)).filter((name) => /-[A-Z0-9]{8}\.(?:js|css)$/.test(name))
  return { first: [...first], all }
}

export function readPart(room: 'dashboard' | 'wallet', name: string): string {
  return readFileSync(new URL(name, folderOf(room)), 'utf8')
}

function folderOf(room: string): URL {
  return new URL(`dist/devnet/${room}/browser/`, packageRoot)
}

function namesIn(text: string, form: RegExp): readonly string[] {
  return [...text.matchAll(form)].map(([, name = '']) => name)
}
