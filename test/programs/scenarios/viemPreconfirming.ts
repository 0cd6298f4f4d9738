import { defineChain } from 'viem'
import { hardhat } from 'viem/chains'
import { deployWithViem } from './deployWithViem.ts'

await deployWithViem(defineChain({ ...hardhat, experimental_preconfirmationTime: 200 }))
