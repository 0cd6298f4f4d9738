#!/usr/bin/env node
// Only this check comes before the rest is loaded, which an older Node.js could not even run.
const oldest = [22, 13] as const

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  console.error(
    `pending-node needs Node.js ${oldest.join('.')} or newer, and this is ${process.versions.node}.`,
  )
  process.exitCode = 1
} else {
  const { main } = await import('./main.ts')
  process.exitCode = await main(process.argv.slice(2))
}
