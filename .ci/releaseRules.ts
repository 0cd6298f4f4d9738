/** A checkout that may be released, and what runs the release. */
export interface Candidate {
  /** The version in package.json. */
  readonly version: string
  /** The address of the repository in package.json. */
  readonly repository: string
  readonly readme: string
  readonly changelog: string
  /** Files with changes that no version has yet. */
  readonly changesets: readonly string[]
  /** Paths that git names as changed. */
  readonly changed: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

/** The tag under which npm finds a version: `next` for a pre-release such as 0.2.0-next.1. */
export function distTag(version: string): 'latest' | 'next' {
  return version.includes('-') ? 'next' : 'latest'
}

/** The words of the README's line on the way to install it before there is a version on npm. */
export const UNPUBLISHED = 'not on npm yet'

/** Sentences on what must be done before a checkout is published; none if it can be. */
export function obstacles(candidate: Candidate): string[] {
  const { version, repository, readme, changelog, changesets, changed, env } = candidate
  const name = /github\.com\/(.+?)(?:\.git)?$/.exec(repository)?.[1] ?? repository
  return [
    ...(name.startsWith('OWNER/')
      ? ['package.json names OWNER: write the account on GitHub in repository, homepage and bugs.']
      : []),
    ...(readme.includes(UNPUBLISHED)
      ? [`README.md has a line "${UNPUBLISHED}": remove it, because npm shows that file.`]
      : []),
    ...(changelog.includes(`\n## ${version}\n`)
      ? []
      : [`CHANGELOG.md says nothing about ${version}: run npm run changeset version.`]),
    ...(changesets.length > 0 && distTag(version) === 'latest'
      ? [
          `.changeset has changes of no version (${changesets.join(', ')}): run npm run changeset version.`,
        ]
      : []),
    ...(changed.length > 0 ? [`Files are not committed: ${changed.join(', ')}.`] : []),
    ...(env.GITHUB_ACTIONS === 'true'
      ? []
      : [
          'Only the workflow "Release" publishes, because only there npm can attest the origin: push the tag.',
        ]),
    ...(env.GITHUB_ACTIONS === 'true' && env.GITHUB_REPOSITORY !== name
      ? [
          `${env.GITHUB_REPOSITORY} is not ${name}, which package.json names: forks publish nothing.`,
        ]
      : []),
    ...(env.GITHUB_ACTIONS === 'true' && env.GITHUB_REF !== `refs/tags/v${version}`
      ? [`${env.GITHUB_REF} is not the tag v${version} of the version in package.json.`]
      : []),
  ]
}
