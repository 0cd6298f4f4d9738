import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = new URL('../../', import.meta.url)
export const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
export const exists = (path: string) => existsSync(new URL(path, root))

/** Files that git has, or would have with the next commit, from the top. */
export function tracked(...patterns: string[]): string[] {
  // In a container, the checkout is often another user's.
  const args = ['-c', 'safe.directory=*', 'ls-files', '--cached', '--others', '--exclude-standard']
  const paths = execFileSync('git', [...args, '-z', '--', ...patterns], {
    cwd: fileURLToPath(root),
    encoding: 'utf8',
  })
  return [...new Set(paths.split('\0'))].filter((path) => path !== '' && exists(path)).sort()
}

/** All documents, from the top; the notes of the next version become CHANGELOG.md. */
export const documents = tracked('*.md').filter(
  (path) => !/^\.changeset\/(?!README\.md)/.test(path),
)

/** A document without its fenced code, in which nothing is a link or a heading. */
export function prose(text: string): string {
  return text.replace(/^( *)(`{3,}|~{3,})[^\n]*\n.*?^\1\2`*$/gms, '')
}

/** Targets of links and pictures, of HTML too; not what inline code quotes. */
export function linksOf(text: string): string[] {
  const plain = prose(text).replace(/(`+)(?!`).+?(?<!`)\1(?!`)/g, (code) =>
    code.replace(/\S/g, 'x'),
  )
  const forms = [
    /\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g,
    /^ *\[[^\]]+\]: *<?(\S+?)>?(?:\s|$)/gm,
    /<(?:a|img|source)\b[^>]*?\s(?:href|src|srcset)="([^"\s]+)/g,
  ]
  return forms.flatMap((form) => [...plain.matchAll(form)].map(([, target = '']) => target))
}

/** Whether a link leaves the repository. */
export const isElsewhere = (target: string) => /^(?:[a-z][a-z+.-]*:|\/\/)/i.test(target)
