// Installs the packed package with pnpm as strictly as it can, and uses it: a missing peer, an install
// script that nobody allowed, and an import of what is not declared fail.
import { install, programOf, registry } from './install.ts'

install({
  add: [programOf('.bin/pnpm'), 'add'],
  files: {
    'pnpm-workspace.yaml': `packages: []
strictPeerDependencies: true
strictDepBuilds: true
autoInstallPeers: false
hoist: false
# Of Hardhat, which works without it; nothing of this package has a script.
allowBuilds:
  esbuild: false
`,
  },
  env: { npm_config_registry: registry() },
})
