import { useMemo, type KeyboardEvent, type ReactNode } from 'react';

import { analyse, taggedOverTime, type Analytics, type SpeakerFigures } from '#shared/meetings/analytics.ts';
import type { Outcome } from '#shared/meetings/annotations.ts';
import { inCodeOrder, typeOf } from '#shared/meetings/outcome-types.ts';
import { plainReader } from '#shared/meetings/plain.ts';
import { segmentsOf, textOf } from '#shared/meetings/transcript.ts';
import { ownName } from '#shared/meetings/own-types.ts';

import { useKnownSets } from '../../../outcome-models/known-sets.ts';
import { Empty } from '../../../ui/empty.tsx';
import { Bone, Waiting } from '../../../ui/waiting.tsx';
import { useAnnotations } from '../../annotations/base/open-annotations.ts';
import { useGoToAnnotation } from '../../annotations/base/use-go-to-annotation.ts';
import { useDocument, useMeeting } from '../../open/meeting-context.ts';
import { TypeMark } from '../../annotations/outcomes/type-mark.tsx';
import { clockTime } from '../../../ui/times.ts';
import { usePhone } from '../../../ui/use-phone.ts';
import { useTranslation } from '../../../use-translation.ts';
import { usePlayerState } from '../../sound/use-player.ts';
import { useSpeakers } from '../../open/use-speakers.ts';
import { SpeakerBadge } from '../../text/speaker-badge.tsx';
import { allSpeakers, type TranscriptSpeaker } from '../../text/speakers.ts';
import { useLater } from '../../base/use-later.ts';
import { useGoTo } from '../../open/view.ts';
import styles from './analytics.module.css';
import { nextAfter, placesOf, type Places, type VoicePlaces } from './places.ts';

interface Study {
  figures: Analytics;
  places: Places;
}

/** Number of columns: most that a finger can still press on a phone. */
const parts = 12;

function useStudy(): Study | null {
  const { doc } = useDocument();
  const { player } = useMeeting();
  const { duration } = usePlayerState(player);
  const [shared, read] = useMemo(() => {
    const plain = plainReader(doc);
    const given = { parts, ...(duration !== null && { length: duration / 1000 }) };
    return [
      [textOf(doc), segmentsOf(doc), doc.getMap('timings')],
      (): Study => {
        const { segments } = plain().transcript;
        return { figures: analyse(segments, given), places: placesOf(segments) };
      },
    ] as const;
  }, [doc, duration]);
  return useLater(shared, read);
}

/** Figures of the conversation, each linked to the passages it was counted from. */
export default function AnalyticsView() {
  const { t } = useTranslation('analytics');
  const study = useStudy();
  const listed = useSpeakers();
  if (!study) {
    return (
      <Waiting label={t('counting')}>
        <div className={styles.bones}>
          {[60, 90, 40, 75].map((width) => (
            <Bone key={width} width={`${width}%`} height="1.5rem" />
          ))}
        </div>
      </Waiting>
    );
  }
  const { figures } = study;
  if (figures.speakers.length === 0 || figures.speakers.every(({ talk }) => talk === 0))
    return (
      <div className={styles.page}>
        <Empty title={t('empty')}>{t('emptyText')}</Empty>
      </div>
    );
  const voices = allSpeakers(
    listed.filter((voice) => voice.listed),
    figures.speakers.map(({ speaker }) => speaker),
  );
  const byId = new Map(voices.map((voice) => [voice.id, voice]));
  const spoken = figures.speakers.flatMap((own): Spoken[] => {
    const voice = byId.get(own.speaker);
    const places = study.places.voices.get(own.speaker);
    return voice && places ? [{ own, voice, places }] : [];
  });
  return (
    <div className={styles.frame}>
      <div className={styles.page}>
        <Summary study={study} />
        <div className={styles.charts}>
          {kinds.map((kind) => (
            <Bars key={kind} kind={kind} spoken={spoken} />
          ))}
        </div>
        <OverTime figures={figures} spoken={spoken} />
        <OutcomesOverTime parts={figures.overTime} />
        <FiguresTable spoken={spoken} />
      </div>
    </div>
  );
}

interface Spoken {
  own: SpeakerFigures;
  voice: TranscriptSpeaker;
  places: VoicePlaces;
}

const kinds = ['share', 'turns', 'pace', 'questions'] as const;
type Kind = (typeof kinds)[number];

const amountOf: Record<Kind, (own: SpeakerFigures) => number> = {
  share: ({ share }) => share,
  turns: ({ turns }) => turns,
  pace: ({ pace }) => Math.round(pace),
  questions: ({ questions }) => questions,
};

const placeOf: Record<Kind, (places: VoicePlaces, now: number) => number | null> = {
  share: ({ longest }) => longest,
  turns: ({ turns }, now) => nextAfter(turns, now),
  pace: ({ fastest, longest }) => fastest ?? longest,
  questions: ({ questions }, now) => nextAfter(questions, now),
};

function useNumbers() {
  const { i18n } = useTranslation();
  const { language } = i18n;
  return useMemo(() => {
    const percent = new Intl.NumberFormat(language, { style: 'percent' });
    const whole = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
    return {
      percent: (value: number) => percent.format(value),
      whole: (value: number) => whole.format(value),
      time: (seconds: number) => clockTime(Math.round(seconds) * 1000),
    };
  }, [language]);
}

const useName = () => {
  const { t } = useTranslation('speakers');
  return ({ name }: TranscriptSpeaker) => name || t('unknown');
};

function Part({ title, leads, children }: { title: string; leads?: string; children: ReactNode }) {
  return (
    <section className={styles.part} aria-label={title}>
      <h2>{title}</h2>
      {leads !== undefined && <p className={styles.leads}>{leads}</p>}
      {children}
    </section>
  );
}

function Summary({ study: { figures, places } }: { study: Study }) {
  const { t } = useTranslation('analytics');
  const { percent, whole, time } = useNumbers();
  const goTo = useGoTo();
  const { duration, silence, speakers } = figures;
  const ofLength = (value: number) => t('ofLength', { value: time(value), share: percent(value / duration) });
  const questions = speakers.reduce((sum, own) => sum + own.questions, 0);
  const quiet = places.silence;
  return (
    <Part title={t('summary')}>
      <dl className={styles.summary}>
        <div>
          <dt>{t('length')}</dt>
          <dd>{time(duration)}</dd>
        </div>
        <div>
          <dt>{t('speech')}</dt>
          <dd>{ofLength(duration - silence)}</dd>
        </div>
        <div>
          <dt>{t('silence')}</dt>
          <dd>
            {quiet === null ? (
              ofLength(silence)
            ) : (
              <button
                type="button"
                className={styles.figure}
                aria-label={`${ofLength(silence)}. ${t('longestSilence')}`}
                title={t('longestSilence')}
                onClick={() => goTo(quiet)}
              >
                {ofLength(silence)}
              </button>
            )}
          </dd>
        </div>
        <div>
          <dt>{t('speakers')}</dt>
          <dd>{whole(speakers.length)}</dd>
        </div>
        <div>
          <dt>{t('questionsAll')}</dt>
          <dd>{whole(questions)}</dd>
        </div>
      </dl>
    </Part>
  );
}

function Bars({ kind, spoken }: { kind: Kind; spoken: readonly Spoken[] }) {
  const { t } = useTranslation('analytics');
  const phone = usePhone();
  const { player } = useMeeting();
  const { percent, whole } = useNumbers();
  const nameOf = useName();
  const goTo = useGoTo();
  const most = Math.max(...spoken.map(({ own }) => amountOf[kind](own)), kind === 'share' ? 0 : 1);
  return (
    <Part title={t(`bars.${kind}.title`)} leads={t(phone ? `bars.${kind}.leadsTouch` : `bars.${kind}.leads`)}>
      <ul className={styles.bars}>
        {spoken.map(({ own, voice, places }) => {
          const amount = amountOf[kind](own);
          const value = kind === 'share' ? percent(amount) : whole(amount);
          const name = nameOf(voice);
          return (
            <li key={voice.id}>
              <button
                type="button"
                className={styles.bar}
                data-voice={voice.color + 1}
                aria-label={t(`go.${kind}`, { name, value })}
                disabled={placeOf[kind](places, 0) === null}
                onClick={() => {
                  const place = placeOf[kind](places, player.ms);
                  if (place !== null) goTo(place, voice.id);
                }}
              >
                <SpeakerBadge name={name} color={voice.color} pattern={voice.pattern} />
                <span className={styles.who}>{name}</span>
                <Length share={most > 0 ? amount / most : 0} />
                <span className={styles.value}>{value}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </Part>
  );
}

/** Bar as SVG attributes: the content security policy blocks inline styles. */
function Length({ share }: { share: number }) {
  return (
    <svg className={styles.length} viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect className={styles.whole} width="100" height="10" />
      <rect className={styles.filled} width={share * 100} height="10" />
    </svg>
  );
}

function OverTime({ figures, spoken }: { figures: Analytics; spoken: readonly Spoken[] }) {
  const { t } = useTranslation('analytics');
  const phone = usePhone();
  const nameOf = useName();
  if (figures.overTime.length === 0) return null;
  return (
    <Part title={t('overTime.title')} leads={t(phone ? 'overTime.leadsTouch' : 'overTime.leads')}>
      <div className={styles.lanes}>
        {spoken.map(({ voice }) => (
          <div key={voice.id} className={styles.lane} data-voice={voice.color + 1}>
            <span className={styles.laneName} aria-hidden="true">
              <SpeakerBadge name={nameOf(voice)} color={voice.color} pattern={voice.pattern} />
              <span className={styles.who}>{nameOf(voice)}</span>
            </span>
            <Lane parts={figures.overTime} voice={voice} name={nameOf(voice)} />
          </div>
        ))}
        <p className={styles.ends} aria-hidden="true">
          <span>{clockTime((figures.overTime[0]?.from ?? 0) * 1000)}</span>
          <span>{clockTime((figures.overTime.at(-1)?.to ?? 0) * 1000)}</span>
        </p>
      </div>
    </Part>
  );
}

/** One tab stop; the arrow keys move between its columns. */
function Columns({ label, children }: { label: string; children: ReactNode }) {
  const walk = (event: KeyboardEvent<HTMLDivElement>) => {
    const all = [...event.currentTarget.querySelectorAll('button')];
    const at = all.indexOf(event.target as HTMLButtonElement);
    const places: Record<string, number> = {
      ArrowRight: Math.min(at + 1, all.length - 1),
      ArrowLeft: Math.max(at - 1, 0),
      Home: 0,
      End: all.length - 1,
    };
    const next = places[event.key];
    if (at === -1 || next === undefined) return;
    event.preventDefault();
    all[next]?.focus();
  };
  return (
    <div className={styles.columns} role="toolbar" tabIndex={-1} aria-label={label} onKeyDown={walk}>
      {children}
    </div>
  );
}

interface ColumnProps {
  said: string;
  /** Share of the full height, 0 to 1. */
  height: number;
  first: boolean;
  onGo: () => void;
}

function Column({ said, height, first, onGo }: ColumnProps) {
  return (
    <button
      type="button"
      className={styles.column}
      tabIndex={first ? 0 : -1}
      aria-label={said}
      title={said}
      onClick={onGo}
    >
      <Height share={height} />
    </button>
  );
}

function Lane({ parts, voice, name }: { parts: Analytics['overTime']; voice: TranscriptSpeaker; name: string }) {
  const { t } = useTranslation('analytics');
  const goTo = useGoTo();
  const { whole } = useNumbers();
  const spokenIn = parts.map(({ talk }) => talk[voice.id] ?? 0);
  const first = spokenIn.findIndex((talk) => talk > 0);
  return (
    <Columns label={t('overTime.lane', { name })}>
      {parts.map(({ from, to }, i) => {
        const talk = spokenIn[i] ?? 0;
        if (talk === 0) return <span key={from} />;
        const said = {
          name,
          from: clockTime(from * 1000),
          to: clockTime(to * 1000),
          seconds: whole(Math.max(1, talk)),
        };
        return (
          <Column
            key={from}
            said={t('overTime.part', said)}
            height={talk / (to - from)}
            first={i === first}
            onGo={() => goTo(from * 1000, voice.id)}
          />
        );
      })}
    </Columns>
  );
}

/** Outcomes over time, including this person's private ones. */
function OutcomesOverTime({ parts }: { parts: Analytics['overTime'] }) {
  const { t } = useTranslation(['analytics', 'outcomes']);
  const phone = usePhone();
  useKnownSets();
  const view = useAnnotations();
  const all = useMemo(() => [...(view?.outcome.values() ?? [])], [view]);
  const lanes = useMemo(() => taggedOverTime(parts, all), [parts, all]);
  if (!view?.ready || lanes.size === 0) return null;
  const types = [...lanes.keys()].flatMap((id) => typeOf(id) ?? []).sort(inCodeOrder);
  const most = Math.max(...[...lanes.values()].flat().map(({ length }) => length));
  return (
    <Part
      title={t('outcomesOverTime.title')}
      leads={t(phone ? 'outcomesOverTime.leadsTouch' : 'outcomesOverTime.leads')}
    >
      <div className={styles.lanes}>
        {types.map(({ id, color }) => {
          const name = ownName(id) ?? t(`outcomes:types.${id as 'notes'}`);
          return (
            <div key={id} className={styles.lane} data-voice={(color % 5) + 1}>
              <span className={styles.laneName} aria-hidden="true">
                <TypeMark type={id} />
                <span className={styles.who}>{name}</span>
              </span>
              <OutcomeLane name={name} parts={parts} tagged={lanes.get(id) ?? []} most={most} />
            </div>
          );
        })}
      </div>
    </Part>
  );
}

interface OutcomeLaneProps {
  name: string;
  parts: Analytics['overTime'];
  tagged: readonly (readonly Outcome[])[];
  /** Highest count of any part in any lane. */
  most: number;
}

function OutcomeLane({ name, parts, tagged, most }: OutcomeLaneProps) {
  const { t } = useTranslation('analytics');
  const { player } = useMeeting();
  const goToAnnotation = useGoToAnnotation();
  const first = tagged.findIndex(({ length }) => length > 0);
  return (
    <Columns label={t('outcomesOverTime.lane', { name })}>
      {parts.map(({ from, to }, i) => {
        const here = tagged[i] ?? [];
        if (here.length === 0) return <span key={from} />;
        const said = { name, from: clockTime(from * 1000), to: clockTime(to * 1000), count: here.length };
        const go = () => {
          const next = nextAfter(
            here.map(({ start }) => start * 1000),
            player.ms,
          );
          const outcome = here.find(({ start }) => start * 1000 === next);
          if (outcome) goToAnnotation('outcome', outcome);
        };
        return (
          <Column
            key={from}
            said={t('outcomesOverTime.part', said)}
            height={here.length / most}
            first={i === first}
            onGo={go}
          />
        );
      })}
    </Columns>
  );
}

function Height({ share }: { share: number }) {
  const height = Math.min(1, share) * 100;
  return (
    <svg viewBox="0 0 10 100" preserveAspectRatio="none" aria-hidden="true">
      <rect className={styles.filled} y={100 - height} width="10" height={height} />
    </svg>
  );
}

function FiguresTable({ spoken }: { spoken: readonly Spoken[] }) {
  const { t } = useTranslation('analytics');
  const nameOf = useName();
  const { percent, whole, time } = useNumbers();
  const columns: [string, (own: SpeakerFigures) => string][] = [
    [t('table.talk'), ({ talk }) => time(talk)],
    [t('table.share'), ({ share }) => percent(share)],
    [t('table.turns'), ({ turns }) => whole(turns)],
    [t('table.longest'), ({ longestTurn }) => time(longestTurn)],
    [t('table.words'), ({ words }) => whole(words)],
    [t('table.pace'), ({ pace }) => whole(pace)],
    [t('table.questions'), ({ questions }) => whole(questions)],
  ];
  return (
    <details className={styles.details}>
      <summary>{t('table.show')}</summary>
      {/* Wider than a phone, so it scrolls and takes keyboard focus. */}
      <div className={styles.scroll} role="region" aria-label={t('table.caption')} tabIndex={0}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">{t('table.speaker')}</th>
              {columns.map(([label]) => (
                <th key={label} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {spoken.map(({ own, voice }) => (
              <tr key={voice.id}>
                <th scope="row">{nameOf(voice)}</th>
                {columns.map(([label, say]) => (
                  <td key={label}>{say(own)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
