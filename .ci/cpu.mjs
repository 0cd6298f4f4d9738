// A set-up file of vitest for `npm run test:times`: notes what each test file takes in its worker,
// from here, before its imports, to the end of its last test.
import { afterAll } from 'vitest'

const wall = performance.now()
const cpu = process.cpuUsage()

// biome-ignore lint/correctness/noEmptyPattern: vitest wants a pattern before the file.
afterAll(({}, file) => {
  const { user, system } = process.cpuUsage(cpu)
  Object.assign(file.meta, { wall: performance.now() - wall, cpu: (user + system) / 1_000 })
})
