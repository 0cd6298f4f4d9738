#!/usr/bin/env node
// The compiler from npm with the command line that forge expects.
import { readFileSync } from 'node:fs'
import solc from 'solc'

if (process.argv.includes('--version')) console.log(`Version: ${solc.version()}`)
else process.stdout.write(solc.compile(readFileSync(0, 'utf8')))
