import { documents, read } from './documents.ts'

/** A fenced block of code in a document. */
export interface Block {
  readonly document: string
  /** Of its first line of code, from 1. */
  readonly line: number
  readonly language: string
  readonly code: string
  /** The HTML comment on the lines above the fence, if there is one. */
  readonly comment: string
}

/** The blocks of all documents, in their order. */
export const blocks: readonly Block[] = documents.flatMap((document) => {
  const text = read(document)
  const fences = text.matchAll(
    /(?:<!-- ((?:(?!-->)[\s\S])*?) -->\n)?^( *)(`{3,})(\w*)[^\n]*\n([\s\S]*?)^\2\3$/gm,
  )
  return [...fences].map((match) => {
    const [whole, comment = '', , , language = '', code = ''] = match
    const above = text.slice(0, match.index + whole.indexOf(code, whole.indexOf('```')))
    return { document, line: above.split('\n').length, language, code, comment }
  })
})

/**
 * A module that holds the code of a block on the lines that it has in its document. What it does not
 * declare itself comes from its comment `types: …`, in which `…` stands for the block, and from
 * imports of earlier blocks of its page.
 */
export function moduleOf(block: Block): string {
  const [, context = ''] = /^types: ([\s\S]*)$/.exec(block.comment) ?? []
  const [before = '', after = ''] = context.split('…')
  const own = `${before}\n${block.code}\n${after}`
  const imports = blocks
    .filter(({ document, line }) => document === block.document && line < block.line)
    .flatMap(({ code }) => importsOf(code))
    .filter(({ name }) => uses(own, name))
  const taken = new Map(imports.map(({ name, text }) => [name, text]))
  const head = [...taken.values(), before.replaceAll('\n', ' ')].join('; ')
  return `${head}${'\n'.repeat(block.line - 1)}${block.code}${after}\nexport {}\n`
}

/** The imports of a block, one for each name; those without names by their module. */
function importsOf(code: string): { readonly name: string; readonly text: string }[] {
  const found = code.matchAll(/^import (?:(\w+)?(?:, )?(?:\{([^}]*)\})? from )?('[^']+')/gm)
  return [...found].flatMap(([text, whole, list = '', from = '']) => {
    if (whole === undefined && list === '') return [{ name: from, text }]
    const named = list.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]))
    return [
      ...(whole === undefined ? [] : [{ name: whole, text: `import ${whole} from ${from}` }]),
      ...named.map((name) => ({ name, text: `import { ${name} } from ${from}` })),
    ]
  })
}

/** Whether a block needs an import of that name. One without a name is needed wherever it can be. */
function uses(code: string, name: string): boolean {
  if (name.startsWith("'")) return true
  const declares = new RegExp(`\\b(?:import|const|let|function|class)\\b[^\\n=(]*\\b${name}\\b`)
  return new RegExp(`\\b${name}\\b`).test(code) && !declares.test(code)
}
