/** Value of a form in Stripe's encoding, in which brackets nest: `line_items[0][price_data][currency]=usd`. */
type Field = string | FieldMap;
export interface FieldMap {
  [name: string]: Field;
}

const deepest = 8;

/** Lists become maps with numbers for names. */
export function readNested(pairs: URLSearchParams): FieldMap {
  const top: FieldMap = Object.create(null) as FieldMap;
  for (const [key, value] of pairs) {
    const names = key
      .replaceAll(/\[([^\]]*)\]/g, '\n$1')
      .split('\n')
      .slice(0, deepest);
    let at = top;
    for (const name of names.slice(0, -1)) {
      const inside = at[name];
      at = typeof inside === 'object' ? inside : (at[name] = Object.create(null) as FieldMap);
    }
    const last = names.at(-1) ?? '';
    at[last === '' ? String(Object.keys(at).length) : last] = value;
  }
  return top;
}

/** Text of a field, however deep. */
export function textAt(map: FieldMap, ...path: string[]): string | undefined {
  let at: Field | undefined = map;
  for (const name of path) at = typeof at === 'object' ? at[name] : undefined;
  return typeof at === 'string' ? at : undefined;
}

export function mapAt(map: FieldMap, ...path: string[]): FieldMap {
  let at: Field | undefined = map;
  for (const name of path) at = typeof at === 'object' ? at[name] : undefined;
  return typeof at === 'object' ? at : {};
}
