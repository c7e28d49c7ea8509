import type { ReactNode } from 'react';

import { readRichText, type RichMark, type RichNode } from '#shared/meetings/rich-text.ts';

import { SafeLink } from '../../../ui/safe-link.tsx';
import styles from './rich-text.module.css';

/** Renders stored rich text. */
export function RichText({ stored }: { stored: string }) {
  const doc = stored === '' ? null : readRichText(stored);
  return <div className={styles.rich}>{doc && <Content of={doc} />}</div>;
}

function Content({ of }: { of: RichNode }) {
  // Static content, so the index is a stable key.
  return (of.content ?? []).map((node, place) => <Node key={place} node={node} />);
}

function Node({ node }: { node: RichNode }): ReactNode {
  switch (node.type) {
    case 'paragraph':
      return (
        <p>
          <Content of={node} />
        </p>
      );
    case 'bulletList':
      return (
        <ul>
          <Content of={node} />
        </ul>
      );
    case 'orderedList':
      return (
        <ol>
          <Content of={node} />
        </ol>
      );
    case 'listItem':
      return (
        <li>
          <Content of={node} />
        </li>
      );
    case 'blockquote':
      return (
        <blockquote>
          <Content of={node} />
        </blockquote>
      );
    case 'hardBreak':
      return <br />;
    case 'mention':
      return <span className={styles.mention}>{`@${node.attrs?.['label'] ?? ''}`}</span>;
    case 'text':
      return (node.marks ?? []).reduce<ReactNode>(marked, node.text ?? '');
    default:
      return null;
  }
}

function marked(inner: ReactNode, { type, attrs }: RichMark): ReactNode {
  switch (type) {
    case 'bold':
      return <strong>{inner}</strong>;
    case 'italic':
      return <em>{inner}</em>;
    case 'strike':
      return <s>{inner}</s>;
    case 'code':
      return <code>{inner}</code>;
    case 'link':
      return attrs ? <SafeLink href={attrs.href}>{inner}</SafeLink> : inner;
  }
}
