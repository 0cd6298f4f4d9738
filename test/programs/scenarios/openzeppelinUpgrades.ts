// Deploys a proxy with OpenZeppelin Upgrades in a Hardhat project, upgrades it and uses it.
import { hardhat } from './support.ts'

hardhat('upgrades', 'run', 'scripts/upgrade.ts')
