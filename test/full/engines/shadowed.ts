import { afterAll, afterEach } from 'vitest'
import { resolveOptions } from '../../../devnet/options/options.ts'
import { optionTable } from '../../../devnet/options/optionTable.ts'
import { EngineShadow } from '../../support/engineShadow.ts'

// What runs on other threads nobody could compare.
Object.assign(optionTable.workers, { default: 0 })

if (resolveOptions().workers !== 0) throw new Error('Heavy calls would leave this thread')

const shadow = EngineShadow.install()

afterEach(() => {
  const [first, ...others] = shadow.differences.splice(0)
  if (first === undefined) return
  throw new Error(others.length === 0 ? first : `${first}\nand ${others.length} more like this.`)
})

afterAll(() => {
  if (shadow.compared === 0) throw new Error('Nothing was executed, and so nothing was compared.')
})
