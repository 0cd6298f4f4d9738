// Checks the packed file as publint and "Are the types wrong?" do, and its size.
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { PACKAGE_BUDGET } from '../../full/packageBudget.ts'

const [, , file = ''] = process.argv
const data = new Uint8Array(readFileSync(file))

const { messages, pkg } = await publint({ pack: { tarball: data.slice().buffer }, strict: true })
const checked = await checkPackage(createPackageFromTarballData(data))
// As with its profile "esm-only": Hardhat 3 has no CommonJS either.
const wrongTypes = (checked.types === false ? [{ kind: 'no types' }] : checked.problems).filter(
  (problem) =>
    !('resolutionKind' in problem) || !/^node(?:10|16-cjs)$/.test(String(problem.resolutionKind)),
)
const sizes = { packed: data.length, unpacked: gunzipSync(data).length }
const tooLarge = (['packed', 'unpacked'] as const).filter(
  (kind) => sizes[kind] > PACKAGE_BUDGET[kind],
)

const problems = [
  ...messages.map((message) => `publint: ${formatMessage(message, pkg)}`),
  ...wrongTypes.map((problem) => `attw: ${JSON.stringify(problem)}`),
  ...tooLarge.map((kind) => `${kind}: ${sizes[kind]} bytes of at most ${PACKAGE_BUDGET[kind]}`),
]
console.log(`${sizes.packed} bytes packed, ${sizes.unpacked} unpacked`)
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
