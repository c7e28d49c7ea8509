import { and, desc, eq, isNull } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { reviews } from '#db/schema/reviews.ts';
import { meetingProjections } from '#db/schema/meetings.ts';
import { isModelId } from '#shared/account-choices.ts';
import type { Language } from '#shared/i18n/languages.ts';
import { Problem } from '#shared/problems.ts';
import { reviewActions, type ReviewerView, type ReviewView } from '#shared/reviews.ts';
import { layerKinds } from '#shared/reviews/grants.ts';
import { next, type Actor, type ReviewEvent } from '#shared/reviews/machine.ts';
import { phaseOf, statusOf, type Review } from '#shared/reviews/review.ts';
import { signedIn, type Ctx, type Person } from '../context.ts';
import { mayMake } from '../rooms/access.ts';
import { assessedIn, heardIn, mustListen, type Heard } from './listened.ts';
import { numberedName } from './names.ts';
import { hasPart, isLiving, ownsMeeting, partIn, type ReviewId } from './part.ts';
import { accountsOf } from './people.ts';
import { inListOrder, keyOf, layersIn, peopleOf, reviewOf, selfIn, type LayerRow, type StoredReview } from './rows.ts';
import { knowsSecondPass, whatIsSeen } from './seen.ts';

type Own = StoredReview & { by: Actor };

/** Reviews of a recording that the caller has a part in, or all for who owns it. */
export async function listReviews(ctx: Ctx, { id }: { id: string }): Promise<{ reviews: ReviewView[] }> {
  const { person } = signedIn(ctx);
  const { orm } = ctx.db;
  const owns = await ownsMeeting(ctx, id);
  const found = (await isLiving(orm, id)) ? await reviewsOf(orm, id, person, owns) : [];
  if (found.length === 0 && !(await mayMake(ctx, 'GET /api/meetings/:id', id))) throw new Problem('NO_ACCESS');
  return { reviews: await viewsOf(ctx, orm, id, found) };
}

async function reviewsOf(tx: Orm, meetingId: string, person: Person, owns: boolean): Promise<Own[]> {
  const rows = await tx
    .select()
    .from(reviews)
    .where(and(eq(reviews.meetingId, meetingId), isNull(reviews.deletedAt)))
    .orderBy(desc(reviews.createdAt), desc(reviews.id));
  if (rows.length === 0) return [];
  const people = await peopleOf(
    tx,
    rows.map(({ id }) => id),
  );
  return rows.flatMap((row) => {
    const own = inListOrder(
      row,
      people.filter(({ reviewId }) => reviewId === row.id),
    );
    const review = reviewOf(row, own);
    const isTold = owns && row.secondOf === null;
    const by = { principal: selfIn(review, person), owns: isTold };
    return isTold || hasPart(review, by) ? [{ row, people: own, review, by }] : [];
  });
}

/** Reviews as a recording names them, for the people in them and who owns it. */
export async function reviewsBeside(ctx: Ctx, meetingId: string, owns: boolean) {
  if (!ctx.person) return [];
  const found = await reviewsOf(ctx.db.orm, meetingId, ctx.person, owns);
  const views = await viewsOf(ctx, ctx.db.orm, meetingId, found);
  return views.map(({ id, policy, phase, status, mine, cloneId }) => ({
    ...{ id, policy, phase, status, cloneId, role: mine?.role ?? null },
  }));
}

export async function viewReview(ctx: Ctx, named: ReviewId): Promise<{ review: ReviewView }> {
  const found = await partIn(ctx, ctx.db.orm, named, { owns: ownsMeeting(ctx, named.id) });
  return { review: await viewOf(ctx, ctx.db.orm, found) };
}

export async function viewOf(ctx: Ctx, tx: Orm, found: Own): Promise<ReviewView> {
  const [view] = await viewsOf(ctx, tx, found.row.meetingId, [found]);
  if (!view) throw new Error('no view of a review');
  return view;
}

async function viewsOf(ctx: Ctx, tx: Orm, meetingId: string, all: readonly Own[]): Promise<ReviewView[]> {
  if (all.length === 0) return [];
  const [{ layers, access }, accounts, [titled]] = await Promise.all([
    layersIn(
      tx,
      all.map(({ row }) => row.id),
    ),
    accountsOf(tx, [
      ...new Set(all.flatMap(({ row, people }) => [row.leaderId, ...people.map(({ principalId }) => principalId)])),
    ]),
    tx
      .select({ title: meetingProjections.title })
      .from(meetingProjections)
      .where(eq(meetingProjections.meetingId, meetingId)),
  ]);
  const now = ctx.clock.now().getTime();
  const asks = all.some(({ row }) => row.coverage !== null);
  const heard = asks ? await heardIn(tx, meetingId, layers) : null;
  return all.map((one) => {
    const mine = access.filter((held) => keyOf(held) === one.by.principal);
    const readable = layers.filter(
      ({ id, reviewId }) => reviewId === one.row.id && mine.some((held) => held.layerId === id),
    );
    const annotates = new Set(
      mine.flatMap(({ layerId, permissions }) => (permissions.includes('comment') ? layerId : [])),
    );
    const { language } = ctx;
    return view(one, { title: titled?.title ?? '', language, accounts, readable, annotates, now, layers, heard });
  });
}

interface Around {
  title: string;
  /** Language of the caller, in which reviewers without names are numbered. */
  language: Language;
  accounts: Awaited<ReturnType<typeof accountsOf>>;
  /** Layers of the review that the caller reads, and ids of those they annotate. */
  readable: readonly LayerRow[];
  annotates: ReadonlySet<string>;
  now: number;
  /** All layers, by which `heard` is kept. */
  layers: readonly LayerRow[];
  heard: Heard;
}

function view(
  { row, people, review, by }: Own,
  { title, language, accounts, readable, annotates, now, ...listens }: Around,
): ReviewView {
  const nameOf = (id: string) => accounts.get(id)?.name ?? '';
  const layerOf = (id: string) => readable.find(({ reviewerId }) => reviewerId === id)?.id ?? null;
  const me = people.find((one) => keyOf(one) === by.principal);
  const isStudent = me?.role === 'student';
  const leads = review.leader === by.principal && !isStudent;
  const sees = whatIsSeen(review, by, me?.role ?? null, leads);
  const student = people.find(({ role }) => role === 'student');
  const reviewers = people.flatMap((one) => (one.role === 'student' ? [] : { ...one, role: one.role }));
  const own = readable.find(({ reviewerId }) => reviewerId !== null && reviewerId === me?.id);
  const kind = (wanted: LayerRow['kind']) => readable.find((one) => one.kind === wanted);
  const shared = kind('shared');
  const open = own ?? (shared && annotates.has(shared.id) ? shared : (kind('words') ?? shared));
  // An owner without a part learns that there is a review, but not how far it is.
  const follows = hasPart(review, by);
  // An address turns into an account when its person begins: the name is for those who learn that they have.
  const studentDone = review.policy === 'student' && review.student?.status === 'complete';
  const knowsStudent = sees.states || isStudent || (follows && (studentDone || phaseOf(review) === 'published'));
  const isNamed = ({ kind, email }: Own['people'][number], knows: boolean) =>
    kind === 'user' && (knows || email === null);
  const openedAt = follows ? review.openedAt : null;
  const heardBy = (one: Own['people'][number]): number | null => {
    const layer = assessedIn(listens.layers, row.id, one.id);
    if (row.coverage === null || !listens.heard || !layer || !mustListen(one.role)) return null;
    return listens.heard(layer.id, keyOf(one));
  };
  const isEnough = (share: number | null) => share === null || share >= (row.coverage ?? 0);
  return {
    ...{ id: row.id, meetingId: row.meetingId, title, policy: row.policy },
    phase: follows ? phaseOf(review) : 'closed',
    status: follows ? statusOf(review) : 'in-progress',
    completionDate: openedAt === null ? null : new Date(openedAt).toISOString(),
    // People who are added while a review is closed again do not learn that it was open.
    firstOpenedAt: openedAt === null ? null : (row.blindFigures?.at ?? null),
    leader: { id: row.leaderId, name: nameOf(row.leaderId) },
    student: student
      ? {
          name: isNamed(student, knowsStudent) ? nameOf(student.principalId) : (student.email ?? ''),
          userId: isNamed(student, knowsStudent) ? student.principalId : null,
          status: sees.states || isStudent ? student.status : null,
          isMe: isStudent,
          cloneId: layerOf(student.id),
        }
      : null,
    ...{ anonymous: row.anonymous, observers: row.observers && !row.anonymous, due: row.due, coverage: row.coverage },
    outcomeModel: isModelId(row.outcomeModel) ? row.outcomeModel : null,
    keyed: follows && row.keyOf !== null,
    isSecondPass: row.secondOf !== null && knowsSecondPass(review, by),
    // Before, it would tell that somebody has begun.
    askedTypes: openedAt === null ? null : row.askedTypes,
    rev: review.leader === by.principal || by.owns ? row.rev : null,
    mine: me ? { id: me.id, role: me.role, status: me.status, comment: me.comment, heard: heardBy(me) } : null,
    cloneId: open?.id ?? null,
    reviewers: reviewers.flatMap((one, nth): ReviewerView[] => {
      const { id, role, kind, principalId } = one;
      const isMe = one.id === me?.id;
      if (!(sees.names || isMe)) return [];
      const isKnown = (sees.people || isMe) && isNamed(one, sees.states || isMe);
      const known = isKnown ? nameOf(principalId) : null;
      const told = isMe || (sees.states && !(isStudent && role === 'supervisor'));
      const knowsAddress = isMe || leads || me?.role === 'supervisor';
      return [
        {
          ...{ id, role, isMe, cloneId: layerOf(id) },
          // A number would tell, while others are not listed, that there are some.
          name:
            row.anonymous && sees.states
              ? numberedName(language, nth + 1, known ?? (sees.people ? one.email : null))
              : known,
          userId: isKnown ? principalId : null,
          email: knowsAddress ? (kind === 'user' ? (accounts.get(principalId)?.email ?? null) : one.email) : null,
          status: told ? one.status : null,
          comment: told ? one.comment : '',
          heardEnough: told && row.coverage !== null && mustListen(role) ? isEnough(heardBy(one)) : null,
        },
      ];
    }),
    layers: layerKinds.flatMap((of) =>
      of === 'own' ? [] : readable.flatMap((one) => (one.kind === of ? [{ id: one.id, kind: of }] : [])),
    ),
    can: actionsOf(review, by, leads, open !== undefined && annotates.has(open.id), now),
  };
}

function actionsOf(review: Review, by: Actor, leads: boolean, annotates: boolean, now: number): ReviewView['can'] {
  const may = (type: 'complete' | 'take-back' | 'publish' | 'reopen' | 'delete') => {
    const event: ReviewEvent = { type };
    return !('refused' in next(review, event, by, now));
  };
  const changes = leads || review.leader === by.principal;
  const can: Record<(typeof reviewActions)[number], boolean> = {
    annotate: annotates,
    complete: may('complete'),
    'take-back': may('take-back'),
    change: changes,
    add: changes || by.owns,
    publish: may('publish'),
    reopen: may('reopen'),
    // Whether others have begun is nothing an owner is told.
    delete: changes || by.owns,
  };
  return reviewActions.filter((action) => can[action]);
}
