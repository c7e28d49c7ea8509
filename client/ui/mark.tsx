/** Logo: two speech strokes on one baseline, one lower and one higher. One colour; sharp from 16 to 512 px. */
export function Mark({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" fill="none" aria-hidden="true" focusable="false">
      <path
        d="M13.5 9C8.5 12.5 6 18.5 6 26H27.5M27.5 5.5C21 9.5 18 16.5 18 26"
        stroke="currentColor"
        strokeWidth="3.25"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
