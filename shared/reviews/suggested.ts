import type { AgreementView, SuggestedFigures } from './agreement-view.ts';
import { markedByHalf, overlap, type Marking, type Passage } from './unitizing.ts';

/** Suggestions beside what people marked, by type; the last one of each marking is the machine. */
export function besidePeople(markings: ReadonlyMap<string, Marking>): NonNullable<AgreementView['machine']> {
  const types = [...markings].flatMap(([type, { words, people }]) => {
    const [mine, others] = [people.at(-1) ?? [], people.slice(0, -1)];
    const suggested = mine.filter(({ from, to }) => from < to);
    const byHalf = others.length === 0 ? [] : markedByHalf({ words, people: others });
    if (suggested.length === 0 && byHalf.length === 0) return [];
    const meets = (passage: Passage) => (one: Passage) => overlap(one, passage);
    return [
      {
        type,
        suggested: suggested.length,
        marked: suggested.filter((one) => others.some((person) => person.some(meets(one)))).length,
        byHalf: byHalf.length,
        found: byHalf.filter((one) => suggested.some(meets(one))).length,
      },
    ];
  });
  const sum = (key: keyof SuggestedFigures) => types.reduce((all, one) => all + one[key], 0);
  const [suggested, marked, byHalf, found] = [sum('suggested'), sum('marked'), sum('byHalf'), sum('found')];
  return { suggested, marked, byHalf, found, types };
}
