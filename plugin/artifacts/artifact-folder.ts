import { readdir, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { ContractSource, Hex, KnownContract } from '../../devnet/index.ts'
import { type Artifact, beginsWith, codeBytes, readArtifact } from './artifact.ts'
import { BuildInfos, readSlowly } from './build-info.ts'

/** Files of more bytes than this are not read. Artifacts are smaller: code has 24 kB at most. */
const MAX_FILE_SIZE = 16_777_216

/** Minimum ms between two scans, because each transaction to an unknown contract requests one. */
const SCAN_INTERVAL = 1000

interface Entry {
  readonly modified: number
  readonly artifact: Artifact | undefined
}

/** The contracts of a project, read at the first look and again when they change. */
export class ArtifactFolder implements ContractSource {
  readonly folder: string
  readonly #now: () => number
  readonly #buildInfos: BuildInfos
  #entries: ReadonlyMap<string, Entry> = new Map()
  #scanned = Number.NEGATIVE_INFINITY
  #scanning: Promise<boolean> | undefined

  /** @param now - returns the time in ms. Default: since the process started */
  constructor(path: string, now: () => number = () => performance.now()) {
    this.folder = path
    this.#now = now
    this.#buildInfos = new BuildInfos(path)
  }

  async deployedAs(code: Hex): Promise<readonly KnownContract[]> {
    const bytes = codeBytes(code)
    return await this.#search(
      ({ deployed }) => deployed.bytes.length === bytes.length && beginsWith(bytes, deployed),
    )
  }

  async createdBy(code: Hex): Promise<readonly KnownContract[]> {
    const bytes = codeBytes(code)
    const found = await this.#search(({ creation }) => beginsWith(bytes, creation))
    // A shorter code that fits is only its beginning.
    return found.filter(({ initCodeLength }) => initCodeLength === found[0]?.initCodeLength)
  }

  async all(): Promise<readonly KnownContract[]> {
    await this.refresh()
    return this.#find(() => true)
  }

  /** The contracts that fit, if need be after a refresh. */
  async #search(fits: (artifact: Artifact) => boolean): Promise<readonly KnownContract[]> {
    const found = this.#find(fits)
    return found.length > 0 || !(await this.refresh()) ? found : this.#find(fits)
  }

  /** Reads new and changed files, at most once a second. @returns whether there were any */
  async refresh(): Promise<boolean> {
    if (this.#scanning !== undefined) return this.#scanning
    if (this.#now() - this.#scanned < SCAN_INTERVAL) return false
    this.#scanning = this.#scan()
    try {
      return await this.#scanning
    } finally {
      this.#scanning = undefined
      this.#scanned = this.#now()
    }
  }

  /** The contracts that fit, those with the longest code first. */
  #find(fits: (artifact: Artifact) => boolean): KnownContract[] {
    const found: KnownContract[] = []
    for (const { artifact } of this.#entries.values()) {
      if (artifact === undefined || !fits(artifact)) continue
      const { name, source, abi, creation } = artifact
      const compiled = () => this.#buildInfos.compiled(artifact)
      found.push({ name, source, abi, initCodeLength: creation.bytes.length, compiled })
    }
    return found.sort((one, other) => other.initCodeLength - one.initCodeLength)
  }

  async #scan(): Promise<boolean> {
    const entries = new Map<string, Entry>()
    let isNew = false
    for (const path of await artifactPaths(this.folder)) {
      // The compiler may remove the file after the folder was listed.
      const modified = (await stat(path).catch(() => undefined))?.mtimeMs
      if (modified === undefined) continue
      const known = this.#entries.get(path)
      if (known?.modified === modified) {
        entries.set(path, known)
        continue
      }
      isNew = true
      const reading = readSlowly(path, MAX_FILE_SIZE).then(readArtifact)
      // If it is half written, or not JSON, it is read again when it changes.
      entries.set(path, { modified, artifact: await reading.catch(() => undefined) })
    }
    this.#entries = entries
    return isNew
  }
}

/** Paths of the files that may be artifacts, sorted; empty if the folder does not exist. */
async function artifactPaths(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder, { recursive: true })
    return names
      .filter((name) => name.endsWith('.json') && !name.endsWith('.dbg.json'))
      .filter((name) => !name.startsWith(`build-info${sep}`))
      .sort()
      .map((name) => join(folder, name))
  } catch {
    // A project without compiled contracts has no such folder.
    return []
  }
}
