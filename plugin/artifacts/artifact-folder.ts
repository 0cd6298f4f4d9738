import { readdir, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import {
  parseForeignInPieces,
  readForeignFile,
  runPaced,
  TurnTime,
} from '../../devnet/pluginApi.ts'
import { type Artifact, beginsWith, readArtifact } from './artifact.ts'

/** Files of more bytes than this are not read. Artifacts are smaller: code has 24 kB at most. */
const MAX_FILE_SIZE = 16_777_216

/** Minimum ms between two scans, because each transaction to an unknown contract requests one. */
const SCAN_INTERVAL = 1000

interface Entry {
  readonly modified: number
  readonly artifact: Artifact | undefined
}

/** The artifacts of a project, read at the first `refresh` and again when they change. */
export class ArtifactFolder {
  readonly path: string
  readonly #now: () => number
  #entries: ReadonlyMap<string, Entry> = new Map()
  #scanned = Number.NEGATIVE_INFINITY
  #scanning: Promise<boolean> | undefined

  /** @param now - returns the time in ms. Default: since the process started */
  constructor(path: string, now: () => number = () => performance.now()) {
    this.path = path
    this.#now = now
  }

  deployedAs(code: Buffer): readonly Artifact[] {
    return this.#find(
      ({ deployed }) => deployed.bytes.length === code.length && beginsWith(code, deployed),
    )
  }

  /** The contracts that this code creates: a shorter code that fits is only its beginning. */
  createdBy(code: Buffer): readonly Artifact[] {
    const found = this.#find(({ creation }) => beginsWith(code, creation))
    const longest = found[0]?.creation.bytes.length
    return found.filter(({ creation }) => creation.bytes.length === longest)
  }

  all(): readonly Artifact[] {
    return this.#find(() => true)
  }

  /** The result of `look`, if need be after a refresh. */
  async search(look: () => readonly Artifact[]): Promise<readonly Artifact[]> {
    const found = look()
    return found.length > 0 || !(await this.refresh()) ? found : look()
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

  /** The artifacts that fit, those with the longest code first. */
  #find(fits: (artifact: Artifact) => boolean): Artifact[] {
    const found: Artifact[] = []
    for (const { artifact } of this.#entries.values()) {
      if (artifact !== undefined && fits(artifact)) found.push(artifact)
    }
    return found.sort((one, other) => other.creation.bytes.length - one.creation.bytes.length)
  }

  async #scan(): Promise<boolean> {
    const entries = new Map<string, Entry>()
    let isNew = false
    for (const path of await artifactPaths(this.path)) {
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

/** The JSON in a file of the compiler. */
export async function readSlowly(path: string, most: number): Promise<unknown> {
  const text = (await readForeignFile(path, most)).toString()
  return await runPaced(parseForeignInPieces(text), new TurnTime())
}
