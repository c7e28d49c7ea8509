import { useMutation } from '@tanstack/react-query';
import { useAtomValue } from 'jotai';
import { useEffect, useEffectEvent, useRef, useState } from 'react';

import type { SessionInfo } from '#shared/accounts.ts';

import { useSession } from '../session.ts';
import { noticeAtom, useNotify } from '../store.ts';
import { useTranslation } from '../use-translation.ts';
import { useAnswerInvitation } from './answer-invitation.ts';

/** Milliseconds until the question is shown, and for how long. */
const noticeAfter = 3000;
const noticeFor = 30_000;

type Waiting = SessionInfo['invitations'][number];

/** Asks, a little after the page has loaded, whether the person joins the team they are invited to. */
export function InvitationNotice() {
  const { t } = useTranslation('invitations');
  const notify = useNotify();
  const waiting = useSession().data?.invitations;
  const asked = useRef(new Set<string>());
  const [due, setDue] = useState(false);
  /** Number of invitations answered; after each answer the next one is asked about. */
  const [answered, setAnswered] = useState(0);
  const askedAfter = useRef(-1);
  const isFree = useAtomValue(noticeAtom) === null;
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), noticeAfter);
    return () => clearTimeout(timer);
  }, []);
  const answer = useAnswerInvitation();
  const { mutate } = useMutation({
    mutationFn: ({ invitation, yes }: { invitation: Waiting; yes: boolean }) =>
      yes ? answer.accept(invitation) : answer.decline(invitation),
    meta: { quiet: true },
    onSettled: () => setAnswered((before) => before + 1),
  });
  const ask = useEffectEvent(() => {
    if (askedAfter.current === answered) return;
    askedAfter.current = answered;
    const invitation = waiting?.find(({ id, group }) => group !== null && !asked.current.has(id));
    if (!invitation?.group) return;
    asked.current.add(invitation.id);
    const name = invitation.inviter || t('somebody');
    notify({
      type: 'info',
      duration: noticeFor,
      message: [
        t('from.named', { name, group: invitation.group.name }),
        { kind: 'br' },
        { kind: 'clickable', text: t('accept'), onClick: () => mutate({ invitation, yes: true }) },
        ' · ',
        { kind: 'clickable', text: t('decline'), onClick: () => mutate({ invitation, yes: false }) },
      ],
    });
  });
  const known = waiting !== undefined;
  useEffect(() => {
    // A notice on screen may hold an Undo.
    if (due && known && isFree) ask();
  }, [due, known, answered, isFree]);
  return null;
}
