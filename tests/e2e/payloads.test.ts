// S9 and H01: text that would run if it were ever taken for more than text is in every field that others read.
import { expect, it } from 'vitest';
import { addTimed, writeEntries } from '#shared/meetings/entries.ts';
import { writeAnnotation, type Outcome } from '#shared/meetings/annotations.ts';
import { addSpeaker } from '#shared/meetings/speakers.ts';
import { addTag, writeAbout } from '#shared/meetings/about.ts';
import { textOf } from '#shared/meetings/transcript.ts';
import { openPane, Stage, waits } from '../support/document-page.ts';
import { made, watch } from '../support/hostile.ts';
import { makeMeeting } from '../support/meetings.ts';

const stage = new Stage(2);

const payloads = [
  '<img src=x onerror=hit()>',
  '<svg/onload=hit()>',
  '<script>hit()</script>',
  '"><iframe srcdoc="<script>parent.hit()</script>">',
  '</textarea></style></title><script>hit()</script>',
  '<a href="javascript:hit()">here</a>',
  '{{constructor.constructor("hit()")()}}',
  '${hit()}',
  "'-hit()-'",
  '<details open ontoggle=hit()>',
  '<math><mtext><table><mglyph><style><img src=x onerror=hit()>',
  '<input autofocus onfocus=hit()>',
  '<IMG SRC=x OnErRoR=hit()>',
  '<img/src/onerror=hit()>',
  '<img src="x`" onerror=hit()>`',
  '<img srcset=x onerror=hit()>',
  '<picture><source srcset=x onerror=hit()><img src=x onerror=hit()></picture>',
  '<video><source onerror=hit()></video>',
  '<video src=x onerror=hit()></video>',
  '<audio src=x onerror=hit()></audio>',
  '<body onload=hit()>',
  '<body onpageshow=hit()>',
  '<svg><animate onbegin=hit() attributeName=x dur=1s>',
  '<svg><set onbegin=hit() attributename=x>',
  '<svg><script>hit()</script></svg>',
  '<svg><a xlink:href="javascript:hit()"><text x=20 y=20>here</text></a></svg>',
  '<svg><use href="data:image/svg+xml,<svg onload=hit()>"></use></svg>',
  '<svg><foreignObject><iframe srcdoc="<script>parent.hit()</script>"></iframe></foreignObject></svg>',
  '<math href="javascript:hit()">here</math>',
  '<iframe src="javascript:parent.hit()"></iframe>',
  '<iframe src="data:text/html,<script>parent.hit()</script>"></iframe>',
  '<object data="javascript:hit()"></object>',
  '<object data="data:text/html,<script>hit()</script>"></object>',
  '<embed src="javascript:hit()">',
  '<form action="javascript:hit()"><button>here</button></form>',
  '<button formaction="javascript:hit()">here</button>',
  '<isindex type=image src=1 onerror=hit()>',
  '<select autofocus onfocus=hit()>',
  '<textarea autofocus onfocus=hit()>',
  '<keygen autofocus onfocus=hit()>',
  '<marquee onstart=hit()>',
  '<div onpointerenter=hit() style="position:fixed;inset:0">over</div>',
  '<x onanimationstart=hit() style="animation:a">',
  '<x contenteditable onfocus=hit() autofocus tabindex=1>',
  '<link rel=stylesheet href="javascript:hit()">',
  '<link rel=import href="data:text/html,<script>hit()</script>">',
  '<meta http-equiv=refresh content="0;url=javascript:hit()">',
  '<base href="javascript:hit()//">',
  '<style>@import url(javascript:hit());</style>',
  '<style>*{background:url("javascript:hit()")}</style>',
  '<template><script>hit()</script></template>',
  '<noscript><p title="</noscript><img src=x onerror=hit()>">',
  '<!--><script>hit()</script-->',
  '<![CDATA[<script>hit()</script>]]>',
  '<scr<script>ipt>hit()</scr</script>ipt>',
  '&lt;script&gt;hit()&lt;/script&gt;',
  '\\u003cscript\\u003ehit()\\u003c/script\\u003e',
  '%3Cscript%3Ehit()%3C/script%3E',
  '\uFF1Cscript\uFF1Ehit()\uFF1C/script\uFF1E',
  '`-hit()-`',
];

it('each payload is shown as it was written, in every place, and none of it runs', async () => {
  const meeting = await stage.recording();
  const ann = stage.person(0);
  const { rooms } = stage.house.house;
  const by = { userId: ann.id, origin: 'test' };
  const all = payloads.join(' ');
  const [first = ''] = payloads;
  await rooms.change(meeting, 'transcript', by, (doc) => {
    writeAbout(doc, { title: payloads.slice(0, 4).join(' ') }, 'test');
    textOf(doc).insert(1, `${all} `);
    for (const [i, payload] of payloads.entries()) {
      addTag(doc, payload, 'test');
      addSpeaker(doc, `p${i}`, payload, 'test');
      addTimed(doc, 'toc', { id: `t${i}`, start: 10 + i, title: payload }, 'test');
      addTimed(doc, 'bookmarks', { id: `b${i}`, start: i, title: payload }, 'test');
    }
    writeEntries(
      doc,
      'highlights',
      payloads.map((color, i) => ({ id: `h${i}`, start: i, end: i + 1, color })),
      'test',
    );
  });
  // Payloads that the server refuses today are stored, too, as an older one might have accepted them.
  for (const [i, payload] of payloads.entries()) {
    const at = { start: i, end: i + 1, quote: payload };
    for (const [path, body] of [
      ['comments', { ...at, text: payload }],
      ['outcomes', { outcome: { ...at, type: 'notes', text: payload } }],
    ] as const) {
      const { status, text } = await ann.post(`/api/meetings/${meeting}/${path}`, body);
      expect(status, text).toBe(200);
    }
  }
  const author = { id: 'x', kind: 'user' as const, name: first };
  const wild: Outcome = {
    ...{ id: 'wild', rev: 1, author, private: false, createdAt: payloads[1] ?? '', editTimestamp: null },
    ...{ anchor: null, start: 1, end: 2, quote: all, type: payloads[2] ?? '', text: all, url: 'javascript:hit()' },
    ...{ children: [{ type: payloads[3] ?? '', grade: 1 }], grade: 1, automatic: false, wasAutomatic: false },
  };
  await rooms.change(meeting, 'outcomes', by, (doc) => writeAnnotation(doc, 'outcome', wild, 'shared', 'test'));
  const link = { type: 'text', text: 'here', marks: [{ type: 'link', attrs: { href: 'javascript:hit()' } }] };
  const text = JSON.stringify({ type: 'doc', content: [{ type: 'paragraph', content: [link] }] });
  const bad = { ...wild, id: 'bad', parent: null, text, resolved: null };
  await rooms.change(meeting, 'comments', by, (doc) => writeAnnotation(doc, 'comment', bad, 'shared', 'test'));

  const page = await stage.desk.seat(stage.person(1));
  const heard = await watch(page);
  const listed = async () => (await stage.person(1).get('/api/meetings')).body.hits[0]?.title as string;
  await expect.poll(listed, waits).toContain(first);
  await page.goto('/');
  await page.getByRole('link', { name: first }).first().waitFor(waits);
  await page.goto(`/meeting/${meeting}`);
  await page.locator('.ProseMirror > *').first().waitFor(waits);
  const seen = async () => (await page.locator('body').innerText()).replaceAll(/\s+/g, ' ');
  for (const pane of ['Comments', 'Outcomes', 'Contents', 'Bookmarks']) {
    await openPane(page, pane);
    const place = page.locator('aside section[data-open]');
    // Names of speakers are shown in fields.
    const shown = async () =>
      (await place.innerText()) +
      (await place
        .locator('input')
        .evaluateAll((fields) => fields.map((field) => (field as HTMLInputElement).value).join(' ')));
    await expect.poll(shown, waits).toContain('iframe srcdoc');
    expect(await made(page, 'aside section[data-open]'), pane).toEqual([]);
  }
  await page.getByRole('tab', { name: 'Tags & Speakers' }).click();
  await expect.poll(seen, waits).toContain(payloads[1]);
  await page.getByRole('tab', { name: 'Transcript' }).click();
  expect(await made(page, '.ProseMirror')).toEqual([]);
  expect(await page.title()).toContain(first);
  expect(heard).toEqual([]);
});

it('no payload runs in lists, names, mails or the list of deleted recordings either', async () => {
  const meeting = await stage.recording();
  const [ann, ben] = [stage.person(0), stage.person(1)];
  const { database } = stage.house;
  const all = payloads.join(' ');
  // A name with letters that are refused today may have been stored earlier.
  await database.sql`update users set first_name = ${payloads[0] ?? ''}, last_name = ${payloads[1] ?? ''} where id = ${ann.id}`;
  const titled = async () => {
    const id = await stage.recording();
    expect((await ann.post(`/api/meetings/${id}/rename`, { title: all.slice(0, 490) })).status).toBe(200);
    return id;
  };
  await titled();
  const gone = await titled();
  expect((await ann.delete(`/api/meetings/${gone}`)).status).toBe(204);
  for (const [i, payload] of payloads.entries())
    if (!/[/\\]/.test(payload) && payload.length < 90)
      expect((await ann.post('/api/folders', { path: `/${i} ${payload}` })).status, payload).toBe(200);
  const locked = await makeMeeting(stage.house, ben);
  expect((await ann.post(`/api/meetings/${locked}/requestAccess`)).status).toBe(202);

  const page = await stage.desk.seat(ann);
  const heard = await watch(page);
  const shows = async (path: string, what: string, within = 'main') => {
    await page.goto(path);
    await expect.poll(() => page.locator(within).innerText(), waits).toContain(what);
    expect(await made(page, within), path).toEqual([]);
  };
  await expect
    .poll(async () => JSON.stringify((await ann.get('/api/meetings')).body), waits)
    .toContain('onerror=hit()');
  await shows('/', '<img src=x onerror=hit()> <svg/onload=hit()>');
  await shows('/', '11 <input autofocus onfocus=hit()>');
  await ann.post('/api/principals/me', { preferences: { searchResultsViewMode: 'tile' } });
  await shows('/', '<img src=x onerror=hit()> <svg/onload=hit()>');
  await shows('/deleted', '<img src=x onerror=hit()> <svg/onload=hit()>');
  await page.goto(`/meeting/${meeting}`);
  await page.locator('.ProseMirror > *').first().waitFor(waits);
  await page.getByRole('button', { name: 'Share' }).click();
  await expect.poll(() => page.getByRole('dialog').innerText(), waits).toContain('<svg/onload=hit()>');
  expect(await made(page, '[role=dialog]')).toEqual([]);
  // The mail to Ben, in a mail program that lets everything run.
  const [mail] = await stage.house.mails(ben.email);
  expect(mail?.text).toContain('<img src=x onerror=hit()>');
  const reader = await page.context().newPage();
  const ran = await watch(reader);
  await reader.setContent(mail?.html ?? '');
  expect(await reader.locator('body').innerText()).toContain('<img src=x onerror=hit()>');
  expect([heard, ran]).toEqual([[], []]);
});
