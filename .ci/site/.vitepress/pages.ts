/** A document that is a page of the site. */
interface Page {
  /** Its name in the sidebar. */
  readonly text: string
  /** From the top of the project. A heading behind `#` makes a second entry for the same page. */
  readonly document: string
  /** From the top of the site, without an ending; none for a second entry. */
  readonly page?: string
}

/** The sidebar: each document once, and further entries that lead to a heading of one. */
export const pages: Readonly<Record<string, readonly Page[]>> = {
  Guides: [
    { text: 'Start', document: 'README.md', page: 'index' },
    { text: 'For a contract team', document: 'plugin/README.md', page: 'guide/contracts' },
    { text: 'For a dApp team', document: 'devnet/wallet/README.md', page: 'guide/dapps' },
    { text: 'For an indexer', document: 'devnet/stream/README.md', page: 'guide/indexers' },
    { text: 'In CI', document: 'plugin/README.md#in-ci' },
    { text: 'In a container', document: 'devnet/CONTAINERS.md', page: 'guide/containers' },
    { text: 'In a program', document: 'devnet/PROGRAM.md', page: 'guide/program' },
    { text: 'Foundry', document: 'devnet/FOUNDRY.md', page: 'guide/foundry' },
    { text: 'Other tools', document: 'devnet/COMPATIBILITY.md', page: 'guide/tools' },
    { text: 'Fork a network', document: 'devnet/upstream/README.md', page: 'guide/fork' },
    { text: 'Faults', document: 'devnet/faults/README.md', page: 'guide/faults' },
    { text: 'Explore', document: 'devnet/EXPLORE.md', page: 'guide/explore' },
    { text: 'Networks', document: 'devnet/PROFILES.md', page: 'guide/networks' },
    { text: 'OP Stack', document: 'devnet/protocol/rollup/README.md', page: 'guide/op-stack' },
    { text: 'Check an endpoint', document: 'plugin/CONFORMANCE.md', page: 'guide/conformance' },
    { text: 'Amsterdam', document: 'devnet/AMSTERDAM.md', page: 'guide/amsterdam' },
    { text: 'Dashboard', document: 'devnet/dashboard/README.md', page: 'guide/dashboard' },
    {
      text: 'Troubleshooting',
      document: 'plugin/TROUBLESHOOTING.md',
      page: 'guide/troubleshooting',
    },
    { text: 'Examples', document: 'examples/README.md', page: 'guide/examples' },
  ],
  Reference: [
    { text: 'The node and pending', document: 'devnet/README.md', page: 'reference/node' },
    { text: 'Options', document: 'devnet/options/README.md', page: 'reference/options' },
    { text: 'JSON-RPC methods', document: 'devnet/rpc/README.md', page: 'reference/methods' },
    { text: 'API', document: 'devnet/API.md', page: 'reference/api' },
    { text: 'eth_simulateV1', document: 'devnet/execution/README.md', page: 'reference/simulate' },
    { text: 'Instant mode and cheats', document: 'devnet/CHEATS.md', page: 'reference/cheats' },
    { text: 'State on disk', document: 'devnet/persistence/README.md', page: 'reference/state' },
    { text: 'Limits', document: 'devnet/LIMITS.md', page: 'reference/limits' },
    { text: 'What is stable', document: 'devnet/STABILITY.md', page: 'reference/stability' },
    { text: 'Changes', document: 'CHANGELOG.md', page: 'reference/changes' },
  ],
  Project: [
    { text: 'Architecture', document: 'devnet/ARCHITECTURE.md', page: 'project/architecture' },
    { text: 'Contributing', document: 'CONTRIBUTING.md', page: 'project/contributing' },
    { text: 'Security', document: 'SECURITY.md', page: 'project/security' },
  ],
}

/** Documents that stay with their folders: links to them lead to the repository. */
export const apart = /^(?:\.changeset|\.github|examples\/[^/]+)\//

/** The page of each document, both without endings of their own. */
export const pageOf: ReadonlyMap<string, string> = new Map(
  Object.values(pages).flatMap((list) =>
    list.flatMap(({ document, page }) => (page === undefined ? [] : [[document, page] as const])),
  ),
)
