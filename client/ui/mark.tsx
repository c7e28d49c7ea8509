/**
 * Two speech strokes on one baseline: whoever speaks lower and whoever speaks higher, side by side.
 * One colour (currentColor), drawn on a 16 unit grid so that it stays sharp from 16 to 512 px.
 */
export function Mark({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" fill="none" aria-hidden="true" focusable="false">
      <path
        d="M3 26h8.5c2.5 0 3.5-1.4 3.5-4v-6a6 6 0 0 0-12 0c0 3.3 2.7 6 6 6"
        stroke="currentColor"
        strokeWidth="3"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <path
        d="M29 26h-5.5c-2.5 0-3.5-1.4-3.5-4V11a6 6 0 0 1 9-5.2"
        stroke="currentColor"
        strokeWidth="3"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
