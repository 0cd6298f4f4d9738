// Deploys a proxy with OpenZeppelin Upgrades in a Hardhat project, upgrades it and uses it.
import { hardhatRun } from './support.ts'

hardhatRun('upgrades', 'scripts/upgrade.ts')
