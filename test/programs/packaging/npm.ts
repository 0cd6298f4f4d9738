// Installs the packed package with npm, and uses it.
import { install } from './install.ts'

install({ add: ['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline'] })
