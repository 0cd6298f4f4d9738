import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const FOLDER = fileURLToPath(new URL('../dapps/', import.meta.url))

/** A web server with the small dApps of test/full/dapps, each at `/<name>`, and an empty page at `/`. */
export interface DappSite extends AsyncDisposable {
  readonly url: string
}

let bundles: Promise<ReadonlyMap<string, Uint8Array>> | undefined

/** The scripts of the dApps by their path; made once for all tests of a file. */
async function bundle(): Promise<ReadonlyMap<string, Uint8Array>> {
  const { outputFiles } = await build({
    absWorkingDir: FOLDER,
    entryPoints: ['viem.ts', 'ethers.ts', 'wagmi.ts'],
    bundle: true,
    format: 'esm',
    outdir: 'out',
    write: false,
    logLevel: 'error',
  })
  return new Map(outputFiles.map(({ path, contents }) => [path.replace(/^.*[\\/]/, '/'), contents]))
}

/** @param walletUrl - whose provider script the pages load before their own */
export async function startDappSite(walletUrl: string): Promise<DappSite> {
  bundles ??= bundle()
  const scripts = await bundles
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const script = scripts.get(pathname)
    if (script !== undefined) {
      response.writeHead(200, { 'content-type': 'text/javascript' })
      response.end(script)
      return
    }
    const own = scripts.has(`${pathname}.js`)
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(
      `<!doctype html><title>dApp</title><body><script src="${walletUrl}/provider.js"></script>${
        own ? `<script type="module" src="${pathname}.js"></script>` : ''
      }`,
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // It listens at a port, so that this is no path.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
