// Installs the packed package with Yarn 4 into node_modules, and uses it.
import { install, programOf, registry } from './install.ts'

install({
  add: [process.execPath, programOf('@yarnpkg/cli-dist/bin/yarn.js'), 'add'],
  files: { '.yarnrc.yml': 'nodeLinker: node-modules\nenableTelemetry: false\n', 'yarn.lock': '' },
  env: { YARN_NPM_REGISTRY_SERVER: registry(), YARN_ENABLE_IMMUTABLE_INSTALLS: 'false' },
})
