import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type MarkdownOptions } from 'vitepress'
import { pageOf, pages } from './pages.ts'

const here = fileURLToPath(import.meta.url)
const root = fileURLToPath(new URL('../../../', import.meta.url))
const manifest: { readonly description: string; readonly repository: { readonly url: string } } =
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const repository = manifest.repository.url.replace(/^git\+|\.git$/g, '')
const name = new URL(repository).pathname.split('/').at(-1) ?? ''
const base = `/${name}/`

/** The address of a link on the site, from the document that holds it. */
function addressOf(link: string, document: string): string {
  if (/^(?:[a-z][a-z+.-]*:|\/\/|#)/i.test(link)) return link
  const [target = '', anchor] = link.split('#')
  const path = relative(root, join(dirname(document), decodeURI(target))).replaceAll('\\', '/')
  const isFolder = existsSync(join(root, path)) && statSync(join(root, path)).isDirectory()
  const page = pageOf.get(isFolder ? `${path}/README.md` : path)
  const suffix = anchor === undefined ? '' : `#${anchor}`
  if (page !== undefined) return `/${page}${suffix}`
  return `${repository}/${isFolder ? 'tree' : 'blob'}/main/${path}${suffix}`
}

/** GitHub's anchors, which the documents use and test/docs/links.test.ts checks. */
function slugify(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\s-]/gu, '')
    .replaceAll(' ', '-')
}

const markdown: MarkdownOptions = {
  anchor: { slugify },
  config(md) {
    md.core.ruler.after('inline', 'documents', ({ tokens, env }) => {
      for (const token of tokens.flatMap(({ children }) => children ?? [])) {
        const href = token.type === 'link_open' ? token.attrGet('href') : null
        if (href !== null) token.attrSet('href', addressOf(href, env.realPath ?? env.path))
      }
    })
  },
}

export default defineConfig({
  title: name,
  description: manifest.description,
  base,
  lang: 'en',
  cleanUrls: true,
  srcDir: '../..',
  // Only the documents: the glob of VitePress finds those of tests and packages as well.
  srcExclude: globSync('**/*.md', {
    cwd: root,
    exclude: (path) => path === 'node_modules' || path === 'dist',
  })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !pageOf.has(path)),
  rewrites: Object.fromEntries([...pageOf].map(([document, page]) => [document, `${page}.md`])),
  cacheDir: 'node_modules/.cache',
  outDir: '.vitepress/dist',
  markdown,
  vite: {
    plugins: [
      {
        // Vite looks for packages from the documents on, which lie above those of the site.
        name: 'vue-of-site',
        enforce: 'pre',
        resolveId(id, importer, { ssr }) {
          if (!/^vue(?:\/|$)/.test(id)) return
          if (ssr) return { id, external: true }
          if (importer?.endsWith('.md')) return this.resolve(id, here)
        },
      },
    ],
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: repository }],
    sidebar: Object.entries(pages).map(([text, list]) => ({
      text,
      items: list.map(({ text, document }) => ({
        text,
        link: addressOf(document, join(root, 'README.md')),
      })),
    })),
  },
})
