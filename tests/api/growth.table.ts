import { expect } from 'vitest';
import { growthAnswer } from '#shared/reviews/growth.ts';
import type { ReviewView } from '#shared/reviews.ts';
import { makeMeeting } from '#tests/support/meetings.ts';
import type { Answer, Person } from '#tests/support/people.ts';
import { askFor, gradeStudent } from '#tests/support/reviews.ts';
import { unknownParameter, type Scene, type Table } from '#tests/support/table.ts';

interface Graded {
  student: Person;
  mentor: Person;
  /** The first of the reviews. */
  review: ReviewView;
}
const made = new WeakMap<Scene, Graded>();

/** Two recordings of the caller in which a mentor and a student graded the student. */
async function graded(scene: Scene): Promise<string> {
  const { house, caller } = scene;
  const [student, mentor] = [await scene.person('Chen'), await scene.person('Ben')];
  const grade = async (given: number) =>
    gradeStudent({ leader: caller, student, mentor }, await makeMeeting(house, caller), { student: 3, mentor: given });
  made.set(scene, { student, mentor, review: await grade(2) });
  await grade(4);
  return '';
}

export default {
  'GET /api/growth': [
    { when: 'nobody', status: 401, code: 'UNAUTH' },
    unknownParameter,
    {
      when: 'no report that the caller reads',
      as: 'session',
      query: '?person=somebody',
      status: 200,
      then: ({ body }: Answer) =>
        expect(growthAnswer.parse(body)).toEqual({ people: [], person: null, points: [], agreements: [], sets: [] }),
    },
    {
      when: 'two reports of a student',
      as: 'session',
      query: graded,
      status: 200,
      then: async ({ body }: Answer, scene: Scene) => {
        const { student, mentor, review } = made.get(scene) ?? {};
        if (!student || !mentor || !review) throw new Error('nobody is graded');
        const growth = growthAnswer.parse(body);
        const { people, person, points } = growth;
        expect(people).toEqual([{ id: person, name: 'Chen Test' }]);
        const given = (grade: number) => [{ type: 'trust', grade, spread: null, self: 3, start: null }];
        expect(points.map(({ competencies }) => competencies)).toEqual([given(2), given(4)]);
        // Student and mentor read the same, whichever report names the person.
        const { report } = (await student.get(`/api/meetings/${review.meetingId}/reviews/${review.id}/report`)).body;
        expect(report.student.id).not.toBe(person);
        for (const one of [student, mentor])
          for (const query of ['', `?person=${report.student.id}`])
            expect((await one.get(`/api/growth${query}`)).body).toEqual(growth);
        // A stranger who names the student learns nothing.
        const stranger = await scene.person('Dan');
        expect((await stranger.get(`/api/growth?person=${person}`)).body).toEqual({
          ...{ people: [], person: null, points: [], agreements: [], sets: [] },
        });
      },
    },
    {
      when: 'a review that has not opened',
      as: 'session',
      query: async ({ house, caller, person }: Scene) => {
        const student = await person('Chen');
        await askFor(caller, await makeMeeting(house, caller), { student, roles: [[await person('Ben'), 'required']] });
        return '';
      },
      status: 200,
      then: ({ body }: Answer) => expect(body.people).toEqual([]),
    },
    {
      when: 'a longer id',
      as: 'session',
      query: `?person=${'a'.repeat(101)}`,
      status: 422,
      code: 'INVALID',
      fields: { person: 'too_long' },
    },
  ],
} satisfies Table;
