import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

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

  test('has steps that run something, or an action of one major version, or of this repository', () => {
    for (const { run, uses } of steps) {
      if (uses === undefined) expect(run).toEqual(expect.any(String))
      else if (uses.startsWith('./'))
        expect(existsSync(new URL(`${uses}/action.yml`, root))).toBe(true)
      else expect(uses).toMatch(/^actions\/[a-z-]+@v\d+$/)
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
  expect(jobs?.deploy?.steps?.map(({ uses }) => uses)).toEqual(['actions/deploy-pages@v5'])
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

test('changesets are configured for a package that anybody can read', () => {
  expect(JSON.parse(read('.changeset/config.json'))).toMatchObject({
    access: 'public',
    baseBranch: 'main',
    commit: false,
  })
})
