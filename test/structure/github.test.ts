import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { parse } from 'yaml'
import { read, root, tracked } from '../docs/documents.ts'

/** The files of a folder, by their paths from the root. */
function filesIn(folder: string): string[] {
  return readdirSync(new URL(`${folder}/`, root)).map((name) => `${folder}/${name}`)
}

interface Step {
  readonly run?: string
  readonly uses?: string
}

interface Job {
  readonly permissions?: unknown
  readonly if?: string
  readonly 'runs-on'?: string
  readonly 'timeout-minutes'?: number
  readonly steps?: readonly Step[]
  readonly strategy?: { readonly matrix?: Readonly<Record<string, readonly unknown[]>> }
}

interface Workflow {
  readonly on?: unknown
  readonly permissions?: unknown
  readonly jobs?: Readonly<Record<string, Job>>
}

const workflows = filesIn('.github/workflows').map((path): [string, Workflow] => [
  path,
  parse(read(path)),
])

describe.each(workflows)('%s', (_, workflow) => {
  const jobs = Object.values(workflow.jobs ?? {})
  const steps = jobs.flatMap((job) => job.steps ?? [])

  test('has a beginning, may only read, and ends', () => {
    expect(workflow.on).toBeDefined()
    expect(workflow.permissions).toEqual({ contents: 'read' })
    expect(jobs.length).toBeGreaterThan(0)
    for (const job of jobs) {
      expect(job['runs-on']).toEqual(expect.any(String))
      expect(job['timeout-minutes']).toEqual(expect.any(Number))
    }
  })

  test('has steps that run something, or an action of one version, or of this repository', () => {
    for (const { run, uses } of steps) {
      if (uses === undefined) expect(run).toEqual(expect.any(String))
      else if (uses.startsWith('./'))
        expect(existsSync(new URL(`${uses}/action.yml`, root))).toBe(true)
      else expect(uses).toMatch(/^actions\/[a-z-]+@(?:v\d+|[0-9a-f]{40})$/)
    }
  })

  test('runs files that are there', () => {
    const files = steps.flatMap(({ run }) => run?.match(/\.ci\/[\w.]+/g) ?? [])
    expect(files.filter((path) => !existsSync(new URL(path, root)))).toEqual([])
  })
})

test('every Node.js and system of the matrix is tested, and both ends of Hardhat', () => {
  const { jobs } = Object.fromEntries(workflows)['.github/workflows/ci.yml'] ?? {}
  expect(jobs?.test?.strategy?.matrix).toEqual({
    os: ['ubuntu-latest', 'macos-latest', 'windows-latest'],
    node: [22, 24, 26],
  })
  expect(jobs?.hardhats?.strategy?.matrix).toEqual({ hardhat: ['oldest', 'newest'] })
})

test('only the job that publishes may name itself to npm, of a tag, and it runs no code of others', () => {
  const jobs = workflows.flatMap(([, { jobs = {} }]) => Object.entries(jobs))
  const mighty = jobs.filter(([, { permissions }]) => permissions !== undefined)
  expect(mighty.map(([name]) => name)).toEqual(['publish', 'deploy'])
  const { publish: job = {} } = Object.fromEntries(mighty)
  expect(job.permissions).toEqual({ contents: 'read', 'id-token': 'write' })
  expect(job.if).toBe("github.ref_type == 'tag' && !github.event.repository.fork")
  const runs = (job.steps ?? []).flatMap(({ run }) => run ?? [])
  expect(runs).toEqual(['node .ci/release.mjs --publish'])
  const imported = ['.ci/release.mjs', '.ci/releaseRules.ts'].flatMap((path) =>
    [...read(path).matchAll(/ from '([^']+)'/g)].map(([, name = '']) => name),
  )
  expect(imported.filter((name) => !/^(?:node:|\.\/releaseRules\.ts$)/.test(name))).toEqual([])
})

test('the job that deploys the site may do only that, not in a fork, and runs no code', () => {
  const { jobs } = Object.fromEntries(workflows)['.github/workflows/site.yml'] ?? {}
  expect(jobs?.deploy?.permissions).toEqual({ pages: 'write', 'id-token': 'write' })
  expect(jobs?.deploy?.if).toBe('github.event.repository.fork == false')
  expect(jobs?.deploy?.steps).toHaveLength(1)
  expect(jobs?.deploy?.steps?.[0]?.uses).toMatch(/^actions\/deploy-pages@/)
})

test('a job that others take at its word runs no action of a tag, which can be moved', () => {
  const jobs = workflows.flatMap(([, { jobs = {} }]) => Object.values(jobs))
  const trusted = jobs.filter(({ permissions }) =>
    JSON.stringify(permissions)?.includes('id-token'),
  )
  expect(trusted).toHaveLength(2)
  const used = trusted.flatMap(({ steps = [] }) => steps.flatMap(({ uses }) => uses ?? []))
  for (const uses of used) expect(uses).toMatch(/@[0-9a-f]{40}$/)
})

test('workflows, actions, documents and examples name one major version of each action', () => {
  const used = tracked('*.yml', '*.md').flatMap((path) =>
    [...read(path).matchAll(/uses: (actions\/[^@]+)@(.+)/g)].map(([, name, version = '']) => {
      // The commit of a version has that in a comment.
      const [, major = version] = /^(?:[0-9a-f]{40} # )?(v\d+)(?:\.|$)/.exec(version) ?? []
      return { path, name, major }
    }),
  )
  const actions = [...Map.groupBy(used, ({ name }) => name).values()]
  expect(actions.length).toBeGreaterThan(5)
  expect(actions.filter((uses) => new Set(uses.map(({ major }) => major)).size > 1)).toEqual([])
})

test('a checkout of another user is read by tests and scripts, without any settings of git', () => {
  const mine = tracked('*.md')
  const home = mkdtempSync(join(tmpdir(), 'home-'))
  onTestFinished(() => rmSync(home, { recursive: true, maxRetries: 3 }))
  onTestFinished(() => void vi.unstubAllEnvs())
  // What git itself tests its question for the owner with.
  const foreign = { GIT_TEST_ASSUME_DIFFERENT_OWNER: '1', GIT_CONFIG_NOSYSTEM: '1', HOME: home }
  // A tag, before whose checks nothing else is done, and which only GitHub may publish.
  const tag = { GITHUB_ACTIONS: undefined, GITHUB_REF_TYPE: 'tag' }
  for (const [name, value] of Object.entries({ ...foreign, ...tag })) vi.stubEnv(name, value)
  const run = (program: string, ...args: string[]) =>
    spawnSync(program, args, { cwd: fileURLToPath(root), encoding: 'utf8' })

  expect(run('git', 'status').stderr).toContain('dubious ownership')
  expect(tracked('*.md')).toEqual(mine)
  const release = run(process.execPath, '.ci/release.mjs', '--dry-run')
  expect(release.stderr).toContain('cannot be published yet')
  const [, seed = ''] = /\$\((git .*?) 2>/.exec(read('.ci/run')) ?? []
  const [git = '', ...args] = seed.replaceAll("'", '').split(' ')
  expect(run(git, ...args).stdout).toMatch(/^\d+\n$/)
})

test('what scripts, workflows and documents for contributors run is a script of the package', () => {
  const { scripts }: { scripts: Readonly<Record<string, string>> } = JSON.parse(
    read('package.json'),
  )
  const texts = [
    ...workflows.map(([path]) => path),
    ...['.ci/run', '.changeset/README.md', '.github/pull_request_template.md'],
    'CONTRIBUTING.md',
  ].map(read)
  const named = texts.flatMap((text) =>
    [...text.matchAll(/\bnpm (?:run (?:--[\w-]+ )*([\w:]+)|(test)\b)/g)].map(
      ([, script, test]) => script ?? test ?? '',
    ),
  )
  expect(named.filter((name) => !(name in scripts))).toEqual([])
  expect(named).toEqual(expect.arrayContaining(['test', 'test:full', 'test:long', 'test:programs']))
})

describe.each(filesIn('.github/ISSUE_TEMPLATE').filter((path) => !path.endsWith('/config.yml')))(
  '%s',
  (path) => {
    interface Form {
      readonly name?: string
      readonly description?: string
      readonly labels?: readonly string[]
      readonly body?: readonly {
        readonly type: string
        readonly id?: string
        readonly attributes?: Readonly<Record<string, unknown>>
      }[]
    }
    const { name, description, labels, body = [] }: Form = parse(read(path))

    test('is a form with fields that have an id and a label each', () => {
      expect([name, description]).toEqual([expect.any(String), expect.any(String)])
      expect(labels).toHaveLength(1)
      const fields = body.filter(({ type }) => type !== 'markdown')
      expect(fields.length).toBeGreaterThan(0)
      for (const { type, id, attributes } of fields) {
        expect(['checkboxes', 'dropdown', 'input', 'textarea']).toContain(type)
        expect(id).toMatch(/^[a-z]+$/)
        expect(attributes?.label).toEqual(expect.any(String))
        if (type === 'dropdown') expect(attributes?.options).toEqual(expect.any(Array))
      }
      expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length)
    })
  },
)
