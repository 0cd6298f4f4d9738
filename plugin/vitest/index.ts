import { expect } from 'vitest'
import { matchers } from './matchers.ts'

export type { ExpectedEvent, NodeLike, WaitOptions } from '../assertions/index.ts'
export { createGlobalSetup, type GlobalSetupOptions } from './global-setup.ts'
export type * from './type-extensions.ts'

expect.extend(matchers)
