import { createGlobalSetup } from './global-setup.ts'

/** The global set-up with its defaults, as `test.globalSetup` in vitest.config.ts names it. */
export default createGlobalSetup()
