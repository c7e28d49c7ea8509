import { useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useSetAtom } from 'jotai';
import { useEffect, useEffectEvent } from 'react';

import { fastestListening, unionOf, type ListenedPartsAnswer, type Part } from '#shared/reviews/listened.ts';
import type { ReviewView } from '#shared/reviews.ts';

import { ApiError, useApi } from '../../api.ts';
import { useMeeting } from '../../meetings/open/meeting-context.ts';
import { listenedKey, playedAtom } from '../listened/listened-query.ts';
import { reviewKey } from '../review-query.ts';
import type { LayerChoice } from './shown-layer.ts';

/** Milliseconds between looks at the player, and between requests. */
const lookEvery = 250;
const sendEvery = 15_000;
/** Milliseconds between drawings of what was just played. */
const drawEvery = 1000;
/** Parts that are kept for a later request, while none succeeds. */
const mostKept = 1000;

/**
 * Tells the server which parts of the recording this person has listened to, where the review asks for it or they show it;
 * otherwise nothing leaves the page.
 */
export function useListened(review: ReviewView, shown: LayerChoice, shows: boolean): void {
  const { player } = useMeeting();
  const api = useApi();
  const queries = useQueryClient();
  const setPlayed = useSetAtom(playedAtom);
  const asks = review.coverage !== null || shows;
  const counts = asks && shown.id === review.cloneId && review.can.includes('annotate');
  const { meetingId, id, cloneId: layer } = review;
  const send = useEffectEvent(async (to: string, heard: Part[]): Promise<boolean> => {
    try {
      const answer = await parseResponse(
        api.meetings[':id'].listened.$put({ param: { id: to }, json: { heard } }, { init: { keepalive: true } }),
      );
      if (review.coverage !== null)
        queries.setQueryData<ReviewView>(reviewKey(meetingId, id), (now) =>
          now?.mine ? { ...now, mine: { ...now.mine, heard: answer.heard } } : now,
        );
      queries.setQueryData<ListenedPartsAnswer>(listenedKey(meetingId, id), (now) =>
        now?.mine ? { ...now, mine: { ...now.mine, heard: unionOf([now.mine.heard, heard]) } } : now,
      );
      return true;
    } catch (error) {
      // The right to assess has ended.
      return error instanceof ApiError && error.status === 403;
    }
  });
  useEffect(() => {
    if (!counts || layer === null) return;
    let kept: Part[] = [];
    const seen = () => ({ ms: Math.round(player.ms), at: performance.now(), playing: player.now().playing });
    let last = seen();
    let sending = false;
    let ended = false;
    const draw = () => setPlayed(ended ? [] : unionOf([kept]));
    const add = ([from, to]: Part) => {
      const before = kept.at(-1);
      if (before?.[1] === from) before[1] = to;
      else kept = [...kept, [from, to] as Part].slice(-mostKept);
    };
    const look = () => {
      const [before, now] = [last, seen()];
      last = now;
      // Further than sound can get in this time is a jump.
      const most = fastestListening * (now.at - before.at) + lookEvery;
      if ((before.playing || now.playing) && now.ms > before.ms && now.ms - before.ms <= most) {
        add([before.ms, now.ms]);
        if (Math.floor(before.at / drawEvery) !== Math.floor(now.at / drawEvery)) draw();
      }
      // People complete at the end of what they listened to.
      if (before.playing && !now.playing) void flush();
    };
    const flush = async () => {
      if (kept.length === 0 || sending) return;
      sending = true;
      const parts = kept;
      kept = [];
      if (!(await send(layer, parts))) kept = [...parts, ...kept].slice(-mostKept);
      draw();
      sending = false;
    };
    const looking = setInterval(look, lookEvery);
    const flushing = setInterval(() => void flush(), sendEvery);
    const stopJumps = player.onJump(() => {
      last = seen();
    });
    const leaving = () => {
      look();
      // There is no later time, even while another request is under way.
      sending = false;
      void flush();
    };
    window.addEventListener('pagehide', leaving);
    return () => {
      clearInterval(looking);
      clearInterval(flushing);
      stopJumps();
      window.removeEventListener('pagehide', leaving);
      ended = true;
      leaving();
      draw();
    };
  }, [counts, layer, player, setPlayed]);
}
