import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { SavedFile } from '../../../devnet/persistence/savedFile.ts'
import type { Order, Report } from './stepwise.ts'

/**
 * Saves what its parent sends to the file given, and asks before each call that it makes to the
 * system: from its start if there is a second argument, else while it saves.
 */
const [, , path = '', start] = process.argv
let isAsking = start !== undefined
let answered = Promise.withResolvers<string>()
/** The steps so far: one that begins while another waits for its answer waits for its turn. */
let steps: Promise<unknown> = Promise.resolve()

function report(what: Report): void {
  process.send?.(what)
}

/** @throws an error as the system's if the parent wants one */
async function ask(step: string, ...args: readonly unknown[]): Promise<void> {
  if (!isAsking) return
  const paths = args.filter((arg) => typeof arg === 'string')
  const answer = steps.then(() => {
    answered = Promise.withResolvers()
    report({ step, paths })
    return answered.promise
  })
  steps = answer
  const code = await answer
  if (code === '') return
  throw Object.assign(new Error(`${code}: as the test wants it`), { code, syscall: step })
}

for (const name of ['copyFile', 'readlink', 'realpath', 'rename', 'rm', 'stat'] as const) {
  // The cast is safe: what comes is passed on as it came.
  const call = fs[name] as (...args: unknown[]) => Promise<unknown>
  Reflect.set(fs, name, async (...args: unknown[]) => {
    await ask(name, ...args)
    return await call(...args)
  })
}
const { open } = fs
fs.open = async (...args) => {
  await ask('open', ...args)
  const file = await open(...args)
  const { sync, writeFile } = file
  file.sync = async () => {
    await ask('sync')
    await sync.call(file)
  }
  file.writeFile = async (...content) => {
    await ask('write')
    await writeFile.apply(file, content)
  }
  return file
}
syncBuiltinESMExports()

async function* halves(text: string): AsyncGenerator<Uint8Array> {
  const half = Math.floor(text.length / 2)
  yield Buffer.from(text.slice(0, half))
  yield Buffer.from(text.slice(half))
}

process.on('disconnect', () => process.exit())
const opening = Promise.withResolvers<SavedFile>()
process.on('message', async (order: Order) => {
  if ('answer' in order) return answered.resolve(order.answer)
  const file = await opening.promise
  isAsking = true
  try {
    report({ saved: await file.save(halves(order.save)) })
  } catch (error) {
    report({ failed: String(error) })
  }
  isAsking = false
})
opening.resolve(await SavedFile.open(path))
isAsking = false
report({ opened: true })
