// Writes what follows from the code: the table of the methods' files, tables of the documents, and the
// report of what is stable, which reads the declarations of the last build (test/docs/generated.ts). A
// test says if that was forgotten.
import { writeFileSync } from 'node:fs'
import { generated } from '../test/docs/generated.ts'

for (const { path, text } of await generated()) {
  writeFileSync(new URL(`../${path}`, import.meta.url), text)
}
