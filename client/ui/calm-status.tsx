import { useEffect, useState } from 'react';

import styles from './aloud.module.css';

/** Milliseconds that a text stays the same before it is announced. */
const rest = 1_500;

/**
 * Announces a text that changes often to screen readers, only once it rests. What is shown is drawn elsewhere; the
 * first text is part of the page and not announced.
 */
export function CalmStatus({ text }: { text: string }) {
  const [first] = useState(text);
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (text === first && said === '') return;
    const timer = setTimeout(() => setSaid(text), rest);
    return () => clearTimeout(timer);
  }, [text, first, said]);
  return (
    <span className={styles.aloud} role="status">
      {said}
    </span>
  );
}
