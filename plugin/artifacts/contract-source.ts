import type { ContractSource, KnownContract } from '../../devnet/index.ts'
import { type Artifact, codeBytes } from './artifact.ts'
import { ArtifactFolder } from './artifact-folder.ts'
import { BuildInfos } from './build-info.ts'

/** The contracts of a project, from its folder of artifacts, which is read at the first look. */
export function contractSource(path: string): ContractSource {
  const folder = new ArtifactFolder(path)
  const buildInfos = new BuildInfos(path)
  return {
    folder: path,
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
