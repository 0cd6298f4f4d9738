// Runs a deploy script of hardhat-deploy, which deploys, sends and reads.
import { hardhat } from './support.ts'

hardhat('deployment', 'deploy', '--skip-prompts', '--save-deployments', 'false')
