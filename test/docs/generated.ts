import { readFileSync } from 'node:fs'
import { foundryMarkdown, programsMarkdown } from '../programs/outcomes.ts'
import { anvilFlagsMarkdown } from './anvilFlagsMarkdown.ts'
import { apiMarkdown } from './apiMarkdown.ts'
import { apiReport } from './apiReport.ts'
import { methodFilesPart } from './methodFilesPart.ts'
import { methodsMarkdown } from './methodsMarkdown.ts'
import { optionsMarkdown, walletOptionsMarkdown } from './optionsMarkdown.ts'
import { profilesMarkdown } from './profilesMarkdown.ts'

const root = new URL('../../', import.meta.url)

interface GeneratedFile {
  /** From the top of the project. */
  readonly path: string
  /** All that the file must hold. */
  readonly text: string
}

/** The files that `npm run generate` writes, in whole or in part. */
export async function generated(): Promise<GeneratedFile[]> {
  return [
    methodFilesPart(),
    { path: 'test/docs/api.txt', text: await apiReport() },
    document('devnet/API.md', { api: apiMarkdown() }),
    document('devnet/COMPATIBILITY.md', {
      programs: programsMarkdown(),
      anvilFlags: anvilFlagsMarkdown(),
    }),
    document('devnet/FOUNDRY.md', { foundry: foundryMarkdown() }),
    document('devnet/rpc/README.md', { methods: methodsMarkdown() }),
    document('devnet/options/README.md', { options: optionsMarkdown() }),
    document('devnet/PROFILES.md', { profiles: profilesMarkdown() }),
    document('devnet/wallet/README.md', { options: walletOptionsMarkdown() }),
  ]
}

/** A document with these parts, each between the comments that begin and end it. */
function document(path: string, parts: Readonly<Record<string, string>>): GeneratedFile {
  let text = readFileSync(new URL(path, root), 'utf8')
  for (const [name, part] of Object.entries(parts)) {
    const place = new RegExp(`(?<=<!-- ${name}: [^>]*-->\n).*(?=<!-- /${name} -->)`, 's')
    if (!place.test(text))
      throw new Error(
        `${path} has no part "${name}": write <!-- ${name}: … --> and <!-- /${name} --> where it stands`,
      )
    text = text.replace(place, () => part)
  }
  return { path, text }
}
