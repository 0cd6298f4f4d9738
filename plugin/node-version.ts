/** The oldest Node.js that Hardhat 3, and so the plugin, runs on: major and minor. */
const OLDEST = [22, 13] as const

/**
 * A sentence for the user of a Node.js that is too old; `undefined` if it is not. Imports nothing,
 * because an older Node.js cannot load the rest.
 *
 * @param what - needs a newer one, e.g. `pending-node`
 */
export function tooOldNode(what: string, version = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return undefined
  return `${what} needs Node.js ${OLDEST.join('.')} or newer; this is ${version}. What npm installed under the old version does not run under the new one: delete node_modules and install again.`
}
