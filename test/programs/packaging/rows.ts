/** Package managers, each with the Node.js versions that the package is installed on. */
export const managers = {
  npm: ['22', 'own', '26'],
  pnpm: ['22', 'own', '26'],
  yarn: ['22', 'own', '26'],
} as const

/**
 * Checks of the packed package, by the names of their files in this folder, each with the Node.js
 * versions that it is played on: `own` is the one that runs the tests, 24.
 */
export const packagings = {
  tarball: ['own'],
  ...managers,
  containers: ['own'],
} as const satisfies Readonly<Record<string, readonly string[]>>
