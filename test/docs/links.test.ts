import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const exists = (path: string) => existsSync(new URL(path, root))

/** Words that one page may have, so that it serves one subject and one kind of reader. */
const MAX_WORDS = 6000

/** Documents to which no page leads, and what shows them. */
const APART: Readonly<Record<string, string>> = {
  '.changeset/README.md': 'the folder of changes, to maintainers',
  '.github/pull_request_template.md': 'GitHub, in the form of a pull request',
}

/** Files that git has, or would have with the next commit, from the top. */
function tracked(...patterns: string[]): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z', '--', ...patterns]
  const paths = execFileSync('git', args, { cwd: fileURLToPath(root), encoding: 'utf8' })
  return [...new Set(paths.split('\0'))].filter((path) => path !== '' && exists(path)).sort()
}

const documents = tracked('*.md')

/** A document without its fenced code, in which nothing is a link or a heading. */
function prose(text: string): string {
  return text.replace(/^( *)(`{3,}|~{3,})[^\n]*\n.*?^\1\2`*$/gms, '')
}

/** Targets of links and pictures, of HTML too; not what inline code quotes. */
function linksOf(text: string): string[] {
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

/**
 * The anchors of a page by GitHub's rule: the rendered text of a heading in lower case, of which
 * letters, digits, `_` and `-` stay, with a hyphen for each space, and a number behind the second of
 * equal ones.
 */
function anchorsOf(text: string): Set<string> {
  const taken = new Map<string, number>()
  const headings = [...prose(text).matchAll(/^ {0,3}#{1,6} +(.+?)(?: +#+)? *$/gm)]
  const slugs = headings.map(([, heading = '']) => {
    const slug = heading
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\s-]/gu, '')
      .replaceAll(' ', '-')
    const count = taken.get(slug) ?? 0
    taken.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  })
  const named = [...text.matchAll(/<a\s+(?:id|name)="([^"]+)"/g)].map(([, name = '']) => name)
  return new Set([...slugs, ...named])
}

const isElsewhere = (target: string) => /^(?:[a-z][a-z+.-]*:|\/\/)/i.test(target)

/** Path from the top to which a link leads; `undefined` if it leaves the repository. */
function resolve(document: string, target: string): string | undefined {
  const [path = ''] = target.split(/[#?]/)
  if (path === '') return document
  const full = posix.normalize(posix.join(posix.dirname(document), decodeURI(path)))
  return full.startsWith('..') || path.startsWith('/') ? undefined : full.replace(/\/$/, '')
}

/** Reasons why links of a document lead nowhere. */
function lostLinks(document: string): string[] {
  return linksOf(read(document)).flatMap((target) => {
    if (isElsewhere(target)) return []
    const path = resolve(document, target)
    if (path === undefined || !exists(path)) return [`${target}: no such file`]
    const [, anchor] = target.split('#')
    if (anchor === undefined || !path.endsWith('.md')) return []
    return anchorsOf(read(path)).has(decodeURI(anchor)) ? [] : [`${target}: no such heading`]
  })
}

/** The document that a link opens: GitHub shows the README of a folder. */
function opened(path: string): string {
  return statSync(new URL(path, root)).isDirectory() ? `${path}/README.md` : path
}

test('anchors are those of GitHub', () => {
  const text = [
    '# `eth_simulateV1`',
    "## Reading one's own writes, and more",
    '## Gas ([EIP-2780](https://eips.ethereum.org/EIPS/eip-2780), 7976)',
    '```sh',
    '# no heading',
    '```',
    '## Twice',
    '### Twice ###',
  ].join('\n')
  expect([...anchorsOf(text)]).toEqual([
    'eth_simulatev1',
    'reading-ones-own-writes-and-more',
    'gas-eip-2780-7976',
    'twice',
    'twice-1',
  ])
})

test('links are found in every form, but not in code', () => {
  const text = [
    '[one](a.md#x) ![two](b.png "title") `[no](c.md)` [`three`](d.md) [four][ref]',
    '```md',
    '[no](e.md)',
    '```',
    '[ref]: f.md',
    '<a href="g.md">five</a> <img alt="six" src="h.svg">',
  ].join('\n')
  expect(linksOf(text)).toEqual(['a.md#x', 'b.png', 'd.md', 'f.md', 'g.md', 'h.svg'])
})

test('git tells of the documents', () => {
  expect(documents).toEqual(expect.arrayContaining(['README.md', 'devnet/README.md']))
  expect(documents.length).toBeGreaterThan(30)
})

test.each(documents)('the links of %s lead somewhere', (document) => {
  expect(lostLinks(document)).toEqual([])
})

test.each(documents)(`%s has at most ${MAX_WORDS} words`, (document) => {
  expect(read(document).split(/\s+/).length).toBeLessThanOrEqual(MAX_WORDS)
})

test('README.md leads to every page', () => {
  const seen = new Set(['README.md'])
  for (const document of seen) {
    for (const target of linksOf(read(document)).filter((link) => !isElsewhere(link))) {
      const path = resolve(document, target)
      const page = path === undefined || !exists(path) ? undefined : opened(path)
      if (page?.endsWith('.md') && exists(page)) seen.add(page)
    }
  }
  // Changes of the next version come and go.
  const isChange = (document: string) => /^\.changeset\/(?!README)/.test(document)
  const left = documents.filter((document) => !seen.has(document) && !isChange(document))
  expect(left).toEqual(Object.keys(APART))
})

test('the documents and headings that programs and forms name are there', () => {
  const sources = tracked('plugin/*.ts', 'devnet/*.ts', '.github/*.yml', '.ci/*', 'test/*.ts')
  const named = sources
    .filter((path) => path !== 'test/docs/links.test.ts')
    .flatMap((path) =>
      [
        ...read(path).matchAll(/(?:"([^"\n]+)" in )?\b((?:plugin|devnet|examples)\/[\w./-]+\.md)/g),
      ].map(([words, heading, document = '']) => ({ path, words, heading, document })),
    )
  const lost = named.filter(({ heading, document }) => {
    if (!exists(document)) return true
    return heading !== undefined && !read(document).includes(`\n## ${heading}\n`)
  })
  expect(named.length).toBeGreaterThan(3)
  expect(lost).toEqual([])
})
