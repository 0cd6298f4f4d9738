// Writes what follows from the code: the table of the methods' files, and tables of the documents
// (test/docs/generated.ts). A test says if that was forgotten.
import { writeFileSync } from 'node:fs'
import { generated } from '../test/docs/generated.ts'

for (const { path, text } of generated()) {
  writeFileSync(new URL(`../${path}`, import.meta.url), text)
}
