#!/usr/bin/env node
import { tooOldNode } from '../node-version.ts'

const problem = tooOldNode('pending-node')
if (problem !== undefined) {
  console.error(problem)
  process.exitCode = 1
} else {
  // Imported only now: an older Node.js cannot load it.
  const { runCli } = await import('./cli.ts')
  process.exitCode = await runCli(process.argv.slice(2))
}
