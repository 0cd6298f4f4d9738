import { defineMethod } from '../method.ts'

/** A list, because a method file cannot import the table that loads it. */
const NAMESPACES = [
  'anvil',
  'debug',
  'eth',
  'evm',
  'hardhat',
  'net',
  'op',
  'personal',
  'preconf',
  'rpc',
  'txpool',
  'web3',
]

/** The namespaces of all methods, each with a version, as in geth. */
export default defineMethod({
  handle: () => Object.fromEntries(NAMESPACES.map((name) => [name, '1.0'])),
})
