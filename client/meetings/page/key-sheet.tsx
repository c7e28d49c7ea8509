import { IconPlus } from '@tabler/icons-react';
import { useAtom, useAtomValue } from 'jotai';
import { useEffect, useState, useSyncExternalStore } from 'react';

import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { useTranslation } from '../../use-translation.ts';
import { actionsAtom } from '../base/actions.ts';
import { labelsOf, printedKeys } from '../base/chord-label.ts';
import { storedShortcutsAtom, keymapAtom } from '../base/stored-shortcuts.ts';
import styles from './key-sheet.module.css';
import {
  actionOf,
  assign,
  groups,
  profileIds,
  type ActionId,
  type Chord,
  type OwnKeys,
  type Profile,
} from '../base/keymap.ts';
import { onMac } from '../base/listen.ts';
import { ListenForKey } from './listen-for-key.tsx';
import { PedalSteps } from './pedal-steps.tsx';
import { useActionLabel } from './use-action-label.ts';

interface KeySheetProps {
  opened: boolean;
  onClose: () => void;
}

/** Every action available on this page now with its shortcuts, to look up and to change. */
export function KeySheet({ opened, onClose }: KeySheetProps) {
  const { t } = useTranslation('keys');
  return (
    <Dialog opened={opened} onClose={onClose} title={t('title')} help="shortcuts" size="lg">
      <Sheet />
    </Dialog>
  );
}

interface Changing {
  id: ActionId;
  /** Shortcut to replace; null when adding one. */
  chord: Chord | null;
}

function Sheet() {
  const { t } = useTranslation('keys');
  const actions = useAtomValue(actionsAtom);
  const ids = useSyncExternalStore(actions.subscribe, actions.read);
  const [kept, keep] = useAtom(storedShortcutsAtom);
  const keymap = useAtomValue(keymapAtom);
  const printed = usePrinted();
  const labelOf = useActionLabel();
  const [wanted, setWanted] = useState('');
  const [changing, setChanging] = useState<Changing | null>(null);
  const [pedal, setPedal] = useState(false);

  const say = (chord: Chord) => labelsOf(chord, onMac(), printed).join(' ');
  const own = kept.own[kept.profile] ?? {};
  const keepOwn = (next: OwnKeys) => keep({ ...kept, own: { ...kept.own, [kept.profile]: next } });
  const put = ({ id, chord }: Changing, next: Chord | null) => {
    const rest = keymap[id].filter((held) => held !== chord && held !== next);
    const at = chord === null ? rest.length : keymap[id].indexOf(chord);
    keepOwn(assign(keymap, own, id, next === null ? rest : rest.toSpliced(at, 0, next)));
    setChanging(null);
  };
  const words = wanted.trim().toLocaleLowerCase();
  const found = (id: ActionId) =>
    [labelOf(id), ...keymap[id].map(say)].some((text) => text.toLocaleLowerCase().includes(words));
  const shown = ids.filter(found);

  if (pedal) return <PedalSteps onDone={() => setPedal(false)} />;
  return (
    <div className={styles.sheet}>
      <div className={styles.top}>
        <TextField type="search" label={t('search')} value={wanted} onChange={setWanted} data-autofocus />
        <SelectField
          label={t('profile')}
          value={kept.profile}
          onChange={(profile) => keep({ ...kept, profile: profile as Profile })}
          options={profileIds.map((id) => ({
            value: id,
            label: id === 'ours' || id === 'pedal' ? t(`profiles.${id}`) : id,
          }))}
        />
      </div>
      {onMac() && kept.profile !== 'pedal' && <p className={styles.hint}>{t('mac')}</p>}
      {shown.length === 0 && <p role="status">{t('nothing')}</p>}
      {groups.map((group) => {
        const rows = shown.filter((id) => actionOf(id).group === group);
        if (rows.length === 0) return null;
        return (
          <section key={group} aria-labelledby={`keys-${group}`}>
            <h3 id={`keys-${group}`} className={styles.group}>
              {t(`groups.${group}`)}
            </h3>
            <ul className={styles.list}>
              {rows.map((id) => (
                <li key={id} className={styles.row}>
                  <span>{labelOf(id)}</span>
                  <span className={styles.keys}>
                    {keymap[id].length === 0 && <span className={styles.none}>{t('none')}</span>}
                    {keymap[id].map((chord) =>
                      actionOf(id).fixed ? (
                        <Keycaps key={chord} labels={labelsOf(chord, onMac(), printed)} />
                      ) : (
                        <button
                          key={chord}
                          type="button"
                          className={styles.change}
                          aria-label={t('change', { chord: say(chord), name: labelOf(id) })}
                          onClick={() => setChanging({ id, chord })}
                        >
                          <Keycaps labels={labelsOf(chord, onMac(), printed)} />
                        </button>
                      ),
                    )}
                    {!actionOf(id).fixed && (
                      <IconButton
                        label={t('add', { name: labelOf(id) })}
                        icon={<IconPlus size={16} stroke={1.5} aria-hidden="true" />}
                        onClick={() => setChanging({ id, chord: null })}
                      />
                    )}
                  </span>
                  {changing?.id === id && (
                    <ListenForKey
                      key={changing.chord ?? ''}
                      id={id}
                      keymap={keymap}
                      say={say}
                      onKey={(chord) => put(changing, chord)}
                      onLeave={() => setChanging(null)}
                      {...(changing.chord !== null && { onRemove: () => put(changing, null) })}
                    />
                  )}
                </li>
              ))}
            </ul>
          </section>
        );
      })}
      <div className={styles.ways}>
        <Button onClick={() => setPedal(true)}>{t('pedal.title')}</Button>
        {Object.keys(own).length > 0 && (
          <Button look="quiet" onClick={() => keepOwn({})}>
            {t('reset')}
          </Button>
        )}
      </div>
    </div>
  );
}

function Keycaps({ labels }: { labels: readonly string[] }) {
  return (
    <span className={styles.chord}>
      {labels.map((label) => (
        <kbd key={label} className={styles.key}>
          {label}
        </kbd>
      ))}
    </span>
  );
}

function usePrinted(): ReadonlyMap<string, string> {
  const [printed, setPrinted] = useState<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    let here = true;
    void printedKeys().then((map) => here && setPrinted(map));
    return () => {
      here = false;
    };
  }, []);
  return printed;
}
