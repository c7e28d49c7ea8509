import {
  IconAdjustmentsHorizontal,
  IconFilter,
  IconFolderPlus,
  IconLayoutGrid,
  IconListSearch,
  IconSortAscending,
  IconSortDescending,
  IconTable,
} from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState, type RefObject } from 'react';

import { meetingOrders, searchOrders, type MeetingOrder } from '#shared/library.ts';

import { part } from '../errors/part.tsx';
import { Button } from '../ui/button.tsx';
import { Dropdown, DropdownButton } from '../ui/dropdown.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { usePhone } from '../ui/use-phone.ts';
import { useTranslation } from '../use-translation.ts';
import { NewFolderDialog } from './folder-dialogs.tsx';
import styles from './tools.module.css';
import { spotOf, type Going, type Place, type ViewMode } from './place.ts';

const SavedSearches = part(() => import('./saved-searches.tsx'), { waiting: null });

/** Milliseconds without typing before a search. */
const searchAfter = 300;

const icon = { size: 18, stroke: 1.5, 'aria-hidden': 'true' } as const;
const modes = [
  { mode: 'table', label: 'asTable', Icon: IconTable },
  { mode: 'tile', label: 'asTiles', Icon: IconLayoutGrid },
] as const;

interface ToolsProps extends Going {
  mode: ViewMode;
  onMode: (mode: ViewMode) => void;
  /** Nothing to search, to sort or to show in another layout. */
  bare: boolean;
  mayAdd: boolean;
  /** Receives what holds the search field. */
  search: RefObject<HTMLDivElement | null>;
  filtersOpened: boolean;
  onFilters: () => void;
}

/** Search, order and layout of the list, and a new folder. */
export function Tools({ place, go, mode, onMode, bare, mayAdd, search, filtersOpened, onFilters }: ToolsProps) {
  const { t } = useTranslation('library');
  const phone = usePhone();
  const [making, setMaking] = useState(false);
  /** Whether the dialog of saved searches is open; null until it is opened the first time. */
  const [saved, setSaved] = useState<boolean | null>(null);
  const add = () => setMaking(true);
  const maker = mayAdd && (
    <>
      {phone && !bare ? (
        <IconButton label={t('folder.add')} icon={<IconFolderPlus {...icon} />} onClick={add} />
      ) : (
        <Button icon={<IconFolderPlus {...icon} />} onClick={add}>
          {t('folder.add')}
        </Button>
      )}
      <NewFolderDialog within={spotOf(place)} opened={making} onClose={() => setMaking(false)} />
    </>
  );
  if (bare) return maker && <div className={styles.tools}>{maker}</div>;
  const choice = { place, go, mode, onMode };
  return (
    <div className={styles.tools}>
      <div className={styles.search} ref={search} data-tour="search">
        <Search query={place.query} onSearch={(query) => go({ query }, true)} />
      </div>
      {saved !== null && <SavedSearches place={place} opened={saved} onClose={() => setSaved(false)} />}
      {phone ? (
        <>
          <IconButton
            label={t('filters')}
            icon={<IconFilter {...icon} />}
            aria-expanded={filtersOpened}
            data-tour="filters"
            onClick={onFilters}
          />
          <IconButton
            label={t('savedSearches')}
            icon={<IconListSearch {...icon} />}
            aria-haspopup="dialog"
            onClick={() => setSaved(true)}
          />
          {maker}
          <OneButton {...choice} />
        </>
      ) : (
        <>
          <Button
            look="quiet"
            icon={<IconFilter {...icon} />}
            aria-expanded={filtersOpened}
            data-tour="filters"
            onClick={onFilters}
          >
            {t('filters')}
          </Button>
          <Button
            look="quiet"
            icon={<IconListSearch {...icon} />}
            aria-haspopup="dialog"
            onClick={() => setSaved(true)}
          >
            {t('savedSearches')}
          </Button>
          {/* A table is sorted by its headings instead, but for the orders that no column has. */}
          {(mode === 'tile' || place.query.trim() !== '' || isUnheaded(place.order)) && <Sort {...choice} />}
          {maker}
          <Modes {...choice} />
        </>
      )}
    </div>
  );
}

type ChoiceProps = Pick<ToolsProps, 'place' | 'go' | 'mode' | 'onMode'>;

const isUnheaded = ({ column }: Place['order']): boolean => column === 'relevance';

/** Orders to choose from. */
const ordersOf = ({ query }: Place): readonly MeetingOrder[] => (query.trim() === '' ? meetingOrders : searchOrders);

const turned = (order: Place['order'], change: Partial<Place['order']>) => ({ order: { ...order, ...change } });

/** Another column in the same direction; relevance begins with the best results, and times after it with the newest. */
function sortedBy(order: Place['order'], column: MeetingOrder) {
  const same = column !== 'relevance' && order.column !== 'relevance';
  return turned(order, { column, ...(!same && { descending: column === 'updatedAt' || column === 'date' }) });
}

function Sort({ place, go }: ChoiceProps) {
  const { t } = useTranslation('library');
  const { order } = place;
  const Direction = order.descending ? IconSortDescending : IconSortAscending;
  return (
    <div className={styles.sort}>
      <SelectField
        label={t('sortBy')}
        value={order.column}
        options={ordersOf(place).map((value) => ({ value, label: t(`column.${value}`) }))}
        onChange={(column) => go(sortedBy(order, column as MeetingOrder))}
      />
      <IconButton
        label={order.descending ? t('descending') : t('ascending')}
        icon={<Direction {...icon} />}
        onClick={() => go(turned(order, { descending: !order.descending }))}
      />
    </div>
  );
}

function Modes({ mode, onMode }: ChoiceProps) {
  const { t } = useTranslation('library');
  return (
    <div className={styles.modes} role="group" aria-label={t('view')}>
      {modes.map(({ mode: one, label, Icon }) => (
        <IconButton
          key={one}
          label={t(label)}
          icon={<Icon {...icon} />}
          aria-pressed={one === mode}
          onClick={() => one !== mode && onMode(one)}
        />
      ))}
    </div>
  );
}

/** Order and layout behind one button, on a phone. */
function OneButton({ place, go, mode, onMode }: ChoiceProps) {
  const { t } = useTranslation('library');
  const { order } = place;
  return (
    <Dropdown label={t('sortAndView')} face={<IconAdjustmentsHorizontal {...icon} />}>
      {ordersOf(place).map((column) => (
        <DropdownButton key={column} current={column === order.column} onPress={() => go(sortedBy(order, column))}>
          {t(`column.${column}`)}
        </DropdownButton>
      ))}
      <hr className={styles.line} />
      {([false, true] as const).map((descending) => (
        <DropdownButton
          key={String(descending)}
          icon={descending ? <IconSortDescending {...icon} /> : <IconSortAscending {...icon} />}
          current={descending === order.descending}
          onPress={() => go(turned(order, { descending }))}
        >
          {descending ? t('descending') : t('ascending')}
        </DropdownButton>
      ))}
      <hr className={styles.line} />
      {modes.map(({ mode: one, label, Icon }) => (
        <DropdownButton key={one} icon={<Icon {...icon} />} current={one === mode} onPress={() => onMode(one)}>
          {t(label)}
        </DropdownButton>
      ))}
    </Dropdown>
  );
}

export function Search({ query, onSearch }: { query: string; onSearch: (query: string) => void }) {
  const { t } = useTranslation('library');
  const phone = usePhone();
  const [typed, setTyped] = useState(query);
  const [asked, setAsked] = useState(query);
  const [shown, setShown] = useState(query);
  // The search may change from outside (Back); a search of this field itself must not undo later typing.
  if (query !== shown) {
    setShown(query);
    if (query !== asked) {
      setTyped(query);
      setAsked(query);
    }
  }
  const search = useEffectEvent(() => {
    setAsked(typed.trim());
    onSearch(typed.trim());
  });
  useEffect(() => {
    if (typed.trim() === query) return;
    const timer = setTimeout(() => search(), searchAfter);
    return () => clearTimeout(timer);
  }, [typed, query]);
  return (
    <TextField
      type="search"
      label={<span className={styles.hidden}>{t('search')}</span>}
      placeholder={t(phone ? 'searchShort' : 'search')}
      value={typed}
      onChange={setTyped}
      maxLength={200}
    />
  );
}
