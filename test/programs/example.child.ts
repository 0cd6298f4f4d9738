// Runs the tests of an example, and checks its types. What it needs and the repository does not have is
// among the packages of this folder.
import { createExample } from '../examples/exampleProject.ts'

const [name = ''] = process.argv.slice(2)
// Hardhat and what belongs to it are the repository's own, so that there is one of each.
const sources = name === 'ponder-reorg' ? ['.', 'test/programs'] : ['test/programs']
using project = createExample(name, sources)
for (const script of ['test', 'types']) {
  await using run = project.start('npm', ['run', script])
  const { code, stdout, stderr } = await run.ended
  console.log(stdout + stderr)
  if (code !== 0) {
    process.exitCode = 1
    break
  }
}
