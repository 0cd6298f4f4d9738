// Runs in a checkout after npm has changed node_modules, never for users of the package. It is not a
// `prepare` script, because npm would list the package among those with install scripts.
// npm leaves out optional packages whose "engines" exclude the Node.js that runs npm: under Node 20
// that is the native part of Hardhat's EDR, without which every Hardhat network fails (HHE27). So if
// it is missing, npm runs once more, this time under the Node.js that this project installs for
// itself.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const shell = process.platform === 'win32'

function npm(...args) {
  const { status } = spawnSync('npm', args, { stdio: 'inherit', shell })
  if (status !== 0) process.exit(status ?? 1)
}

function edrLoads() {
  try {
    require('@nomicfoundation/edr')
    return true
  } catch {
    return false
  }
}

if (!edrLoads()) npm('install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund')
npm('run', 'build')
