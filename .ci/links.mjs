// Asks for every address outside of the repository that the documents link to, one after the other,
// and fails if one leads nowhere. test/docs/links.test.ts checks the links inside.
import { outsideLinks, problemOf } from '../test/docs/outsideLinks.ts'

for (const [address, documents] of outsideLinks()) {
  // A server may have a bad moment.
  const problem = (await problemOf(address)) && (await problemOf(address))
  if (problem === undefined) continue
  console.error(`${address} (${documents.join(', ')}): ${problem}`)
  process.exitCode = 1
}
