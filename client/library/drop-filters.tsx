import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { useTranslation } from '../use-translation.ts';
import { useFilterNames } from './filter-names.ts';
import { useFacets, useHasSome } from './meetings-query.ts';
import type { Going } from './place.ts';

/** Offers to remove those of several filters without which something would be found. */
export default function DropFilters({ place, go }: Going) {
  const ready = [useTexts('finding'), useTexts('document')].every(Boolean);
  return ready && <Drops place={place} go={go} />;
}

function Drops({ place, go }: Going) {
  const { t, i18n } = useTranslation('finding');
  const { nameOf } = useFilterNames();
  const { data, isPlaceholderData } = useFacets(place);
  const filters = place.filters ?? {};
  if (!data || isPlaceholderData || Object.keys(filters).length < 2) return null;
  const list = new Intl.ListFormat(i18n.language, { type: 'disjunction' });
  return data.facets.map(({ name, values }) => {
    const { [name]: chosen, ...rest } = filters;
    // A count leaves out the choice in its own facet.
    if (!chosen || values.every(({ count }) => count === 0)) return null;
    const names = chosen.map((value) =>
      nameOf(name, { value, label: values.find((one) => one.value === value)?.label ?? null }),
    );
    return (
      <Drop key={name} place={{ ...place, filters: rest }} counted={!data.atMost} go={go}>
        {t('drop', { filter: list.format(names) })}
      </Drop>
    );
  });
}

interface DropProps extends Going {
  /** The counts are those of the list; where they are bounds, the place may have no recording. */
  counted: boolean;
  children: string;
}

/** Leads to a place without one of the filters, if it has a recording. */
function Drop({ place, counted, go, children }: DropProps) {
  const hasSome = useHasSome(place, !counted);
  return (counted || hasSome) && <Button onClick={() => go({ filters: place.filters })}>{children}</Button>;
}
