#!/usr/bin/env node
// This check comes before all imports, because an older Node.js cannot load the rest.
const OLDEST = [22, 13] as const

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  console.error(
    `pending-node needs Node.js ${OLDEST.join('.')} or newer; this is ${process.versions.node}.`,
  )
  process.exitCode = 1
} else {
  const { runCli } = await import('./cli.ts')
  process.exitCode = await runCli(process.argv.slice(2))
}
