// Writes what follows from the code: the table of the methods' files, tables of the documents, and the
// report of what is stable, which reads the declarations of a build (test/docs/generated.ts). A test
// says if that was forgotten.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { methodFilesPart } from '../test/docs/methodFilesPart.ts'

const write = ({ path, text }) => writeFileSync(new URL(`../${path}`, import.meta.url), text)

try {
  // First, because the modules of all other parts load it.
  write(methodFilesPart())
  const build = fileURLToPath(new URL('build.mjs', import.meta.url))
  const { status } = spawnSync(process.execPath, [build], { stdio: 'inherit' })
  if (status !== 0) throw new Error('mend what the build says, then run it again')
  const { generated } = await import('../test/docs/generated.ts')
  for (const file of await generated()) write(file)
} catch (error) {
  // A plain Error is a refusal, which says what to do; any other is a fault, and shows its place.
  if (error.constructor !== Error) throw error
  console.error(`npm run generate: ${error.message}`)
  process.exitCode = 1
}
