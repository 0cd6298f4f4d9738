import { readdir, readFile, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type Artifact, beginsWith, readArtifact } from './artifact.ts'

/** A larger file is no artifact: a contract has 24 kB at most. */
const LARGEST_FILE = 16_777_216

/** ms between two looks at the folder: while contracts are unknown, each transaction asks for one. */
const LOOK_INTERVAL = 1000

interface Entry {
  readonly modified: number
  readonly artifact: Artifact | undefined
}

/** The artifacts of a project, read when first asked for, and anew where the compiler has written them anew. */
export class ArtifactFolder {
  readonly #path: string
  readonly #now: () => number
  #entries: ReadonlyMap<string, Entry> = new Map()
  #looked = Number.NEGATIVE_INFINITY
  #looking: Promise<boolean> | undefined

  /** @param now - ms; default: since the process started */
  constructor(path: string, now: () => number = () => performance.now()) {
    this.#path = path
    this.#now = now
  }

  /** The contract whose deployed code this is. */
  deployedAs(code: Buffer): Artifact | undefined {
    return this.#find(
      ({ deployed }) => deployed.bytes.length === code.length && beginsWith(code, deployed),
    )
  }

  /** The contract that this code creates. */
  createdBy(code: Buffer): Artifact | undefined {
    return this.#find(({ creation }) => beginsWith(code, creation))
  }

  /** Looks whether files have changed, unless that was done just now. @returns whether anything is new */
  async refresh(): Promise<boolean> {
    if (this.#looking !== undefined) return this.#looking
    if (this.#now() - this.#looked < LOOK_INTERVAL) return false
    this.#looking = this.#look()
    try {
      return await this.#looking
    } finally {
      this.#looking = undefined
      this.#looked = this.#now()
    }
  }

  /** Where one code begins with another, the longer one is meant. */
  #find(fits: (artifact: Artifact) => boolean): Artifact | undefined {
    let best: Artifact | undefined
    for (const { artifact } of this.#entries.values()) {
      if (artifact === undefined || !fits(artifact)) continue
      if (best !== undefined && best.creation.bytes.length >= artifact.creation.bytes.length) {
        continue
      }
      best = artifact
    }
    return best
  }

  async #look(): Promise<boolean> {
    const entries = new Map<string, Entry>()
    let isNew = false
    for (const path of await artifactPaths(this.#path)) {
      const modified = await modificationTime(path)
      if (modified === undefined) continue
      const known = this.#entries.get(path)
      if (known?.modified === modified) {
        entries.set(path, known)
        continue
      }
      isNew = true
      entries.set(path, { modified, artifact: await load(path) })
      // Parsing takes a millisecond: ticks and requests have their turn in between.
      await setImmediate()
    }
    this.#entries = entries
    return isNew
  }
}

/** The files that may be artifacts, in a fixed order; none where there is no such folder. */
async function artifactPaths(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder, { recursive: true })
    return names
      .filter((name) => name.endsWith('.json') && !name.endsWith('.dbg.json'))
      .filter((name) => !name.startsWith(`build-info${sep}`))
      .sort()
      .map((name) => join(folder, name))
  } catch {
    // A project that has compiled nothing yet has no artifacts.
    return []
  }
}

async function modificationTime(path: string): Promise<number | undefined> {
  try {
    const { mtimeMs, size } = await stat(path)
    return size > LARGEST_FILE ? undefined : mtimeMs
  } catch {
    // Gone since the folder was listed: the compiler is at work.
    return undefined
  }
}

async function load(path: string): Promise<Artifact | undefined> {
  try {
    return readArtifact(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    // Half written, or no JSON: it has no name to offer, and is read anew when it changes.
    return undefined
  }
}
