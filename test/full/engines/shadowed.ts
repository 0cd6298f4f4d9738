import { afterAll, afterEach } from 'vitest'
import { EngineShadow } from '../../support/engineShadow.ts'

const shadow = EngineShadow.install()

afterEach(() => {
  const [first, ...others] = shadow.differences.splice(0)
  if (first === undefined) return
  throw new Error(others.length === 0 ? first : `${first}\nand ${others.length} more like this.`)
})

afterAll(() => {
  if (shadow.compared === 0) throw new Error('Nothing was executed, and so nothing was compared.')
})
