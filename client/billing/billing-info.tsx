import { IconPlus, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import type { FieldError } from '#shared/problems.ts';
import type { BillingInfo } from '#shared/payments.ts';
import type { TaxIdType } from '#shared/tax-ids.ts';

import { useApi } from '../api.ts';
import { Button } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './shop.module.css';

export const emptyInfo: BillingInfo = {
  name: '',
  address: { line1: '', line2: '', city: '', state: '', postal_code: '', country: '' },
  tax_id_data: [],
};

export const isEmptyInfo = ({ name, address, tax_id_data }: BillingInfo): boolean =>
  name === '' && tax_id_data.length === 0 && Object.values(address).every((value) => value === '');

const mostTaxIds = 5;

interface BillingInfoFieldsProps {
  info: BillingInfo;
  onChange: (info: BillingInfo) => void;
  errors: readonly FieldError[];
}

const lines = ['line1', 'line2', 'postal_code', 'city', 'state'] as const;

/** Fields of what is written on invoices. */
export function BillingInfoFields({ info, onChange, errors }: BillingInfoFieldsProps) {
  const { t } = useTranslation('payments');
  const types = useTaxIdTypes();
  const wrong = (field: string) => errors.some((error) => error.field.endsWith(field));
  const { address, tax_id_data: taxIds } = info;
  const changeTaxId = (nth: number, change: Partial<(typeof taxIds)[number]>) =>
    onChange({ ...info, tax_id_data: taxIds.map((one, i) => (i === nth ? { ...one, ...change } : one)) });
  return (
    <div className={styles.fields}>
      <TextField
        label={t('info.name')}
        value={info.name}
        autoComplete="organization"
        error={wrong('name') ? t('info.required') : undefined}
        onChange={(name) => onChange({ ...info, name })}
      />
      {lines.map((line) => (
        <TextField
          key={line}
          label={t(`info.${line}`)}
          value={address[line]}
          onChange={(value) => onChange({ ...info, address: { ...address, [line]: value } })}
        />
      ))}
      <SelectField
        label={t('info.country')}
        value={address.country}
        options={[{ value: '', label: '–' }, ...countriesOf(types)]}
        onChange={(country) => onChange({ ...info, address: { ...address, country } })}
      />
      <fieldset className={styles.taxIds}>
        <legend>{t('info.taxIds')}</legend>
        {[...taxIds.entries()].map(([nth, { type, value }]) => (
          <div key={nth} className={styles.taxId}>
            <SelectField
              label={t('info.type')}
              value={type}
              placeholder={t('info.choose')}
              options={optionsOf(types, type, address.country)}
              onChange={(next) => changeTaxId(nth, { type: next })}
            />
            <TextField
              label={t('info.value')}
              value={value}
              placeholder={exampleOf(types, type)}
              error={
                wrong(`tax_id_data.${nth}.value`) || wrong(`tax_id_data.${nth}.type`) || wrong('tax_id_data')
                  ? t('info.wrong', { example: exampleOf(types, type) })
                  : undefined
              }
              onChange={(next) => changeTaxId(nth, { value: next })}
            />
            <IconButton
              label={t('info.remove')}
              icon={<IconX size={18} stroke={1.5} aria-hidden="true" />}
              onClick={() => onChange({ ...info, tax_id_data: taxIds.filter((_, i) => i !== nth) })}
            />
          </div>
        ))}
        {taxIds.length < mostTaxIds && (
          <Button
            icon={<IconPlus size={18} stroke={1.5} aria-hidden="true" />}
            onClick={() => onChange({ ...info, tax_id_data: [...taxIds, { type: '', value: '' }] })}
          >
            {t('info.add')}
          </Button>
        )}
      </fieldset>
    </div>
  );
}

function useTaxIdTypes(): readonly TaxIdType[] {
  const api = useApi();
  const { i18n } = useTranslation();
  const { data } = useQuery({
    queryKey: ['taxcodes', i18n.language],
    queryFn: async ({ signal }) =>
      (await parseResponse(api.principals.billing.taxcodes.$get({}, { init: { signal } }))).taxcodes,
    staleTime: Infinity,
  });
  return data ?? [];
}

function countriesOf(types: readonly TaxIdType[]) {
  const countries = new Map(types.map(({ country, countryCode }) => [countryCode, country]));
  return [...countries].filter(([code]) => code !== 'EU').map(([value, label]) => ({ value, label }));
}

/** Types of the chosen country first. One type of several countries is one value, so it is listed once. */
function optionsOf(types: readonly TaxIdType[], chosen: string, country: string) {
  const near = types.filter(({ countryCode }) => countryCode === country);
  const seen = new Set<string>();
  return [...near, ...types].flatMap(({ type, country: name, description }) => {
    if (seen.has(type)) return [];
    seen.add(type);
    return [
      { value: type, label: `${type === 'eu_vat' && type !== chosen && country === '' ? 'EU' : name}: ${description}` },
    ];
  });
}

const exampleOf = (types: readonly TaxIdType[], type: string): string =>
  types.find((one) => one.type === type)?.example ?? '';
