import { count, duration, gwei, percent } from '../kit/shownValue.ts'
import { useAnswer } from './useAnswer.ts'

const [WIDTH, HEIGHT] = [120, 30]

/** The last minutes, ticks and blocks in numbers; as high without an answer. */
export function NumbersPanel() {
  const { answer } = useAnswer('numbers', {}, 'second')
  const { rates, ticks, blocks } = answer ?? { rates: [], ticks: [], blocks: [] }
  const [tick, block] = [ticks.at(-1), blocks.at(-1)]
  const range = `${blocks.length} blocks`
  return (
    <section class="panel figures" aria-label="Numbers over time">
      <Figure
        label="Accepted to pre-confirmed"
        figure={tick && `${duration(tick.median)} p50, ${duration(tick.most)} p95`}
        range={`${ticks.length} ticks`}
        lines={[ticks.map(({ most }) => most), ticks.map(({ median }) => median)]}
      />
      <Figure
        label="Transactions a second"
        // The last second is not over.
        figure={`${count(rates.at(-2) ?? 0)} now, ${count(Math.max(0, ...rates))} at most`}
        range="the last 2 minutes"
        lines={[rates.slice(0, -1)]}
      />
      <Figure
        label="Gas a block"
        figure={
          block &&
          `${count(block.gasUsed)} in #${block.number}, ${percent(block.gasUsed, block.gasLimit)}`
        }
        range={range}
        lines={[blocks.map(({ gasUsed }) => gasUsed)]}
      />
      <Figure
        label="Base fee"
        figure={block && `${gwei(BigInt(block.baseFeePerGas))} in #${block.number}`}
        range={range}
        lines={[blocks.map(({ baseFeePerGas }) => Number(baseFeePerGas))]}
      />
    </section>
  )
}

interface FigureProps {
  readonly label: string
  /** The latest values in words; `undefined` if there are none. */
  readonly figure: string | undefined
  readonly range: string
  /** Each from oldest to newest. */
  readonly lines: readonly (readonly number[])[]
}

/** A number over time, as words and as a picture. */
function Figure({ label, figure = '—', range, lines }: FigureProps) {
  const top = Math.max(1, ...lines.flat())
  const pathOf = (line: readonly number[]) =>
    line.map((value, index) => {
      const x = (index * WIDTH) / Math.max(1, line.length - 1)
      return `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${(HEIGHT * (1 - value / top)).toFixed(1)}`
    })
  const words = `${label} over ${range}: ${figure}`
  return (
    <div class="figure">
      <p class="note">{label}</p>
      <p>{figure}</p>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={words}
      >
        {lines.map((line) => (
          <path key={line} d={`${pathOf(line).join('')}h0`} />
        ))}
      </svg>
    </div>
  )
}
