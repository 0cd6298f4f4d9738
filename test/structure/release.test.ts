import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Candidate, distTag, obstacles, UNPUBLISHED } from '../../.ci/releaseRules.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

/** A checkout that can be published. */
const ready: Candidate = {
  version: '0.2.0',
  repository: 'git+https://github.com/someone/hardhat-pending-node.git',
  readme: '# hardhat-pending-node\n',
  changelog: '# Changelog\n\n## 0.2.0\n\n- New.\n\n## 0.1.0\n',
  changesets: [],
  changed: [],
  env: {
    GITHUB_ACTIONS: 'true',
    GITHUB_REPOSITORY: 'someone/hardhat-pending-node',
    GITHUB_REF: 'refs/tags/v0.2.0',
  },
}

test('a version is published as latest, a pre-release as next', () => {
  expect(['0.1.0', '1.0.0', '1.0.0-next.3', '0.2.0-rc'].map(distTag)).toEqual([
    'latest',
    'latest',
    'next',
    'next',
  ])
})

test('a tag of a clean checkout is published', () => {
  expect(obstacles(ready)).toEqual([])
})

test.each<[string, Partial<Candidate>, RegExp]>([
  ['a placeholder', { repository: 'git+https://github.com/OWNER/x.git' }, /names OWNER/],
  ['a README of before', { readme: `0.1.0 is ${UNPUBLISHED}.` }, /README\.md has a line/],
  ['a version without words', { changelog: '# Changelog\n\n## 0.1.0\n' }, /nothing about 0\.2\.0/],
  ['a change of no version', { changesets: ['calm-cats.md'] }, /\(calm-cats\.md\)/],
  ['a change of no commit', { changed: ['README.md'] }, /not committed: README\.md/],
  ['another machine', { env: {} }, /Only the workflow "Release" publishes/],
  [
    'a fork',
    { env: { ...ready.env, GITHUB_REPOSITORY: 'fork/hardhat-pending-node' } },
    /forks publish nothing/,
  ],
  ['a branch', { env: { ...ready.env, GITHUB_REF: 'refs/heads/main' } }, /is not the tag v0\.2\.0/],
  ['another tag', { env: { ...ready.env, GITHUB_REF: 'refs/tags/v0.2.1' } }, /is not the tag/],
])('%s is not published', (_, change, sentence) => {
  const found = obstacles({ ...ready, ...change })
  expect(
    found.some((text) => sentence.test(text)),
    found.join('\n'),
  ).toBe(true)
})

test('a pre-release may leave changes to the version that it is before', () => {
  const version = '0.3.0-next.0'
  const env = { ...ready.env, GITHUB_REF: `refs/tags/v${version}` }
  const changelog = `# Changelog\n\n## ${version}\n`
  expect(obstacles({ ...ready, version, changelog, env, changesets: ['calm-cats.md'] })).toEqual([])
})

test('the first lines of the README say how to install it, and one line changes at publication', () => {
  const readme = read('README.md')
  const lines = readme.split('\n')
  const told = lines.flatMap((line, index) => (line.includes(UNPUBLISHED) ? [index] : []))
  expect(told.length).toBeLessThanOrEqual(1)
  for (const index of told) {
    expect(index).toBeLessThan(12)
    // What is left without the line is whole.
    expect([lines[index - 1], lines[index + 1]]).toEqual(['', ''])
  }
  expect(lines.slice(0, 14).join('\n')).toContain('npm install --save-dev hardhat-pending-node')
})

test("links and pictures work on npm's page, which makes addresses on GitHub of them", () => {
  const { repository, homepage, bugs } = JSON.parse(read('package.json'))
  // The only form by which npm knows where a relative link leads.
  const [, name] =
    /^git\+https:\/\/github\.com\/([\w-]+\/hardhat-pending-node)\.git$/.exec(repository.url) ?? []
  expect(name).toBeDefined()
  expect(homepage).toBe(`https://github.com/${name}#readme`)
  expect(bugs).toBe(`https://github.com/${name}/issues`)

  const readme = read('README.md')
  const pictures = [...readme.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path = '']) => path)
  expect(pictures.length).toBeGreaterThan(2)
  for (const path of pictures) {
    expect(path).toMatch(/^[\w/-]+\.(?:png|svg)$/)
    const start = readFileSync(new URL(path, root)).subarray(0, 8).toString('latin1')
    expect(start, path).toMatch(path.endsWith('.png') ? /^\x89PNG/ : /^<svg /)
  }
  // Links that are relative to the README's folder, and no HTML, whose addresses npm leaves as they are.
  const links = [...readme.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  expect(links.filter((link) => /^(?:\/|\.\.|http:)/.test(link))).toEqual([])
  expect(readme.replace(/```.*?```/gs, '')).not.toMatch(/<(?:img|a) /)
})
