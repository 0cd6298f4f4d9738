import type { ContractSource, KnownContract } from '../../devnet/index.ts'
import { type Artifact, codeBytes } from './artifact.ts'
import type { ArtifactFolder } from './artifact-folder.ts'
import { BuildInfos } from './build-info.ts'

/** The contracts of a project, from the artifacts of a folder, read at the first look. */
export function contractSource(folder: ArtifactFolder): ContractSource {
  const buildInfos = new BuildInfos(folder.path)
  return {
    folder: folder.path,
    deployedAs: (code) => search('deployedAs', codeBytes(code)),
    createdBy: (code) => search('createdBy', codeBytes(code)),
    all: async () => {
      await folder.refresh()
      return folder.all().map(known)
    },
  }

  async function search(look: 'deployedAs' | 'createdBy', code: Buffer) {
    return (await folder.search(() => folder[look](code))).map(known)
  }

  function known(artifact: Artifact): KnownContract {
    const { name, source, abi, creation } = artifact
    const compiled = () => buildInfos.compiled(artifact)
    return { name, source, abi, initCodeLength: creation.bytes.length, compiled }
  }
}
