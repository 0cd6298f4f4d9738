// Releases the package. `npm run release -- --dry-run` builds, packs and checks it, and shows what would
// be published; it needs no credentials. The workflow "Release" runs that for a tag, and then, where
// no code of other packages runs, `node .ci/release.mjs --publish`, which publishes the packed file.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { distTag, obstacles } from './releaseRules.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const folder = join(root, 'release')
const read = (path) => readFileSync(join(root, path), 'utf8')

function run(command, ...args) {
  console.log(`> ${command} ${args.join(' ')}`)
  const shell = process.platform === 'win32' && command === 'npm'
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', shell })
  if (status !== 0) throw new Error(`${command} ${args[0]} failed.`)
}

function packedFile() {
  const [name, ...rest] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  if (name === undefined || rest.length > 0) throw new Error(`${folder} must hold one packed file.`)
  return join(folder, name)
}

function pack() {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  run('npm', 'run', 'build')
  run('npm', 'pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder)
  const rows = ['tarball', 'npm', 'pnpm', 'yarn', 'containers']
  run(process.execPath, 'test/programs/run.ts', '--package', packedFile(), ...rows)
}

const { values } = parseArgs({
  options: { 'dry-run': { type: 'boolean' }, publish: { type: 'boolean' } },
})
if (values['dry-run'] === values.publish) {
  throw new Error('Give --dry-run. Only the workflow "Release" gives --publish.')
}
const { version, repository } = JSON.parse(read('package.json'))
// In a container, the checkout is often another user's.
const status = ['-c', 'safe.directory=*', 'status', '--porcelain']
const git = spawnSync('git', status, { cwd: root, encoding: 'utf8' })
if (git.status !== 0) throw new Error(`git status failed: ${git.stderr}`)
const open = obstacles({
  version,
  repository: repository.url,
  readme: read('README.md'),
  changelog: read('CHANGELOG.md'),
  changesets: readdirSync(join(root, '.changeset')).filter((name) =>
    /^(?!README).*\.md$/.test(name),
  ),
  changed: git.stdout.split('\n').flatMap((line) => line.slice(3) || []),
  env: process.env,
})
// A tag that cannot be published fails before all else.
if (open.length > 0 && (values.publish || process.env.GITHUB_REF_TYPE === 'tag')) {
  throw new Error(`${version} cannot be published yet.\n${open.join('\n')}`)
}
if (values['dry-run']) pack()
const tag = distTag(version)
// npm refuses to move "latest" back to an older version only as long as no command line names it.
const tagged = tag === 'latest' ? [] : ['--tag', tag]
const mode = values.publish ? ['--provenance'] : ['--dry-run', '--loglevel=error']
run('npm', 'publish', packedFile(), '--ignore-scripts', '--access', 'public', ...tagged, ...mode)
console.log(`${values.publish ? 'Published' : 'Would publish'} ${version} as "${tag}".`)
for (const sentence of open) console.warn(`Before that: ${sentence}`)
