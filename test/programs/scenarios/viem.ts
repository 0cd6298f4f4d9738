import { hardhat } from 'viem/chains'
import { deployWithViem } from './deployWithViem.ts'

await deployWithViem(hardhat)
