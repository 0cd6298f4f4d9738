// Deploys a proxy, upgrades it and uses it.
import { upgrades } from '@openzeppelin/hardhat-upgrades'
import hre from 'hardhat'

const connection = await hre.network.create()
const { ethers } = connection
const api = await upgrades(hre, connection)
const box = await api.deployProxy(await ethers.getContractFactory('Box'), [42])
await box.waitForDeployment()
const address = await box.getAddress()
const upgraded = await api.upgradeProxy(address, await ethers.getContractFactory('BoxV2'))
await upgraded.waitForDeployment()
await (await upgraded.getFunction('increase')()).wait()
const value = String(await upgraded.getFunction('value')())
if (value !== '43') throw new Error(`wrong value: ${value}`)
