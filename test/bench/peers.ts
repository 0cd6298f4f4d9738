import { createRequire } from 'node:module'
import { join } from 'node:path'
import { anvilProgram, anvilVersion } from '../support/anvil.ts'
import { BLOCK_GAS_LIMIT, plainProject, root } from './project.ts'
import type { Call } from './rpc.ts'

export type PeerName = 'ours' | 'anvil' | 'hardhat'

/** `running`: as a user starts it; `frozen`: transactions wait in "pending" until {@link Peer.seal}. */
export type Mode = 'running' | 'frozen'

/** A program to start. */
export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
}

/** One of the nodes that are compared. */
export interface Peer {
  readonly name: PeerName
  /** Its version, for the report. */
  readonly version: string
  /** Starts it on `port` of 127.0.0.1, without any wrapper, so that the process is the node. */
  command(port: number, mode: Mode): Command
  /** The same through npx, which the peer's users type. */
  npxCommand?(port: number): Command
  /** What the node must be told after its start in mode `frozen`. */
  readonly freeze: readonly Call[]
  /** Seals everything that waits. */
  readonly seal: Call
}

const require = createRequire(import.meta.url)

/** Hardhat's own program; the `hardhat` of node_modules/.bin is a link to it. */
const hardhat = join(root, 'node_modules/hardhat/dist/src/cli.js')

function versionOf(name: string): string {
  const { version }: { version: string } = require(`${name}/package.json`)
  return version
}

const ours: Peer = {
  name: 'ours',
  version: versionOf('hardhat-pending-node'),
  command(port, mode) {
    const { args, cwd } = pendingNode(port)
    const frozen = mode === 'frozen' ? ['--frozen'] : []
    return { file: process.execPath, args: [hardhat, ...args, ...frozen], cwd }
  },
  npxCommand(port) {
    const { args, cwd } = pendingNode(port)
    return { file: 'npx', args: ['hardhat', ...args], cwd }
  },
  freeze: [],
  seal: { method: 'preconf_seal' },
}

function pendingNode(port: number): Omit<Command, 'file'> {
  const limit = ['--gas-limit', String(BLOCK_GAS_LIMIT)]
  return { args: ['pending-node', '--port', String(port), '--quiet', ...limit], cwd: root }
}

const anvil: Peer = {
  name: 'anvil',
  version: anvilVersion() ?? 'missing',
  command(port, mode) {
    const file = anvilProgram()
    if (file === undefined) throw new Error('anvil is missing: run node .ci/anvil.mjs')
    const project = plainProject()
    const frozen = mode === 'frozen' ? ['--no-mining'] : []
    return {
      file,
      args: [
        ...['--port', String(port), '--accounts', '20', '--quiet'],
        ...['--gas-limit', String(BLOCK_GAS_LIMIT), '--cache-path', join(project, 'anvil')],
        ...frozen,
      ],
      cwd: project,
    }
  },
  freeze: [],
  seal: { method: 'evm_mine' },
}

const hardhatNode: Peer = {
  name: 'hardhat',
  version: versionOf('hardhat'),
  command(port) {
    return { file: process.execPath, args: [hardhat, ...nodeTask(port)], cwd: plainProject() }
  },
  npxCommand(port) {
    return { file: 'npx', args: ['hardhat', ...nodeTask(port)], cwd: plainProject() }
  },
  freeze: [
    { method: 'evm_setAutomine', params: [false] },
    { method: 'evm_setIntervalMining', params: [0] },
  ],
  seal: { method: 'evm_mine' },
}

function nodeTask(port: number): readonly string[] {
  return ['node', '--port', String(port), '--hostname', '127.0.0.1']
}

/** In the order of the report's columns. */
export const peers: readonly Peer[] = [ours, anvil, hardhatNode]
