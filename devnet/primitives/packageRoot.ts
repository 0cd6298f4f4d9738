import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

/**
 * URL of the package's folder. Found by the package's own name, so that it is the same for the
 * sources and for what is built from them.
 */
export const packageRoot: URL = new URL(
  './',
  pathToFileURL(createRequire(import.meta.url).resolve('hardhat-pending-node/package.json')),
)
