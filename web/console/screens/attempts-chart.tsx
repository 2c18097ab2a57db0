// The chart, in a file of its own that loads after the first screen.

import { BarController, BarElement, CategoryScale, Chart, Legend, LinearScale, Tooltip } from 'chart.js';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { hourText, texts } from '../texts/texts.ts';
import type { HourlyAttempts } from '../types.ts';
import { words } from './overview-words.ts';

Chart.register(BarController, BarElement, CategoryScale, Legend, LinearScale, Tooltip);

const { attempts: outcomes } = texts;

const dark = matchMedia('(prefers-color-scheme: dark)');

function onScheme(changed: () => void): () => void {
  dark.addEventListener('change', changed);
  return () => dark.removeEventListener('change', changed);
}

/** Bars for those who see them, and the same numbers as a table for everybody. */
export function AttemptsChart({ hours }: HourlyAttempts) {
  const isDark = useSyncExternalStore(onScheme, () => dark.matches);
  const total = (outcome: 'passed' | 'refused') => hours.reduce((sum, hour) => sum + hour[outcome], 0);
  return (
    <>
      <p>
        {outcomes.passed}: <strong id="passed">{total('passed')}</strong> · {texts.refused}:{' '}
        <strong id="refused">{total('refused')}</strong>
      </p>
      <div className="chart" aria-hidden="true">
        <Bars key={String(isDark)} hours={hours} />
      </div>
      <details>
        <summary>{words.asTable}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{words.hour}</th>
              <th scope="col">{outcomes.passed}</th>
              <th scope="col">{texts.refused}</th>
            </tr>
          </thead>
          <tbody>
            {hours.map(({ from, passed, refused }) => (
              <tr key={from}>
                <th scope="row">{hourText(new Date(from))}</th>
                <td>{passed}</td>
                <td>{refused}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

/** Its colours are those of the scheme when it was mounted. */
function Bars({ hours }: HourlyAttempts) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => (canvas.current === null ? undefined : draw(canvas.current, hours)), [hours]);
  return <canvas ref={canvas} />;
}

function draw(canvas: HTMLCanvasElement, hours: HourlyAttempts['hours']): () => void {
  // A custom property would return both of its colours; a used one returns the right one.
  const { color, borderTopColor, outlineColor, textDecorationColor } = getComputedStyle(canvas);
  const chart = new Chart(canvas, {
    type: 'bar',
    data: {
      labels: hours.map(({ from }) => hourText(new Date(from))),
      datasets: [
        { label: outcomes.passed, data: hours.map(({ passed }) => passed), backgroundColor: outlineColor },
        {
          label: texts.refused,
          data: hours.map(({ refused }) => refused),
          backgroundColor: textDecorationColor,
        },
      ],
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      color,
      scales: {
        x: { stacked: true, grid: { display: false }, ticks: { color, maxRotation: 0, autoSkipPadding: 16 } },
        y: {
          stacked: true,
          beginAtZero: true,
          grid: { color: borderTopColor },
          ticks: { color, precision: 0 },
        },
      },
    },
  });
  return () => chart.destroy();
}
