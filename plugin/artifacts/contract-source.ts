import type { ContractSource } from '../../devnet/index.ts'
import { type Artifact, codeBytes } from './artifact.ts'
import type { ArtifactFolder } from './artifact-folder.ts'

/** The contracts of a project, from the artifacts of a folder, read at the first look. */
export function contractSource(folder: ArtifactFolder): ContractSource {
  return {
    folder: folder.path,
    deployedAs: (code) => {
      const bytes = codeBytes(code)
      return search(() => folder.deployedAs(bytes))
    },
    createdBy: (code) => {
      const bytes = codeBytes(code)
      return search(() => folder.createdBy(bytes))
    },
    all: async () => {
      await folder.refresh()
      return folder.all().map(known)
    },
  }

  async function search(look: () => readonly Artifact[]) {
    return (await folder.search(look)).map(known)
  }
}

function known({ name, source, abi, creation }: Artifact) {
  return { name, source, abi, initCodeLength: creation.bytes.length }
}
