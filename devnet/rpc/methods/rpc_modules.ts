import { defineMethod } from '../method.ts'

/** Listed here, because a method file must not import the method table, which loads that file. */
const NAMESPACES = [
  'anvil',
  'debug',
  'erigon',
  'eth',
  'evm',
  'hardhat',
  'net',
  'op',
  'ots',
  'personal',
  'preconf',
  'rpc',
  'tenderly',
  'testing',
  'txpool',
  'web3',
]

/** The namespaces of all methods, each with a version, as in geth. */
export default defineMethod({
  handle({ profile }) {
    const names = profile.realtimeSend ? [...NAMESPACES, 'realtime'].sort() : NAMESPACES
    return Object.fromEntries(names.map((name) => [name, '1.0']))
  },
})
