import type { ServerResponse } from 'node:http'
import type { PageFile } from './browserFiles.ts'

/** The files that a browser loads. */
export interface PageFiles {
  /** Whether a path is a file of the approval page. */
  owns(path: string): boolean
  respond(path: string, response: ServerResponse): Promise<void>
  /** @param cors - headers for a page that wants to read the script, and not only to run it */
  respondScript(response: ServerResponse, cors: Readonly<Record<string, string>>): Promise<void>
}

const PATHS = { '/wallet/': 'html', '/wallet/page.js': 'js', '/wallet/page.css': 'css' } as const

/** Makes the files of one server, each when it is first asked for. */
export function createPageFiles(): PageFiles {
  let page: Promise<ReturnType<typeof import('./browserFiles.ts').page>> | undefined
  let script: Promise<PageFile> | undefined

  async function loadPage() {
    return (await import('./browserFiles.ts')).page()
  }

  async function loadScript(): Promise<PageFile> {
    const { providerHeaders, providerScript } = await import('./browserFiles.ts')
    return { body: providerScript(), headers: providerHeaders }
  }

  return {
    owns: isPagePath,
    async respond(path, response) {
      if (!isPagePath(path)) throw new Error(`${path} is no file of the approval page`)
      page ??= loadPage()
      send(response, (await page)[PATHS[path]])
    },
    async respondScript(response, cors) {
      script ??= loadScript()
      const { body, headers } = await script
      send(response, { body, headers: { ...headers, ...cors } })
    },
  }
}

function isPagePath(path: string): path is keyof typeof PATHS {
  return Object.hasOwn(PATHS, path)
}

/** Node leaves the body out of an answer to HEAD. */
function send(response: ServerResponse, { body, headers }: PageFile): void {
  response.writeHead(200, { ...headers, 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
}
